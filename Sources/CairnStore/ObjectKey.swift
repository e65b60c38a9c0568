/// The name of an object in a store: ASCII components of `[a-z0-9._-]`, joined by "/". It must not
/// know the meaning of the object. It only guarantees that every store can use the name. Makers of
/// keys pad numbers with zeros, so that lists have their order, and put no `x` beside `x/y`.
public struct ObjectKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The maximum number of bytes in a key (the limit of S3).
  public static let maximumLength = 1024
  /// The maximum number of components, so that a walk of a hostile folder stays shallow.
  public static let maximumDepth = 16
  /// The maximum number of bytes in a component (the limit of Linux).
  private static let maximumComponent = 255

  /// The key as text, for example `zones/7f/log/00000001`.
  public let description: String

  /// Creates a key, or returns nil for an invalid text: empty, too long or too deep; with a
  /// component that is empty, begins with a dot (such names belong to file systems: `.nfs…`,
  /// `.snapshot`), is longer than 255 bytes or has other characters; or with the first component
  /// `tmp`, where a directory store keeps its unfinished files.
  public init?(_ text: String) {
    var text = text
    guard text.utf8.count <= Self.maximumLength, text.withUTF8({ Self.isKey($0) }) else {
      return nil
    }
    description = text
  }

  private static func isKey(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let slash = UInt8(ascii: "/")
    guard text.last != slash, !isTemporary(text) else { return false }
    // Each key of a log's position comes by here, so this loop uses no slices.
    var (start, depth) = (0, 1)
    for index in 0..<text.count {
      let byte = text[index]
      if byte == slash {
        guard index > start, index - start <= maximumComponent else { return false }
        (start, depth) = (index + 1, depth + 1)
      } else if !isAllowed(byte) || (index == start && byte == UInt8(ascii: ".")) {
        return false
      }
    }
    let last = text.count - start
    return last > 0 && last <= maximumComponent && depth <= maximumDepth
  }

  /// A Boolean value that indicates whether the first component is `tmp`.
  private static func isTemporary(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    text.count >= 3 && text[0] == UInt8(ascii: "t") && text[1] == UInt8(ascii: "m")
      && text[2] == UInt8(ascii: "p") && (text.count == 3 || text[3] == UInt8(ascii: "/"))
  }

  /// Creates a key from parts that were checked before.
  init(checked text: String) {
    description = text
  }

  /// The folder part, "" for a key of one component.
  var folder: String {
    guard let slash = description.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "" }
    return String(description[..<slash])
  }

  /// The last component.
  var name: String {
    guard let slash = description.utf8.lastIndex(of: UInt8(ascii: "/")) else { return description }
    return String(description[description.utf8.index(after: slash)...])
  }

  /// Byte order, which is the order of `list`.
  public static func < (left: ObjectKey, right: ObjectKey) -> Bool {
    left.description < right.description
  }

  /// A Boolean value that indicates whether these bytes can be a component of a key.
  static func isComponent(_ bytes: some Collection<UInt8>) -> Bool {
    guard let first = bytes.first, first != UInt8(ascii: "."), bytes.count <= maximumComponent
    else { return false }
    return bytes.allSatisfy(isAllowed)
  }

  /// A Boolean value that indicates whether a component may have this byte: `[a-z0-9._-]`.
  private static func isAllowed(_ byte: UInt8) -> Bool {
    // Comparisons with numbers: patterns of ranges are slow in programs without optimization.
    (byte >= 0x61 && byte <= 0x7A) || (byte >= 0x30 && byte <= 0x39) || byte == 0x2E
      || byte == 0x5F || byte == 0x2D
  }
}
