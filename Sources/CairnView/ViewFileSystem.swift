import CairnControl
import CairnFuse
import CairnThreads
import Glibc
import Synchronization

/// A view of a zone as a file system: answers the kernel's requests from the daemon's index and
/// from the cache. Several threads call it.
final class ViewFileSystem: Sendable {
  /// An open file.
  enum OpenFile: Sendable {
    /// A version in the zone.
    case version(content: String, zone: String)
    /// The draft of a node, and whether the program writes.
    case draft(UInt64, writes: Bool)
  }

  /// The open files and directories, and what the kernel remembers.
  struct State: Sendable {
    var nodes: ViewNodes
    var files: [UInt64: OpenFile] = [:]
    var directories: [UInt64: DirectoryListing] = [:]
    var drafts: [UInt64: Draft] = [:]
    var lastHandle: UInt64 = 0
  }

  /// The thread that sends drafts again.
  struct Retry: Sendable {
    var isRunning = false
    var isOver = false
  }

  /// The pause between two attempts to send drafts, in nanoseconds.
  static let pause: Int64 = 15_000_000_000

  /// The time in nanoseconds for which the kernel caches an answer. After that, it asks the index
  /// again, so no change notification is needed.
  static let valid: Int64 = 1_000_000_000

  let source: any ViewSource
  let cache: ViewCache
  let drafts: DraftFolder
  let isEditable: Bool
  let report: @Sendable (ControlError) -> Void
  let state: Mutex<State>
  /// The nodes whose drafts are sent now.
  let sending = Monitor<Set<UInt64>>([])
  let retry = Monitor(Retry())

  /// Creates a view.
  /// - Parameters:
  ///   - root: The directory that is shown.
  ///   - isEditable: A Boolean value that indicates whether the permissions allow changes.
  ///   - source: The source of entries.
  ///   - cache: The cache of bytes.
  ///   - rescue: The folder for changed bytes that can't be sent.
  ///   - path: The path of the view.
  ///   - report: A function for failures that the calling program learns as an errno only.
  init(
    root: Control.ViewEntry, isEditable: Bool, source: any ViewSource, cache: ViewCache,
    rescue: String, at path: Control.Path,
    report: @escaping @Sendable (ControlError) -> Void
  ) {
    (self.source, self.cache, self.isEditable) = (source, cache, isEditable)
    self.report = report
    drafts = DraftFolder(folder: cache.folder, rescue: rescue, origin: path)
    state = Mutex(State(nodes: ViewNodes(root: root, checked: Monotonic.now)))
  }

  /// The number of entries that the kernel remembers.
  var remembered: Int { state.withLock { $0.nodes.count } }

  // MARK: Entries

  /// Finds a name in a directory, and remembers it once more.
  func lookup(_ name: [UInt8], in parent: UInt64) throws(SystemError) -> cairn_fuse_entry {
    let directory = try node(parent).entry
    if let local = local(name, in: directory), let node = state.withLock({ $0.nodes[local] }) {
      state.withLock { $0.nodes.remember(local) }
      return described(node.entry, local)
    }
    let entry = try asking { () throws(ControlError) in
      try source.find(zone: directory.zone, record: directory.record, name: name)
    }
    return remember(entry, in: directory.record)
  }

  /// Forgets a node that was remembered `count` times.
  func forget(_ node: UInt64, _ count: UInt64) {
    state.withLock { $0.nodes.forget(node, count) }
  }

  /// Returns the attributes of a node. Those of a version of a file change only with its name, so
  /// that a lookup finds the change.
  func attributes(of number: UInt64) throws(SystemError) -> cairn_fuse_entry {
    let node = try node(number)
    guard node.entry.kind == .directory, Monotonic.now - node.checked >= Self.valid else {
      return described(node.entry, number)
    }
    let found = try asking { () throws(ControlError) in
      try source.find(zone: node.entry.zone, record: node.entry.record, name: nil)
    }
    state.withLock { $0.nodes.update(number, found, checked: Monotonic.now) }
    return described(found, number)
  }

  /// Returns the target of a symlink.
  func target(of number: UInt64) throws(SystemError) -> [UInt8] {
    guard let target = try node(number).entry.target else { throw SystemError(EINVAL) }
    return target.bytes
  }

  func node(_ number: UInt64) throws(SystemError) -> ViewNodes.Node {
    guard let node = state.withLock({ $0.nodes[number] }) else { throw SystemError(ESTALE) }
    return node
  }

  func remember(_ entry: Control.ViewEntry, in directory: String) -> cairn_fuse_entry {
    let number = state.withLock {
      $0.nodes.remember(entry, in: directory, checked: Monotonic.now)
    }
    return described(entry, number)
  }

  /// Describes an entry for the kernel. A draft has its own size and time. If the draft was sent
  /// meanwhile, the node has the entry that it became.
  func described(_ given: Control.ViewEntry, _ number: UInt64) -> cairn_fuse_entry {
    let (entry, draft, measure) = state.withLock { state in
      let entry = state.nodes[number]?.entry ?? given
      let draft = entry.kind == .file ? state.drafts[number] : nil
      return (entry, draft, draft?.measure)
    }
    let write: UInt32 = isEditable ? 0o200 : 0
    let mode: UInt32 =
      switch entry.kind {
      case .directory: S_IFDIR | 0o555 | write
      case .symlink: S_IFLNK | 0o777
      case .file:
        S_IFREG | (draft?.executable ?? entry.executable ? 0o555 : 0o444) | write
      }
    return cairn_fuse_entry(
      node: number, inode: entry.inode, size: UInt64(measure?.size ?? entry.size), mode: mode,
      modified_ns: measure?.modified ?? entry.modified.nanoseconds, valid: Double(Self.valid) / 1e9)
  }

