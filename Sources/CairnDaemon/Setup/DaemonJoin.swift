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
  let home: Home
  /// The longest time for the answer of the first device, in nanoseconds.
  private static let patience: Int64 = 60_000_000_000

  func run() throws -> Control.JoinReply {
    let code = try checkedCode()
    let deviceName = request.deviceName ?? Host.name
    guard Person.isName(deviceName) else {
      throw ControlError(
        .invalidArguments, "“\(deviceName)” can't be a device's name.",
        remedy: "Give one of 1 to 255 bytes, in one line, with --device-name.")
    }
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
    let folder = try makeFolder()
    let traits = try location.probe()
    try home.makeFolders(withKeys: true)
    let account: Account
    if let known = try interrupted(code, store, root) {
      account = known
    } else {
      // The other device has to be woken, too.
      let asking = AskingStore(
        store, owner: hexadecimal(Bytes16.random().bytes), isTold: traits.notifies,
        isFolder: location.folder != nil, longest: 1)
      defer { asking.takeDown() }
      let join = DeviceJoin(code, in: asking, deviceName: deviceName, trail: root.trail)
      defer { join.clean() }
      account = try wait(for: join)
      try account.store(keyFile)
    }
    let configuration = Configuration(
      location: location, containerID: code.container.description,
      fileSystem: traits.fileSystem, notifies: traits.notifies,
      pollSeconds: Configuration.usualPoll,
      deviceName: deviceName, folder: folder, choice: choice,
      bucket: request.bucket ?? Control.Bucket())
    try configuration.save(home.configuration)
    let person = try People(store: store, of: root).person(account.user)
    return Control.JoinReply(
      container: Control.ContainerStatus(
        id: configuration.containerID, path: Control.Path(location.text),
        fileSystem: traits.fileSystem,
        reachable: true),
      account: Control.AccountStatus(
        user: account.user.description, handle: person?.handle ?? "", name: person?.name ?? "",
        device: account.device.id.description, deviceName: deviceName),
      home: Control.Path(home.root ?? home.keys), folder: Control.Path(folder))
  }

  // MARK: Checks

  private func checkedCode() throws -> DeviceCode {
    guard !home.isSetUp else { throw taken(home.configuration) }
    let code: DeviceCode
    do { code = try DeviceCode(parsing: request.code) } catch {
      throw ControlError(
        .invalidArguments, error.description,
        remedy: "Copy the line that `cairn device link` has printed on the first device.")
    }
    let isInterrupted = access(keyFile, F_OK) == 0
    guard isInterrupted || SystemClock().date / 1_000_000_000 <= code.expires else {
      throw DeviceJoin.expired
    }
    return code
  }

  private var keyFile: String { home.keys + "/" + AccountFile.name }

  private func taken(_ file: String) -> ControlError {
    ControlError(
      .alreadyExists, "This home has an account already (\(file)).",
      remedy: "Use it, or set CAIRN_HOME to another folder for the new device.")
  }

  /// Returns the account of a join that was interrupted when the device was added already.
  private func interrupted(
    _ code: DeviceCode, _ store: any ObjectStore, _ root: ContainerFile
  ) throws -> Account? {
    guard access(keyFile, F_OK) == 0 else { return nil }
    let account = try Account.load(keyFile)
    let person = try People(store: store, of: root).person(account.user)
    guard account.user == code.user, person?.devices[account.device.id]?.isActive == true else {
      throw taken(keyFile)
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

  /// Returns the folder in which the person's folders will appear, and creates it if it is missing.
  private func makeFolder() throws -> String {
    let environment = Home.environment()
    let usual = environment["HOME"].map { $0 + "/" + ReceivingFolder.name }
    // The target of a link may be another one tomorrow; a person who names a link means it.
    if request.at == nil, let usual, case .other(let what) = ReceivingFolder.look(usual) {
      throw ControlError(
        .invalidArguments, "\(Control.Path(usual)), where your folders would appear, \(what).",
        remedy: "Say another place with --at DIR, or make it a folder.", path: Control.Path(usual))
    }
    guard let path = request.at ?? usual.map({ Control.Path($0) }),
      let text = path.text, text.hasPrefix("/")
    else {
      throw ControlError(
        .invalidArguments, "There is no folder, with a name in UTF-8, to put your folders into.",
        remedy: "Say one with --at DIR.", path: request.at)
    }
    if mkdir(text, 0o777) != 0, errno != EEXIST {
      throw ControlError(
        .invalidArguments, "\(path) can't be made: \(String(cString: strerror(errno))).",
        remedy: "Say another place with --at DIR.", path: path)
    }
    var status = stat()
    guard stat(text, &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
      access(text, W_OK | X_OK) == 0
    else {
      throw ControlError(
        .invalidArguments, "\(path) is no folder that you may write to.",
        remedy: "Say another place with --at DIR.", path: path)
    }
    return text
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
