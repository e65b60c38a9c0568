import CairnControl
import CairnDaemon
import Glibc

/// A home in a fresh folder with a server that answers by closures, removed by `close`.
struct ServerHome {
  let folder: String
  let home: Home
  let server: ControlServer

  init(_ routes: ControlRoutes) throws {
    var template = Array("/tmp/cairn-server-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw ControlError(.internalError, "There is no temporary folder.")
    }
    folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    home = try Home(environment: ["CAIRN_HOME": folder])
    server = try ControlServer(home: home, responder: routes)
    try server.start()
  }

  func close() {
    server.stop()
    rmdir(home.logs)
    for name in ["cairnd.pid", "start.lock", "link"] { unlink(folder + "/" + name) }
    rmdir(folder)
  }

  var client: ControlClient { ControlClient(home: home) }

  /// Sends these bytes over the socket, and reads until the server closes. Returns the answer.
  func exchange(_ request: String) -> String {
    let descriptor = connected()
    defer { Glibc.close(descriptor) }
    let bytes = Array(request.utf8)
    guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      return ""
    }
    return Self.rest(of: descriptor)
  }

  /// Returns all bytes that arrive until the other side closes.
  static func rest(of descriptor: CInt) -> String {
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      guard count > 0 else { return String(decoding: answer, as: UTF8.self) }
      answer += buffer[..<count]
    }
  }

  /// A connection to the server, which gives up reading after 30 seconds.
  func connected() -> CInt {
    let descriptor = socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0)
    var patience = timeval(tv_sec: 30, tv_usec: 0)
    setsockopt(
      descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: home.socket.utf8) }
    _ = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    return descriptor
  }
}

/// An event that one thread waits for and another one reports, with a limit of 30 seconds.
final class Signal: @unchecked Sendable {
  // Proof for Sendable: sem_* functions may be called from any thread, and nothing else is shared.
  private let semaphore = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init() {
    sem_init(semaphore, 0, 0)
  }

  deinit {
    sem_destroy(semaphore)
    semaphore.deallocate()
  }

  func send() {
    sem_post(semaphore)
  }

  /// Waits for the event. Returns false if it wasn't reported in time.
  func arrives() -> Bool {
    var limit = timespec()
    clock_gettime(CLOCK_REALTIME, &limit)
    limit.tv_sec += 30
    while sem_timedwait(semaphore, &limit) != 0 {
      guard errno == EINTR else { return false }
    }
    return true
  }
}
