import CairnStore
import CairnZone

/// The keys of a zone's objects in the container, below its founder's folder, so that everything
/// that one person must tidy has one prefix. It knows names, and nothing of the objects.
public struct ZoneFolder: Hashable, Sendable {
  /// The zone.
  public let zone: ZoneID
  /// The founder.
  public let founder: UserID
  /// The kind of the zone.
  public let kind: ZoneKind
  /// The folder of everything in the zone, without a slash at its end.
  public let path: String
  /// The folder of the log.
  public let log: String
  /// The folder of spare copies of entries.
  private let copies: String

  /// The number of spare copies of one entry.
  public static let copies = 8

  /// Computes the folders once: each check of the log requests several keys in them.
  public init(zone: ZoneID, founder: UserID, kind: ZoneKind = .owned) {
    (self.zone, self.founder, self.kind) = (zone, founder, kind)
    copies = ObjectKind.copies.path(founder, zone)
    switch kind {
    case .owned:
      path = ObjectKind.zone(founder, zone)
      log = ObjectKind.log.path(founder, zone)
    case .public:
      path = ObjectKind.published.path(founder)
      log = path
    }
  }

  /// The folders in which others put objects, and that must belong to the person who tidies them.
  public var claimed: [String] {
    kind == .owned
      ? [ObjectKind.copies, .floors, .links, .log, .parts].map { $0.path(founder, zone) } : [path]
  }

  /// The key of the position with that name.
  public func place(named name: String) -> ObjectKey { Self.key("\(log)/\(name)") }

  /// The name of a position of a public log, by its author's secret key: nobody else knows it
  /// before an entry exists.
  public func publicName(_ sequence: UInt64, by key: BoxKey) -> String {
    Self.name(
      Crypto.digest(
        "cairn public place v1", secret: key.secret, zone.bytes, Crypto.number(sequence)))
  }

  /// The key of a position in the log of an owned zone. Nobody can compute it without the key of
  /// the epoch, so strangers and former members cannot put anything there.
  /// - Parameters:
  ///   - sequence: The position, from 1.
  ///   - key: The key of the epoch in force before the entry.
  /// - Returns: the key of the object.
  public func place(_ sequence: UInt64, _ key: ZoneKey) -> ObjectKey {
    let digest = Crypto.digest(
      "cairn place v1", secret: key.secret, zone.bytes, Crypto.number(sequence))
    return Self.key("\(log)/\(Self.name(digest))")
  }

  /// The key of a spare copy of an entry.
  /// - Parameters:
  ///   - digest: The digest of the entry.
  ///   - number: A number below `copies`.
  ///   - key: The key of the entry's epoch, or of the newest one.
  /// - Returns: the key of the object.
  public func copy(of digest: Bytes32, _ number: Int, _ key: ZoneKey) -> ObjectKey {
    let digest = Crypto.digest(
      "cairn copy v1", secret: key.secret, zone.bytes, digest.bytes,
      Crypto.number(UInt64(number)))
    return Self.key("\(copies)/\(Self.name(digest))")
  }

  /// The key of the end-of-epoch record: a copy of the entry that raised the epoch, which everybody
  /// finds who only has the epoch's key.
  public func end(of key: ZoneKey) -> ObjectKey {
    let digest = Crypto.digest("cairn epoch end v1", secret: key.secret, zone.bytes)
    return Self.key("\(copies)/\(Self.name(digest))")
  }

  /// The folder of pointers to log starts.
  public var floors: String { ObjectKind.floors.path(founder, zone) }

  /// The folder of the parts of snapshots.
  public var parts: String { ObjectKind.parts.path(founder, zone) }

  /// The key of the pointer to a log start. Its name begins with the position, so a list of names
  /// shows the highest. It ends with a part that nobody knows without the key.
  /// - Parameters:
  ///   - checkpoint: The position of the log start's checkpoint.
  ///   - key: The key of the epoch of the log start's entry.
  /// - Returns: the key of the object.
  public func floor(_ checkpoint: UInt64, _ key: ZoneKey) -> ObjectKey {
    let digest = Crypto.digest(
      "cairn floor v1", secret: key.secret, zone.bytes, Crypto.number(checkpoint))
    let name = Crypto.number(checkpoint) + digest.bytes.prefix(8)
    return Self.key("\(floors)/\(hexadecimal(name))")
  }

  /// The key of a part of a snapshot.
  /// - Parameters:
  ///   - digest: The digest of the part.
  ///   - key: The key of the epoch of the log start's entry.
  /// - Returns: the key of the object.
  public func part(_ digest: Bytes32, _ key: ZoneKey) -> ObjectKey {
    let name = Crypto.digest(
      "cairn part name v1", secret: key.secret, zone.bytes, digest.bytes)
    return Self.key("\(parts)/\(hexadecimal(name.bytes))")
  }

  /// The key of the object that a link opens.
  public func link(_ id: LinkID) -> ObjectKey {
    Self.key("\(ObjectKind.links.path(founder, zone))/\(id)")
  }

  /// The key of the object that allows requests for access.
  public var door: ObjectKey { Self.key(ObjectKind.door.path(founder, zone)) }

  private static func name(_ digest: Bytes32) -> String { hexadecimal(digest.bytes.prefix(16)) }

  private static func key(_ path: String) -> ObjectKey {
    guard let key = ObjectKey(path) else { preconditionFailure("'\(path)' isn't a key") }
    return key
  }
}
