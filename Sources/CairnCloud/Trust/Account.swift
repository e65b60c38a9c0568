import CairnZone
import FoundationEssentials
import Synchronization

/// A person on this device: who they are and the secret keys. It knows no container; whoever holds
/// one can sign and read as that person.
public struct Account: Sendable {
  /// The person.
  public let user: UserID
  /// This device's keys.
  public let device: DeviceKeys
  /// The person's key pairs, shared by all copies of this value: what one learns, all know.
  private let keys: PersonKeys
  /// The stored first entry of the person's identity log, so that publishing can be repeated.
  public let origin: [UInt8]

  init(user: UserID, device: DeviceKeys, encryption: [BoxKey], origin: [UInt8]) {
    precondition(!encryption.isEmpty, "a person has an encryption key")
    self.user = user
    self.device = device
    keys = PersonKeys(encryption)
    self.origin = origin
  }

  /// The same account, which learns nothing of what copies of this one learn from now on: one more
  /// device that starts from the same keys.
  public func apart() -> Account {
    Account(user: user, device: device, encryption: encryption, origin: origin)
  }

  /// The person's key pairs, the current one last; older ones open what was sealed before.
  var encryption: [BoxKey] { keys.all }

  /// Takes up key pairs that the person has got meanwhile, the current one last.
  func learn(_ newer: [BoxKey]) { keys.add(newer) }

  /// What nobody but the person's devices can compute the account zone's id from.
  var accountNonce: Bytes16 {
    let digest = Crypto.digest("cairn account zone v1", secret: encryption[0].secret)
    guard let nonce = Bytes16(digest.bytes.prefix(16)) else {
      preconditionFailure("16 bytes make a nonce")
    }
    return nonce
  }

  /// What stands in commits that this account signs.
  public var author: Author { Author(user: user, device: device.id) }

  /// The public key that others seal to, for this person to open.
  public var encryptionKey: Bytes32 { currentKey.publicKey }

  /// The pair that others seal to now.
  var currentKey: BoxKey {
    guard let key = encryption.last else { preconditionFailure("a person has an encryption key") }
    return key
  }

  /// Whether the secret of that public key is known here.
  func has(_ key: Bytes32) -> Bool { encryption.contains { $0.publicKey == key } }

  /// The key of the first epoch of the account zone: all devices of the person can tell it, and
  /// with it the places of that zone's log, and nobody else.
  var accountKey: ZoneKey {
    ZoneKey(
      epoch: 1, secret: Crypto.derive("cairn account key v1", from: encryption[0].secret))
  }

  /// Opens an anonymous box to any of the person's keys; nil if it is for somebody else.
  func open(_ box: [UInt8]) -> [UInt8]? {
    for key in encryption.reversed() {
      if let plain = key.open(box) { return plain }
    }
    return nil
  }
}

/// The key pairs of one person, which grow when a device is revoked.
private final class PersonKeys: Sendable {
  private let keys: Mutex<[BoxKey]>

  init(_ keys: [BoxKey]) { self.keys = Mutex(keys) }

  var all: [BoxKey] { keys.withLock { $0 } }

  func add(_ newer: [BoxKey]) {
    keys.withLock { keys in
      for key in newer where !keys.contains(where: { $0.publicKey == key.publicKey }) {
        keys.append(key)
      }
    }
  }
}

/// The stored form of an account: one file of mode 0600 in the person's home (account.proto).
public enum AccountFile {
  /// The file's usual name.
  public static let name = "account"
  static let format: UInt32 = 1
  static let limit = 65536

  static func encode(_ account: Account) -> [UInt8] {
    var file = WireAccountFile()
    file.format = format
    file.user = .init(account.user.bytes)
    file.signSeed = .init(account.device.signing.seed.copy())
    file.boxSecret = .init(account.device.box.secret.copy())
    file.encryptionSecrets = account.encryption.map { .init($0.secret.copy()) }
    file.origin = .init(account.origin)
    return StoredMessage.encode(file)
  }

  static func decode(_ bytes: [UInt8]) throws(FormatError) -> Account {
    let what = "account file"
    let file = try StoredMessage.decode(bytes, as: WireAccountFile.self, what, limit: limit)
    guard file.format <= format else { throw FormatError.newer(what) }
    guard file.format == format, let user = UserID(bytes: file.user),
      let sign = SecretBytes(Array(file.signSeed)), let box = SecretBytes(Array(file.boxSecret))
    else { throw FormatError(what, "a key or the person's id is missing") }
    let secrets = file.encryptionSecrets.compactMap { SecretBytes(Array($0)) }
    guard !secrets.isEmpty, secrets.count == file.encryptionSecrets.count else {
      throw FormatError(what, "an encryption key is missing")
    }
    let account = Account(
      user: user, device: DeviceKeys(signing: SigningKey(seed: sign), box: BoxKey(secret: box)),
      encryption: secrets.map { BoxKey(secret: $0) }, origin: Array(file.origin))
    do {
      _ = try IdentityLog.fold([account.origin], of: user)
    } catch {
      throw FormatError(what, "it doesn't fit together with the person's first identity entry")
    }
    return account
  }
}
