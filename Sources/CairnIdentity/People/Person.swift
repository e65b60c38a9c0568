import CairnZone

/// A person by their identity log: name, keys and devices. A value; its source, and further
/// entries, are not its concern.
public struct Person: Hashable, Sendable {
  /// A device of the person.
  public struct Device: Hashable, Sendable {
    /// The device's name.
    public var name: String
    /// Its Ed25519 public key.
    public var signKey: Bytes32
    /// Its X25519 public key, to which the person's encryption key is sealed.
    public var boxKey: Bytes32
    /// A Boolean value that indicates whether it may still sign entries of the identity log.
    public var isActive: Bool
    /// A Boolean value that indicates whether its keys follow from the words of a recovery sheet.
    /// Such a device never runs: its keys only let in another device.
    public var isRecovery = false
    /// The time of its revocation, by the clock of the revoking device, in nanoseconds since 1970;
    /// nil if it is active.
    public var revoked: Int64?
  }

  /// The digest of the first entry.
  public let id: UserID
  /// The handle that others type. Several people can claim the same one.
  public internal(set) var handle: String
  /// The display name.
  public internal(set) var name: String
  /// The X25519 public key for seals to the person.
  public internal(set) var encryptionKey: Bytes32
  /// All present and former devices, by id.
  public internal(set) var devices: [DeviceID: Device]
  /// The number of replayed entries.
  public internal(set) var length: UInt64
  /// The chain's digest of the last entry.
  public var head: Bytes32
  /// The lock in the last entry for the name of the next one.
  var lock: Bytes32
  /// The lock for the first position of the person's public zone; nil: there is none.
  public internal(set) var publicLock: Bytes32?
  /// The location of the chain and of everything of the person; nil: the container's first
  /// location.
  public internal(set) var site: Site?

  /// Returns whether the text can be a handle: 1 to 32 of a-z, 0-9, dot, underscore and hyphen, the
  /// first a letter or digit.
  public static func isHandle(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    guard (1...32).contains(bytes.count), isLetterOrDigit(bytes[0]) else { return false }
    return bytes.allSatisfy { isLetterOrDigit($0) || ".-_".utf8.contains($0) }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  /// Returns whether the text can be a person's or a device's name: 1 to 255 bytes, no control
  /// characters.
  public static func isName(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count)
      && !text.unicodeScalars.contains { $0.value < 32 || (127..<160).contains($0.value) }
  }
}

/// The reason why an identity log, or a change of one, is refused. Its description is a sentence
/// for people.
public enum IdentityError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The bytes are no identity entry.
  case unreadable(FormatError)
  /// A later version of Cairn wrote the entry.
  case newerFormat(UInt32)
  /// It has a field or a value that only a later version of Cairn knows.
  case newer(FormatError)
  /// No entry at all.
  case empty
  /// The first entry makes another person than the requested one.
  case wrongPerson
  /// The entry is at another position in the chain than it says.
  case brokenChain(UInt64)
  /// The signing device is no active device of the person.
  case inactiveDevice(UInt64)
  /// The signature is not the device's.
  case badSignature(UInt64)
  /// The entry has content that is not allowed at that position.
  case invalid(UInt64, String)
  /// The last entry leaves no position that this device could write to.
  case noPlace(UInt64)
  /// The text cannot be a handle.
  case handle(String)
  /// The text cannot be a name.
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
