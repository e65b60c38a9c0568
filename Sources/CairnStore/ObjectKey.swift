/// The name of an object in a store: ASCII components of `[a-z0-9._-]`, joined by "/". It must not
/// know the meaning of the object. It only guarantees that every store can use the name. Makers of
/// keys pad numbers with zeros, so that lists have their order, and put no `x` beside `x/y`.
public struct ObjectKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The maximum number of bytes in a key (the limit of S3).
  public static let maximumLength = 1024
  /// The maximum number of components, so that a walk of a hostile folder stays shallow.
  public static let maximumDepth = 16

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
    var rest = text[...]
    for depth in 0..<maximumDepth {
      let end = rest.firstIndex(of: UInt8(ascii: "/")) ?? rest.endIndex
      let component = rest[..<end]
      guard isComponent(component), depth > 0 || !component.elementsEqual("tmp".utf8) else {
        return false
      }
      if end == rest.endIndex { return true }
      rest = rest[(end + 1)...]
    }
    return false
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
    guard let first = bytes.first, first != UInt8(ascii: "."), bytes.count <= 255 else {
      return false
    }
    return bytes.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
  }
}
