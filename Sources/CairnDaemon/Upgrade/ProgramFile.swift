import CairnControl
import CairnThreads
import Glibc

/// The file of this process's program, and the file in its place now: an upgrade of a package
/// replaces it.
struct ProgramFile: Sendable {
  /// The path when the process began, without symbolic links.
  let path: String
  /// The identity of the file.
  let own: LiveUpgrade.File

  /// The longest time for a program to print its version, in nanoseconds.
  private static let patience: Int64 = 20_000_000_000

  /// The folder of the file.
  var folder: String { path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/" }

  /// The file in its place; nil if there is none that this person may run.
  var standing: LiveUpgrade.File? {
    access(path, X_OK) == 0 ? Self.file(path) : nil
  }

  private static func file(_ path: String) -> LiveUpgrade.File? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return LiveUpgrade.File(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
  }

  /// Runs the file in its place to get its version, and waits for it.
  /// - Returns: The version; nil if it cannot be run, or prints nothing of the kind.
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
      // A partial program, or one for another machine: it is run again later.
      return nil
    }
  }

  /// Returns the version in the output of a program: one short word on a line.
  static func version(_ said: [UInt8]) -> String? {
    let word = said.prefix { $0 != UInt8(ascii: "\n") }
    guard let first = word.first, (0x30...0x39).contains(first), word.count <= 64,
      word.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else { return nil }
    return String(decoding: word, as: UTF8.self)
  }

  /// Reads everything until the other side closes; nil if it doesn't in time.
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
  /// Creates a value for the program of this process; nil if the kernel doesn't tell.
  init?() {
    guard let resolved = realpath("/proc/self/exe", nil) else { return nil }
    defer { free(resolved) }
    guard let path = String(validatingCString: resolved), let own = Self.file("/proc/self/exe")
    else { return nil }
    self.init(path: path, own: own)
  }
}
