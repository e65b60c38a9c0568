import CairnWire
import CairnZone
import FoundationEssentials

/// The key of one epoch of a zone.
public struct ZoneKey: Equatable, Sendable {
  /// The epoch, from 1.
  public let epoch: UInt64
  /// The key itself. The key that seals commits is derived from it.
  public let secret: SecretBytes

  /// Creates a key.
  public init(epoch: UInt64, secret: SecretBytes) {
    self.epoch = epoch
    self.secret = secret
  }

  /// Creates a random key for an epoch.
  public static func random(epoch: UInt64) -> ZoneKey { ZoneKey(epoch: epoch, secret: .random()) }

  /// The digest of this key in the commit that raises the epoch: nobody can be given another key.
  public func digest(in zone: ZoneID) -> Bytes32 {
    Crypto.digest("cairn next key v1", secret: secret, zone.bytes, Crypto.number(epoch))
  }
}

/// The known keys of a zone, one per epoch. It does not know the zone.
public struct Keyring: Equatable, Sendable {
  private var secrets: [UInt64: SecretBytes] = [:]
  static let limit = 1 << 20

  /// Creates a ring without keys.
  public init() {}

  /// Creates a ring of these keys.
  public init(_ keys: [ZoneKey]) { for key in keys { insert(key) } }

  /// The key of an epoch, if it is known.
  public subscript(epoch: UInt64) -> ZoneKey? {
    secrets[epoch].map { ZoneKey(epoch: epoch, secret: $0) }
  }

  /// The key of the highest known epoch.
  public var latest: ZoneKey? { secrets.keys.max().flatMap { self[$0] } }

  /// All keys, by epoch.
  public var all: [ZoneKey] { secrets.keys.sorted().compactMap { self[$0] } }

  /// Adds a key. A known key of that epoch stays, because it has opened entries.
  public mutating func insert(_ key: ZoneKey) {
    if secrets[key.epoch] == nil { secrets[key.epoch] = key.secret }
  }

  /// Replaces a claimed key by the one that a valid commit names.
  public mutating func replace(with key: ZoneKey) { secrets[key.epoch] = key.secret }

  /// Adds the keys of another ring under the same rule.
  public mutating func merge(_ other: Keyring) {
    for key in other.all { insert(key) }
  }

  /// The keys of these epochs.
  public func only(_ epochs: Set<UInt64>) -> Keyring {
    var ring = self
    ring.secrets = secrets.filter { epochs.contains($0.key) }
    return ring
  }

  /// The keys of an epoch and of those after it.
  public func from(_ epoch: UInt64) -> Keyring {
    var ring = self
    ring.secrets = secrets.filter { $0.key >= epoch }
    return ring
  }

  /// The secret bytes of the keys, for a sealed record or message.
  public func encoded() -> [UInt8] { StoredMessage.encode(wire) }

  /// Reads the result of `encoded`.
  public init(encoded bytes: [UInt8]) throws(FormatError) {
    let wire = try StoredMessage.decode(
      bytes, as: WireKeyring.self, "keyring", limit: Self.limit)
    try self.init(wire)
  }

  var wire: WireKeyring {
    var ring = WireKeyring()
    ring.keys = all.map { key in
      var wire = WireEpochKey()
      wire.epoch = key.epoch
      wire.key = .init(key.secret.copy())
      return wire
    }
    return ring
  }

  init(_ wire: WireKeyring) throws(FormatError) {
    for key in wire.keys {
      guard key.epoch > 0, key.epoch <= UInt64(Int64.max), secrets[key.epoch] == nil,
        let secret = SecretBytes(Array(key.key))
      else { throw FormatError("keyring", "a key has the wrong size or its epoch twice") }
      secrets[key.epoch] = secret
    }
  }
}
