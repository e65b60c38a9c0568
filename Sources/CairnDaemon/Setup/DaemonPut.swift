import CairnContainer
import CairnControl
import CairnIdentity
import CairnStore
import CairnZone
import Glibc

/// The command `cairn drop put`: files for the owner of a drop box. It needs no daemon and no home;
/// the account of a home in the same container signs the files.
struct DaemonPut {
  let request: Control.Put
  let home: Home

  func run(_ progress: (Control.Progress) -> Void) throws -> Control.PutReply {
    let link: DropLink
    do { link = try DropLink(parsing: request.link) } catch {
      throw ControlError(
        .invalidArguments, Failures.sentence(error.description),
        remedy: "Copy the whole link, as its sender gave it to you.")
    }
    let own = HomeContainers(home).all.first {
      $0.configuration?.containerID == link.container.description
    }
    let configuration = own?.configuration
    let location = try location(link, configuration)
    guard !location.isReadOnly else {
      throw ControlError(
        .permissionFailure,
        "The container at \(location) is behind a web server: nothing can be put there.",
        remedy: "Say with --container where this machine can write to it.", path: request.container)
    }
    let inner = location.open()
    let root = try root(of: inner, location, link)
    let account = try own.flatMap { try self.account(of: $0) }
    // The owner's device has to be woken, too.
    let store = AskingStore(
      inner, owner: link.bellOwner, isTold: configuration?.notifies ?? false,
      isFolder: location.folder != nil, longest: 1)
    defer { store.end() }
    // Each file is checked before the first one is sent, but only one is open at a time.
    let checked = try request.files.map { path in
      let file = try DroppedFile(path)
      defer { file.close() }
      return Control.PutFile(name: file.name, size: file.size)
    }
    let sender = try DropSender(
      link, in: store, root: root, by: request.anonymous ? nil : account)
    for file in checked { try sender.check(name: file.name, size: file.size) }
    let total = checked.reduce(UInt64(0)) { $0.addingReportingOverflow($1.size).partialValue }
    var done: UInt64 = 0
    var sent: [Control.PutFile] = []
    for path in request.files {
      let file = try DroppedFile(path)
      defer { file.close() }
      try sender.send(
        name: file.name, size: file.size,
        progress: {
          progress(
            Control.Progress(
              done: Int64(clamping: done + $0), total: Int64(clamping: total), unit: "bytes",
              what: "sending"))
        }, read: { try file.read($0) })
      done += file.size
      sent.append(Control.PutFile(name: file.name, size: file.size))
    }
    let (handle, name) = sender.ownerName
    return Control.PutReply(
      title: sender.box.title,
      owner: Control.Person(user: link.owner.description, handle: handle, name: name),
      files: sent)
  }

  /// The account of this home in one of its containers; nil if it has none there.
  private func account(of entry: HomeContainers.Entry) throws -> Account? {
    guard entry.configuration?.isAnonymous == false else { return nil }
    return try Account.load(entry.home.keys + "/" + AccountFile.name)
  }

  private func location(
    _ link: DropLink, _ configuration: Configuration?
  ) throws -> StoreLocation {
    if request.container == nil, let configuration, request.bucket == nil {
      return configuration.location
    }
    let settings = try BucketKeys.settings(request.bucket ?? Control.Bucket())
    if let path = request.container { return try GivenLocation.read(path, settings) }
    guard let location = StoreLocation(link.location, settings) else {
      throw ControlError(
        .invalidArguments, "The link doesn't say where its container is.",
        remedy: "Say with --container DIR where it is on this machine.")
    }
    return location
  }

  private func root(
    of store: any ObjectStore, _ location: StoreLocation, _ link: DropLink
  ) throws -> ContainerFile {
    let found: ContainerFile?
    do { found = try ContainerFile.root(of: store) } catch let error as CloudError {
      guard error.isAway else { throw error }
      found = nil
    }
    guard let found, found.id == link.container else {
      throw ControlError(
        .badContainer,
        found == nil
          ? "The container of the drop box isn't at \(location)."
          : "At \(location) is another container than that of the drop box.",
        remedy: "Mount the storage of the drop box, and say with --container DIR where it is on "
          + "this machine.", path: Control.Path(location.text))
    }
    return found
  }
}

/// A file on this machine that is sent to a drop box.
struct DroppedFile {
  let name: String
  let size: UInt64
  private let path: Control.Path
  private let descriptor: CInt

  init(_ path: Control.Path) throws {
    self.path = path
    guard let name = Control.Path(path.lastName).text else {
      throw ControlError(
        .invalidArguments, "The name of \(path) isn't valid UTF-8 text.", remedy: "Rename it.",
        path: path)
    }
    self.name = name
    // A FIFO would be waited for.
    descriptor = path.bytes.withPath { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard descriptor >= 0 else { throw Self.unreadable(path, errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      _ = Glibc.close(descriptor)
      throw ControlError(
        .invalidArguments, "\(path) is no regular file.",
        remedy: "Send files one by one, or an archive of a folder.", path: path)
    }
    size = UInt64(status.st_size)
  }

  /// Returns the next bytes; fewer than wanted at the end of the file.
  func read(_ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress?.advanced(by: filled), $0.count - filled)
      }
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw Self.unreadable(path, errno) }
      if got == 0 { break }
      filled += got
    }
    return Array(bytes[..<filled])
  }

  func close() { _ = Glibc.close(descriptor) }

  private static func unreadable(_ path: Control.Path, _ number: CInt) -> ControlError {
    ControlError(
      number == ENOENT ? .unknownItem : .permissionFailure,
      "\(path) can't be read: \(String(cString: strerror(number))).",
      remedy: "Check the path and its permissions.", path: path)
  }
}
