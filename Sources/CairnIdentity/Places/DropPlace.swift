public import CairnStore
public import CairnZone

/// An object in the folder of a person's drop boxes, by its name: a description, a drop, or a piece
/// of a drop. It knows names, and nothing of the objects.
public enum DropPlace: Hashable, Sendable {
  /// The description of a box.
  case box(Bytes16)
  /// A dropped file.
  case drop(Bytes16, in: Bytes16)
  /// A piece of the content of a dropped file, from 0.
  case piece(UInt32, of: Bytes16, in: Bytes16)

  /// The folder of all drop boxes of a person.
  public static func folder(_ owner: UserID) -> String { ObjectKind.drops.path(owner) }

  /// The box.
  public var box: Bytes16 {
    switch self {
    case .box(let box), .drop(_, let box), .piece(_, _, let box): box
    }
  }

  /// The name in the folder.
  public var name: String {
    switch self {
    case .box(let box): hexadecimal(box.bytes)
    case .drop(let drop, let box): "\(hexadecimal(box.bytes))-\(hexadecimal(drop.bytes))"
    case .piece(let number, let drop, let box):
      Self.drop(drop, in: box).name + "-" + hexadecimal(Crypto.number(UInt64(number)).suffix(4))
    }
  }

  /// The key in the container.
  public func key(_ owner: UserID) -> ObjectKey {
    guard let key = ObjectKey("\(Self.folder(owner))/\(name)") else {
      preconditionFailure("digits and hyphens make a key")
    }
    return key
  }

  /// Reads the key of an object in the folder; nil for any other key.
  public init?(_ key: ObjectKey, of owner: UserID) {
    let prefix = Self.folder(owner) + "/"
    let text = key.description
    guard text.hasPrefix(prefix) else { return nil }
    let parts = text.dropFirst(prefix.count)
      .split(separator: "-", omittingEmptySubsequences: false)
    func bytes(_ index: Int) -> Bytes16? {
      readHexadecimal(Array(parts[index].utf8)).flatMap { Bytes16($0) }
    }
    guard let box = bytes(0) else { return nil }
    switch parts.count {
    case 1: self = .box(box)
    case 2:
      guard let drop = bytes(1) else { return nil }
      self = .drop(drop, in: box)
    case 3:
      guard let drop = bytes(1), parts[2].utf8.count == 8,
        let digits = readHexadecimal(Array(parts[2].utf8))
      else { return nil }
      self = .piece(digits.reduce(0) { $0 << 8 | UInt32($1) }, of: drop, in: box)
    default: return nil
    }
  }
}
