/// A mounted file system, from the text of `/proc/self/mountinfo`.
public struct MountedFileSystem: Sendable, Equatable {
  /// The type, such as `ext4`.
  public var type: String
  /// The device, such as `/dev/vda1`.
  public var source: String
  /// The options of the file system itself, such as `rw,discard`.
  public var options: String

  /// Creates the file system that a path is on; nil if the text names none.
  /// - Parameters:
  ///   - path: An absolute path without symbolic links.
  ///   - text: The text of `/proc/self/mountinfo`.
  public init?(at path: String, in text: String) {
    var best = -1
    var found: MountedFileSystem?
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard let dash = fields.firstIndex(of: "-"), fields.count > dash + 3, dash > 5 else {
        continue
      }
      let mounted = Self.plain(fields[4])
      let isAbove =
        mounted == "/" || path == mounted || path.hasPrefix(mounted + "/")
      // A later line covers an earlier one of the same path.
      guard isAbove, mounted.count >= best else { continue }
      best = mounted.count
      found = MountedFileSystem(
        type: String(fields[dash + 1]), source: Self.plain(fields[dash + 2]),
        options: String(fields[dash + 3]))
    }
    guard let found else { return nil }
    self = found
  }

  private init(type: String, source: String, options: String) {
    self.type = type
    self.source = source
    self.options = options
  }

  /// Returns a phrase for people: the type, and whether it has a journal. For ext4 the kernel says
  /// that, or nil if it doesn't.
  public func phrase(hasJournal: Bool?) -> String {
    switch type {
    case "ext3", "xfs", "jfs", "f2fs": "\(type), journaled"
    case "btrfs", "zfs", "bcachefs": "\(type), copy on write"
    case "tmpfs", "ramfs": "\(type), in memory"
    case "ext2": "ext2, without a journal"
    default:
      switch hasJournal {
      case true: "\(type), journaled"
      case false: "\(type), without a journal"
      case nil: "\(type), perhaps without a journal"
      }
    }
  }

  /// Returns a field of the kernel's table without its escapes: `\040` is a space.
  private static func plain(_ field: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = Array(field.utf8)[...]
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
    return String(decoding: bytes, as: UTF8.self)
  }
}
