/// The name of an object in a store: ASCII components of `[a-z0-9._-]`, joined by "/". It must not
/// know what the object means; it only guarantees that every store can keep the name. Who makes
/// keys pads numbers with zeros, so that lists are in their order, and puts no `x` beside `x/y`.
public struct ObjectKey: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The most bytes a key may have (S3's limit).
  public static let maximumLength = 1024
  /// The most components a key may have, so that a walk of a hostile folder stays shallow.
  public static let maximumDepth = 16

  /// The key as written, for example `zones/7f/log/00000001`.
  public let description: String

  /// The key, or nil if `text` is none: empty, too long or too deep, a component that is empty,
  /// begins with a dot (such names belong to file systems: `.nfs…`, `.snapshot`), is longer than
  /// 255 bytes or has other characters; or the first component is `tmp`, where a directory store
  /// keeps its unfinished files.
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

  /// For text put together from parts that were checked before.
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

  /// Byte order, which is the order that `list` answers in.
  public static func < (left: ObjectKey, right: ObjectKey) -> Bool {
    left.description < right.description
  }

  /// Whether these bytes may be one component of a key.
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
