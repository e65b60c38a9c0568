import CairnFolders
import Glibc

/// A file system in memory: inodes with birth times, names, open descriptors that survive both, and
/// a journal of changes that a power cut may undo. The engine's calls come through `Disk` and may
/// be interrupted. People change it directly. It must not know the engine's purpose.
///
/// `@unchecked Sendable`: one thread runs a story and everything that it owns.
final class SimulatedDisk: @unchecked Sendable {
  typealias Name = Inode.Name

  /// The differences between file systems.
  struct Traits: Hashable, Sendable {
    /// A Boolean value that indicates whether two names can be swapped, and a rename can refuse a
    /// taken name.
    var hasRenameFlags = true
    /// A Boolean value that indicates whether the file system stores birth times.
    var hasBirths = true
    /// A Boolean value that indicates whether it reports writers of a file.
    var hasLeases = true
    /// The granularity of its clock, in nanoseconds.
    var granularity: Int64 = 1
  }

  /// The event at one of the engine's calls.
  enum Interruption {
    case fail(Int32)
    case crash
    case powerCut
    /// Another action on the disk right before the call.
    case act(() -> Void)
  }

  /// An event in the form of cairn-watch.
  enum Hint: Hashable {
    case changed(FolderHint)
    case tree(FolderHint)
  }

  struct OpenFile {
    var inode: Inode
    var offset = 0
    var isWriting: Bool
  }

  let traits: Traits
  let trace: Trace
  let clock: SimulatedClock
  let top: Inode
  /// The mirrored folder.
  private(set) var folder: Inode
  /// A person's copy of the folder.
  private(set) var copy: Inode?
  var sabotage: Sabotage?
  /// A Boolean value that indicates whether the process that uses the disk has ended: its calls
  /// have no effect.
  var isDead = false
  /// The daemon's sync cycle, and the last one that ended cleanly. The index does not know the
  /// files of later cycles.
  var (turn, settledTurn) = (0, 0)
  /// The sync cycles with a failed call, possibly the check of an effect.
  private(set) var failedTurns: Set<Int> = []
  private var hadHardLinks = false
  /// The second names that the daemon never saw.
  var unseen = UnseenNames()
  /// The sync cycle in which a person last moved something.
  var movedTurn: Int?
  /// A Boolean value that indicates whether the index of the folder was ever lost.
  var wasForgotten = false
  /// The number of restarts of the machine.
  var boots = 0
  /// A Boolean value that indicates whether people change all permission bits, and attributes.
  var hasRichModes = false
  /// The number of the engine's calls since the disk was created.
  private(set) var calls = 0
  var hints: [Hint] = []
  var files: [Int32: OpenFile] = [:]
  private var nextFile: Int32 = 3
  private var nextInode: UInt64 = 2
  private var freeNumbers: [UInt64] = []
  private var interruptions: [(at: Int, what: Interruption, hit: () -> Void)] = []
  /// Receives the name of each call, and returns the event there.
  let watch = CallWatch<Interruption>()
  var journal: [[NameChange]] = []
  /// Called after each change of a name by the engine.
  var onChange: ((EngineChange) -> Void)?
  /// The number of faults of each kind.
  var faults: [String: Int] = [:]

  /// A name in a directory before an operation.
  struct NameChange {
    var directory: Inode
    var name: Name
    var before: Inode?
  }

  /// A change of a name by the engine, for observers.
  struct EngineChange {
    var directory: Inode
    var name: Name
    var before: Inode?
    var after: Inode?
    var wasSwap = false
    /// The other name of a rename.
    var from: (directory: Inode, name: Name)?
  }

  init(traits: Traits, clock: SimulatedClock, trace: Trace) {
    self.traits = traits
    self.clock = clock
    self.trace = trace
    top = Inode(.directory, number: 1, birth: 1, mode: 0o755, now: clock.date)
    folder = top
    folder = make(.directory, Array("folder".utf8), in: top, mode: 0o755)
    folder.mode = 0o755
  }

  /// Creates the mirrored folder again after its removal.
  func makeFolder() {
    let name = Array(Self.folderPath.dropFirst())
    guard top.entries[name] == nil else { return }
    folder = make(.directory, name, in: top, mode: 0o755)
  }

  /// Replaces the folder by a copy. Writes through open descriptors of the old one are lost.
  func replaceFolder() { put(copied(folder)) }

  /// Copies the current folder.
  func copyFolder() {
    guard !isRootHidden else { return }
    copy = copied(folder)
  }

