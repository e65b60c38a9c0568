import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnStore
import CairnZone
import Glibc

/// The command `cairn init`: the container, this person's identity and keys, and the configuration,
/// in an order in which every interruption can be continued.
struct DaemonSetup {
  let request: Control.Setup
  /// The place of the container's files.
  let home: Home
  /// The containers that are in the home already.
  let others: HomeContainers

  func run() throws -> Control.SetupReply {
    if request.anonymous { return try runAnonymous() }
    // An invalid link is reported before missing names are.
    let link = try request.link.map { try DaemonSetup.link($0) }
    try checkRequest()
    let location = try location(link)
    try checkWritable(location)
    if let link { try DaemonSetup.check(location, isOf: link) }
    return request.dryRun ? try explain(location) : try carryOut(location)
  }

  // MARK: Checks

  private func checkRequest() throws {
    guard Person.isHandle(request.handle) else {
      throw ControlError(
        .invalidArguments, "“\(request.handle)” can't be a handle.",
        remedy: "Use 1 to 32 of a-z, 0-9, dot, dash and underscore, the first a letter or digit.")
    }
    guard Person.isName(request.name) else {
      throw ControlError(
        .invalidArguments, "“\(request.name)” can't be a name.",
        remedy: "Give the name that others see, in one line.")
    }
    try checkFreeHome()
  }

  /// Refuses a container in which nobody can publish an identity.
  private func checkWritable(_ location: StoreLocation) throws {
    guard location.isReadOnly else { return }
    throw ControlError(
      .permissionFailure,
      "The container at \(location) is behind a web server, so it is read-only there, and no "
        + "account can be created.",
      remedy: "Leave --name and --handle out for a home that only reads, or name the directory or "
        + "the bucket itself.", path: request.container)
  }

  /// Refuses a home that belongs to a person already.
  func checkFreeHome() throws {
    guard !home.isSetUp else {
      guard access(home.keys + "/" + AccountFile.name, F_OK) == 0 else {
        throw ControlError(
          .alreadyExists,
          "This home has an account already (\(home.configuration)), and its keys are gone.",
          remedy:
            "Put your copy of the keys back into \(home.keys). If there is none, see LOST KEYS "
            + "in cairn-init(1).")
      }
      throw ControlError(
        .alreadyExists, "This home has an account already (\(home.configuration)).",
        remedy: "Use it, or add another container with --as NAME, or set CAIRN_HOME to another "
          + "folder for another person.")
    }
  }

  func location(_ link: ShareLink? = nil) throws -> StoreLocation {
    let settings = try BucketKeys.settings(request.bucket ?? Control.Bucket())
    if request.container == nil, let link {
      guard let location = StoreLocation(link.location, settings) else {
        throw ControlError(
          .invalidArguments, "The link doesn't say where its container is.",
          remedy: "Ask the sender, and give the folder with --container DIR.")
      }
      return location
    }
    return try GivenLocation.read(request.container, settings)
  }

  // MARK: Dry run

  private func explain(_ location: StoreLocation) throws -> Control.SetupReply {
    let isThere = location.isThere
    let store = location.open(isReadOnly: true)
    let root = isThere ? try ContainerFile.root(of: store) : nil
    try others.checkNew(root?.id.description, at: home)
    let kept = try keptIdentity(in: root.map { People(store: store, of: $0) })
    var steps: [String] = []
    let isBucket = location.folder == nil
    if isBucket, !isThere { try reach(location) }
    if !isThere { steps.append("create the folder \(location)") }
    if root == nil { steps.append("create a container there") }
    steps.append(
      isBucket
        ? "test that one of several concurrent writers wins"
        : "test its file system: link, rename without replacing, fsync, inotify")
    steps.append(
      kept == nil
        ? "create the identity and the device keys of \(request.handle) in \(home.keys)"
        : "use the keys of \(request.handle) that are in \(home.keys)")
    if kept?.isPublished != true {
      steps.append("publish the profile of \(request.handle) in the container")
    }
    steps.append("write \(home.configuration)")
    return reply(
      location, id: root?.id.description ?? "", fileSystem: "unknown", reachable: isThere,
      created: root == nil, kept: kept, probes: [], steps: steps)
  }

  // MARK: For real

