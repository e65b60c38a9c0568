import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnStore
import CairnZone

/// Everything of one container on this device, as one value: where it is, what is known of it here,
/// and who this person is in it.
struct OpenContainer: Sendable {
  let home: Home
  let configuration: Configuration
  let container: Container
  /// The store that reports others' changes in the container.
  let store: AskingStore
  /// The traffic with the container: its pauses and rates.
  let traffic: Traffic
  let me: Person
  /// The index of its folders.
  let index: FolderIndex

  /// Opens what the home's configuration names.
  init(_ home: Home) throws {
    guard let configuration = try Configuration.load(home) else { throw home.noAccount }
    self.home = home
    self.configuration = configuration
    let limits = LimitWatch()
    traffic = Traffic(
      limits: configuration.limits, pauses: try PauseFile(home).load(),
      isBulk: { ObjectKind($0)?.isBulk ?? false }, isLimited: { limits.applies($0) },
      date: { Control.Time.now().nanoseconds })
    let inner = TrafficStore(
      configuration.location.open(
        isReadOnly: configuration.isAnonymous, mark: ObjectKey(ContainerFile.key)), traffic, .line)
    let account = try Account.load(home.keys + "/" + AccountFile.name)
    let (id, root) = try Self.check(inner, configuration)
    store = AskingStore(
      inner, owner: configuration.isAnonymous ? nil : account.bellOwner(in: id),
      isTold: configuration.notifies, isFolder: configuration.location.folder != nil,
      longest: Int64(configuration.pollSeconds))
    let parts = TrafficStore(store, traffic, .parts)
    if configuration.isAnonymous {
      (container, me) = try Self.openAnonymously(parts, id, root, account, home)
    } else {
      container = try Container(
        store: parts, id: id, account: account, indexFolder: home.index, root: root,
        ownMounts: OwnMounts(path: home.mounts))
      me = try Self.publish(account, container)
    }
    index = try FolderIndex(path: home.index + "/folders.sqlite")
  }

  /// Returns the title of a zone for people.
  func title(of zone: Zone) -> String {
    if container.isAccount(zone) { return "your account" }
    if let author = zone.author { return title(ofPublic: author) }
    return zone.header.share?.title ?? zone.header.genesis?.name ?? zone.id.description
  }

  /// Returns the title of a person's public zone.
  private func title(ofPublic author: UserID) -> String {
    guard author != container.account.user else { return "what you publish" }
    // A damaged index has no names; another reader of it reports that.
    let handle = (try? container.people.recall(author))?.handle
    return "what \(handle ?? author.description) publishes"
  }

  /// Returns the place of the container for one request outside of a pause.
  /// - Throws: `StoreError` during a pause.
  func location() throws(StoreError) -> StoreLocation {
    try traffic.check()
    return configuration.location
  }

  /// The root object of this home's container, as it is stored now.
  func checkedRoot() throws -> ContainerFile {
    let store = try location().open(isReadOnly: true)
    guard let root = try ContainerFile.root(of: store), root.id == container.id else {
      throw ControlError(
        .badContainer, "There is no container of this home at \(configuration.location).",
        remedy: "Mount or restore it; nothing is changed until then.")
    }
    return root
  }

  /// The container's id and root, after a look whether it still is the one that the home belongs
  /// to. One that can't be reached now is taken at its word; it is asked again when it is back.
  private static func check(
    _ store: any ObjectStore, _ configuration: Configuration
  ) throws -> (ContainerID, ContainerFile?) {
    guard let id = ContainerID(hexadecimal: configuration.containerID) else {
      throw ControlError(
        .badContainer, "The configuration has no valid container id.",
        remedy: "See cairn.conf(5).")
    }
    do {
      guard let root = try ContainerFile.root(of: store) else {
        throw ControlError(
          .badContainer, "There is no container at \(configuration.location) any more.",
          remedy: "Mount or restore it; nothing is changed until then.")
      }
      guard root.id == id else {
        throw ControlError(
          .badContainer, "Another container is at \(configuration.location) now.",
          remedy: "Put the right one back, or correct cairn.conf.")
      }
      return (id, root)
    } catch let error as CloudError {
      guard error.isWorthRetrying else { throw error }
    }
    return (id, nil)
  }

  /// Publishes the profile again if an interrupted `init` left it out.
  private static func publish(_ account: Account, _ container: Container) throws -> Person {
    do {
      try container.publishProfile()
    } catch let error as CloudError where error.isWorthRetrying {
      // The container is away. The daemon starts all the same: what it has can be read, and what
      // is edited meanwhile waits.
      return try IdentityLog.fold([account.origin], of: account.user)
    } catch let error as CloudError {
      // Something else is in its place. The earlier object stays valid, and `status` reports it.
      guard try container.people.recall(account.user) != nil else { throw error }
    }
    guard let me = try container.people.person(account.user) else {
      throw ControlError(
        .notAuthenticated, "The container doesn't know this account.",
        remedy: "Check that cairn.conf names the right container.")
    }
    // Of a container that can't be reached nothing newer is known.
    do { _ = try container.refreshMe() } catch let error as CloudError {
      guard error.isWorthRetrying else { throw error }
    }
    return me
  }

  /// Opens the container to read it, in a home without an account: nothing of that is in the
  /// container. What a person's account zone would hold is kept beside the home's keys.
  private static func openAnonymously(
    _ store: any ObjectStore, _ id: ContainerID, _ root: ContainerFile?, _ account: Account,
    _ home: Home
  ) throws -> (Container, Person) {
    let own = home.keys + "/own"
    try Home.makePrivateFolder(own)
    guard let ownStore = StoreLocation(own)?.open() else {
      preconditionFailure("a home that isn't absolute: \(own)")
    }
    let container = try Container(
      reading: store, id: id, account: account, indexFolder: home.index, ownStore: ownStore,
      root: root)
    guard let me = try People(store: ownStore).person(account.user) else {
      throw ControlError(
        .notAuthenticated, "The keys of this home don't match \(own).",
        remedy: "Remove that folder; nothing but the list of mirrored folders is lost.")
    }
    return (container, me)
  }
}
