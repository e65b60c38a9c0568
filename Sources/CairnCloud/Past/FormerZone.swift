public import CairnZone

/// A zone that records came from. It keeps their versions up to then, and what was deleted of them.
/// It stands in the account of the person who moved them, so nobody else looks there.
public struct FormerZone: Hashable, Sendable {
  /// Where the records are now: all of a zone, or a directory or file of one.
  public var part: ZonePart
  /// The zone that they came from.
  public var zone: ZoneID
  /// The record that stood there in the place of `part.base`.
  public var base: RecordID
  /// The last entry of the former zone's log that is about them; `open` where single records move
  /// while the zone goes on.
  public var through: UInt64
  /// The entry of the new zone's log with which they came.
  public var joined: UInt64
  /// Whether all of the former zone moved. Then it is only read, and nobody mirrors it.
  public var isWhole: Bool
  /// Whether its records are deleted, or being deleted, so that nothing of it is present: all that
  /// it has is subject to the rules for the past.
  public var isEmptied = false

  /// What stands for no last entry.
  public static let open = UInt64(Int64.max)

  /// Joins the parts.
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

  /// What stands for `whole` once a zone is emptied.
  private static let emptied: Int64 = 2

  /// Notes that all of these zones' logs counts that there is by now, and that what they hold goes.
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

  /// Notes a former zone, and that this device mirrors what came from it at the same path, in one
  /// step: before it the old zone is mirrored, and after it the new one.
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

  /// Forgets where records came from that are in a zone.
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
