import CairnIdentity
import CairnReplica
public import CairnStore
public import CairnZone
import Synchronization

extension Container {
  /// Returns the ids of all zones in this person's account, except those that are kept for the past
  /// only.
  public func zoneIDs() throws -> Set<ZoneID> {
    Set(try entries().map(\.zone)).subtracting(try formers.ended())
  }

  /// Returns the mounts of this person's other devices whose zones this device neither mirrors nor
  /// declined: one for each zone, in the order of the paths. Mounts inside of another mount's
  /// folder are left out, because they follow that mount.
  public func mountsElsewhere() throws -> [MountEntry] {
    let nested = Set(try nestings.all().map(\.part))
    let all = try AccountZone.mounts(in: accountZone).filter { !nested.contains($0.part) }
    let own = account.device.id
    var seen = Set(try mounts().map(\.zone))
    seen.formUnion(try ownFolders().declined)
    seen.formUnion(try formers.ended())
    let others = all.filter { $0.device != own }.sorted {
      $0.path == $1.path ? $0.device < $1.device : $0.path.lexicographicallyPrecedes($1.path)
    }
    return try others.filter { try seen.insert($0.zone).inserted && !isDeleted($0.part) }
  }

  /// Returns whether a part of a zone was deleted from it, as far as this device knows.
  private func isDeleted(_ part: ZonePart) throws -> Bool {
    guard !part.isWhole else { return false }
    return try zone(part.zone)?.read { view in
      try view.record(part.base) == nil && view.deletion(of: part.base) != nil
    } ?? false
  }

