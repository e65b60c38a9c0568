import CairnReplica
import CairnZone

/// Zones that this person founded or owned and handed on. Others may continue to use packs in this
/// person's folder of the container.
extension AccountZone {
  static let givenType = "cairn.given"

  /// The zone that a record is about.
  static func given(_ fields: [String: FieldValue]) -> ZoneID? {
    guard case .bytes(let zone)? = fields["zone"] else { return nil }
    return ZoneID(bytes: zone)
  }

  /// The zones that the account names, or named. No program takes such a record away, so one that
  /// is gone counts, unless only revoked devices wrote it.
  static func givenZones(
    in account: Zone, _ past: AccountPast, without revoked: Set<DeviceID>
  ) throws -> Set<ZoneID> {
    let current = try records(givenType, in: account).compactMap { given($0.fields) }
    let former = past.records(givenType).flatMap { id in
      past.versions(of: id).filter { !revoked.contains($0.device) }.compactMap(\.fields)
    }
    return Set(current + former.compactMap { given($0) })
  }

  static func add(given zone: ZoneID, to account: Zone) throws {
    try save(
      recordID("given", zone.bytes), givenType, ["zone": .bytes(zone.bytes)], in: account)
  }
}
