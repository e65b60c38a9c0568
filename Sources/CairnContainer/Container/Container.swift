import CairnIdentity
import CairnIndex
import CairnReplica
public import CairnStore
public import CairnZone
import Synchronization

/// The root of a cloud for one person on one device: a store, an account, and the index files
/// (CKContainer). Several may be open in one process; they never mix. Calls block while they use
/// the store; call them from a thread of your own. What is done with it, types of their own do: its
/// last properties.
public final class Container: Sendable {
  /// The container's id, from its root object.
  public let id: ContainerID
  /// The account of the user; in an anonymous home, keys that nobody else knows.
  public let account: Account
  /// A Boolean value that indicates whether this home has no account in the container: it reads the
  /// public database and shares by links for anyone, and writes nothing into the container.
  public let isAnonymous: Bool
  /// Everybody in the container, by id and by handle.
  public let people: People
  let store: any ObjectStore
  /// The present site of the container, among those to which it was moved.
  let sites: SiteLook
  let indexes: [DatabaseScope: IndexFile]
  let accountZone: Zone
  /// The messages that others sent to this person.
  public let inbox: Inbox
  let open: Mutex<[ZoneID: Zone]>
  /// The account's zones as of a place in its log: they are asked for all the time, and change
  /// seldom.
  let listed = Mutex<(head: Bytes32, entries: [AccountZone.Entry])?>(nil)
  /// The versions of the account's records, as far as they were needed.
  let past = Mutex(AccountPast())
  /// The revoked devices whose revocation is in the logs of all zones, as far as this process has
  /// checked.
  let settled = Mutex<Set<DeviceID>>([])
  /// The mirrored folders of this device, from its home; nil if there is no home.
  let ownMounts: OwnMounts?
  /// The opened objects of drop boxes.
  let dropMemory = Mutex(DropMemory())
  /// Held while an invitation is accepted: two at once would try keys on one index.
  let accepting = Mutex(())

  /// Opens a container.
  /// - Parameters:
  ///   - store: where the container's objects are.
  ///   - id: the container that the account belongs to.
  ///   - account: who uses it, with the keys of this device.
  ///   - indexFolder: the folder of `private.sqlite`, `shared.sqlite` and `public.sqlite`. They are
  ///     made if they are missing, and then filled from the container. The folder belongs to this
  ///     process then.
  ///   - root: its root object; nil if that can't be read now: then it is read when it is needed.
  ///   - ownMounts: the folders of this device that are mirrors, as its home has them.
  /// - Throws: `CloudError`; an unreachable container is fine if the index knows the account.
  ///   `IndexFolderInUse` if another process uses the index folder.
  public convenience init(
    store: any ObjectStore, id: ContainerID, account: Account, indexFolder: String,
    root: ContainerFile?, ownMounts: OwnMounts? = nil
  ) throws {
    try self.init(
      store: store, id: id, account: account, indexes: IndexFiles(folder: indexFolder),
      ownStore: nil, use: DeviceUse { ownMounts?.mirrors($0) ?? false },
      sites: Self.sites(of: root, in: store), ownMounts: ownMounts)
  }

  /// Opens a container that was never moved, as the one with a root does.
  public convenience init(
    store: any ObjectStore, id: ContainerID, account: Account, indexFolder: String
  ) throws {
    try self.init(
      store: store, id: id, account: account, indexes: IndexFiles(folder: indexFolder),
      ownStore: nil)
  }

  /// Opens a container with index files that are open already.
  public convenience init(
    store: any ObjectStore, id: ContainerID, account: Account, indexes: IndexFiles
  ) throws {
    try self.init(store: store, id: id, account: account, indexes: indexes, ownStore: nil)
  }

