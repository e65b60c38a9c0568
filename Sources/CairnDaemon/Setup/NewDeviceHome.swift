import CairnControl
import CairnFolders
import CairnIdentity
import CairnStore
import CairnZone
import Glibc

/// The home of a new device of a person who exists already, without a configuration yet. It knows
/// files, and not how the device is let in.
struct NewDeviceHome {
  let home: Home
  /// The folder in which the person's folders are to appear; nil for the usual one.
  let at: Control.Path?
  let deviceName: String

  /// Checks the name of the device, and that the home has no account.
  init(_ home: Home, at: Control.Path?, deviceName: String?) throws {
    self.home = home
    self.at = at
    self.deviceName = deviceName ?? Host.name
    guard Person.isName(self.deviceName) else {
      throw ControlError(
        .invalidArguments, "“\(self.deviceName)” can't be a device's name.",
        remedy: "Give one of 1 to 255 bytes, in one line, with --device-name.")
    }
    guard !home.isSetUp else { throw taken(home.configuration) }
  }

  var keyFile: String { home.keys + "/" + AccountFile.name }

  /// A Boolean value that indicates whether there are keys from an interrupted attempt.
  var hasKeys: Bool { access(keyFile, F_OK) == 0 }

  /// The error for a home with an account.
  func taken(_ file: String) -> ControlError {
    ControlError(
      .alreadyExists, "This home has an account already (\(file)).",
      remedy: "Use it, or add the container with --as NAME, or set CAIRN_HOME to another folder "
        + "for the new device.")
  }

  /// Returns the folder in which the person's folders will appear, and creates it if it is missing.
  func makeFolder() throws -> String {
    let environment = Home.environment()
    let usual = environment["HOME"].map { $0 + "/" + ReceivingFolder.name }
    // The target of a link may be another one tomorrow; a person who names a link means it.
    if at == nil, let usual, case .other(let what) = ReceivingFolder.look(usual) {
      throw ControlError(
        .invalidArguments, "\(Control.Path(usual)), where your folders would appear, \(what).",
        remedy: "Say another place with --at DIR, or make it a folder.", path: Control.Path(usual))
    }
    guard let path = at ?? usual.map({ Control.Path($0) }),
      let text = path.text, text.hasPrefix("/")
    else {
      throw ControlError(
        .invalidArguments, "There is no folder, with a name in UTF-8, to put your folders into.",
        remedy: "Say one with --at DIR.", path: at)
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

  /// Writes the configuration. The home is complete then.
  func save(
    _ location: StoreLocation, _ container: ContainerID, _ traits: StoreTraits, folder: String,
    choice: FolderChoice? = nil, bucket: Control.Bucket?, name: String?
  ) throws {
    let configuration = Configuration(
      location: location, containerID: container.description, fileSystem: traits.fileSystem,
      notifies: traits.notifies, pollSeconds: Configuration.usualPoll, deviceName: deviceName,
      folder: folder, choice: choice, bucket: bucket ?? Control.Bucket(), name: name)
    try configuration.save(home.configuration)
  }

  /// The container, for answers.
  func status(
    _ location: StoreLocation, _ container: ContainerID, _ traits: StoreTraits
  ) -> Control.ContainerStatus {
    Control.ContainerStatus(
      id: container.description, path: Control.Path(location.text), fileSystem: traits.fileSystem,
      reachable: true)
  }

  /// The account, for answers.
  func status(_ account: Account, _ person: Person?) -> Control.AccountStatus {
    Control.AccountStatus(
      user: account.user.description, handle: person?.handle ?? "", name: person?.name ?? "",
      device: account.device.id.description, deviceName: deviceName)
  }
}
