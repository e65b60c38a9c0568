import CairnIndex
import CairnStore
import CairnZone
import Foundation
import Synchronization
import Testing

@testable import CairnContainer
@testable import CairnFolders
@testable import CairnIdentity
@testable import CairnReplica

extension TransferStanding {
  /// The path as text.
  var name: String { String(decoding: path, as: UTF8.self) }
}

/// A zone of Mallory's that Bob mirrors into a real folder with the real engine. Beside the folder
/// is a file of Bob's that Mallory wants to harm. All files are removed with the value.
final class HostileWorld {
  let mallory: Zone
  let bob: Zone
  /// The container of both.
  let store = FullStore()
  /// Bob's mirror.
  let folder: String
  private let root: String
  private var engine: MountEngine
  private let disk: any Disk
  private let executor: any TransferExecutor
  private let offLimits: OffLimits
  private let scope: MountScope
  private let mergesText: Bool
  private let secret: String
  private let container: Container

  private let clock = Clock()
  private let seen = Seen()

  /// The directories that scans saw.
  private final class Seen { var directories: [FolderHint] = [] }

  private final class Clock: MountClock {
    private let time = Mutex<Int64>(0)
    var now: Int64 { time.withLock { $0 } }
    var date: Int64 { 0 }
    var wall: (year: Int, month: Int, day: Int, hour: Int, minute: Int) { (2026, 11, 21, 14, 3) }

    func advance(by nanoseconds: Int64 = 60_000_000_000) { time.withLock { $0 += nanoseconds } }
  }

  /// The zone that Bob's folder mirrors.
  enum Mirror {
    /// Bob accepted Mallory's share.
    case accepted
    /// The folder is Mallory's own, and she shares it.
    case shared
    /// The folder is Mallory's own, and nobody else has it.
    case alone
  }

  /// Creates a world in which Bob's disk may fail. Paths for which `offLimits` is true are never
  /// mirrored. They are given from Bob's mirror on. `shown` writes into Mallory's zone, and returns
  /// the scope of Bob's folder.
  init(
    disk: any Disk = SystemDisk(), permission: Permission = .readWrite,
    mirror: Mirror = .accepted, executor: any TransferExecutor = TransfersAtOnce(),
    mergesText: Bool = false, offLimits: (String) -> OffLimits = { _ in OffLimits() },
    shown: (Zone) throws -> MountScope = { _ in MountScope() }
  ) throws {
    let root = NSTemporaryDirectory() + "cairn-hostile-\(UUID())"
    self.root = root
    folder = root + "/mirror"
    secret = root + "/outside/secret"
    for path in [folder, root + "/outside", root + "/mallory", root + "/bob"] {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }
    try Data("secret".utf8).write(to: URL(filePath: secret))
    let store = self.store
    let id = try Container.make(in: store, note: "").id
    func container(_ handle: String) throws -> (Container, Account) {
      let account = try IdentityLog.begin(
        handle: handle, name: handle, deviceName: "desk", time: 1
      ).account
      try People(store: store).publish(account)
      return (
        try Container(store: store, id: id, account: account, indexFolder: "\(root)/\(handle)"),
        account
      )
    }
    let (hers, _) = try container("mallory")
    self.container = hers
    let (his, account) = try container("bob")
    let gift = try hers.privateDatabase.createZone(named: "Gift")
    if mirror != .alone { _ = try hers.sharing.share(gift, title: "Gift") }
    var bob = gift
    if mirror == .accepted {
      _ = try hers.sharing.invite(account.user, to: gift, permission: permission)
      bob = try his.participation.accept(gift.id)
    }
    mallory = gift
    self.bob = bob
    self.disk = disk
    self.executor = executor
    self.mergesText = mergesText
    self.offLimits = offLimits(folder)
    scope = try shown(gift)
    try MountMark.claim(
      Array(folder.utf8), for: ZonePart(bob.id, base: scope.base), isFile: scope.only != nil)
    engine = try Self.engine(
      bob, folder, "\(root)/folders.sqlite", boot: "first", clock, disk, self.offLimits, seen,
      scope: scope, mergesText: mergesText, executor: executor)
  }

