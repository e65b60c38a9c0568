import CairnZone

/// Zones that this person founded or owned and handed on: others may go on using packs that lie in
/// this person's folder of the container.
extension AccountZone {
  private static let givenType = "cairn.given"

  static func givenZones(in account: Zone) throws -> Set<ZoneID> {
    let zones = try records(givenType, in: account).compactMap { record -> ZoneID? in
      guard case .bytes(let zone)? = record.fields["zone"] else { return nil }
      return ZoneID(bytes: zone)
    }
    return Set(zones)
  }

  static func add(given zone: ZoneID, to account: Zone) throws {
    try save(
      recordID("given", zone.bytes), givenType, ["zone": .bytes(zone.bytes)], in: account)
  }
}
