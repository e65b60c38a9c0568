public import CairnContainer
import CairnReplica
public import CairnZone

/// The requests of an engine's owner beside the sync cycles: the named type answers each.
extension MountEngine {
  // MARK: Attachment

  /// Opens the folder and ensures that it is the mirror of this zone.
  /// - Throws: `FolderError` with `.detached` if it isn't: then nothing in the folder or in the
  ///   zone counts as deleted, and nothing is written.
  public func attach() throws {
    try Attachment(state).attach()
  }

  /// Forgets all data of the index about this mount: the folder isn't mirrored any more.
  public func forget() throws {
    try Attachment(state).forget()
  }

  /// Removes the mark and the staging folders; rescued files remain. The folder isn't attached any
  /// more then, even if one of them couldn't be removed.
  public func detach() throws {
    try Attachment(state).detach()
  }

  // MARK: DepartureCheck

  /// Returns the reason that this person has lost access to the zone; nil while they have it. If
  /// the log may say so, and wasn't read to its end in this run, it is read first. A sync cycle may
  /// have failed before that, and permanently if the folder is already half given up.
  /// - Throws: `CloudError` if the container can't be read.
  public func departure() throws -> Departure? {
    try DepartureCheck(state).departure()
  }

  // MARK: RunKeeper

  /// Records the orderly end of this run: all data that was read is on the disk. The engine isn't
  /// used any more.
  public func close() throws {
    try CrashDamage(state).close()
  }

  // MARK: FolderRemoval

  /// Removes the folder. Files that equal the last agreed state are deleted. All other files are
  /// moved, with their paths, to the folder at that absolute path: unsent edits, files open for
  /// writing, ignored files, rescued files and anything else. Then the directories, the mark and
  /// the root are deleted. If the folder is already gone, nothing is done.
  /// - Parameters:
  ///   - folder: The absolute path.
  ///   - keepingFiles: A Boolean value that indicates whether synced files are moved there, too,
  ///     and none is deleted.
  /// - Returns: The moved files; `report` has the problems.
  /// - Throws: `FolderError` if the folder can't be read.
  public func clear(into folder: [UInt8], keepingFiles: Bool = false) throws -> [MovedAway] {
    try FolderRemoval(state).clear(into: folder, keepingFiles: keepingFiles)
  }

  // MARK: ScopeKeeper

  /// Leaves other directories out from now on: this device has, or no longer has, other mounts for
  /// them. Entries that aren't shown any more are removed from the folder, unless they were changed
  /// here.
  public func exclude(_ directories: Set<RecordID>) throws {
    try MountSelection(state).exclude(directories)
  }

  // MARK: SelectionKeeper

  /// The records that the folder of this device has.
  public var selection: SyncSelection { state.scope.selection }

  /// Selects what the folder of this device has. Entries that aren't selected any more are removed
  /// from the folder as soon as the zone has all their changes; in the zone they stay.
  /// - Throws: `FolderError` if the folder isn't there, or the selection can't be written; with
  ///   `.notFound` if a path names nothing in the zone.
  public func select(_ request: SelectionRequest) throws {
    try SelectionRequests(state).apply(request)
  }

  /// Describes the selection.
  /// - Parameter directory: The directory whose entries are listed with their sizes, by its path in
  ///   the folder; nil for none.
  /// - Throws: `FolderError` with `.notFound` if it isn't in the zone.
  /// - Returns: The marks, what isn't selected, and the listed entries.
  public func describeSelection(listing directory: [UInt8]? = nil) throws -> SelectionDescription {
    try SelectionRequests(state).describe(listing: directory)
  }

  // MARK: MetadataKeeper

  /// The attributes beside the executable bit and the time that a folder can show.
  public static let supportedMetadata = MetadataKeeper.supported

  /// Decides whether this device applies the modes and extended attributes that the zone of another
  /// person carries. What it doesn't apply stays in the zone as it is.
  /// - Throws: `FolderError` if the folder isn't there, or the decision can't be written.
  public func chooseMetadata(_ isChosen: Bool) throws { try MetadataKeeper(state).choose(isChosen) }

  /// Gives the present modes and extended attributes of the folder to the records that have none,
  /// once the zone carries them.
  /// - Returns: The number of entries.
  /// - Throws: `FolderError` if the folder isn't there.
  public func giveMetadata() throws -> Int {
    guard state.root != nil else {
      // The first look at a new folder finds them.
      guard try state.index.number(of: state.part) != nil else { return 0 }
      throw FolderError(.detached, state.path, "the folder isn't there now")
    }
    try MetadataKeeper(state).follow()
    // A complete look reads the attributes that nobody needed before.
    state.hintEverything()
    try FolderScan(state).look()
    return try MetadataKeeper(state).give()
  }

  // MARK: NestingActs

  /// Moves directories and files of this mount to another zone. They and their data go to mounts of
  /// that zone.
  /// - Parameters:
  ///   - paths: The paths relative to the folder.
  ///   - target: The zone to move them to.
  /// - Returns: The new references, in the order of the paths.
  /// - Throws: `CloudError` with `.alreadyShared` if a path is in a share or has one in it, or with
  ///   `.serviceUnavailable` if the zone doesn't have it yet.
  public func nest(_ paths: [[UInt8]], into target: NestingTarget) throws -> [Nesting] {
    try NestingActs(state).nest(paths, into: target)
  }

  /// Returns the record at a path relative to the folder; nil if none is known.
  public func record(at path: [UInt8]) throws -> RecordID? {
    try state.read { try $0.record(at: NestingActs.names(of: path)) }
  }

