public import CairnZone

/// A directory or file of one zone of this person's that was shared by itself: its records went to
/// a zone of their own, and a reference stands in their place.
public struct Nesting: Hashable, Sendable {
  /// The new zone, and what of it stands at the reference: all of it, or the one file.
  public var part: ZonePart
  /// The zone in which the reference stands.
  public var outer: ZoneID
  /// The reference's record.
  public var reference: RecordID
  /// The directory's or file's record, as it was and will be in the outer zone.
  public var record: RecordID
  /// The device that made the new zone.
  public var device: DeviceID

  /// Whether a single file was shared.
  public var isFile: Bool { !part.isWhole }
}

extension AccountZone {
  private static let nestingType = "cairn.nesting"

  static func nestings(in account: Zone) throws -> [Nesting] {
    try records(nestingType, in: account).compactMap { nesting($0) }
  }

  /// How that zone came out of another one.
  static func nesting(of zone: ZoneID, in account: Zone) throws -> Nesting? {
    try account.read { try $0.record(nestingID(zone)) }.flatMap { nesting($0) }
  }

  private static func nesting(_ record: Record) -> Nesting? {
    guard case .bytes(let part)? = record.fields["part"], let part = ZonePart(bytes: part),
      case .bytes(let outer)? = record.fields["outer"], let outer = ZoneID(bytes: outer),
      case .bytes(let reference)? = record.fields["reference"],
      let reference = RecordID(bytes: reference),
      case .bytes(let id)? = record.fields["record"], let id = RecordID(bytes: id),
      case .bytes(let device)? = record.fields["device"], let device = DeviceID(bytes: device),
      record.id == nestingID(part.zone), record.isBy(device)
    else { return nil }
    return Nesting(part: part, outer: outer, reference: reference, record: id, device: device)
  }

  /// Notes the nesting, its zone and where this device mirrors it, in one step.
  static func add(
    _ nesting: Nesting, _ entry: Entry, _ mount: MountEntry, to account: Zone
  ) throws {
    let fields: [String: FieldValue?] = [
      "part": .bytes(nesting.part.bytes), "outer": .bytes(nesting.outer.bytes),
      "reference": .bytes(nesting.reference.bytes), "record": .bytes(nesting.record.bytes),
      "device": .bytes(nesting.device.bytes),
    ]
    try account.save {
      try [
        change(nestingID(nesting.part.zone), nestingType, fields, in: account),
        change(of: entry, in: account), change(of: mount, in: account),
      ].compactMap { $0 }
    }
  }

  /// Forgets a zone that came out of another one: the nesting, the zone and all its mounts. With a
  /// time, it is remembered that its objects are still to go.
  static func removeNested(
    _ zone: ZoneID, from account: Zone, remembering ended: Int64? = nil
  ) throws {
    try account.save {
      var ids = [nestingID(zone), zoneEntryID(zone)]
      ids += try mounts(in: account).filter { $0.zone == zone }.map { mountID($0.part, $0.device) }
      let known = try account.read { view in try ids.filter { try view.record($0) != nil } }
      var changes = known.map { RecordChange(id: $0, act: .delete) }
      if let ended {
        let fields: [String: FieldValue?] = ["zone": .bytes(zone.bytes), "time": .integer(ended)]
        try change(endedID(zone), endedType, fields, in: account).map { changes.append($0) }
      }
      return changes
    }
  }

  private static let endedType = "cairn.ended"
  private static func endedID(_ zone: ZoneID) -> RecordID { recordID("ended", zone.bytes) }

  /// The zones that a device says went back, and when, in nanoseconds since 1970. No other device
  /// believes it: the objects go because of it.
  static func endedZones(
    saidBy device: DeviceID, in account: Zone
  ) throws -> [(zone: ZoneID, ended: Int64)] {
    try records(endedType, in: account).compactMap { record in
      guard case .bytes(let bytes)? = record.fields["zone"], let zone = ZoneID(bytes: bytes),
        case .integer(let time)? = record.fields["time"], record.id == endedID(zone),
        record.isBy(device)
      else { return nil }
      return (zone, time)
    }
  }

  static func forgetEnded(_ zone: ZoneID, in account: Zone) throws {
    try delete(endedID(zone), in: account)
  }

  /// Forgets only that the zone came out of another one.
  static func removeNesting(_ zone: ZoneID, from account: Zone) throws {
    try delete(nestingID(zone), in: account)
  }

  private static func nestingID(_ zone: ZoneID) -> RecordID { recordID("nesting", zone.bytes) }
}