  /// Opens a container to read its public database, without an account in it: nothing is ever
  /// written there. What this device has to remember is kept in `ownStore`, with keys that nobody
  /// else sees.
  /// - Parameters:
  ///   - store: where the container's objects are.
  ///   - id: the container.
  ///   - account: keys of this home alone, never published.
  ///   - indexFolder: the folder of the index files.
  ///   - ownStore: a store of this home's own.
  ///   - root: the container's root object; nil if that can't be read now.
  /// - Throws: `CloudError`.
  public convenience init(
    reading store: any ObjectStore, id: ContainerID, account: Account, indexFolder: String,
    ownStore: any ObjectStore, root: ContainerFile? = nil
  ) throws {
    try self.init(
      store: ReadingStore(store), id: id, account: account,
      indexes: IndexFiles(folder: indexFolder),
      ownStore: ownStore, sites: Self.sites(of: root, in: store))
  }

  /// Opens a container; with `ownStore` one that is only read: the account zone is there.
  init(
    store: any ObjectStore, id: ContainerID, account: Account, indexes: IndexFiles,
    ownStore: (any ObjectStore)?, use: DeviceUse = DeviceUse(), sites: SiteLook = SiteLook(),
    ownMounts: OwnMounts? = nil
  ) throws {
    self.store = store
    self.ownMounts = ownMounts
    self.sites = sites
    self.id = id
    self.account = account
    isAnonymous = ownStore != nil
    self.indexes = indexes.files
    guard let own = indexes.files[.private] else { preconditionFailure("no private index") }
    people = People(
      store: store, memory: IdentityMemory(indexes.people), own: account, use: use, sites: sites)
    inbox = Inbox(store: store, container: id, account: account, people: people)
    let ownPeople = ownStore.map { People(store: $0) }
    try ownPeople?.publish(account)
    try Self.learnKeys(account, ownPeople ?? people)
    accountZone = try AccountZone.open(ownStore ?? store, own, account, ownPeople ?? people)
    open = Mutex([:])
  }

  /// Returns the site of a container with that root, or with an unreadable root.
  static func sites(of root: ContainerFile?, in store: any ObjectStore) -> SiteLook {
    root.map { SiteLook($0.trail) } ?? SiteLook(asking: store)
  }

  /// Entries that another device sealed to a newer key of this person must not be read without it.
  private static func learnKeys(_ account: Account, _ people: People) throws {
    do {
      guard let me = try people.person(account.user) else { return }
      try people.learn(account, as: me)
    } catch let error as StoreError {
      let error = CloudError(error)
      guard error.isWorthRetrying else { throw error }
    } catch let error as IdentityError {
      throw CloudError(.assetNotAvailable, error.description, remedy: "run `cairn verify`")
    }
  }

  /// Creates a container in a store, unless there is one; the first creator decides its id.
  public static func make(in store: any ObjectStore, note: String) throws -> ContainerFile {
    guard let key = ObjectKey(ContainerFile.key) else { preconditionFailure("the root's key") }
    let file = ContainerFile(id: .random(), created: WallClock.now, note: note)
    do { _ = try store.put(key, file.encoded()) } catch { throw CloudError(error) }
    guard let found = try ContainerFile.root(of: store) else {
      throw CloudError(
        .assetNotAvailable, "the container's root vanished while it was made",
        remedy: "check what else writes into that folder")
    }
    return found
  }

  /// Puts the first entry of this person's identity log into the container, if it isn't there.
  /// - Throws: `CloudError`, with `.assetNotAvailable` if something else is in its place.
  public func publishProfile() throws {
    do {
      try people.publish(account)
    } catch let error as StoreError {
      throw CloudError(error)
    } catch IdentityError.wrongPerson {
      throw CloudError(
        .assetNotAvailable,
        "\(ChainPlace.start(account.user)) isn't the first entry of your identity any more",
        remedy: "delete that object, or ask the owner of the container to do so; a device of "
          + "yours, or of a person who has read it, puts the right one back")
    }
    claimFolders()
  }

