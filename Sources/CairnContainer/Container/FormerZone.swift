import CairnReplica
public import CairnZone

/// A zone that records came from. It keeps their versions up to the move, and the records that were
/// deleted before it. The note is in the account of the person who moved the records, so nobody
/// else reads the former zone.
public struct FormerZone: Hashable, Sendable {
  /// The present location of the records: a whole zone, or a directory or file in a zone.
  public var part: ZonePart
  /// The zone that they came from.
  public var zone: ZoneID
  /// The record in the former zone that `part.base` replaced.
  public var base: RecordID
  /// The last entry of the former zone's log that counts for these records. `open` if single
  /// records move while the zone stays in use.
  public var through: UInt64
  /// The entry of the new zone's log that added the records.
  public var joined: UInt64
  /// A Boolean value that indicates whether the whole former zone moved. Then the zone is only
  /// read, and nobody mirrors it.
  public var isWhole: Bool
  /// A Boolean value that indicates whether the former zone's records are deleted, or are being
  /// deleted. Then nothing in it is present, and all of its contents are subject to the rules for
  /// the past.
  public var isEmptied = false

  /// The value of `through` for "no last entry".
  public static let open = UInt64(Int64.max)

  /// Creates a value from its parts.
  public init(
    part: ZonePart, zone: ZoneID, base: RecordID = .root, through: UInt64, joined: UInt64,
    isWhole: Bool
  ) {
    self.part = part
    self.zone = zone
    self.base = base
    self.through = through
    self.joined = joined
    self.isWhole = isWhole
  }
}

extension AccountZone {
  private static let formerType = "cairn.former"

  static func formers(in account: Zone) throws -> [FormerZone] {
    try records(formerType, in: account).compactMap { record in
      guard case .bytes(let part)? = record.fields["part"], let part = ZonePart(bytes: part),
        case .bytes(let zone)? = record.fields["zone"], let zone = ZoneID(bytes: zone),
        case .bytes(let base)? = record.fields["base"], let base = RecordID(bytes: base),
        case .integer(let through)? = record.fields["through"],
        case .integer(let joined)? = record.fields["joined"],
        case .integer(let whole)? = record.fields["whole"],
        record.id == formerID(part, zone), zone != part.zone, through >= 0, joined >= 0
      else { return nil }
      var former = FormerZone(
        part: part, zone: zone, base: base, through: UInt64(through), joined: UInt64(joined),
        isWhole: whole > 0)
      former.isEmptied = whole == emptied
      return former
    }
  }

  /// The stored value of `whole` for an emptied zone.
  private static let emptied: Int64 = 2

  /// Notes that the present ends of these zones' logs count, and that their contents are about to
  /// be deleted.
  static func empty(_ formers: [FormerZone], through: UInt64, in account: Zone) throws {
    try account.save {
      try formers.compactMap { former in
        var former = former
        (former.through, former.isEmptied) = (through, true)
        return try change(of: former, in: account)
      }
    }
  }

  static func change(of former: FormerZone, in account: Zone) throws -> RecordChange? {
    let fields: [String: FieldValue?] = [
      "part": .bytes(former.part.bytes), "zone": .bytes(former.zone.bytes),
      "base": .bytes(former.base.bytes), "through": .integer(Int64(clamping: former.through)),
      "joined": .integer(Int64(clamping: former.joined)),
      "whole": .integer(former.isEmptied ? emptied : former.isWhole ? 1 : 0),
    ]
    return try change(formerID(former.part, former.zone), formerType, fields, in: account)
  }

  /// Notes a former zone, and that this device mirrors the moved records at the same path. Both
  /// happen in one step: before it the old zone is mirrored, after it the new one.
  static func replace(_ former: FormerZone, by mount: MountEntry, in account: Zone) throws {
    try account.save {
      var changes = try mounts(in: account).filter {
        $0.zone == former.zone && $0.device == mount.device
      }.map { RecordChange(id: mountID($0.part, $0.device), act: .delete) }
      try change(of: former, in: account).map { changes.append($0) }
      try change(of: mount, in: account).map { changes.append($0) }
      return changes
    }
  }

  /// Forgets the former zones of a zone's records.
  static func forgetFormers(of zone: ZoneID, in account: Zone) throws {
    try account.save {
      try formers(in: account).filter { $0.part.zone == zone }
        .map { RecordChange(id: formerID($0.part, $0.zone), act: .delete) }
    }
  }

  private static func formerID(_ part: ZonePart, _ zone: ZoneID) -> RecordID {
    recordID("former", part.bytes + zone.bytes)
  }
}
