import CairnZone

/// A person as their identity log says: name, keys and devices. A value; where it came from and
/// whether there is more of the log isn't its business.
public struct Person: Hashable, Sendable {
  /// A device of the person.
  public struct Device: Hashable, Sendable {
    /// What the person calls it.
    public var name: String
    /// Its Ed25519 public key.
    public var signKey: Bytes32
    /// Its X25519 public key, to which the person's encryption key is sealed.
    public var boxKey: Bytes32
    /// Whether it may still sign entries of the identity log.
    public var isActive: Bool
  }

  /// The digest of the first entry.
  public let id: UserID
  /// What others type to name the person. Nobody guards that only one person claims it.
  public internal(set) var handle: String
  /// The name that people read.
  public internal(set) var name: String
  /// The X25519 public key that others seal to.
  public internal(set) var encryptionKey: Bytes32
  /// All devices that ever were, by id.
  public internal(set) var devices: [DeviceID: Device]
  /// The number of entries of the chain that this was folded from.
  public internal(set) var length: UInt64
  /// The chain's digest of the last entry.
  var head: Bytes32
  /// What the last entry says of the name of the next one.
  var lock: Bytes32
  /// What the person says of the name of the first place of what they publish; nil: they never
  /// began to.
  public internal(set) var publicLock: Bytes32?
  /// Where the chain, and all that is the person's, is kept; nil: where the container was made.
  public internal(set) var site: Site?

  /// Whether the text may be a handle: 1 to 32 of a-z, 0-9, dot, underscore and hyphen, the first a
  /// letter or digit.
  public static func isHandle(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard (1...32).contains(bytes.count), isLetterOrDigit(bytes[0]) else { return false }
    return bytes.allSatisfy { isLetterOrDigit($0) || ".-_".utf8.contains($0) }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Whether the text may be a person's or a device's name: 1 to 255 bytes, no control characters.
  public static func isName(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count)
      && !text.unicodeScalars.contains { $0.value < 32 || (127..<160).contains($0.value) }
  }
}

/// Why an identity log, or a change of one, is refused. A sentence for people is its description.
public enum IdentityError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes are no identity entry.
  case unreadable(FormatError)
  /// The entry was written by a later version of Cairn.
  case newerFormat(UInt32)
  /// It has a field, or a value, that only a later version of Cairn knows.
  case newer(FormatError)
  /// No entry at all.
  case empty
  /// The first entry makes another person than was asked for.
  case wrongPerson
  /// The entry stands at another place in the chain than it says.
  case brokenChain(UInt64)
  /// The device that signed isn't an active device of the person.
  case inactiveDevice(UInt64)
  /// The signature isn't the device's.
  case badSignature(UInt64)
  /// The entry says something that may not be said at that place.
  case invalid(UInt64, String)
  /// The last entry leaves no place that this device could write to.
  case noPlace(UInt64)
  /// The text can't be a handle.
  case handle(String)
  /// The text can't be a name.
  case name(String)

  init(_ error: FormatError) { self = error.isNewer ? .newer(error) : .unreadable(error) }

  /// A sentence for people.
  public var description: String {
    switch self {
    case .unreadable(let error), .newer(let error): error.description
    case .newerFormat: "The identity was written by a newer version of Cairn: install that one."
    case .empty: "The person has no identity log."
    case .wrongPerson: "The identity log belongs to another person than its place says."
    case .brokenChain(let at): "Entry \(at) of the identity log doesn't follow the one before it."
    case .inactiveDevice(let at):
      "Entry \(at) of the identity log is by a device that may not sign."
    case .badSignature(let at): "Entry \(at) of the identity log has a wrong signature."
    case .invalid(let at, let why): "Entry \(at) of the identity log is invalid: \(why)."
    case .noPlace(let at):
      "Entry \(at) of the identity log can't be followed by another one: the place that it names "
        + "isn't one of this person's."
    case .handle(let text):
      "'\(text)' can't be a handle: use 1 to 32 of a-z, 0-9, '.', '_' and '-', and begin with a "
        + "letter or digit."
    case .name(let text):
      "'\(text)' can't be a name: use 1 to 255 bytes without control characters."
    }
  }
}