  private static func engine(
    _ zone: Zone, _ folder: String, _ index: String, boot: String, _ clock: Clock, _ disk: any Disk,
    _ offLimits: OffLimits, _ seen: Seen, isAttached: Bool = true,
    scope: MountScope = MountScope(), mergesText: Bool = false, executor: any TransferExecutor
  ) throws -> MountEngine {
    var settings = MountSettings(handle: "bob", host: "desk", token: "t", boot: boot)
    settings.offLimits = offLimits
    settings.mergesText = mergesText
    let engine = MountEngine(
      zone: zone, scope: scope, path: Array(folder.utf8), index: try FolderIndex(path: index),
      settings: settings, clock: clock, disk: disk, executor: executor,
      onDirectories: { seen.directories += $0 })
    guard isAttached else { return engine }
    try engine.attach()
    engine.hintEverything()
    return engine
  }

  /// Keeps the present index of Bob's for `restart`.
  func keepIndex() throws {
    for end in ["", "-wal"] {
      try FileManager.default.copyItem(
        atPath: "\(root)/folders.sqlite\(end)", toPath: "\(root)/folders.sqlite-kept\(end)")
    }
  }

  /// Restarts Bob's engine, perhaps in another boot of the machine, with the kept index or a new
  /// one. Before that the engine ended in order, or didn't.
  func restart(
    boot: String = "first", inOrder: Bool = false, withKeptIndex: Bool = false,
    withNewIndex: Bool = false
  ) throws {
    if inOrder { try engine.close() }
    let index = "\(root)/folders.sqlite" + (withKeptIndex ? "-kept" : withNewIndex ? "-new" : "")
    engine = try Self.engine(
      bob, folder, index, boot: boot, clock, disk, offLimits, seen, scope: scope,
      mergesText: mergesText, executor: executor)
  }

