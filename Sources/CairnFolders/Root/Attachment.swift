import CairnPlan
import CairnReplica
import CairnZone

/// Opens the folder of a mount and loads the notes of the last run from the index and the folder;
/// and closes it again.
///
/// It uses these parts of the state: `adopt`, `clock`, `disk`, `displaced`, `folder`, `index`,
/// `longestPath`, `mount`, `only`, `part`, `path`, `permission`, `portion`, `read`, `references`,
/// `root`, `scanQueue`, `scope`, `settings`, `stagingName`, `transfers`, `write`, `zone`,
/// `zoneSync`.
struct Attachment {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Opens the folder and checks that it is the one that mirrors this zone.
  /// - Throws: `FolderError` with `.detached` if it is another folder: then nothing in it or in the
  ///   zone counts as deleted, and nothing is written.
  func attach() throws {
    state.adopt(nil)
    var root = try RootCheck(state).openRoot()
    try RootCheck(state).checkMark(root)
    var offLimits = state.settings.offLimits
    offLimits.look(on: state.disk)
    if let reason = offLimits.reason(of: try FileStat.of(root)) {
      throw FolderError(.detached, state.path, reason)
    }
    let names = Staging.FreshNames(token: state.settings.token)
    var staging = try Staging(root: root, name: state.stagingName, names: names)
    state.adopt(try FileSystemTraits.probe(in: staging.incoming))
    if state.disk is NamedDisk {
      // From here on nothing relies on what the file system doesn't keep.
      root = try RootCheck(state).openRoot()
      staging = try Staging(root: root, name: state.stagingName, names: names)
    }
    let stat = try FileStat.of(root)
    let (mount, isCopy) = try RootCheck(state).register(stat)
    let startsAfter = try takeUpNew(root, mount)
    state.transfers.cancelAll()
    try IntentLogKeeper(state).keepReturned(staging, mount)
    try staging.sweep(keeping: PartialFiles(state).load(staging, mount))
    let scanner = Scanner(
      root: root, rootStat: stat, index: state.index, mount: mount, only: state.only,
      offLimits: offLimits, foldsNames: try staging.foldsNames(in: root),
      longestPath: state.longestPath,
      carried: { [weak state] in
        guard let state else { return [] }
        return state.scope.carried
      },
      isMirror: { [weak state] in
        guard let state else { return false }
        return try MountSelection(state).isMirror($0, $1)
      },
      now: { [clock = state.clock] in clock.now })
    // The intent log has the plan; this may be another folder, or it was away.
    state.portion = .written
    // Lost until the rest is known, too.
    state.folder = .lost(
      MountRoot.Attached(
        mount: mount, root: root, staging: StagingAccess(root: root, opened: staging),
        scanner: scanner, identity: stat,
        isCopy: isCopy, startsAfter: startsAfter))
    state.index.neighbours.attached(
      mount,
      Neighbours.Folder(
        path: state.path, mark: Array(state.part.description.utf8), staging: state.stagingName,
        device: stat.device, part: state.part))
    try SelectionKeeper(state).load(root)
    try MetadataKeeper(state).load(root)
    try takeUpNotes(staging, scanner)
    try NestedShareUpkeep(state).leaveOutReferences()
    try NestedShareUpkeep(state).clearRemains()
    state.references.areDue = true
    try RescueShelf(state).lookAtRescued()
    state.folder.find()
  }

  /// Loads the notes of the last run from the index and the folder.
  private func takeUpNotes(_ staging: Staging, _ scanner: Scanner) throws {
    state.displaced.load(staging, state.clock.now)
    let (isCompared, shown, hasLocal) = try state.read {
      (try $0.isCompared, try $0.isShownReadOnly, try $0.dirtyCounts.local > 0)
    }
    state.zoneSync.mayHaveSent = hasLocal
    state.permission.shown = shown
    state.folder.note { $0.isCompared = isCompared }
    try DeletionGate(state).takeUpHeld()
    try CrashDamage(state).takeUpRun()
    try IntentLogKeeper(state).takeUpJournal(staging, scanner)
    try ParkedFiles(state).takeUpParked(staging)
    // Again in the first sync cycle, because changes since then would be missed.
    state.scanQueue.needsParked = true
  }

  /// Reads the position in the log after which this device's changes can be from this folder. For a
  /// new folder it is unknown before the log was read: the index may be lost.
  private func takeUpNew(_ root: Descriptor, _ mount: Int64) throws -> UInt64? {
    let isNew = try FileStat.at(root.openDirectory([state.stagingName]), MountMark.newName) != nil
    return isNew ? nil : try state.index.read(mount) { try $0.startsAfter }
  }

  /// Notes the end of the log as the start of a new folder: its contents are no later edits of this
  /// device's earlier changes.
  func noteStart() throws {
    guard let attached = state.folder.attached, attached.startsAfter == nil else { return }
    let root = attached.root
    let sequence = state.zone.header.sequence
    try state.write { try $0.setStartsAfter(sequence) }
    let own = try root.openDirectory([state.stagingName])
    if try FileStat.at(own, MountMark.newName) != nil { try own.remove(MountMark.newName) }
    state.folder.note { $0.startsAfter = sequence }
  }

  /// Forgets the index data of this mount: the folder is no longer mirrored.
  func forget() throws {
    state.transfers.cancelAll()
    try ModeBits(state).showOwnFiles()
    if let number = try state.index.number(of: state.part) { try state.index.forget(number) }
  }

  /// Removes the mark and the staging folders; rescued files stay. The folder is not attached any
  /// more then, even if one of them could not be removed.
  func detach() throws {
    state.transfers.cancelAll()
    guard let root = state.root else { return }
    state.index.neighbours.detached(state.mount)
    // Before the folders are removed: if one of them stays, the others are unusable.
    state.folder = .unattached
    // A folder that its person deleted took them along.
    guard try FileStat.of(root).links > 0 else { return }
    try MountMark.takeOwnFolders(from: root, folder: state.stagingName)
  }
}
