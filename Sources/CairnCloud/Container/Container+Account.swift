public import CairnStore
public import CairnZone
import Synchronization

extension Container {
  /// The ids of all zones that this person's account has.
  public func zoneIDs() throws -> Set<ZoneID> {
    Set(try entries().map(\.zone))
  }

  /// The mounts of this person's other devices whose zones this one doesn't mirror, and wasn't told
  /// not to: one for each zone, in the order of the paths. What stands inside of another one's
  /// folder isn't among them: it comes with that one.
  public func mountsElsewhere() throws -> [MountEntry] {
    let nested = Set(try nestings.all().map(\.part))
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

  /// Which folders of this device mirror which zones, as the account says.
  public func mounts() throws -> [MountEntry] {
    try AccountZone.mounts(in: accountZone).filter { $0.device == account.device.id }
  }

  /// Notes that a folder of this device mirrors a zone.
  public func addMount(_ zone: ZoneID, path: [UInt8]) throws {
    try addMount(ZonePart(zone), path: path)
  }

  /// Notes that a folder of this device, or a file of it, mirrors a part of a zone.
  public func addMount(_ part: ZonePart, path: [UInt8], isFile: Bool = false) throws {
    try AccountZone.add(mountEntry(part, path: path, isFile: isFile), to: accountZone)
  }

  /// How a mount of this device stands in the account.
  public func mountEntry(
    _ part: ZonePart, path: [UInt8], isFile: Bool = false
  ) -> MountEntry {
    MountEntry(
      zone: part.zone, record: part.base, device: account.device.id, path: path, isFile: isFile,
      author: open.withLock { $0[part.zone] }?.author)
  }

  /// Notes that no folder of this device mirrors the zone, or a part of it, any more.
  public func removeMount(_ zone: ZoneID) throws {
    for mount in try mounts() where mount.zone == zone { try removeMount(mount.part) }
  }

  /// Notes that the folder of this device doesn't mirror that part of a zone any more.
  public func removeMount(_ part: ZonePart) throws {
    try AccountZone.removeMount(part, account.device.id, from: accountZone)
  }

  /// The zone that a folder mirrors, if the account has it. Who publishes one stands in the mount:
  /// it is found without an index and the container, too.
  public func zone(of mount: MountEntry) throws -> Zone? {
    if let author = mount.author, .public(in: id, by: author) == mount.zone {
      return try publicZones.zone(of: author)
    }
    return try zone(mount.zone)
  }

  /// Refuses what only a person with an account can do.
  /// - Throws: `CloudError` with `.notAuthenticated` in an anonymous home.
  public func requireAccount() throws {
    guard isAnonymous else { return }
    throw CloudError(
      .notAuthenticated,
      "this home is anonymous: it reads the public database and what links for anyone lead to, "
        + "and no more",
      remedy: "run `cairn init --container DIR --name NAME --handle HANDLE` with another CAIRN_HOME"
    )
  }

  /// This person as the chain says now. New encryption keys are taken up.
  /// - Returns: the person, and whether the account has to be stored again.
  /// - Throws: `CloudError`.
  public func refreshMe() throws -> (me: Person, hasNewKeys: Bool) {
    do {
      guard let me = try people.refresh(account.user) else {
        throw CloudError(
          .notAuthenticated, "the container doesn't know this account",
          remedy: "check that cairn.conf names the right container")
      }
      guard me.devices[account.device.id]?.isActive == true else { throw CloudError.revoked }
      return (me, try people.learn(account, as: me))
    } catch let error as StoreError {
      throw CloudError(error)
    } catch let error as IdentityError {
      throw CloudError(.assetNotAvailable, error.description, remedy: "run `cairn verify`")
    }
  }

  /// Whether the zone is this person's account, which no folder mirrors.
  public func isAccount(_ zone: Zone) -> Bool { zone.id == accountZone.id }
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
