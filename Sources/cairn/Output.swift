import CairnControl
import Glibc

/// Output for people and programs. All text from outside passes `printable`.
enum Output {
  /// Writes a line to standard output.
  static func line(_ text: String = "") {
    write(Array(text.utf8) + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
  }

  /// Writes a line of bytes to standard output.
  static func line(_ bytes: [UInt8]) {
    write(bytes + [UInt8(ascii: "\n")], to: STDOUT_FILENO)
  }

  /// Writes bytes to standard output as they are.
  static func raw(_ bytes: [UInt8]) {
    write(bytes, to: STDOUT_FILENO)
  }

  /// Writes a line to standard error.
  static func error(_ text: String) {
    write(Array(text.utf8) + [UInt8(ascii: "\n")], to: STDERR_FILENO)
  }

  /// A text from another person, safe for a terminal and on one line.
  static func printable(_ text: String) -> String {
    Control.Path.printable(Array(text.utf8))
  }

  /// A sentence of the daemon, with printable names, safe for a terminal and on one line.
  static func sentence(_ text: String) -> String { Control.Path.sentence(text) }

  /// Writes rows with left-aligned columns, two spaces apart. On a terminal they begin with the
  /// heading.
  static func table(_ rows: [[String]], heading: [String] = []) {
    var table = GrowingTable(heading: heading)
    table.write(rows)
  }

  /// Writes a file's bytes to standard output.
  static func copy(_ path: [CChar]) throws {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else {
      throw ControlError(.assetFileNotFound, "The copy vanished.", remedy: "Try again.")
    }
    defer { close(file) }
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(file, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else {
        throw ControlError(
          .internalError, "The copy can't be read: \(String(cString: strerror(errno))).",
          remedy: "Try again.")
      }
      guard count > 0 else { return }
      write(Array(buffer[..<count]), to: STDOUT_FILENO)
    }
  }

  /// Writes all bytes. A closed pipe on standard output ends the program by SIGPIPE, which NIO
  /// disabled. Other failures end it with an error.
  static func write(_ bytes: [UInt8], to descriptor: CInt) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 && (errno == EINTR || errno == EAGAIN) { continue }
      guard count > 0 else {
        guard descriptor == STDOUT_FILENO else { return }
        let number = errno
        if number == EPIPE {
          signal(SIGPIPE, SIG_DFL)
          raise(SIGPIPE)
        }
        fail(number)
      }
      rest = rest.dropFirst(count)
    }
  }

  private static func fail(_ number: CInt) -> Never {
    let isFull = number == ENOSPC || number == EDQUOT
    let error = ControlError(
      isFull ? .quotaExceeded : .internalError,
      number == EBADF
        ? "Standard output is closed, so there is no place for the answer."
        : "The answer can't be written: \(String(cString: strerror(number))).",
      remedy: isFull ? "Make room there, and ask again." : "Ask again with another output.")
    Failure.report(error, isJSON: false)
    exit(error.exitStatus)
  }
}
