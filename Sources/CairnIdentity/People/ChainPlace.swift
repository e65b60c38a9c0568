import CairnStore
import CairnZone

/// The positions of a person's chain. The name of the first entry is public. Only the person's
/// devices can compute the name of a later one, and the entry before fixes it by a digest, its
/// lock. So nobody else can block it, and everybody finds it.
public enum ChainPlace {
  /// The folder of a chain's entries.
  public static func folder(_ user: UserID) -> String { ObjectKind.chain.path(user) }

  /// The position of the first entry. Nobody knows the id before the entry exists.
  public static func start(_ user: UserID) -> ObjectKey { key(user, "start") }

  /// The name of a position from 2 on, by the secret key in force after the entry before it.
  static func name(_ place: UInt64, by key: BoxKey) -> String {
    precondition(place > 1, "the first place has a name that is known")
    let digest = Crypto.digest("cairn chain place v1", secret: key.secret, Crypto.number(place))
    return hexadecimal(Array(digest.bytes.prefix(16)))
  }

  /// Returns whether a position from 2 on can have that name.
  static func isName(_ name: String) -> Bool {
    name.utf8.count == 32 && readHexadecimal(Array(name.utf8)) != nil
  }

  /// The lock in an entry for the name of the next one.
  public static func lock(_ name: some StringProtocol) -> Bytes32 {
    Crypto.digest("cairn lock v1", Array(name.utf8))
  }

  static func key(_ user: UserID, _ name: some StringProtocol) -> ObjectKey {
    guard let key = ObjectKey("\(folder(user))/\(name)") else {
      preconditionFailure("\(name) can't name an entry")
    }
    return key
  }

  /// The last part of a key.
  public static func name(of key: ObjectKey) -> String {
    key.description.split(separator: "/").last.map { String($0) } ?? ""
  }
}

extension Account {
  /// The key pair in force in a state of this person's chain; nil if this device does not know it.
  func key(of person: Person) -> BoxKey? {
    encryption.last { $0.publicKey == person.encryptionKey }
  }

  /// The name of the position after a state of this person's chain; nil without that key.
  func nextName(after person: Person) -> String? {
    key(of: person).map { ChainPlace.name(person.length + 1, by: $0) }
  }
}