  /// Replaces the folder by the copy.
  func restoreFolder() {
    if let copy { put(copied(copy)) }
  }

  /// Cairn's own folder, whose contents only Cairn creates.
  var ownFolder: Inode? { folder.entries[Self.ownFolder] }

  /// A Boolean value that indicates whether replaced files wait for another check.
  var keepsFiles: Bool { ownFolder?.entries[Array("displaced".utf8)]?.entries.isEmpty == false }

  private func put(_ copy: Inode) {
    guard !isRootHidden, top.entries[folder.name] === folder else { return }
    syncAll()
    abandon(folder)
    (copy.parent, copy.name) = (top, folder.name)
    top.entries[folder.name] = copy
    folder = copy
  }

  /// Removes all names in a replaced folder.
  private func abandon(_ inode: Inode) {
    inode.links = 0
    inode.parent = nil
    for entry in inode.entries.values { abandon(entry) }
  }

  private func copied(_ inode: Inode) -> Inode {
    var copies: [UInt64: Inode] = [:]
    return copied(inode, &copies)
  }

  private func copied(_ inode: Inode, _ copies: inout [UInt64: Inode]) -> Inode {
    if let known = copies[inode.number] {
      known.links += 1
      return known
    }
    nextInode += 1
    let copy = Inode(
      inode.kind, number: nextInode, birth: traits.hasBirths ? time : 0, mode: inode.mode,
      now: inode.modified)
    copies[inode.number] = copy
    copy.device = inode.device + 1
    (copy.bytes, copy.target) = (inode.bytes, inode.target)
    (copy.isEngines, copy.turn) = (inode.isEngines, inode.turn)
    copy.links = inode.kind == .directory ? 2 : 1
    for (name, entry) in inode.entries.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      let inner = copied(entry, &copies)
      copy.entries[name] = inner
      if entry.kind == .directory { (inner.parent, inner.name) = (copy, name) }
    }
    copy.last = inode.last
    copy.makeDurable()
    return copy
  }

  /// The place for the only copies of files from an ended share.
  static let rescuePath = Array("/rescue".utf8)

  static let folderPath = Array("/folder".utf8)
  static let ownFolder = Array(".cairn".utf8)

  var time: Int64 { clock.date / traits.granularity * traits.granularity }

  // MARK: Interruptions

  /// Plans an event at the n-th call of the engine from now on; `hit` is called then.
  func interrupt(after count: Int, _ what: Interruption, hit: @escaping () -> Void = {}) {
    interruptions.append((calls + count, what, hit))
    interruptions.sort { $0.at < $1.at }
  }

  func forgetInterruptions() { interruptions = [] }

  /// The event at this call, if there is one.
  private func due(_ allowed: [Int32]) -> Interruption? {
    if let what = watch.due() { return what }
    guard let next = interruptions.first, next.at <= calls else { return nil }
    // Waits for a call that can fail like that.
    if case .fail(let number) = next.what, !allowed.contains(number) { return nil }
    interruptions.removeFirst()
    next.hit()
    return next.what
  }

  /// The start of each engine call. A non-nil result is the call's result. `name` is for the trace,
  /// `subject` for observers, and `allowed` lists the possible failures.
  func enter(
    _ call: String, _ name: Name = [], at subject: @autoclosure () -> Call.Subject,
    allowed: [Int32] = [EIO]
  ) -> Int32? {
    calls += 1
    clock.advance(10_000)
    if isDead { return -EIO }
    if watch.isOn { watch.entered(Call.text(call, subject(), on: self)) }
    while let what = due(allowed) {
      switch what {
      case .act(let body): body()
      case .crash, .powerCut:
        isDead = true
        if case .powerCut = what { hasPowerCut = true }
        trace.note("      \(call) \(text(name)): the process ends here")
        return -EIO
      case .fail(let number):
        guard allowed.contains(number) else {
          impossible = "\(call) can't fail like that"
          continue
        }
        faults[String(cString: strerror(number)), default: 0] += 1
        failedTurns.insert(turn)
        trace.note("      \(call) \(text(name)): \(String(cString: strerror(number)))")
        trace.mix(Int64(-number))
        return -number
      }
    }
    trace.mix(call)
    trace.mix(name)
    return nil
  }

  var hasPowerCut = false
  /// A request of a script that no disk can fulfil.
  var impossible: String?

  /// Ends a call: its result goes into the trace.
  func leave(_ result: Int32) -> Int32 {
    trace.mix(Int64(result))
    return result
  }

  /// Closes all descriptors of an ended process.
  func closeAll() {
    for number in Array(files.keys) { close(number) }
    files = [:]
  }

  // MARK: Inodes and names

  private func number() -> UInt64 {
    if let free = freeNumbers.popLast() { return free }
    nextInode += 1
    return nextInode
  }

  /// Creates an inode with a free name.
  @discardableResult
  func make(_ kind: FileStat.Kind, _ name: Name, in directory: Inode, mode: UInt32) -> Inode {
    let inode = Inode(
      kind, number: number(), birth: traits.hasBirths ? time : 0, mode: mode, now: time)
    inode.links = kind == .directory ? 1 : 0
    inode.device = directory.device
    begin()
    set(name, in: directory, to: inode)
    return inode
  }

  /// Starts an operation that a power cut undoes as a whole.
  func begin() { journal.append([]) }

  /// Sets or removes a name.
  func set(_ name: Name, in directory: Inode, to inode: Inode?) {
    let before = directory.entries[name]
    journal[journal.count - 1].append(
      NameChange(directory: directory, name: name, before: before))
    assign(name, in: directory, to: inode)
    directory.modified = time
    directory.changed = time
  }

  func assign(_ name: Name, in directory: Inode, to inode: Inode?) {
    if let before = directory.entries[name] {
      before.links -= 1
      before.changed = time
      if before.kind == .directory, before.parent === directory, before.name == name {
        before.parent = nil
      }
      if before.kind == .directory, before !== inode { directory.last.left(name, before) }
      free(before)
    }
    directory.entries[name] = inode
    if let inode {
      inode.links += 1
      inode.changed = time
      if inode.kind == .file { directory.last.files[name] = inode }
      if inode.kind == .directory {
        (inode.parent, inode.name) = (directory, name)
        inode.last = directory.last.takenOver(at: name, by: inode)
      }
    }
  }

  /// Numbers of deleted inodes are reused, except those that a power cut may bring back.
  private func free(_ inode: Inode) {
    guard inode.links == (inode.kind == .directory ? 1 : 0), inode.openings == 0 else { return }
    released.append(inode.number)
  }

  var released: [UInt64] = []

  // MARK: Durability

  /// Makes a file's bytes durable, and every earlier change of names: a journal of names is written
  /// in order.
  func sync(_ inode: Inode) {
    inode.makeDurable()
    journal = []
    freeNumbers += released
    released = []
  }

  func syncAll() {
    var stack = [top]
    while let inode = stack.popLast() {
      inode.makeDurable()
      stack += inode.entries.values
    }
    sync(top)
  }

  // MARK: Descriptors

  func open(_ inode: Inode, writing: Bool) -> Int32 {
    nextFile += 1
    inode.openings += 1
    if writing { inode.writers += 1 }
    files[nextFile] = OpenFile(inode: inode, isWriting: writing)
    return nextFile
  }

  // MARK: Events

  /// The path of an entry in a directory of the mirrored folder; nil elsewhere.
  func hintPath(_ directory: Inode, _ name: Name) -> [UInt8]? {
    guard let names = directory.path(below: folder), names.first != Self.ownFolder,
      !(names.isEmpty && name == Self.ownFolder)
    else { return nil }
    return Array((names + [name]).joined(separator: [UInt8(ascii: "/")]))
  }

  func tell(_ directory: Inode, _ name: Name) {
    guard let path = hintPath(directory, name) else { return }
    hints.append(.changed(FolderHint(path, directory: directory.number)))
  }

  /// Reports a new directory.
  func tellTree(_ directory: Inode, _ name: Name) {
    guard let path = hintPath(directory, name) else { return }
    tell(directory, name)
    hints.append(.tree(FolderHint(path, directory: directory.entries[name]?.number ?? 0)))
  }

  /// Notes that a file of the folder now has a second name.
  func noteHardLinks() { hadHardLinks = hasHardLinks }

  /// A Boolean value that indicates whether a file of the folder has a second name, or had one
  /// after an interruption. Events about one name say nothing about the other. A daemon that ends
  /// leaves one where a rename is a link and a removal.
  var hasHardLinks: Bool {
    guard !hadHardLinks else { return true }
    var stack = [folder]
    while let directory = stack.popLast() {
      for inode in directory.entries.values {
        if inode.kind == .directory { stack.append(inode) }
        if inode.kind == .file, inode.links > 1 { return true }
      }
    }
    return false
  }
}
