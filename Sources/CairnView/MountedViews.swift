public import CairnControl
import Glibc

/// The views that this user's processes show, by the kernel's table of mounts.
public enum MountedViews {
  /// The type of file system in the table.
  private static let type = "fuse.cairn"

  /// Finds the views.
  /// - Parameter table: The text of mountinfo: proc_pid_mountinfo(5).
  /// - Returns: The absolute paths, sorted.
  public static func all(in table: [UInt8] = MountedViews.table()) -> [Control.Path] {
    table.split(separator: UInt8(ascii: "\n")).compactMap { line in
      let fields = line.split(separator: UInt8(ascii: " ")).map { Array($0) }
      // The optional fields end with a dash. The type, the source and the options follow.
      guard fields.count > 6, let dash = fields[6...].firstIndex(of: [UInt8(ascii: "-")]),
        fields.count > dash + 3, fields[dash + 1] == Array(type.utf8),
        fields[dash + 3].split(separator: UInt8(ascii: ","))
          .contains(where: { $0.elementsEqual("user_id=\(getuid())".utf8) })
      else { return nil }
      return Control.Path(unescaped(fields[4]))
    }.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
  }

  /// Returns the kernel's table of mounts; empty if it can't be read.
  public static func table() -> [UInt8] {
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

  /// Replaces `\040` and the like by their bytes.
  private static func unescaped(_ text: [UInt8]) -> [UInt8] {
    var (bytes, place): ([UInt8], Int) = ([], 0)
    while place < text.count {
      let digits = text[place...].dropFirst().prefix(3)
      if text[place] == UInt8(ascii: "\\"), digits.count == 3,
        let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        bytes.append(byte)
        place += 4
      } else {
        bytes.append(text[place])
        place += 1
      }
    }
    return bytes
  }
}
