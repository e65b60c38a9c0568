import CairnCloud
import CairnPlan
import CairnZone

/// How the run before this one ended, and what may have been damaged by that. Once nothing is left
/// to look at, this run is the one that the index notes.
struct LastRun {
  /// A damaged file, as it was looked at.
  struct Damage {
    var local: NodeRow.Local
    var file: DamageRule.File
  }

  /// How the machine stopped since.
  private(set) var stop = DamageRule.LastStop.none
  /// Whether the present run is written down in the index.
  private(set) var isNextNoted = false
  /// What may have been damaged, as the first look found it.
  private(set) var suspects: [RecordID: NodeRow.Local] = [:]
  /// What the stop left of files, until it is set aside.
  private(set) var damaged: [RecordID: Damage] = [:]
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

  /// Whether the file is as the first look found it, and wasn't looked at closely since.
  func isSuspect(_ id: RecordID, _ local: NodeRow.Local) -> Bool { suspects[id] == local }

  /// A file was looked at that the stop may have damaged.
  mutating func judge(_ id: RecordID, _ local: NodeRow.Local, _ file: DamageRule.File) {
    clear(id)
    if DamageRule.isDamaged(file, after: stop) { damaged[id] = Damage(local: local, file: file) }
  }

  /// Whether the file, as it is now, is what the stop left of it.
  func isDamaged(_ id: RecordID, _ local: NodeRow.Local) -> Bool { damaged[id]?.local == local }

  /// The file is as it should be, was set aside, or isn't what was looked at any more.
  mutating func clear(_ id: RecordID) {
    suspects[id] = nil
    damaged[id] = nil
  }

  /// A second stop must find the suspects again, so the run isn't noted before they are gone.
  var mayNoteNext: Bool { !isNextNoted && suspects.isEmpty && damaged.isEmpty }

  mutating func noteNext() { isNextNoted = true }

  /// No step waits any more that may take away what came back by the stop.
  mutating func forgetStop() { stop = .none }

  /// What holds between any two turns.
  func checkInvariants() {
    precondition(
      (suspects.isEmpty && damaged.isEmpty) || findsSuspects,
      "files are suspected of damage, and nothing stopped")
  }
}

/// Files that were damaged when the machine stopped: they aren't taken for edits. The zone's
/// version comes back in their place, and what was left of them goes to the rescue folder. So does
/// what came back by the stop. Here they are looked at; `Planner` decides.
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
    try clearOthers()
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

  /// What somebody wrote or took away since the first look isn't damaged any more.
  private func clearOthers() throws {
    let files = lastRun.suspects.merging(lastRun.damaged.mapValues(\.local)) { $1 }
    guard !files.isEmpty else { return }
    let others = try index.read(mount) { tree in
      try files.filter { try tree.node($0.key)?.local != $0.value }
    }
    for id in others.keys { lastRun.clear(id) }
  }

  /// Writes down that this run ended in order: what was read is on the disk. The engine isn't used
  /// any more.
  public func close() throws {
    guard lastRun.isNextNoted, let root else { return }
    try finishPortion()
    if lastRun.hasRead { try root.syncFileSystem() }
    try index.writeDurably(mount) { try $0.setRun(settings.boot, isClean: true) }
  }

  /// Looks at a changed file that the stop may have damaged.
  /// - Returns: whether it did. Then it isn't read: the planner has it set aside.
  func isDamaged(
    _ row: NodeRow, _ local: NodeRow.Local, _ path: [FileNameBytes]
  ) throws -> Bool {
    if lastRun.isDamaged(row.id, local) { return true }
    guard lastRun.isSuspect(row.id, local), let agreed = row.synced,
      case .file(let agreedContent?) = agreed.kind,
      let content = try zone.read({ try $0.record(row.id)?.content })
    else {
      lastRun.clear(row.id)
      return false
    }
    let isZeros = try hasOnlyZeros(row, path)
    if isZeros, local.size > 0, local.size == content.size, agreedContent == content.id {
      // Perhaps it is nothing but zeros by right.
      guard let root else { return false }
      let bytes = try root.openFile(path)
      guard try zone.contentID({ try Self.fill($0, from: bytes) }) != content.id else {
        lastRun.clear(row.id)
        return false
      }
    }
    lastRun.judge(
      row.id, local,
      DamageRule.File(
        size: local.size, agreedSize: content.size, isZeros: isZeros,
        modified: local.node.attributes.modified, agreedModified: agreed.attributes.modified))
    return lastRun.isDamaged(row.id, local)
  }

  /// Why a damaged file is set aside.
  func reasonForDamage(of id: RecordID) -> String {
    let file = lastRun.damaged[id]?.file
    let what =
      file?.size == 0
      ? "it was empty"
      : file?.isZeros == true ? "it was nothing but zeros" : "a part of it was missing"
    return "\(what) after the machine had stopped, and nobody had written it; the version that the "
      + "zone has stands in its place"
  }

  /// Why a file is set aside that was there again.
  static let reasonForReturn =
    "it was deleted or overwritten in this folder right before the machine stopped, or moved, and "
    + "was there again afterwards"

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
}