  private func carryOut(_ location: StoreLocation) throws -> Control.SetupReply {
    // A home that cannot be used leaves nothing in the container.
    try home.makeFolders(withKeys: true)
    try reach(location)
    let traits = try location.probe()
    guard traits.allowsManyWriters else {
      let isBucket = location.folder == nil
      throw ControlError(
        .serverRejectedRequest,
        (isBucket ? "The engine at" : "The file system at")
          + " \(location) (\(traits.fileSystem)) has no way to put "
          + (isBucket ? "an object" : "a file")
          + " only if it isn't there, so several people can't write to it safely.",
        remedy: "Put the container on another "
          + (isBucket ? "engine; cairn-init(1) says which do." : "file system."),
        path: request.container)
    }
    let store = location.open()
    let before = try ContainerFile.root(of: store)
    try others.checkNew(before?.id.description, at: home)
    let root =
      try before ?? Container.make(in: store, note: "A container of Cairn. See cairn(1).")
    let kept = try keptIdentity(in: People(store: store, of: root))
    let account = try kept?.account ?? makeAccount(store, root)
    try publish(account, store, root, traits)
    let deviceName = kept?.deviceName ?? request.deviceName ?? Host.name
    let configuration = Configuration(
      location: location, containerID: root.id.description, fileSystem: traits.fileSystem,
      notifies: traits.notifies, pollSeconds: request.pollSeconds ?? Configuration.usualPoll,
      deviceName: deviceName, bucket: request.bucket ?? Control.Bucket(),
      name: request.containerName)
    try configuration.save(home.configuration)
    let isNew = kept?.isPublished != true
    return reply(
      location, id: root.id.description, fileSystem: traits.fileSystem, reachable: true,
      created: before == nil, account: account, kept: kept, probes: Self.probes(traits),
      steps: [
        before == nil ? "created a container at \(location)" : "found the container at \(location)",
        kept == nil
          ? "created the identity of \(request.handle)"
          : "found the keys of \(request.handle) in \(home.keys)",
        isNew ? "published the profile" : "found the profile in the container",
        "wrote \(home.configuration)",
      ])
  }

  private func reach(_ location: StoreLocation) throws {
    do { try location.make() } catch {
      let isBucket = location.folder == nil
      throw ControlError(
        isBucket && error.isWorthRetrying ? .networkUnavailable : .permissionFailure,
        Failures.sentence(error.cause),
        remedy: isBucket
          ? "See that the bucket is there, and that its key is: cairn-init(1), A BUCKET."
          : "Make the folder yourself, or name another.", path: request.container)
    }
  }

  /// Creates the account. The keys come first: a published identity without them would be lost.
  private func makeAccount(_ store: any ObjectStore, _ root: ContainerFile) throws -> Account {
    let taken = try People(store: store, of: root).all().map(\.handle).sorted()
    guard !taken.contains(request.handle) else {
      let few = taken.prefix(10).joined(separator: ", ") + (taken.count > 10 ? ", …" : "")
      throw ControlError(
        .constraintViolation, "The handle \(request.handle) is taken in this container.",
        remedy: "Choose another one with --handle. Taken: \(few).")
    }
    let account = try IdentityLog.begin(
      handle: request.handle, name: request.name, deviceName: request.deviceName ?? Host.name,
      time: SystemClock().date, in: root.trail
    ).account
    try account.store(home.keys + "/" + AccountFile.name)
    return account
  }

  /// Publishes this person's identity, also to members that the container doesn't notify of it.
  private func publish(
    _ account: Account, _ store: any ObjectStore, _ root: ContainerFile, _ traits: StoreTraits
  ) throws {
    // It only wakes others, and reads nothing.
    let heard = AskingStore(
      store, owner: account.bellOwner(in: root.id), isTold: traits.notifies, isFolder: false,
      longest: Int64(request.pollSeconds ?? Configuration.usualPoll))
    defer { heard.end() }
    try People(store: heard, of: root).publish(account)
  }

  private func reply(
    _ location: StoreLocation, id: String, fileSystem: String, reachable: Bool, created: Bool,
    account: Account? = nil, kept: KeptIdentity?, probes: [Control.Probe], steps: [String]
  ) -> Control.SetupReply {
    Control.SetupReply(
      dryRun: request.dryRun,
      container: Control.ContainerStatus(
        id: id, path: Control.Path(location.text), fileSystem: fileSystem, reachable: reachable),
      containerCreated: created,
      account: Control.AccountStatus(
        user: account?.user.description ?? "", handle: request.handle,
        name: kept?.person.name ?? request.name, device: account?.device.id.description ?? "",
        deviceName: kept?.deviceName ?? request.deviceName ?? Host.name),
      keys: kept.map { $0.isPublished ? .found : .published } ?? .created,
      home: Control.Path(home.root ?? home.keys), probes: probes, steps: steps,
      warnings: [ContainerAccess.notice(of: location.folder, isToBeMade: request.dryRun)]
        .compactMap { $0 })
  }

  private static func probes(_ traits: StoreTraits) -> [Control.Probe] {
    traits.findings.map { Control.Probe(name: $0.name, works: $0.works, note: $0.note) } + [
      Control.Probe(
        name: "notify", works: traits.notifies,
        note: traits.notifies
          ? "wakes readers at once" : "not offered: readers check, seldom while it is quiet")
    ]
  }
}
