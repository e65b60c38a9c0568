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

  /// Which start of the machine, and mounting of the file systems, the present run is in, as text;
  /// nil if that isn't known.
  let name: String?
  /// How the machine stopped since, or what is as bad: a file system was mounted anew.
  private(set) var stop = DamageRule.LastStop.none
  /// Whether the present run is written down in the index.
  private(set) var isNextNoted = false
  /// What may have been damaged, as the first look found it.
  private(set) var suspects: [RecordID: NodeRow.Local] = [:]
  /// What the stop left of files, until it is set aside.
  private(set) var damaged: [RecordID: Damage] = [:]
  /// Whether files were read that may not be on the disk yet.
  var hasRead = true
  /// From which change of an inode on a power cut may have taken the name with it.
  private var undone: Int64?
  /// Whether somebody sets the machine's calendar meanwhile.
  var calendar = CalendarWatch()
  /// Whether all of the folder was looked at in the present run.
  var hasLooked = false

  init() { name = nil }

  /// By what the index says of it, and what this one is in. It may have forgotten the last one.
  init(_ last: (boot: String?, isClean: Bool), now: String?, isForgotten: Bool = false) {
    name = now
    stop = DamageRule.LastStop(
      last: last.boot, wasClean: last.isClean, now: now, isForgotten: isForgotten)
    hasRead = !last.isClean
    // Where files may have been damaged, the run counts once they were looked at.
    isNextNoted = stop == .none && now != nil
  }

  /// Whether what the first look finds changed may be damage. What is written to these files from
  /// then on is seen, and no damage.
  var findsSuspects: Bool { stop != .none && !isNextNoted }

  /// A power cut may have undone what was made or renamed since that change of an inode.
  mutating func doubtNames(since change: Int64?) { undone = change }

  /// The same for a look: what the first one doesn't find, nobody deleted before our eyes. Nor did
  /// anybody in a directory that can be read `late` only.
  func undoneSince(late: Bool) -> Int64? { findsSuspects && (late || !hasLooked) ? undone : nil }

  mutating func suspect(_ rows: [NodeRow]) {
    for row in rows { suspects[row.id] = row.local }
  }

  /// Whether the file is as the first look found it, and wasn't looked at closely since.
  func isSuspect(_ id: RecordID, _ local: NodeRow.Local) -> Bool {
    suspects[id]?.isSameVersion(as: local) == true
  }

  /// A file was looked at that the stop may have damaged.
  mutating func judge(_ id: RecordID, _ local: NodeRow.Local, _ file: DamageRule.File) {
    clear(id)
    if DamageRule.isDamaged(file, after: stop) { damaged[id] = Damage(local: local, file: file) }
  }

  /// Whether the file, as it is now, is what the stop left of it.
  func isDamaged(_ id: RecordID, _ local: NodeRow.Local) -> Bool {
    damaged[id]?.local.isSameVersion(as: local) == true
  }

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
struct RunKeeper {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Learns how the last run ended, and writes down that another one starts: what it reads may
  /// not be on the disk if the machine stops under it.
  func takeUpRun() throws {
    let last = try state.read { try $0.lastRun }
    // A folder that was mirrored before, of which the index doesn't know since when.
    let isForgotten = state.folder.attached?.startsAfter == 0
    state.lastRun = LastRun(last, now: name, isForgotten: isForgotten)
    let noted = try state.read { try $0.calendar }
    state.lastRun.calendar = try calendar(after: last, noted)
    let boot = state.lastRun.stop == .none ? state.lastRun.name : last.boot
    let calendar = state.lastRun.calendar
    if let boot, last.isClean || last.boot != boot || noted != (calendar.offset, calendar.doubted) {
      try state.writeDurably { tree in
        try tree.setRun(boot, isClean: false)
        try tree.setCalendar(calendar)
      }
    }
    guard state.lastRun.stop == .cut else { return }
    // The cut took the last seconds of the folder, or of the index: until all was compared again,
    // what differs needn't be anybody's doing.
    state.folder.note { $0.isCompared = false }
    let recent = try state.write { tree in
      try tree.setCompared(false)
      return try tree.forgetRecentContents(doubted: calendar.doubted)
    }
    state.lastRun.doubtNames(since: recent)
  }