  /// Takes back the directories and files that returned to the zone, at once.
  public func takeBackReferences() throws {
    try NestingActs(state).takeBackReferences()
  }

  /// Returns whether a directory or file in this mount has a zone of its own.
  public func holdsReferences() throws -> Bool {
    try NestingActs(state).holdsReferences()
  }

  // MARK: PendingRecords

  /// Returns the number of records that wait in either direction, including those that wait for a
  /// time.
  public func pendingCount() throws -> Int {
    try PendingRecords(state).pendingCount()
  }

  /// Returns up to `limit` waiting paths, each with the reason if one is known.
  public func pending(limit: Int) throws -> [(path: [UInt8], reason: String)] {
    try PendingRecords(state).pending(limit: limit)
  }

  // MARK: TransferList

  /// Returns up to `limit` files whose bytes are transferred or wait for that, those under way
  /// first, and the number of the others.
  public func transfers(limit: Int) throws -> (transfers: [TransferStanding], more: Int) {
    try TransferList(state).list(limit: limit)
  }

  /// Moves what waits at a path of the folder, or below it, to the front.
  /// - Returns: The number of files.
  public func hurry(_ path: [UInt8]) throws -> Int { try TransferList(state).hurry(path) }

  // MARK: PathInquiry

  /// Explains the state of a path in this mount. Changes nothing.
  public func explain(_ path: [UInt8]) throws -> Explanation {
    try PathInquiry(state).explain(path)
  }

  // MARK: DeletionGate

  /// Returns the waiting deletions, the first `limit` of them by their paths, relative to the
  /// folder.
  public func heldPaths(limit: Int) throws -> [[UInt8]] {
    try DeletionGate(state).heldPaths(limit: limit)
  }

  /// Sends the waiting deletions to the zone, after the person's confirmation.
  /// - Returns: The deletions that waited; nil if there were none.
  public func confirmHeld() throws -> MountReport.Held? {
    try DeletionGate(state).confirmHeld()
  }

  /// Restores the waiting deletions from the zone, because the person didn't intend them.
  /// - Returns: The deletions that waited; nil if there were none.
  public func undoHeld() throws -> MountReport.Held? {
    try DeletionGate(state).undoHeld()
  }

  // MARK: Conflicts

  /// Returns the conflict copies in the folder, by their names.
  public func conflicts() throws -> [Conflict] {
    try Conflicts(state).conflicts()
  }

  /// Settles a conflict as the person decided. A version that gets no name in the folder is moved
  /// to the rescue folder.
  /// - Parameters:
  ///   - path: The conflict copy, relative to the folder.
  ///   - choice: The version that keeps the name.
  /// - Returns: The place of the version that was kept, or that got a name of its own, and the
  ///   rescued file.
  /// - Throws: `FolderError` if a file is missing, is a directory, or the person can't edit.
  public func settleConflict(_ path: [UInt8], keeping choice: ConflictChoice) throws -> (
    path: [UInt8], aside: MountReport.Rescued?
  ) {
    try Conflicts(state).settleConflict(path, keeping: choice)
  }

  /// Returns both versions of a conflict in one text, with markers around the lines that differ.
  /// Changes nothing.
  /// - Throws: `FolderError` if a version is missing, or isn't a text that can be merged.
  public func mergeConflict(_ conflict: Conflict) throws -> (text: [UInt8], parts: Int) {
    try Conflicts(state).marked(conflict)
  }

  /// Puts an edited text in place of the two versions of a conflict. The copy is moved to the
  /// rescue folder.
  /// - Parameters:
  ///   - text: The text, which has no markers.
  ///   - conflict: The conflict.
  ///   - isCurrent: Returns whether the text was made from this text with both versions.
  /// - Returns: The place of the text, and the rescued file; nil if a version changed since.
  /// - Throws: `FolderError` if a version is missing, or the person can't edit.
  public func saveMerge(
    _ text: [UInt8], of conflict: Conflict, ifMadeFrom isCurrent: ([UInt8]) -> Bool
  ) throws -> (path: [UInt8], aside: MountReport.Rescued?)? {
    try Conflicts(state).save(text, of: conflict, ifMadeFrom: isCurrent)
  }

  // MARK: RescueShelf

  /// Scans the rescue folder again, after somebody put files back or removed them.
  public func lookAtRescued() throws {
    try RescueShelf(state).lookAtRescued()
  }

  // MARK: Comparison

  /// Returns the position of this folder in a log that isn't the zone's any more; nil if it is.
  public func lostToken() throws -> LogTrouble? {
    try Comparison(state).lostToken()
  }

  /// Compares the folder again with a zone that continues after `common`. Local changes since then
  /// are sent to the zone as new changes, and remote changes are applied. If both sides changed
  /// something, both versions survive.
  ///
  /// Without `common` the common state is unknown. Then entries that only the folder has are added
  /// to the zone again, unless the log contains their deletion. If the two sides differ, both
  /// versions are kept.
  public func compareAnew(since common: Zone?) throws {
    try Comparison(state).compareAnew(since: common)
  }

  /// Returns a function that reads a file of this folder from its beginning, for a caller that
  /// needs the bytes of a record; false if the file isn't here.
  public func lend(
    _ id: RecordID, _ body: ((UnsafeMutableRawBufferPointer) throws -> Int) throws -> Void
  ) throws -> Bool {
    try Comparison(state).lend(id, body)
  }

  /// Reads the files that seem to equal the zone's, and returns those that differ: relative paths.
  public func differingFiles(_ progress: (Int) -> Void) throws -> [[UInt8]] {
    try Comparison(state).differingFiles(progress)
  }
}
