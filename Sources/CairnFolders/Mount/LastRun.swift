import CairnCloud
import CairnPlan
import CairnZone

/// How the run before this one ended, and what may have been damaged by that. Once nothing is left
/// to look at, this run is the one that the index notes.
struct LastRun {
  /// How the machine stopped since.
  private(set) var stop = DamageRule.LastStop.none
  /// Whether the present run is written down in the index.
  private(set) var isNextNoted = false
  /// What may have been damaged, as the first look found it.
  private(set) var suspects: [RecordID: NodeRow.Local] = [:]
  /// Whether files were read that may not be on the disk yet.
  var hasRead = true

  init() {}

  /// By what the index says of it, and which start of the machine this one is.
  init(_ last: (boot: String?, isClean: Bool), now: String?) {
    stop = DamageRule.LastStop(last: last.boot, wasClean: last.isClean, now: now)
    hasRead = !last.isClean
    // Where files may have been damaged, the run counts once they were looked at.
    isNextNoted = stop == .none && now != nil
  }

  /// Whether what the first look finds changed may be damage. What is written to these files from
  /// then on is seen, and no damage.
  var findsSuspects: Bool { stop != .none && !isNextNoted }

  mutating func suspect(_ rows: [NodeRow]) {
    for row in rows { suspects[row.id] = row.local }
  }

  /// Whether the file is as the first look found it; it is no suspect after that.
  mutating func takeSuspect(_ id: RecordID, _ local: NodeRow.Local) -> Bool {
    suspects.removeValue(forKey: id) == local
  }

  /// A second stop must find the suspects again, so the run isn't noted before they are gone.
  var mayNoteNext: Bool { !isNextNoted && suspects.isEmpty }

  mutating func noteNext() { isNextNoted = true }

  /// No step waits any more that may take away what came back by the stop.
  mutating func forgetStop() { stop = .none }

  /// What holds between any two turns.
  func checkInvariants() {
    precondition(
      suspects.isEmpty || findsSuspects, "files are suspected of damage, and nothing stopped")
  }
}

/// Files that were damaged when the machine stopped: they aren't taken for edits. The zone's
/// version comes back in their place, and what was left of them goes to the rescue folder. So does
/// what came back by the stop.
extension MountEngine {
  /// Learns how the last run ended, and writes down that another one began: what it reads may not
  /// be on the disk if the machine stops under it.
  func takeUpRun() throws {
    let last = try index.read(mount) { try $0.lastRun }
    lastRun = LastRun(last, now: settings.boot)
    let boot = lastRun.stop == .none ? settings.boot : last.boot
    if let boot, last.isClean || last.boot != boot {
      try index.writeDurably(mount) { try $0.setRun(boot, isClean: false) }
    }
    guard lastRun.stop == .cut else { return }
    try index.write(mount) { try $0.forgetRecentContents() }
  }

  /// Remembers what the first look after a stop of the machine found changed. What is written to
  /// these files from here on is seen, and no damage. Directories that couldn't be read by then are
  /// looked at `late`.
  func findSuspects(below late: Set<[UInt8]> = [[]]) throws {
    guard lastRun.findsSuspects else { return }
    let rows = try index.read(mount) { tree in
      try tree.unreadFiles().filter { row in
        guard let path = try tree.path(of: row.id).map({ joined($0) }) else { return false }
        return late.contains { $0.isEmpty || path.starts(with: $0 + [UInt8(ascii: "/")]) }
      }
    }
    lastRun.suspect(rows)
  }

  /// Writes this run down once no suspects are left: a second stop must find them again.
  func noteRun() throws {
    if lastRun.mayNoteNext, attention.unread.isQuiet, !attention.needsEverything,
      settings.boot != nil
    {
      try index.writeDurably(mount) { try $0.setRun(settings.boot, isClean: false) }
      lastRun.noteNext()
    }
    guard lastRun.isNextNoted else { return }
    // A step that still waits may take away what came back by the stop.
    if !agenda.isWaiting { lastRun.forgetStop() }
  }

  /// Writes down that this run ended in order: what was read is on the disk. The engine isn't used
  /// any more.
  public func close() throws {
    guard lastRun.isNextNoted, let root else { return }
    try finishPortion()
    if lastRun.hasRead { try root.syncFileSystem() }
    try index.writeDurably(mount) { try $0.setRun(settings.boot, isClean: true) }
  }