  /// The calendar as this run begins.
  private func calendar(
    after last: (boot: String?, isClean: Bool), _ noted: (offset: Int64?, doubted: Int64?)
  ) throws -> CalendarWatch {
    let (now, date) = (state.clock.now, state.clock.date)
    let newest = try state.read { try $0.newestChange }
    // Where the folder has something of the future, the calendar went back: nothing that comes may
    // be the newest.
    let isBehind = newest.map { $0 > date } ?? false
    let end = isBehind ? .max : now + CalendarWatch.unwritten
    if state.lastRun.name == last.boot {
      return CalendarWatch(
        offset: noted.offset ?? date - now, present: noted.doubted, until: end)
    }
    // The clock that nobody sets began anew, and the calendar may have been set before this run.
    return CalendarWatch(
      offset: date - now, present: min(newest ?? .min, date - now), until: end,
      former: last.isClean ? nil : noted.doubted)
  }

  /// Writes down that somebody has set the calendar, before the index has anything that came since.
  func noteCalendar() throws {
    var calendar = state.lastRun.calendar
    guard state.root != nil, calendar.look(now: state.clock.now, date: state.clock.date)
    else { return }
    try state.writeDurably { try $0.setCalendar(calendar) }
    // Where that failed, it is to be written down still.
    state.lastRun.calendar = calendar
  }

  /// What the run is in. A disk that was pulled out, or whose file system gave up after an error,
  /// is as after a power cut when it is mounted again, though the machine went on.
  private var name: String? {
    guard let boot = state.settings.boot, let device = state.identity?.device else { return nil }
    return "\(boot) \(state.disk.mounting(of: device) ?? "-")"
  }

  /// Remembers what the first look after a stop of the machine found changed. What is written to
  /// these files from here on is seen, and no damage. Directories that couldn't be read by then are
  /// looked at `late`.
  func findSuspects(below late: Set<[UInt8]> = [[]]) throws {
    guard state.lastRun.findsSuspects else { return }
    let rows = try state.read { tree in
      // A cut may have taken the newest rows: then what was agreed on only the zone knows.
      try tree.unreadFiles(withNew: state.lastRun.stop.mayHaveCut).filter { row in
        guard let path = try tree.path(of: row.id).map({ joined($0) }) else { return false }
        return late.contains { $0.isEmpty || path.starts(with: $0 + [UInt8(ascii: "/")]) }
      }
    }
    state.lastRun.suspect(rows)
  }

  /// Writes this run down once no suspects are left: a second stop must find them again.
  func noteRun() throws {
    try clearOthers()
    if state.lastRun.mayNoteNext, state.attention.unread.isQuiet, !state.attention.needsEverything,
      let name = state.lastRun.name
    {
      state.lastRun.calendar.settle()
      try state.writeDurably { tree in
        try tree.setRun(name, isClean: false)
        try tree.setCalendar(state.lastRun.calendar)
      }
      state.lastRun.noteNext()
    }
    guard state.lastRun.isNextNoted else { return }
    // A step that still waits may take away what came back by the stop.
    if !state.agenda.isWaiting { state.lastRun.forgetStop() }
  }

  /// What somebody wrote or took away since the first look isn't damaged any more.
  private func clearOthers() throws {
    let files = state.lastRun.suspects.merging(state.lastRun.damaged.mapValues(\.local)) { $1 }
    guard !files.isEmpty else { return }
    let others = try state.read { tree in
      try files.filter { try tree.node($0.key)?.local?.isSameVersion(as: $0.value) != true }
    }
    for id in others.keys { state.lastRun.clear(id) }
  }

  /// Writes down that this run ended in order: what was read is on the disk. The engine isn't used
  /// any more.
  func close() throws {
    guard state.lastRun.isNextNoted, let root = state.root else { return }
    try FolderSteps(state).finishPortion()
    if state.lastRun.hasRead { try root.syncFileSystem() }
    try state.writeDurably { try $0.setRun(state.lastRun.name, isClean: true) }
  }

  /// Looks at a changed file that the stop may have damaged.
  /// - Returns: whether it did. Then it isn't read: the planner has it set aside.
  func isDamaged(
    _ row: NodeRow, _ local: NodeRow.Local, _ path: [FileNameBytes]
  ) throws -> Bool {
    if state.lastRun.isDamaged(row.id, local) { return true }
    guard state.lastRun.isSuspect(row.id, local), let whole = try whole(row, local, path) else {
      state.lastRun.clear(row.id)
      return false
    }
    let content = whole.content
    let isZeros = try hasOnlyZeros(row, path)
    if isZeros, local.size > 0, local.size == content.size, whole.agreed == content.id {
      // Perhaps it is nothing but zeros by right.
      guard let root = state.root else { return false }
      let bytes = try root.openFile(path)
      guard try state.zone.contentID({ try bytes.read(into: $0) }) != content.id else {
        state.lastRun.clear(row.id)
        return false
      }
    }
    try state.lastRun.judge(
      row.id, local,
      DamageRule.File(
        size: local.size, agreedSize: content.size, isZeros: isZeros,
        hasHoles: !isZeros && local.size == content.size && hasHoles(path, content),
        modified: local.node.attributes.modified, agreedModified: whole.modified))
    return state.lastRun.isDamaged(row.id, local)
  }