  /// Asks the daemon, and reports a failure that its number doesn't explain.
  func asking<Answer>(
    _ body: () throws(ControlError) -> Answer
  ) throws(SystemError) -> Answer {
    do { return try body() } catch {
      let failure = SystemError(error)
      if ![ENOENT, EEXIST, ENOTEMPTY].contains(failure.number) { report(error) }
      throw failure
    }
  }

  // MARK: Files

  /// Opens a file. The first bytes are fetched at once, so that opening fails if they can't be had.
  /// - Returns: The handle.
  func open(_ number: UInt64, flags: CInt) throws(SystemError) -> UInt64 {
    let entry = try node(number).entry
    guard entry.kind == .file else { throw SystemError(EISDIR) }
    let writes = flags & O_ACCMODE != O_RDONLY || flags & O_TRUNC != 0
    if writes { try beginDraft(number, truncating: flags & O_TRUNC != 0) }
    if writes || holdDraft(number) { return draftHandle(number, writes: writes) }
    guard let content = entry.content else { throw SystemError(EIO) }
    try cache.open(content, size: entry.size)
    do {
      _ = try asking { () throws(ControlError) in
        try cache.descriptor(of: content, in: entry.zone, with: 0..<min(entry.size, 1))
      }
    } catch {
      cache.close(content)
      throw error
    }
    return state.withLock { state in
      state.lastHandle += 1
      state.files[state.lastHandle] = .version(content: content, zone: entry.zone)
      return state.lastHandle
    }
  }

  /// Returns a descriptor with the bytes of a range of an open file.
  func read(_ handle: UInt64, _ range: Range<Int64>) throws(SystemError) -> CInt {
    switch state.withLock({ $0.files[handle] }) {
    case .version(let content, let zone)?:
      return try asking { () throws(ControlError) in
        try cache.descriptor(of: content, in: zone, with: range)
      }
    case .draft(let number, _)?:
      guard let draft = state.withLock({ $0.drafts[number] }) else { throw SystemError(EBADF) }
      return draft.descriptor
    case nil: throw SystemError(EBADF)
    }
  }

  /// Closes a file.
  func close(_ handle: UInt64) {
    switch state.withLock({ $0.files.removeValue(forKey: handle) }) {
    case .version(let content, _)?: cache.close(content)
    case .draft(let number, _)?: closeDraft(number)
    case nil: break
    }
  }

  // MARK: Directories

  /// Opens a directory.
  /// - Returns: The handle.
  func openDirectory(_ number: UInt64) throws(SystemError) -> UInt64 {
    let entry = try node(number).entry
    guard entry.kind == .directory else { throw SystemError(ENOTDIR) }
    let listing = DirectoryListing(source, zone: entry.zone, record: entry.record)
    return state.withLock { state in
      state.lastHandle += 1
      state.directories[state.lastHandle] = listing
      return state.lastHandle
    }
  }

  /// Passes on the entries of an open directory.
  /// - Parameters:
  ///   - handle: The handle.
  ///   - offset: The number of entries before the first one that is passed on.
  ///   - remembers: A Boolean value that indicates whether the kernel remembers each entry.
  ///   - add: A function that takes a name, the entry and the offset of the next one. It returns
  ///     false if there is no room.
  /// - Throws: `SystemError` for a failure of the daemon.
  func list(
    _ handle: UInt64, from offset: Int, remembers: Bool,
    _ add: ([UInt8], cairn_fuse_entry, Int) -> Bool
  ) throws(SystemError) {
    guard let listing = state.withLock({ $0.directories[handle] }) else {
      throw SystemError(EBADF)
    }
    let dots = [[UInt8(ascii: ".")], Array("..".utf8)]
    var offset = offset
    while offset < dots.count {
      let own = cairn_fuse_entry(
        node: 0, inode: 1, size: 0, mode: S_IFDIR, modified_ns: 0, valid: 0)
      guard add(dots[offset], own, offset + 1) else { return }
      offset += 1
    }
    var isAdded = false
    while true {
      let entries: [Control.ViewEntry]
      do throws(SystemError) {
        entries = try asking { () throws(ControlError) in
          try listing.entries(from: offset - dots.count)
        }
      } catch {
        // The kernel must get the entries that were remembered for it. It asks for the rest again.
        guard !isAdded else { return }
        throw error
      }
      guard !entries.isEmpty else { return }
      for entry in entries {
        let told = remembers ? remember(entry, in: listing.record) : described(entry, 0)
        guard add(entry.name.bytes, told, offset + 1) else {
          if remembers { forget(told.node, 1) }
          return
        }
        isAdded = true
        offset += 1
      }
    }
  }

  /// Closes a directory.
  func closeDirectory(_ handle: UInt64) {
    state.withLock { $0.directories[handle] = nil }
  }
}
