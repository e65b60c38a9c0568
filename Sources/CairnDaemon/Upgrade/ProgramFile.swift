import CairnControl
import CairnThreads
import Glibc

/// The file that this process runs, and what stands in its place by now: a package's upgrade puts
/// another one there.
struct ProgramFile: Sendable {
  /// Where it was when the process began, without symlinks.
  let path: String
  /// Which one it is.
  let own: Succession.File

  /// How long a program may take to say its version, in nanoseconds.
  private static let patience: Int64 = 20_000_000_000

  /// The folder that it is in.
  var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/" }

  /// What stands in its place; nil if that is nothing that this person may run.
  var standing: Succession.File? {
    access(path, X_OK) == 0 ? Self.file(path) : nil
  }

  private static func file(_ path: String) -> Succession.File? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return Succession.File(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
  }

  /// Asks what stands in its place for its version. Blocks until it has said that.
  /// - Returns: the version; nil if it can't be run, or says nothing of the kind.
  func standingVersion() -> String? {
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    defer { close(null) }
    do throws(ControlError) {
      let ends = try ChildProcess.pipe()
      defer { close(ends.reading) }
      let child: ChildProcess
      do {
        defer { close(ends.writing) }
        child = try ChildProcess(
          path, .init(arguments: ["cairnd", "--version"], descriptors: [null, ends.writing, null]))
      }
      let said = Self.all(of: ends.reading, until: Monotonic.now + Self.patience)
      if said == nil { kill(child.process, SIGKILL) }
      guard child.waitForExit() == 0, let said else { return nil }
      return Self.version(said)
    } catch {
      // Half of a program, or one for another machine: it is asked again later.
      return nil
    }
  }

  /// The version in what a program said: one short word on a line.
  static func version(_ said: [UInt8]) -> String? {
    let word = said.prefix { $0 != UInt8(ascii: "\n") }
    guard let first = word.first, (0x30...0x39).contains(first), word.count <= 64,
      word.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return nil }
    return String(decoding: word, as: UTF8.self)
  }

  /// All that comes until the other side closes; nil if it doesn't in time.
  private static func all(of descriptor: CInt, until deadline: Int64) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let left = (deadline - Monotonic.now) / 1_000_000
      guard left > 0, bytes.count < 65_536 else { return nil }
      var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, CInt(left)) > 0 else { continue }
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { return count == 0 ? bytes : nil }
      bytes += buffer[..<count]
    }
  }
}

extension ProgramFile {
  /// The file that this process runs; nil where the kernel doesn't tell.
  init?() {
    guard let resolved = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(resolved) }
    guard let path = String(validatingCString: resolved), let own = Self.file("/proc/self/exe")
    else { return nil }
    self.init(path: path, own: own)
  }
}
