import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnStore
import CairnThreads
import CairnZone
import Glibc

/// The command `cairn device join`: one more device of a person, added by an existing one, in an
/// order in which every interruption leaves either nothing or a usable home.
struct DaemonJoin {
  let request: Control.Join
  /// The place of the container's files.
  let home: Home
  /// The containers that are in the home already.
  let others: HomeContainers
  /// The longest time for the answer of the first device, in nanoseconds.
  private static let patience: Int64 = 60_000_000_000

  func run() throws -> Control.JoinReply {
    let new = try NewDeviceHome(home, at: request.at, deviceName: request.deviceName)
    let code = try checkedCode(new)
    let choice = try request.select.map { try FolderChoice($0) }
    let location = try location(code)
    let store = location.open()
    guard !location.isReadOnly else {
      throw ControlError(
        .permissionFailure,
        "The container at \(location) is behind a web server: no device can be let in there.",
        remedy: "Say with --container where this machine can write to it.", path: request.container)
    }
    let root = try check(store, location, code)
    try others.checkNew(root.id.description, at: home)
    let folder = try new.makeFolder()
    let traits = try location.probe()
    try home.makeFolders(withKeys: true)
    let account: Account
    if let known = try interrupted(code, store, root, new) {
      account = known
    } else {
      // The other device has to be woken, too.
      let asking = AskingStore(
        store, owner: hexadecimal(Bytes16.random().bytes), isTold: traits.notifies,
        isFolder: location.folder != nil, longest: 1)
      defer { asking.takeDown() }
      let join = DeviceJoin(code, in: asking, deviceName: new.deviceName, trail: root.trail)
      defer { join.clean() }
      account = try wait(for: join)
      try account.store(new.keyFile)
    }
    try new.save(
      location, code.container, traits, folder: folder, choice: choice, bucket: request.bucket,
      name: request.containerName)
    let person = try People(store: store, of: root).person(account.user)
    return Control.JoinReply(
      container: new.status(location, code.container, traits),
      account: new.status(account, person),
      home: Control.Path(home.root ?? home.keys), folder: Control.Path(folder))
  }

  // MARK: Checks

  private func checkedCode(_ new: NewDeviceHome) throws -> DeviceCode {
    let code: DeviceCode
    do { code = try DeviceCode(parsing: request.code) } catch {
      throw ControlError(
        .invalidArguments, error.description,
        remedy: "Copy the line that `cairn device link` has printed on the first device.")
    }
    guard new.hasKeys || SystemClock().date / 1_000_000_000 <= code.expires else {
      throw DeviceJoin.expired
    }
    return code
  }

  /// Returns the account of a join that was interrupted when the device was added already.
  private func interrupted(
    _ code: DeviceCode, _ store: any ObjectStore, _ root: ContainerFile, _ new: NewDeviceHome
  ) throws -> Account? {
    guard new.hasKeys else { return nil }
    let account = try Account.load(new.keyFile)
    let person = try People(store: store, of: root).person(account.user)
    guard account.user == code.user, person?.devices[account.device.id]?.isActive == true else {
      throw new.taken(new.keyFile)
    }
    return account
  }

  private func location(_ code: DeviceCode) throws -> StoreLocation {
    let settings = try BucketKeys.settings(request.bucket ?? Control.Bucket())
    if let path = request.container { return try GivenLocation.read(path, settings) }
    let path = Control.Path(code.path)
    guard let location = path.text.flatMap({ StoreLocation($0, settings) }) else {
      throw ControlError(
        .invalidArguments, "The code names the container \(path), which is no location of one.",
        remedy: "Say with --container DIR where the container is on this machine.")
    }
    return location
  }

  private func check(
    _ store: any ObjectStore, _ location: StoreLocation, _ code: DeviceCode
  ) throws -> ContainerFile {
    let remedy = "Mount it there, or say with --container DIR where it is on this machine."
    let root: ContainerFile?
    do { root = try ContainerFile.root(of: store) } catch let error as CloudError {
      guard error.isWorthRetrying else { throw error }
      throw ControlError(
        .networkUnavailable, "The container isn't at \(location) on this machine.", remedy: remedy,
        path: Control.Path(location.text))
    }
    guard let root, root.id == code.container else {
      throw ControlError(
        .badContainer,
        root == nil
          ? "There is no container at \(location)." : "At \(location) is another container.",
        remedy: remedy, path: Control.Path(location.text))
    }
    return root
  }

  // MARK: Waiting

  private func wait(for join: DeviceJoin) throws -> Account {
    let mailbox = Mailbox<Void>(limit: 1, overflow: ())
    let subscriptions = try join.follow { mailbox.hint([()]) }
    defer { for subscription in subscriptions { subscription.cancel() } }
    let deadline = SystemClock().now + Self.patience
    while true {
      if let account = try join.advance() { return account }
      guard SystemClock().now < deadline else { break }
      _ = mailbox.take(until: deadline)
    }
    if let error = join.tooLate { throw error }
    throw ControlError(
      .timedOut, "The first device doesn't answer.",
      remedy: "Keep it running (`cairn status` there), see that it uses the same container, and "
        + "join again with the same code.")
  }
}