  /// Creates the folders that this person manages, including those that a container lost. The
  /// person who creates such a folder first can lock all others out.
  private func claimFolders() {
    for folder in managedFolders {
      do { try store.claim(folder) } catch {
        // A container that is full, or can only be read, gets it another time; what somebody else
        // has made keeps nothing else from being made.
      }
    }
  }

  /// The folders of the container that this person manages, those above others first.
  var managedFolders: [String] {
    let own = [ObjectKind.inbox, .join, .drops, .packs, .published].map { $0.path(account.user) }
    var folders = own + [ObjectKind.person(account.user) + "/zones"]
    do {
      for entry in try entries() where entry.founder == account.user {
        folders += ZoneFolder(zone: entry.zone, founder: entry.founder).claimed
      }
    } catch {
      // Without the account's list it is for another time.
    }
    let packs = ObjectKind.packs.path(account.user)
    let generations = ((try? store.folders(in: packs + "/")) ?? []).map { "\(packs)/\($0)" }
    // Before the first pack of a generation, its folder is anybody's to make. Each generation that
    // is opened claims the folder of the next one.
    let first = [0, PackStamp.publicGeneration, Retirement.generation(after: 0)].map {
      PackStamp.folder(of: $0, owner: account.user)
    }
    return folders + (Set(first).isDisjoint(with: generations) ? first : generations)
  }

  /// The database of zones that this person owns.
  public var privateDatabase: Database { Database(container: self, scope: .private) }

  /// The database of zones that others own and this person participates in.
  public var sharedDatabase: Database { Database(container: self, scope: .shared) }

  /// The database that everybody may read (CKContainer.publicCloudDatabase).
  public var publicDatabase: Database { Database(container: self, scope: .public) }

  /// Opens a zone once; later calls give the same object, since a zone has one owner.
  func zone(
    _ id: ZoneID, founder: UserID, owner: UserID, scope: DatabaseScope, keys: Keyring
  ) throws -> Zone {
    guard let index = indexes[scope] else { preconditionFailure("a scope without an index") }
    let link = try isAnonymous ? AccountZone.link(to: id, in: accountZone) : nil
    let linkKeys = link.map { LinkKeys(secret: $0.secret) }
    return try open.withLock { open in
      if let known = open[id] { return known }
      let store = store.part(id.description)
      let replica = try ZoneReplica(
        id, kind: scope == .public ? .public : .owned, founder: founder, owner: owner, store: store,
        index: index, account: account, people: people, keys: keys,
        links: linkKeys.map { [$0.box] } ?? [])
      let zone = Zone(
        id, scope: scope, store: store, replica: replica, isReadOnly: isAnonymous,
        readBy: linkKeys?.id)
      open[id] = zone
      return zone
    }
  }

  /// Makes a zone of this person's own. It is in the account's list when this returns.
  func createZone(named name: String) throws -> Zone {
    let new = NewZone(named: name, of: account.user)
    do { return try create(new) } catch {
      // The error of the creation is reported. A zone that nothing names is left over at most.
      try? drop(new)
      throw error
    }
  }

  /// This device's copy of a zone of this person's own, as the index of that scope has it.
  func openReplica(
    _ id: ZoneID, in scope: DatabaseScope, keys: Keyring
  ) throws -> ZoneReplica {
    guard let index = indexes[scope] else { preconditionFailure("a scope without an index") }
    return try ZoneReplica(
      id, founder: account.user, owner: account.user, store: store.part(id.description),
      index: index, account: account, people: people, keys: keys)
  }

  /// Forgets the data of a zone in the index of a scope.
  func erase(_ id: ZoneID, in scope: DatabaseScope) throws {
    guard let index = indexes[scope] else { preconditionFailure("a scope without an index") }
    try index.write { try IndexedZone($0, zone: id).erase() }
  }

  /// The zones that are open in this process.
  var openZones: [Zone] { open.withLock { Array($0.values) } }