  /// What a changed file should be: what was agreed on, or, where a power cut took the newest rows
  /// of the index, or the index is lost, what the zone has in its place; of a file that was moved,
  /// too: it may have been set aside. Nil if there is no such thing, or if it is another device's
  /// while nobody knows of a cut: then both stay anyway.
  private func whole(
    _ row: NodeRow, _ local: NodeRow.Local, _ path: [FileNameBytes]
  ) throws -> (content: Content, agreed: ContentID, modified: Int64)? {
    try state.zone.read { view in
      let records = ScopedRecords(view, state.scope)
      let stop = state.lastRun.stop
      // Others may have deleted that record since, and this device put another in its place, of
      // which the index lost the row.
      if let synced = row.synced, let content = try view.record(row.id)?.content {
        guard case .file(let agreed?) = synced.kind else { return nil }
        if stop == .cut, local.node.place != synced.place,
          let copy = try records.child(at: local.node.place), copy != row.id,
          try state.read({ try $0.node(copy) }) == nil, let record = try view.record(copy),
          record.changed.device == view.device, let content = record.content
        {
          return (content, content.id, record.attributes.modified)
        }
        return (content, agreed, synced.attributes.modified)
      }
      guard stop.mayHaveCut,
        // Its directory may be as new as the file.
        let id = try records.child(at: local.node.place) ?? records.record(at: path),
        let record = try view.record(id), let content = record.content,
        stop == .cut || record.changed.device == view.device
      else { return nil }
      return (content, content.id, record.attributes.modified)
    }
  }

  /// Why a damaged file is set aside.
  func reasonForDamage(of id: RecordID) -> String {
    let file = state.lastRun.damaged[id]?.file
    let what =
      file?.size == 0
      ? "it was empty"
      : file?.isZeros == true
        ? "it was nothing but zeros"
        : file?.hasHoles == true ? "a part of it was zeros" : "a part of it was missing"
    let when =
      state.lastRun.stop == .unknown
      ? "when the index was lost, which would say whether somebody wrote it"
      : "after the machine had stopped, and nobody had written it"
    return "\(what) \(when); the version that the zone has stands in its place"
  }

  /// Why a file is set aside that was there again.
  static let reasonForReturn =
    "it was deleted or overwritten in this folder right before the machine stopped, or moved, and "
    + "was there again afterwards"

  /// Whether zeros stand in the place of some bytes of that content, and nothing else is different.
  private func hasHoles(_ path: [FileNameBytes], _ content: Content) throws -> Bool {
    guard let root = state.root else { return false }
    do {
      let file = try root.openFile(path)
      guard try state.zone.contentID({ try file.read(into: $0) }) != content.id else {
        return false
      }
      let found = try root.openFile(path)
      try state.zone.readContent(content) { try Self.findOthers(than: $0, in: found) }
      return true
    } catch is HasOthers {
      return false
    } catch let error as FolderError where error.code != .tooMany {
      // It is read again right after this, and then its trouble is told.
      return false
    } catch let error as CloudError where !error.isWorthRetrying {
      // The zone's version can't be had: what stands here is the only one.
      return false
    }
  }

  /// Bytes that no loss explains; no more of the content is read then.
  private struct HasOthers: Error {}

  /// Compares the next bytes of a file with those that should be there, or zeros.
  private static func findOthers(than whole: UnsafeRawBufferPointer, in file: Descriptor) throws {
    var at = 0
    while at < whole.count {
      let bytes = try file.read(upTo: min(1 << 16, whole.count - at), as: "read the file")
      guard !bytes.isEmpty else { throw HasOthers() }
      for (offset, byte) in bytes.enumerated() where byte != 0 && byte != whole[at + offset] {
        throw HasOthers()
      }
      at += bytes.count
    }
  }

  private func hasOnlyZeros(_ row: NodeRow, _ path: [FileNameBytes]) throws -> Bool {
    guard let root = state.root else { return false }
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
