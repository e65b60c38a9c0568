import CairnStore
import CairnZone

/// Where the objects of a zone stand in the container, below its founder's folder, so that all that
/// one person has to tidy has one prefix. It knows names, and nothing of what stands there.
struct ZoneFolder: Hashable, Sendable {
  /// The zone.
  let zone: ZoneID
  /// Who founded it.
  let founder: UserID
  /// Whether it is a share's, or what its founder publishes.
  let kind: ZoneKind
  /// The folder of all that belongs to the zone, without a slash at its end.
  let path: String
  /// The folder of the log.
  let log: String
  /// The folder of copies of entries.
  private let copies: String

  /// How many copies of one entry are looked for.
  static let copies = 8

  /// Names the folders once: each look at the log asks for several keys in them.
  init(zone: ZoneID, founder: UserID, kind: ZoneKind = .owned) {
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

  /// The folders into which others put objects, and that belong to who tidies them.
  var claimed: [String] {
    kind == .owned
      ? [ObjectKind.copies, .floors, .links, .log, .parts].map { $0.path(founder, zone) } : [path]
  }

  /// The key of the place of that name.
  func place(named name: String) -> ObjectKey { Self.key("\(log)/\(name)") }

  /// The name of a place of a public log, by its author's secret key: nobody else can tell it until
  /// something stands there.
  func publicName(_ sequence: UInt64, by key: BoxKey) -> String {
    Self.name(
      Crypto.digest(
        "cairn public place v1", secret: key.secret, zone.bytes, Crypto.number(sequence)))
  }

  /// The key of a place of the log of an owned zone. Nobody without the key of the epoch can tell
  /// it, so strangers and former members can't put anything there.
  /// - Parameters:
  ///   - sequence: the place, from 1.
  ///   - key: of the epoch in force before the entry.
  /// - Returns: the key of the object.
  func place(_ sequence: UInt64, _ key: ZoneKey) -> ObjectKey {
    let digest = Crypto.digest(
      "cairn place v1", secret: key.secret, zone.bytes, Crypto.number(sequence))
    return Self.key("\(log)/\(Self.name(digest))")
  }

  /// The key of a copy of an entry.
  /// - Parameters:
  ///   - digest: the entry's.
  ///   - number: below `copies`.
  ///   - key: of the epoch of the entry, or of the newest one.
  /// - Returns: the key of the object.
  func copy(of digest: Bytes32, _ number: Int, _ key: ZoneKey) -> ObjectKey {
    let digest = Crypto.digest(
      "cairn copy v1", secret: key.secret, zone.bytes, digest.bytes,
      Crypto.number(UInt64(number)))
    return Self.key("\(copies)/\(Self.name(digest))")
  }

  /// The key of the mark that an epoch has ended: a copy of the entry that raised it, where
  /// everybody finds it who has the epoch's key and nothing newer.
  func end(of key: ZoneKey) -> ObjectKey {
    let digest = Crypto.digest("cairn epoch end v1", secret: key.secret, zone.bytes)
    return Self.key("\(copies)/\(Self.name(digest))")
  }

  /// The folder of what tells of floors.
  var floors: String { ObjectKind.floors.path(founder, zone) }

  /// The folder of the parts of snapshots.
  var parts: String { ObjectKind.parts.path(founder, zone) }

  /// The key of what tells of a floor. Its name begins with the place, so that a list of names is
  /// enough to find the highest, and ends with what nobody can tell without the key.
  /// - Parameters:
  ///   - checkpoint: the place of the floor's checkpoint.
  ///   - key: of the epoch of the floor's entry.
  /// - Returns: the key of the object.
  func floor(_ checkpoint: UInt64, _ key: ZoneKey) -> ObjectKey {
    let digest = Crypto.digest(
      "cairn floor v1", secret: key.secret, zone.bytes, Crypto.number(checkpoint))
    let name = Crypto.number(checkpoint) + digest.bytes.prefix(8)
    return Self.key("\(floors)/\(hexadecimal(name))")
  }

  /// The key of a part of a snapshot.
  /// - Parameters:
  ///   - digest: the part's.
  ///   - key: of the epoch of the floor's entry.
  /// - Returns: the key of the object.
  func part(_ digest: Bytes32, _ key: ZoneKey) -> ObjectKey {
    let name = Crypto.digest(
      "cairn part name v1", secret: key.secret, zone.bytes, digest.bytes)
    return Self.key("\(parts)/\(hexadecimal(name.bytes))")
  }

  /// The key of what a link opens.
  func link(_ id: LinkID) -> ObjectKey {
    Self.key("\(ObjectKind.links.path(founder, zone))/\(id)")
  }

  /// The key of what says that one may ask for access.
  var door: ObjectKey { Self.key(ObjectKind.door.path(founder, zone)) }

  private static func name(_ digest: Bytes32) -> String { hexadecimal(digest.bytes.prefix(16)) }

  private static func key(_ path: String) -> ObjectKey {
    guard let key = ObjectKey(path) else { preconditionFailure("'\(path)' isn't a key") }
    return key
  }
}
