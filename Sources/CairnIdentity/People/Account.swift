import CSodium
import CairnWire
import CairnZone
import FoundationEssentials
import Glibc
import Synchronization

/// A person on this device: the identity and the secret keys. It knows no container. A holder of
/// this value can sign and read as that person.
public struct Account: Sendable {
  /// The person.
  public let user: UserID
  /// This device's keys.
  public let device: DeviceKeys
  /// The person's key pairs, shared by all copies of this value: new keys reach all copies.
  private let keys: PersonKeys
  /// The stored first entry of the person's identity log, so that it can be published again.
  public let origin: [UInt8]

  /// Creates an account.
  /// - Parameters:
  ///   - user: The person.
  ///   - device: The keys of this device.
  ///   - encryption: The keys for messages to the person, the newest last.
  ///   - origin: The first entry of the person's chain, as stored.
  public init(user: UserID, device: DeviceKeys, encryption: [BoxKey], origin: [UInt8]) {
    precondition(!encryption.isEmpty, "a person has an encryption key")
    self.user = user
    self.device = device
    keys = PersonKeys(encryption)
    self.origin = origin
  }

  /// A separate account with the same keys, which does not learn later keys from copies of this
  /// one: another device that starts with the same keys.
  public func apart() -> Account {
    Account(user: user, device: device, encryption: encryption, origin: origin)
  }

  /// The person's key pairs, the current one last. Older ones open earlier seals.
  public var encryption: [BoxKey] { keys.all }

  /// Adds new key pairs of the person, the current one last.
  func learn(_ newer: [BoxKey]) { keys.add(newer) }

  /// The nonce of the account zone's id, which only the person's devices can compute.
  public var accountNonce: Bytes16 {
    let digest = Crypto.digest("cairn account zone v1", secret: encryption[0].secret)
    guard let nonce = Bytes16(digest.bytes.prefix(16)) else {
      preconditionFailure("16 bytes make a nonce")
    }
    return nonce
  }

  /// The author in commits that this account signs.
  public var author: Author { Author(user: user, device: device.id) }

  /// The public key to which others seal messages for this person.
  public var encryptionKey: Bytes32 { currentKey.publicKey }

  /// The current key pair.
  public var currentKey: BoxKey {
    guard let key = encryption.last else { preconditionFailure("a person has an encryption key") }
    return key
  }

  /// Returns whether the secret of that public key is known here.
  public func has(_ key: Bytes32) -> Bool { encryption.contains { $0.publicKey == key } }

  /// The key of the first epoch of the account zone. Only the person's devices can compute it, and
  /// with it the positions of that zone's log.
  public var accountKey: ZoneKey {
    ZoneKey(
      epoch: 1, secret: Crypto.derive("cairn account key v1", from: encryption[0].secret))
  }

  /// Opens an anonymous box to any of the person's keys; nil if it is for another person.
  public func open(_ box: [UInt8]) -> [UInt8]? {
    for key in encryption.reversed() {
      if let plain = key.open(box) { return plain }
    }
    return nil
  }
}

/// The key pairs of one person. A revocation of a device adds one.
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

extension Account {
  /// The reason why an account cannot be loaded or stored.
  public enum FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// Other users can read or change the file; the octal mode is reported.
    case exposed(path: String, mode: UInt32)
    /// The file is not a regular file of this user.
    case foreign(path: String)
    /// A system call failed.
    case system(path: String, call: String, errno: Int32)
    /// The file is damaged.
    case unreadable(path: String, FormatError)

    /// A sentence for people.
    public var description: String {
      switch self {
      case .exposed(let path, let mode):
        "The keys in \(path) aren't secret: others than you may use the file (mode "
          + "\(String(mode, radix: 8))). If nobody did, run `chmod 600 \(Site.word(path))` "
          + "and start again."
      case .foreign(let path):
        "\(path) isn't a regular file of yours, so no keys are read from it."
      case .system(let path, let call, let number):
        "\(call) of the account file \(path) failed: \(String(cString: strerror(number)))."
      case .unreadable(let path, let error):
        "\(error) The file is \(path); restore it from a backup."
      }
    }
  }

  /// Reads the account file, unless other users can read it, too.
  public static func load(_ path: String) throws(FileFailure) -> Account {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw .system(path: path, call: "open", errno: errno) }
    defer { _ = close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else {
      throw .system(path: path, call: "fstat", errno: errno)
    }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
      throw .foreign(path: path)
    }
    guard status.st_mode & 0o077 == 0 else {
      throw .exposed(path: path, mode: status.st_mode & 0o7777)
    }
    var bytes = [UInt8](repeating: 0, count: AccountFile.limit + 1)
    defer { sodium_memzero(&bytes, bytes.count) }
    var filled = 0
    while filled < bytes.count {
      let count = bytes.withUnsafeMutableBytes {
        read(descriptor, $0.baseAddress?.advanced(by: filled), $0.count - filled)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw .system(path: path, call: "read", errno: errno) }
      if count == 0 { break }
      filled += count
    }
    do {
      return try AccountFile.decode(Array(bytes[..<filled]))
    } catch {
      throw .unreadable(path: path, error)
    }
  }

  /// Writes the account file: completely or not at all, readable by its owner only, and durable on
  /// return. The folder must exist. A file with that name is replaced.
  public func store(_ path: String) throws(FileFailure) {
    var bytes = AccountFile.encode(self)
    defer { sodium_memzero(&bytes, bytes.count) }
    do throws(DurableFile.Failure) { try DurableFile.replace(path, with: bytes) } catch {
      throw .system(path: error.path, call: error.call, errno: error.errno)
    }
  }
}