  /// Bob is no participant any more, and gives up the folder.
  /// - Parameter isNew: A Boolean value that indicates whether his engine begins with that.
  /// - Returns: the entries that only the folder had.
  /// - Throws: the error that keeps the engine from it.
  func giveUp(isNew: Bool = false) throws -> [MovedAway] {
    if isNew {
      engine = try Self.engine(
        bob, folder, "\(root)/folders.sqlite", boot: "first", clock, disk, offLimits, seen,
        isAttached: false, executor: executor)
    }
    return try engine.clear(into: Array("\(root)/rescue".utf8))
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: root) } catch {
      Issue.record("\(root) can't be removed: \(error)")
    }
  }

  /// Mallory commits, and Bob's engine works until it has nothing to do.
  /// - Returns: its problems with single paths.
  @discardableResult
  func play(
    _ records: [RecordChange], chunks: [ChunkEntry] = []
  ) throws -> [PathProblem] {
    try mallory.save(records, bringing: chunks)
    return try settle()
  }

  /// Bob's engine works until it has nothing to do, with a limit.
  @discardableResult
  func settle() throws -> [PathProblem] {
    engine.hintZone()
    for _ in 0..<200 {
      guard case .more = try engine.turn() else { return Array(engine.report.problems.values) }
    }
    Issue.record("the engine goes on and on")
    return []
  }

  /// Returns the directories that scans of Bob's engine saw since the last call.
  func takeSeen() -> [FolderHint] {
    defer { seen.directories = [] }
    return seen.directories
  }

  /// Runs one sync cycle of Bob's engine.
  func turn() throws -> MountEngine.Turn { try engine.turn() }

  /// Bob's engine scans the whole folder, as after a start.
  /// - Returns: its problems with single paths.
  @discardableResult
  func lookAgain() throws -> [PathProblem] {
    engine.hintEverything()
    try settle()
    return try wait()
  }

  /// Lets time pass for Bob's engine, which does nothing meanwhile.
  func advance(milliseconds: Int64) { clock.advance(by: milliseconds * 1_000_000) }

  /// The names in the root of the zone.
  func zoneNames() throws -> Set<String> {
    try mallory.pull()
    return try mallory.read { view in
      Set(
        try view.children(of: .root).compactMap { id in
          try view.record(id)?.place.map { String(decoding: $0.name.bytes, as: UTF8.self) }
        })
    }
  }

  /// Lets the short back-offs end, and settles.
  @discardableResult
  func wait() throws -> [PathProblem] {
    clock.advance()
    return try settle()
  }

  /// The former position of Bob's folder in a log that isn't the zone's any more; nil if it is.
  func lostToken() throws -> LogTrouble? { try engine.lostToken() }

  /// The conflict copies that the report of Bob's engine names.
  var reportedConflicts: [String] {
    engine.report.conflicts.map { String(decoding: $0, as: UTF8.self) }
  }

  /// The conflict copies in Bob's folder.
  func conflicts() throws -> [Conflict] { try engine.conflicts() }

  /// Bob resolves a conflict by an edited text.
  /// - Returns: The path of the text; nil if a version changed since.
  func saveMerge(
    _ text: [UInt8], of conflict: Conflict, ifMadeFrom isCurrent: ([UInt8]) -> Bool
  ) throws -> [UInt8]? {
    try engine.saveMerge(text, of: conflict, ifMadeFrom: isCurrent)?.path
  }

  /// Mallory removes Bob from the share.
  func removeBob() throws { try container.access.remove(bob.account.user, from: mallory) }

  /// Mallory decides which attributes of files her zone carries.
  func carry(_ carried: CarriedAttributes) throws {
    try container.ownership.setCarried(carried, of: mallory)
  }

  /// Bob decides whether his device applies these attributes.
  func chooseMetadata(_ isChosen: Bool) throws { try engine.chooseMetadata(isChosen) }

  /// Gives the attributes of the folder's files to the zone.
  func giveMetadata() throws -> Int { try engine.giveMetadata() }

  /// Mallory gives Bob another permission.
  func setBob(_ permission: Permission) throws {
    try container.access.setPermission(permission, of: bob.account.user, in: mallory)
  }

  /// The text of a file in the root of the zone.
  func zoneText(_ name: String) throws -> String? {
    try mallory.pull()
    let name = try #require(FileName(name))
    let content = try mallory.read { view in
      try view.child(of: .root, named: name).flatMap { try view.record($0)?.content }
    }
    guard let content else { return nil }
    var bytes: [UInt8] = []
    try mallory.readContent(content) { bytes += $0 }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The number of packs in the container.
  func packs() throws -> Int {
    try store.list("users/", after: nil, limit: 100_000).count {
      $0.description.contains("/packs/")
    }
  }

  /// Returns the events since the last call.
  func happenings() -> [MountReport.Happening] { engine.report.takeHappenings() }

  /// Returns the waiting entries by path, with the reason.
  func waiting() throws -> [String: String] {
    Dictionary(
      try engine.pending(limit: 100).map { (String(decoding: $0.path, as: UTF8.self), $0.reason) }
    ) { "\($0), \($1)" }
  }

  /// The transfers of Bob's engine, by path.
  func transfers() throws -> [TransferStanding] {
    try engine.transfers(limit: 100).transfers.sorted {
      $0.path.lexicographicallyPrecedes($1.path)
    }
  }

  /// Moves a path of Bob's folder to the front.
  func hurry(_ path: String) throws -> Int { try engine.hurry(Array(path.utf8)) }

  /// The memory of Bob's engine.
  var state: MountState { engine.state }

  /// The work of the index of Bob's folder so far.
  var folderWork: IndexWork { engine.state.index.work }

  /// The work of the index of the zone on Bob's device so far.
  var zoneWork: IndexWork { bob.index.work }

  /// How many records wait in either direction.
  var pending: Int { engine.report.progress.pending }

  /// The present work of Bob's engine.
  var board: WorkBoard { engine.report.board }

  /// The names that rules ignore, as they are reported.
  var ignored: [IgnoredNames] { engine.report.ignored }

  /// The reported refusal of a container that accepts nothing, or nil.
  var refusal: PathProblem? { engine.report.refusal }

  /// The number of deletions that await Bob's confirmation, or nil.
  var heldDeletions: Int? { engine.report.held.map(\.files) }

  /// Notifies Bob's engine of a change at a path, in the directory with this inode.
  func hint(_ path: String, in directory: UInt64 = 0) {
    engine.hint(changed: FolderHint(Array(path.utf8), directory: directory))
  }

  /// Notifies Bob's engine that the zone's log may have grown.
  func hintZone() { engine.hintZone() }

  /// Makes Bob's engine scan the whole folder in its next sync cycle.
  func hintEverything() { engine.hintEverything() }

  /// Makes the result of Bob's last commit unknown to his engine.
  func loseAnswer() { engine.state.zoneSync.mayHaveSent = true }

  /// Notifies Bob's engine that a directory, with everything below, is watched from now on.
  func beginWatching(_ path: String, in directory: UInt64 = 0) throws {
    engine.hint(tree: FolderHint(Array(path.utf8), directory: directory))
    try settle()
  }

  /// Bob's folder gets exactly these marks.
  func select(_ selection: SyncSelection) throws {
    try SelectionKeeper(engine.state).select(selection)
  }

  /// Bob selects what his folder has.
  /// - Returns: the marks, as `path mark`.
  @discardableResult
  func select(_ request: SelectionRequest) throws -> [String] {
    try engine.select(request)
    return try engine.describeSelection().marks.map {
      "\(String(decoding: $0.path, as: UTF8.self)) \($0.mark)"
    }
  }

  /// Describes Bob's selection.
  func describeSelection(listing path: String) throws -> SelectionDescription {
    try engine.describeSelection(listing: Array(path.utf8))
  }

  /// The files, directories and bytes that aren't selected; nil if everything is.
  var leftOut: [Int]? {
    engine.report.leftOut.map { [$0.files, $0.directories, Int($0.bytes)] }
  }

  /// Adds these mounts of Bob's.
  func add(_ mounts: any NestedMounts) { engine.nested = mounts }

  /// Returns the files of Bob's folder whose bytes are wrong though nobody changed them.
  func differingFiles() throws -> [[UInt8]] { try engine.differingFiles { _ in } }

  /// Returns the contents of Bob's folder by path: `dir`, the target of a link, or the bytes of a
  /// file.
  func tree() throws -> [String: String] {
    var result: [String: String] = [:]
    let names = FileManager.default.enumerator(atPath: folder)
    for case let name as String in names ?? FileManager.DirectoryEnumerator()
    where !name.split(separator: "/").contains(".cairn") {
      let path = "\(folder)/\(name)"
      var status = stat()
      try #require(lstat(path, &status) == 0)
      // A received entry is neither setuid, setgid nor sticky.
      #expect(status.st_mode & 0o7000 == 0, "\(name)")
      switch status.st_mode & S_IFMT {
      case S_IFDIR: result[name] = "dir"
      case S_IFLNK:
        result[name] = "-> " + (try FileManager.default.destinationOfSymbolicLink(atPath: path))
      default: result[name] = try String(contentsOfFile: path, encoding: .utf8)
      }
    }
    return result
  }

  /// Expects that nothing beside the folder was created, changed or removed, and that later changes
  /// arrive.
  func expectUnharmed(sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(
      try String(contentsOfFile: secret, encoding: .utf8) == "secret",
      sourceLocation: sourceLocation)
    let outside = try FileManager.default.contentsOfDirectory(atPath: root + "/outside")
    #expect(outside == ["secret"], sourceLocation: sourceLocation)
    let beside = try FileManager.default.contentsOfDirectory(atPath: root)
      .filter { !$0.hasPrefix("folders.sqlite") }
    #expect(
      Set(beside) == ["bob", "mallory", "mirror", "outside"], sourceLocation: sourceLocation)
    let name = "good-\(mallory.header.sequence)"
    try play([try Self.file(name, mallory, "good")])
    #expect(try tree()[name] == "good", sourceLocation: sourceLocation)
    try bob.pull()
    #expect(bob.trouble == nil, sourceLocation: sourceLocation)
  }

  /// Returns the contents of the rescue folder, as `cairn rescue list` prints them.
  func rescued() throws -> [MountReport.Rescued] {
    try engine.lookAtRescued()
    return engine.report.rescued
  }

  /// Returns the text of the mark at the folder's root.
  func mark() throws -> String {
    try String(contentsOfFile: folder + "/.cairn/zone", encoding: .utf8)
  }

  /// The path of Bob's other folder, from within the mirror.
  static let outside = "../outside"

  static func place(_ parent: RecordID, _ name: String) throws -> Place {
    Place(parent: parent, name: try #require(FileName(name)))
  }

  static func directory(
    _ name: String, in parent: RecordID = .root, id: RecordID = .random()
  ) throws -> RecordChange {
    RecordChange(id: id, act: .create(.directory), place: try place(parent, name))
  }

  static func symlink(
    _ name: String, to target: String, id: RecordID = .random()
  ) throws -> RecordChange {
    RecordChange(
      id: id, act: .create(.symlink), place: try place(.root, name), target: Array(target.utf8))
  }

  static func file(
    _ name: String, _ zone: Zone, _ text: String, in parent: RecordID = .root,
    modified: Int64 = 1
  ) throws -> RecordChange {
    var rest = Array(text.utf8)[...]
    let content = try zone.ingest { room in
      let count = min(room.count, rest.count)
      room.copyBytes(from: rest.prefix(count))
      rest = rest.dropFirst(count)
      return count
    }
    return RecordChange(
      id: .random(), act: .create(.file), place: try place(parent, name), content: content,
      attributes: Attributes(isExecutable: true, modified: modified))
  }
}
