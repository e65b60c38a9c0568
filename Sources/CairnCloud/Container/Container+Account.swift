public import CairnStore
public import CairnZone

extension Container {
  /// The ids of all zones that this person's account has.
  public func zoneIDs() throws -> Set<ZoneID> {
    Set(try entries().map(\.zone))
  }

  /// The mounts of this person's other devices whose zones this one doesn't mirror, and wasn't told
  /// not to: one for each zone, in the order of the paths. What stands inside of another one's
  /// folder isn't among them: it comes with that one.
  public func mountsElsewhere() throws -> [MountEntry] {
    let nested = Set(try nestings().map(\.part))
    let all = try AccountZone.mounts(in: accountZone).filter { !nested.contains($0.part) }
    let own = account.device.id
    var seen = Set(all.filter { $0.device == own }.map(\.zone))
    seen.formUnion(try AccountZone.declined(by: own, in: accountZone))
    let others = all.filter { $0.device != own }.sorted {
      $0.path == $1.path ? $0.device < $1.device : $0.path.lexicographicallyPrecedes($1.path)
    }
    return others.filter { seen.insert($0.zone).inserted }
  }

  /// Notes that this device is not to mirror the zone by itself, though others do.
  public func declineMount(_ zone: ZoneID) throws {
    try AccountZone.decline(zone, account.device.id, in: accountZone)
  }

  /// Calls `onHint` when another device may have changed the account.
  public func followAccount(
    _ onHint: @escaping @Sendable () -> Void
  ) throws -> [Subscription] {
    do { return [try accountZone.follow(onHint)] } catch let error as StoreError {
      throw CloudError(error)
    }
  }
}

extension AccountZone {
  private static let declinedType = "cairn.declined"

  /// The zones that a device is not to mirror by itself.
  static func declined(by device: DeviceID, in account: Zone) throws -> [ZoneID] {
    try records(declinedType, in: account).compactMap { record in
      guard case .bytes(let zone)? = record.fields["zone"],
        record.fields["device"] == .bytes(device.bytes), record.isBy(device)
      else { return nil }
      return ZoneID(bytes: zone)
    }
  }

  static func decline(_ zone: ZoneID, _ device: DeviceID, in account: Zone) throws {
    try save(
      recordID("declined", zone.bytes + device.bytes), declinedType,
      ["zone": .bytes(zone.bytes), "device": .bytes(device.bytes)], in: account)
  }
}
