import Glibc

/// The kernel's table of mounts: proc_pid_mountinfo(5).
public enum KernelMounts {
  /// A mount.
  public struct Line: Hashable, Sendable {
    /// The number of the device, as text.
    public var device: [UInt8]
    /// The shown directory, by its path within the file system.
    public var root: [UInt8]
    /// The path at which it is shown.
    public var point: [UInt8]
    /// The type of the file system; empty if the table lacks it.
    public var type: [UInt8]
    /// The options of the file system.
    public var options: [[UInt8]]
  }

  /// Returns the text of the present table; empty if it can't be read.
  public static func text() -> [UInt8] {
    let file = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 64 << 10))
    while true {
      let count = read(file, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return bytes }
      bytes += buffer[..<count]
    }
  }

  /// Parses a table. Lines of another form are skipped.
  public static func lines(_ text: [UInt8]) -> [Line] {
    text.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let fields = line.split(separator: UInt8(ascii: " "))
      guard fields.count > 4 else { return nil }
      var new = Line(
        device: Array(fields[2]), root: plain(fields[3]), point: plain(fields[4]), type: [],
        options: [])
      // The optional fields end with a dash. The type, the source and the options follow.
      let dash = fields.dropFirst(6).firstIndex { $0.elementsEqual([UInt8(ascii: "-")]) }
      if let dash, fields.count > dash + 3 {
        new.type = Array(fields[dash + 1])
        new.options = fields[dash + 3].split(separator: UInt8(ascii: ",")).map { Array($0) }
      }
      return new
    }
  }

  /// Decodes a field: blanks, line breaks and backslashes are written as a backslash and three
  /// octal digits.
  private static func plain(_ field: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      guard byte == UInt8(ascii: "\\"), digits.count == 3,
        let code = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      else {
        bytes.append(byte)
        continue
      }
      bytes.append(code)
      rest = rest.dropFirst(3)
    }
    return bytes
  }
}
