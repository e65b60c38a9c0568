import CairnReplica
public import CairnZone

/// A directory or file of one zone of this person that was shared by itself, or together with
/// others: its records moved to another zone, and a reference replaces them.
public struct Nesting: Hashable, Sendable {
  /// The zone with the records, and the part of it at the reference: all of it, or everything below
  /// one directory, or one file.
  public var part: ZonePart
  /// The zone that contains the reference.
  public var outer: ZoneID
  /// The reference's record.
  public var reference: RecordID
  /// The directory's or file's record in the outer zone, before the move and after a return.
  public var record: RecordID
  /// The device that made the nesting.
  public var device: DeviceID
  /// A Boolean value that indicates whether it is a file.
  public var isFile: Bool
  /// A Boolean value that indicates whether the zone was created for it; otherwise it went into an
  /// existing one.
  public var founds: Bool
}

extension AccountZone {
  static let nestingType = "cairn.nesting"

  static func nestings(in account: Zone) throws -> [Nesting] {
    try records(nestingType, in: account).compactMap { nesting(record: $0.id, $0.fields) }
  }

  /// Returns the nestings that a device made, and that no other device has changed since. Such a
  /// nesting makes its device delete or move data, and no other device can cause that.
  static func nestings(madeBy device: DeviceID, in account: Zone) throws -> [Nesting] {
    try records(nestingType, in: account).filter { $0.isBy(device) }
      .compactMap { nesting(record: $0.id, $0.fields) }.filter { $0.device == device }
  }

  /// Returns the origin of a part of a zone in another one.
  static func nesting(of part: ZonePart, in account: Zone) throws -> Nesting? {
    try account.read { try $0.record(nestingID(part)) }
      .flatMap { nesting(record: $0.id, $0.fields) }
  }

  /// Parses a record of a nesting; nil if the record can't be a nesting with that id.
  static func nesting(record: RecordID, _ fields: [String: FieldValue]) -> Nesting? {
    guard case .bytes(let part)? = fields["part"], let part = ZonePart(bytes: part),
      case .bytes(let outer)? = fields["outer"], let outer = ZoneID(bytes: outer),
      case .bytes(let reference)? = fields["reference"],
      let reference = RecordID(bytes: reference),
      case .bytes(let id)? = fields["record"], let id = RecordID(bytes: id),
      case .bytes(let device)? = fields["device"], let device = DeviceID(bytes: device),
      case .integer(let file)? = fields["file"],
      case .integer(let founds)? = fields["founds"], record == nestingID(part)
    else { return nil }
    return Nesting(
      part: part, outer: outer, reference: reference, record: id, device: device,
      isFile: file == 1, founds: founds == 1)
  }

  /// Notes nestings, their zone if it is new, and this device's mounts of them, in one step.
  static func add(
    _ nestings: [Nesting], _ entry: Entry?, _ mounts: [MountEntry], to account: Zone
  ) throws {
    try account.save {
      var changes = try nestings.map { try change(of: $0, in: account) }
      if let entry { changes.append(try change(of: entry, in: account)) }
      changes += try mounts.map { try change(of: $0, in: account) }
      return changes.compactMap { $0 }
    }
  }

  private static func change(of nesting: Nesting, in account: Zone) throws -> RecordChange? {
    let fields: [String: FieldValue?] = [
      "part": .bytes(nesting.part.bytes), "outer": .bytes(nesting.outer.bytes),
      "reference": .bytes(nesting.reference.bytes), "record": .bytes(nesting.record.bytes),
      "device": .bytes(nesting.device.bytes), "file": .integer(nesting.isFile ? 1 : 0),
      "founds": .integer(nesting.founds ? 1 : 0),
    ]
    return try change(nestingID(nesting.part), nestingType, fields, in: account)
  }

  /// Forgets that parts of a zone came from others, and the devices' mounts of them. The zone
  /// itself remains. The same step notes the zones whose past it keeps.
  static func remove(
    _ nestings: [Nesting], keeping formers: [FormerZone] = [], from account: Zone
  ) throws {
    let parts = Set(nestings.map(\.part))
    try account.save {
      var ids = parts.map { nestingID($0) }
      ids += try mounts(in: account).filter { parts.contains($0.part) }
        .map { mountID($0.part, $0.device) }
      let known = try account.read { view in try ids.filter { try view.record($0) != nil } }
      return try known.map { RecordChange(id: $0, act: .delete) }
        + formers.compactMap { try change(of: $0, in: account) }
    }
  }

  /// Removes a zone that came from others completely or in parts: the nestings, the zone and all
  /// its mounts. With a time, it notes that its objects must still be deleted.
  static func removeNested(
    _ zone: ZoneID, from account: Zone, remembering ended: Int64? = nil
  ) throws {
    try account.save {
      var ids = try nestings(in: account).map(\.part).filter { $0.zone == zone }
        .map { nestingID($0) }
      ids.append(zoneEntryID(zone))
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

  /// Returns the zones that a device ended, with the times in nanoseconds since 1970. Only that
  /// device acts on these records: it deletes the objects of the zones, and no stolen device may
  /// make others do so.
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

  /// Forgets only that the part of a zone came from another one.
  static func removeNesting(_ part: ZonePart, from account: Zone) throws {
    try delete(nestingID(part), in: account)
  }

  private static func nestingID(_ part: ZonePart) -> RecordID {
    recordID("nesting", part.zone.bytes + (part.isWhole ? [] : part.base.bytes))
  }
}