  /// Notes that this device is not to mirror the zone automatically, although others do.
  public func declineMount(_ zone: ZoneID) throws {
    try ownMounts?.change(read: savedMounts) { $0.declined.insert(zone) }
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

  /// Returns the mounts of this device, from its home. The account only tells other devices of
  /// them.
  public func mounts() throws -> [MountEntry] { try ownFolders().mounts }

  func ownFolders() throws -> OwnMounts.Saved {
    try ownMounts?.saved(or: savedMounts) ?? savedMounts()
  }

  /// Returns this device's own records of its folders in the account, for a home whose file is
  /// missing. Changes by other devices don't count.
  func savedMounts() throws -> OwnMounts.Saved {
    let (past, own) = (try accountPast(), account.device.id)
    var saved = OwnMounts.Saved()
    for id in past.records(AccountZone.mountType) {
      guard let fields = past.last(of: id, by: own)?.fields,
        let mount = AccountZone.mount(record: id, fields), mount.device == own
      else { continue }
      saved.mounts.append(mount)
    }
    for id in past.records(AccountZone.declinedType) {
      guard let fields = past.last(of: id, by: own)?.fields,
        case .bytes(let zone)? = fields["zone"], fields["device"] == .bytes(own.bytes)
      else { continue }
      if let zone = ZoneID(bytes: zone) { saved.declined.insert(zone) }
    }
    return saved
  }

  /// Makes the account's records of this device's folders equal to its home: another device may
  /// have changed or deleted a record.
  /// - Returns: whether something had to be changed.
  /// - Throws: `CloudError` if the account can't be written now.
  @discardableResult
  public func announceMounts() throws -> Bool {
    let before = accountZone.header.sequence
    let (own, zones) = (try mounts(), try zoneIDs())
    try accountZone.save {
      let changes = try own.filter { zones.contains($0.zone) || $0.author != nil }
        .compactMap { try AccountZone.change(of: $0, in: accountZone) }
      let parts = Set(own.map(\.part))
      let stale = try AccountZone.mounts(in: accountZone)
        .filter { $0.device == account.device.id && !parts.contains($0.part) }
      return changes
        + stale.map { RecordChange(id: AccountZone.mountID($0.part, $0.device), act: .delete) }
    }
    return accountZone.header.sequence > before
  }

  /// Notes that a folder of this device mirrors a zone.
  public func addMount(_ zone: ZoneID, path: [UInt8]) throws {
    try addMount(ZonePart(zone), path: path)
  }

  /// Notes that a folder of this device, or a file of it, mirrors a part of a zone.
  public func addMount(_ part: ZonePart, path: [UInt8], isFile: Bool = false) throws {
    let mount = mountEntry(part, path: path, isFile: isFile)
    try AccountZone.add(mount, to: accountZone)
    try note(mount)
  }

  /// Notes in the home that a folder of this device is a mirror, and no longer declined.
  /// - Parameters:
  ///   - mount: The mount.
  ///   - source: The zone that the folder mirrored before; nil if there is none.
  /// - Throws: `CloudError` if the note can't be written.
  func note(_ mount: MountEntry, replacing source: ZoneID? = nil) throws {
    try ownMounts?.change(read: savedMounts) { saved in
      saved.mounts.removeAll { $0.part == mount.part || $0.zone == source }
      saved.mounts.append(mount)
    }
  }

  /// Returns the state of a mount of this device in the account.
  public func mountEntry(
    _ part: ZonePart, path: [UInt8], isFile: Bool = false
  ) -> MountEntry {
    MountEntry(
      zone: part.zone, record: part.base, device: account.device.id, path: path, isFile: isFile,
      author: open.withLock { $0[part.zone] }?.author)
  }

  /// Notes that a mount of this device is about to be taken out of its share, before anything is
  /// changed. The note ends with the mount.
  /// - Parameters:
  ///   - part: The mount's part.
  ///   - exit: The future of its folder or file; nil if it stays in the share.
  /// - Throws: `CloudError` if the note can't be written.
  public func noteExit(_ part: ZonePart, _ exit: Exit?) throws {
    try ownMounts?.change(read: savedMounts) { $0.leaving[part] = exit }
  }

  /// Returns the mounts of this device that are being taken out of their shares.
  /// - Throws: `CloudError` if the notes can't be read.
  public func exits() throws -> [ZonePart: Exit] { try ownFolders().leaving }

  /// Drops mounts from this device's own list; the account has forgotten them.
  func dropMounts(where isGone: (MountEntry) -> Bool) throws {
    try ownMounts?.change(read: savedMounts) { saved in
      for mount in saved.mounts where isGone(mount) { saved.leaving[mount.part] = nil }
      saved.mounts.removeAll(where: isGone)
    }
  }

  /// Notes that no folder of this device mirrors the zone, or a part of it, any more.
  public func removeMount(_ zone: ZoneID) throws {
    for mount in try mounts() where mount.zone == zone { try removeMount(mount.part) }
  }

  /// Notes that the folder of this device doesn't mirror that part of a zone any more.
  public func removeMount(_ part: ZonePart) throws {
    try dropMounts { $0.part == part }
    try AccountZone.removeMount(part, account.device.id, from: accountZone)
  }

  /// Returns the zone of a mount, if the account has it. A mount of a public zone contains the
  /// author, so it is found without an index and the container.
  public func zone(of mount: MountEntry) throws -> Zone? {
    if let author = mount.author, .public(in: id, by: author) == mount.zone {
      return try publicZones.zone(of: author)
    }
    return try zone(mount.zone)
  }

  /// Refuses operations that need an account.
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

  /// Returns this person as of the present identity chain, and adopts new encryption keys.
  /// - Returns: The person, and whether the account has to be stored again.
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

  /// The id of this person's account zone.
  public var accountID: ZoneID { accountZone.id }

  /// Returns whether the zone is this person's account, which no folder mirrors.
  public func isAccount(_ zone: Zone) -> Bool { zone.id == accountZone.id }
}

extension AccountZone {
  static let declinedType = "cairn.declined"

  static func decline(_ zone: ZoneID, _ device: DeviceID, in account: Zone) throws {
    try save(
      recordID("declined", zone.bytes + device.bytes), declinedType,
      ["zone": .bytes(zone.bytes), "device": .bytes(device.bytes)], in: account)
  }
}
