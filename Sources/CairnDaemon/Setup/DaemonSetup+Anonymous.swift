import CairnContainer
import CairnControl
import CairnIdentity
import CairnStore
import CairnZone
import Glibc

/// The command `cairn init --anonymous`: a home that reads the public database of a container
/// without an account there. Nothing in the container is changed.
extension DaemonSetup {
  /// The time between two reads of a container without notifications: 30 minutes, as apps with
  /// CloudKit read its public database.
  static let anonymousPollSeconds = 1_800
  /// The author in the names of conflict copies; there is no handle that others could take.
  static let anonymousHandle = "anonymous"

  func runAnonymous() throws -> Control.SetupReply {
    try checkFreeHome()
    let link = try request.link.map { try DaemonSetup.link($0) }
    let location = try location(link)
    if let link { try DaemonSetup.check(location, isOf: link) }
    // A server that returns a page for everything seems to return a container, too.
    let early = location.isReadOnly ? try look(at: location) : nil
    guard let root = try ContainerFile.root(of: location.open(isReadOnly: true)) else {
      throw ControlError(
        .badContainer, "There is no container at \(location).",
        remedy: "Name an existing container; a person with an account creates one.",
        path: request.container)
    }
    try others.checkNew(root.id.description, at: home)
    let traits = try early ?? look(at: location)
    var steps = ["found the container at \(location)"]
    var keys: (user: String, device: String) = ("", "")
    if request.dryRun {
      steps = [
        "create keys for this home in \(home.keys)", "write \(home.configuration)",
        "read what is public in the container at \(location), and write nothing there",
      ]
    } else {
      let account = try makeAnonymousAccount()
      keys = (account.user.description, account.device.id.description)
      let configuration = Configuration(
        location: location, containerID: root.id.description, fileSystem: traits.fileSystem,
        notifies: traits.notifies, pollSeconds: request.pollSeconds ?? Self.anonymousPollSeconds,
        deviceName: request.deviceName ?? Host.name, isAnonymous: true,
        bucket: request.bucket ?? Control.Bucket(), name: request.containerName)
      try configuration.save(home.configuration)
      steps += ["created keys for this home", "wrote \(home.configuration)"]
    }
    let seconds = request.pollSeconds ?? Self.anonymousPollSeconds
    return Control.SetupReply(
      dryRun: request.dryRun,
      container: Control.ContainerStatus(
        id: root.id.description, path: Control.Path(location.text), fileSystem: traits.fileSystem,
        reachable: true),
      containerCreated: false,
      account: Control.AccountStatus(
        user: keys.user, handle: Self.anonymousHandle, name: "Anonymous", device: keys.device,
        deviceName: request.deviceName ?? Host.name),
      home: Control.Path(home.root ?? home.keys),
      probes: [
        Control.Probe(
          name: "notify", works: traits.notifies,
          note: traits.notifies
            ? "wakes readers at once" : "not offered: this home asks every \(seconds) seconds")
      ], steps: steps)
  }

  private func look(
    at location: StoreLocation
  ) throws(ControlError) -> (fileSystem: String, notifies: Bool) {
    do { return try location.look() } catch {
      throw ControlError(
        error.isWorthRetrying ? .networkUnavailable : .badContainer,
        Failures.sentence(error.cause),
        remedy: location.folder == nil
          ? "Check the address, and what is there; see cairn-init(1)." : "Check the folder.")
    }
  }

  private func makeAnonymousAccount() throws -> Account {
    try home.makeFolders(withKeys: true)
    let file = home.keys + "/" + AccountFile.name
    if access(file, F_OK) == 0 { return try Account.load(file) }
    let account = try IdentityLog.begin(
      handle: Self.anonymousHandle, name: "Anonymous",
      deviceName: request.deviceName ?? Host.name, time: SystemClock().date
    ).account
    try account.store(file)
    return account
  }
}