  /// Opens a zone from the beginning of its log in the index of a scope.
  func reopen(
    _ id: ZoneID, founder: UserID, owner: UserID, in scope: DatabaseScope, keys: Keyring,
    links: [BoxKey] = [], readBy link: LinkID? = nil
  ) throws -> Zone {
    try erase(id, in: scope)
    guard let index = indexes[scope] else { preconditionFailure("a scope without an index") }
    let store = store.part(id.description)
    let replica = try ZoneReplica(
      id, founder: founder, owner: owner, store: store, index: index, account: account,
      people: people, keys: keys, links: links)
    return Zone(
      id, scope: scope, store: store, replica: replica, isReadOnly: isAnonymous, readBy: link)
  }

  /// Notes that others may use packs of this person's from now on.
  func remember(given zone: ZoneID) throws { try AccountZone.add(given: zone, to: accountZone) }

  /// The zones that this person handed on.
  func givenZones() throws -> Set<ZoneID> {
    try AccountZone.givenZones(in: accountZone, accountPast(), without: revokedDevices())
  }

  /// Puts the zone into the account's list, and into this process.
  func remember(_ zone: Zone, owner: UserID) throws {
    try AccountZone.add(
      AccountZone.Entry(
        zone: zone.id, founder: zone.folder.founder, owner: owner, scope: zone.scope,
        keys: zone.keyring()),
      to: accountZone)
    open.withLock { $0[zone.id] = zone }
  }

  /// Drops a zone from the account's list and from this process; the zone itself stays.
  public func forget(_ zone: ZoneID) throws {
    try AccountZone.remove(zone, from: accountZone)
    close(zone)
  }

  /// Has this process use that object for the zone.
  func keep(_ zone: Zone) { open.withLock { $0[zone.id] = zone } }

  /// Drops a zone from this process; it can be opened again.
  func close(_ zone: ZoneID) { _ = open.withLock { $0.removeValue(forKey: zone) } }

  /// Replays the changes of this person's other devices in the account.
  public func refresh() throws { try accountZone.pull() }

  /// Calls `onHint` when another device may have changed the account, or somebody may have sent an
  /// invitation.
  public func follow(_ onHint: @escaping @Sendable () -> Void) throws -> [Subscription] {
    [
      try accountZone.follow(onHint),
      try store.follow(Inbox.folder(of: account.user), onHint),
    ]
  }

  // MARK: What is done with it

  /// Sharing a zone, and inviting people.
  public var sharing: Sharing { Sharing(self) }
  /// The rights in shares.
  public var access: Access { Access(self) }
  /// The decisions of a zone's owner.
  public var ownership: Ownership { Ownership(self) }
  /// The participation in shares of others.
  public var participation: Participation { Participation(self) }
  /// The links to shares.
  public var links: Links { Links(self) }
  /// The drop boxes of this person.
  public var drops: Drops { Drops(self) }
  /// Requests for access to shares.
  public var requests: AccessRequests { AccessRequests(self) }
  /// The public zones of the people of the container.
  public var publicZones: PublicZones { PublicZones(self) }
  /// The account's notes about people.
  public var acquaintances: Contacts { Contacts(self) }
  /// The wake-ups between devices.
  public var waking: Waking { Waking(self) }
  /// The maintenance of the container.
  public var upkeep: Upkeep { Upkeep(self) }
  /// Copying it into another store.
  public var copying: Copying { Copying(self) }
  /// Moving to another site of it.
  public var moving: Moving { Moving(self) }
  /// The devices of this person.
  public var devices: Devices { Devices(self) }
  /// The recovery sheets of this person.
  public var recovery: Recovery { Recovery(self) }
  /// Revoking one of them.
  public var revocation: Revocation { Revocation(self) }
  /// The parts that moved from this person's zones to others.
  public var nestings: Nestings { Nestings(self) }
  /// The return of these parts.
  public var returning: Returning { Returning(self) }
  /// Moving all of a zone into another one.
  public var merging: Merging { Merging(self) }
  /// Taking one directory out of a share.
  public var takingOut: TakingOut { TakingOut(self) }
}