  /// Sets the file aside if it was damaged; false if it is as it should be read.
  func setAsideIfDamaged(
    _ row: NodeRow, _ local: NodeRow.Local, _ path: [FileNameBytes]
  ) throws -> Bool {
    guard lastRun.takeSuspect(row.id, local), let agreed = row.synced,
      case .file(let agreedContent?) = agreed.kind,
      let content = try zone.read({ try $0.record(row.id)?.content })
    else { return false }
    let isZeros = try hasOnlyZeros(row, path)
    let file = DamageRule.File(
      size: local.size, agreedSize: content.size, isZeros: isZeros,
      modified: local.node.attributes.modified, agreedModified: agreed.attributes.modified)
    guard DamageRule.isDamaged(file, after: lastRun.stop) else { return false }
    if isZeros, local.size > 0, local.size == content.size, agreedContent == content.id {
      // Perhaps it is nothing but zeros by right.
      guard let root else { return false }
      let bytes = try root.openFile(path)
      if try zone.contentID({ try Self.fill($0, from: bytes) }) == content.id { return false }
    }
    try rescue(row.id, because: Self.reason(file))
    agenda[row.id].isLeftOut = true
    return true
  }

  private static func reason(_ file: DamageRule.File) -> String {
    let what =
      file.size == 0
      ? "it was empty" : file.isZeros ? "it was nothing but zeros" : "a part of it was missing"
    return "\(what) after the machine had stopped, and nobody had written it; the version that the "
      + "zone has stands in its place"
  }

  private func hasOnlyZeros(_ row: NodeRow, _ path: [FileNameBytes]) throws -> Bool {
    guard let root else { return false }
    do throws(FolderError) {
      let file = try root.openFile(path)
      while true {
        let bytes = try file.read(upTo: 1 << 16, as: "read the file")
        if bytes.isEmpty { return true }
        if bytes.contains(where: { $0 != 0 }) { return false }
      }
    } catch {
      // It is read again right after this, and then its trouble is told.
      guard error.code != .tooMany else { throw error }
      return false
    }
  }

  // MARK: What came back

  /// Sets aside the files whose bytes a step takes away because this very device gave others to
  /// them in the zone, or deleted them. That they are in the folder all the same is the power cut's
  /// doing: it undid what a person did, or moves that had been seen half, and nobody knows which.
  /// - Returns: whether there were any; all is planned again then.
  func setAsideReturned(_ steps: [FolderStep]) throws -> Bool {
    guard lastRun.stop == .cut else { return false }
    let undone = try zone.read { view in try steps.compactMap { try acts(undoneBy: $0, view) } }
    var own: [UInt64: Bool] = [:]
    var found = false
    for (id, sequences) in undone {
      let isOurs = try sequences.contains { sequence in
        let isOwn = try own[sequence] ?? isOwnCommit(sequence)
        own[sequence] = isOwn
        return isOwn
      }
      guard isOurs else { continue }
      try rescue(id, because: Self.returned)
      found = true
    }
    return found
  }

  /// The file whose bytes a step takes away, and the commits that took them from its record; nil if
  /// it takes none away.
  private func acts(
    undoneBy step: FolderStep, _ view: ZoneView
  ) throws -> (id: RecordID, sequences: [UInt64])? {
    switch step {
    case .remove(let id, let expected) where !expected.isDirectory:
      let deletion = try view.deletion(of: id).map { [$0] } ?? []
      return (id, try deletion + changes(of: id, since: expected, view))
    case .replace(let id, let expected, let node) where expected.kind != node.kind:
      return (id, try changes(of: id, since: expected, view))
    default: return nil
    }
  }

  private func changes(
    of id: RecordID, since node: Node, _ view: ZoneView
  ) throws -> [UInt64] {
    guard case .file(let content?) = node.kind else { return [] }
    return try view.contentChanges(of: id, after: content)
  }

  private static let returned =
    "it was deleted or overwritten in this folder right before the machine stopped, or moved, and "
    + "was there again afterwards"

  /// Whether this device made the commit; true if the container has it no more.
  private func isOwnCommit(_ sequence: UInt64) throws -> Bool {
    do {
      return try zone.log(after: sequence - 1, limit: 1).first?.author?.device
        == zone.read { $0.device }
    } catch let error as CloudError {
      guard !error.isWorthRetrying else { throw error }
      return true
    }
  }
}
