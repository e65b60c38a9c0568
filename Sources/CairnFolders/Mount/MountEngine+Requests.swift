public import CairnCloud
public import CairnZone

/// The requests of an engine's owner beside the sync cycles: the named type answers each.
extension MountEngine {
  // MARK: Attachment

  /// Opens the folder and makes sure that it is the one that mirrors this zone.
  /// - Throws: `FolderError` with `.detached` if the folder isn't the one: then nothing in it or in
  ///   the zone is taken for deleted, and nothing is written.
  public func attach() throws {
    try Attachment(state).attach()
  }

  /// Forgets all that the index has about this mount: the folder isn't mirrored any more.
  public func forget() throws {
    try Attachment(state).forget()
  }

  /// Takes the mark and the staging folders away; what was rescued stays. The folder isn't attached
  /// any more then, even if one of them couldn't be removed.
  public func detach() throws {
    try Attachment(state).detach()
  }

  // MARK: DepartureCheck

  /// Why this person has no business in the zone any more; nil as long as they have. Where the log
  /// may say so, and wasn't read to its end in this run, it is read first: a turn may have failed
  /// before it came to that, and for good if the folder is half given up already.
  /// - Throws: `CloudError` if the container can't be read.
  public func departure() throws -> Departure? {
    try DepartureCheck(state).departure()
  }

  // MARK: RunKeeper

  /// Writes down that this run ended in order: what was read is on the disk. The engine isn't used
  /// any more.
  public func close() throws {
    try RunKeeper(state).close()
  }

  // MARK: FolderRemoval

  /// Takes the folder away: files that still are exactly what was synced are removed; unsent edits,
  /// files that somebody has open for writing, ignored files, what was rescued before and whatever
  /// else stands there are moved, with their paths, to the folder at that absolute path. Then the
  /// directories, the mark and the root go. A folder that is gone already is none to clear.
  /// - Parameters:
  ///   - folder: The absolute path.
  ///   - keepingFiles: Whether what was synced is moved there, too, and nothing is removed.
  /// - Returns: what was moved; `report` has the problems.
  /// - Throws: `FolderError` if the folder can't be read.
  public func clear(into folder: [UInt8], keepingFiles: Bool = false) throws -> [MovedAway] {
    try FolderRemoval(state).clear(into: folder, keepingFiles: keepingFiles)
  }

  // MARK: ScopeKeeper

  /// Leaves other directories out from here on: this device has, or no longer has, other mounts for
  /// them. What isn't shown any more goes from the folder, unless it was changed here.
  public func exclude(_ directories: Set<RecordID>) throws {
    try ScopeKeeper(state).exclude(directories)
  }

  // MARK: NestingActs

  /// Moves directories and files of this mount to another zone. The folders and files, and what is
  /// known about them, go over to mounts for that zone.
  /// - Parameters:
  ///   - paths: where they are, relative to the folder.
  ///   - target: where they go.
  /// - Returns: what was made, in the order of the paths.
  /// - Throws: `CloudError` with `.alreadyShared` if one is in a share or has one in it, with
  ///   `.serviceUnavailable` if the zone doesn't have it yet.
  public func nest(_ paths: [[UInt8]], into target: NestingTarget) throws -> [Nesting] {
    try NestingActs(state).nest(paths, into: target)
  }

  /// Returns the record at a path relative to the folder; nil if none is known.
  public func record(at path: [UInt8]) throws -> RecordID? {
    try state.read { try $0.record(at: NestingActs.names(of: path)) }
  }

  /// Takes back at once what came back into the zone.
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

  /// Up to `limit` paths that wait, each with the reason if one is known.
  public func pending(limit: Int) throws -> [(path: [UInt8], reason: String)] {
    try PendingRecords(state).pending(limit: limit)
  }

  // MARK: PathInquiry

  /// Says how a path of this mount stands; it only looks.
  public func explain(_ path: [UInt8]) throws -> Explanation {
    try PathInquiry(state).explain(path)
  }

  // MARK: DeletionGate

  /// The deletions that wait, the first `limit` of them by their paths, relative to the folder.
  public func heldPaths(limit: Int) throws -> [[UInt8]] {
    try DeletionGate(state).heldPaths(limit: limit)
  }

  /// The person meant it: what waits goes to the zone.
  /// - Returns: what waited; nil if nothing did.
  public func confirmHeld() throws -> MountReport.Held? {
    try DeletionGate(state).confirmHeld()
  }

  /// The person didn't mean it: what waits comes back from the zone.
  /// - Returns: what waited; nil if nothing did.
  public func undoHeld() throws -> MountReport.Held? {
    try DeletionGate(state).undoHeld()
  }

  // MARK: Conflicts

  /// The conflict copies in the folder, by their names.
  public func conflicts() throws -> [Conflict] {
    try Conflicts(state).conflicts()
  }

  /// Does what the person decided. What doesn't keep a name goes to the rescue folder.
  /// - Parameters:
  ///   - path: The conflict copy, relative to the folder.
  ///   - choice: Which version keeps the name.
  /// - Returns: where the version is that was kept, or that got a name of its own, and what was set
  ///   aside.
  /// - Throws: `FolderError` if something isn't there, is a directory, or the person may not write.
  public func settleConflict(_ path: [UInt8], keeping choice: ConflictChoice) throws -> (
    path: [UInt8], aside: MountReport.Rescued?
  ) {
    try Conflicts(state).settleConflict(path, keeping: choice)
  }

  // MARK: RescueShelf

  /// Looks at the rescue folder anew: somebody put back, or removed, what lay there.
  public func lookAtRescued() throws {
    try RescueShelf(state).lookAtRescued()
  }

  // MARK: Comparison

  /// Returns the position of this folder in a log that isn't the zone's any more; nil if it is.
  public func lostToken() throws -> LogTrouble? {
    try Comparison(state).lostToken()
  }

  /// Compares the folder anew with a zone that goes on after `common`: what changed here since then
  /// goes to the zone as new changes, what changed there comes, and where both did, both survive.
  ///
  /// Without `common` nobody knows what both sides had. Then what only the folder has is put into
  /// the zone again, unless its deletion stands in the log; and what differs, both sides keep.
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

  /// Reads the files that seem to be what the zone has, and tells which aren't: relative paths.
  public func differingFiles(_ progress: (Int) -> Void) throws -> [[UInt8]] {
    try Comparison(state).differingFiles(progress)
  }
}
