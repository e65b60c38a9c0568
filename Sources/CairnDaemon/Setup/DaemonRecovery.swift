import CairnContainer
import CairnControl
import CairnIdentity
import CairnReplica
import CairnStore
import CairnZone

/// The command `cairn init --recover`: a new device of a person, from the words of a recovery
/// sheet. The keys of the device are stored first, so an interrupted attempt can be repeated.
struct DaemonRecovery {
  let request: Control.Recover
  /// The place of the container's files.
  let home: Home
  /// The containers that are in the home already.
  let others: HomeContainers

  func run() throws -> Control.RecoverReply {
    let words = try RecoveryWords(controlling: request.words)
    let new = try NewDeviceHome(home, at: request.at, deviceName: request.deviceName)
    let settings = try BucketKeys.settings(request.bucket ?? Control.Bucket())
    let location = try GivenLocation.read(request.container, settings)
    guard !location.isReadOnly else {
      throw ControlError(
        .permissionFailure,
        "The container at \(location) is behind a web server: no device can be let in there.",
        remedy: "Name the directory or the bucket itself with --container.",
        path: request.container)
    }
    let store = location.open()
    guard let root = try ContainerFile.root(of: store) else {
      throw ControlError(
        .badContainer, "There is no container at \(location).",
        remedy: "Name with --container the place that is on the recovery sheet.",
        path: request.container)
    }
    try others.checkNew(root.id.description, at: home)
    let recovery = PersonRecovery(words, in: store, trail: root.trail)
    let sheet = try recovery.find()
    let folder = try new.makeFolder()
    let traits = try location.probe()
    try home.makeFolders(withKeys: true)
    let account = try account(of: sheet, new)
    // Devices that the container doesn't notify are woken.
    let heard = AskingStore(
      store, owner: account.bellOwner(in: root.id), isTold: traits.notifies, isFolder: false,
      longest: Int64(Configuration.usualPoll))
    defer { heard.end() }
    let person = try PersonRecovery(words, in: heard, trail: root.trail)
      .letIn(account.device, named: new.deviceName, by: sheet)
    try new.save(
      location, root.id, traits, folder: folder, bucket: request.bucket,
      name: request.containerName)
    let others = person.devices.filter { id, device in
      device.isActive && !device.isRecovery && id != account.device.id
    }
    guard let own = person.devices[sheet.device.id] else {
      preconditionFailure("a sheet that was just there")
    }
    return Control.RecoverReply(
      container: new.status(location, root.id, traits), account: new.status(account, person),
      home: Control.Path(home.root ?? home.keys), folder: Control.Path(folder),
      sheet: Control.Device(sheet.device.id, own, isThis: false),
      devices: others.map { Control.Device($0.key, $0.value, isThis: false) }
        .sorted { ($0.name, $0.device) < ($1.name, $1.device) })
  }

  /// Returns the account of the new device: that of an interrupted attempt, or a new one, whose
  /// keys are stored.
  private func account(of sheet: Account, _ new: NewDeviceHome) throws -> Account {
    if new.hasKeys {
      let account = try Account.load(new.keyFile)
      guard account.user == sheet.user else { throw new.taken(new.keyFile) }
      return account
    }
    let account = Account(
      user: sheet.user, device: .random(), encryption: sheet.encryption, origin: sheet.origin)
    try account.store(new.keyFile)
    return account
  }
}
