import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone

/// Handles files that were damaged when the machine stopped: they aren't taken for edits. The
/// zone's version replaces them, and their remains go to the rescue folder; so do files that came
/// back by the stop. They are checked here; `Planner` decides.
///
/// It uses these parts of the state: `clock`, `disk`, `folder`, `identity`, `lastRun`, `read`,
/// `retries`, `root`, `scanQueue`, `scope`, `settings`, `transfers`, `write`, `writeDurably`,
/// `zone`.
struct CrashDamage {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Determines how the last run ended, and writes down that another one starts: files that it
  /// reads may not be on the disk if the machine stops.
  func takeUpRun() throws {
    let last = try state.read { try RunNotes($0).lastRun }
    // The folder was mirrored before, but the index doesn't know since when.
    let isForgotten = state.folder.attached?.startsAfter == 0
    state.lastRun = LastRun(last, now: name, isForgotten: isForgotten)
    let noted = try state.read { try RunNotes($0).calendar }
    state.lastRun.calendar = try calendar(after: last, noted)
    let boot = state.lastRun.stop == .none ? state.lastRun.name : last.boot
    let calendar = state.lastRun.calendar
    if let boot, last.isClean || last.boot != boot || noted != (calendar.offset, calendar.doubted) {
      try state.writeDurably { tree in
        try RunNotes(tree).setRun(boot, isClean: false)
        try RunNotes(tree).setCalendar(calendar)
      }
    }
    guard state.lastRun.stop.mayHaveOldIndex else { return }
    // The cut took the last seconds of the folder or of the index: until everything was compared
    // again, a difference need not be a person's change.
    let wasCompared = state.folder.attached?.isCompared == true
    state.folder.note { $0.isCompared = false }
    let isFolderWhole = state.lastRun.stop == .indexCut
    let (seen, recent) = try state.write { tree in
      try tree.setCompared(false)
      let recent =
        isFolderWhole ? nil : try tree.forgetRecentContents(doubted: calendar.doubted)
      return (try tree.seen, recent)
    }
    state.lastRun.doubtNames(since: recent)
    state.lastRun.remember(through: seen, wasCompared: wasCompared)
  }

  /// Returns the calendar at the start of this run.
  private func calendar(
    after last: (boot: String?, isClean: Bool), _ noted: (offset: Int64?, doubted: Int64?)
  ) throws -> CalendarWatch {
    let (now, date) = (state.clock.now, state.clock.date)
    let newest = try state.read { try $0.newestChange }
    // The folder has times in the future: the calendar went back, and new inodes may not be the
    // newest.
    let isBehind = newest.map { $0 > date } ?? false
    let end = isBehind ? .max : now + CalendarWatch.unwritten
    if state.lastRun.name == last.boot {
      return CalendarWatch(
        offset: noted.offset ?? date - now, present: noted.doubted, until: end)
    }
    // The monotonic clock has restarted, and the calendar may have been set before this run.
    return CalendarWatch(
      offset: date - now, present: min(newest ?? .min, date - now), until: end,
      former: last.isClean ? nil : noted.doubted)
  }

  /// Writes down a change of the calendar before the index has later data.
  func noteCalendar() throws {
    var calendar = state.lastRun.calendar
    guard state.root != nil, calendar.look(now: state.clock.now, date: state.clock.date)
    else { return }
    try state.writeDurably { try RunNotes($0).setCalendar(calendar) }
    // If that failed, it must still be written down.
    state.lastRun.calendar = calendar
  }

  /// The name of the present run. If a disk was unplugged, or its file system failed after an
  /// error, a later mount counts as one after a power cut, although the machine continued.
  private var name: String? {
    guard let boot = state.settings.boot, let device = state.identity?.device else { return nil }
    return RunName.text(boot, state.disk.mounting(of: device))
  }

  /// Notes the changed files that the first scan after a stop of the machine found. Later writes to
  /// these files are noticed, and no damage. Directories that were unreadable then are scanned
  /// late.
  func findSuspects(below late: Set<[UInt8]> = [[]]) throws {
    guard state.lastRun.findsSuspects else { return }
    let rows = try state.read { tree in
      // A cut may have taken the newest rows: then only the zone knows the agreed state.
      try tree.unreadFiles(withNew: state.lastRun.stop.mayHaveCut).filter { row in
        guard let path = try tree.path(of: row.id).map({ joined($0) }) else { return false }
        return late.contains { $0.isEmpty || path.starts(with: $0 + [UInt8(ascii: "/")]) }
      }
    }
    state.lastRun.suspect(rows)
  }

  /// Records this run once there are no suspects: a second stop must find them again.
  func noteRun() throws {
    try clearOthers()
    if state.lastRun.mayNoteNext, state.scanQueue.unread.isQuiet, !state.scanQueue.needsEverything,
      let name = state.lastRun.name
    {
      state.lastRun.calendar.settle()
      try state.writeDurably { tree in
        try RunNotes(tree).setRun(name, isClean: false)
        try RunNotes(tree).setCalendar(state.lastRun.calendar)
      }
      state.lastRun.noteNext()
    }
    guard state.lastRun.isNextNoted else { return }
    // A step that still waits may remove a file that came back by the stop.
    if !state.retries.isWaiting { state.lastRun.forgetStop() }
  }

  /// Removes the damaged files that somebody wrote or removed since the first scan.
  private func clearOthers() throws {
    let files = state.lastRun.suspects.merging(state.lastRun.damaged.mapValues(\.local)) { $1 }
    guard !files.isEmpty else { return }
    let others = try state.read { tree in
      try files.filter { try tree.node($0.key)?.local?.isSameVersion(as: $0.value) != true }
    }
    for id in others.keys { state.lastRun.clear(id) }
  }

  /// Writes down that this run ended properly: everything that was read is on the disk. The engine
  /// isn't used any more.
  func close() throws {
    state.transfers.cancelAll()
    guard state.lastRun.isNextNoted, let root = state.root else { return }
    try FolderSteps(state).finishPortion()
    if state.lastRun.hasRead { try root.syncFileSystem() }
    try forgetAccess()
    try state.writeDurably { try RunNotes($0).setRun(state.lastRun.name, isClean: true) }
  }

  /// Forgets the former access rights of files that can't return: neither the folder, the zone, nor
  /// the zone's history has their records. While the log isn't read to its end, that is unknown.
  private func forgetAccess() throws {
    guard state.zone.isReadThrough, state.zone.mayRead else { return }
    let ids = try state.read { tree in
      try tree.rememberedAccess().filter { try tree.node($0) == nil }
    }
    guard !ids.isEmpty else { return }
    let gone = try state.zone.read { view in
      try ids.filter { try view.record($0) == nil && view.versions(of: $0, limit: 1).isEmpty }
    }
    guard !gone.isEmpty else { return }
    try state.write { tree in for id in gone { try tree.forgetAccess(of: id) } }
  }

  /// Checks a changed file that the stop may have damaged.
  /// - Returns: True if it did. Then it isn't read: the planner has it set aside.
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
      // It may rightly consist of zeros.
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

  /// Returns the intended content of a changed file: the agreed one, or the zone's if a power cut
  /// took the newest rows of the index, or the index is lost. For a moved file, too: it may have
  /// been set aside. Nil if there is none, or if it is another device's and no cut is known: then
  /// both stay anyway.
  private func whole(
    _ row: NodeRow, _ local: NodeRow.Local, _ path: [FileNameBytes]
  ) throws -> (content: Content, agreed: ContentID, modified: Int64)? {
    try state.zone.read { view in
      let records = ScopedRecords(view, state.scope)
      let stop = state.lastRun.stop
      // Others may have deleted that record since, and this device may have created another one in
      // its place whose row the index lost.
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

  /// Returns the reason that a damaged file is moved to the rescue folder.
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

  /// The reason that a file that returned is moved to the rescue folder.
  static let reasonForReturn =
    "it was deleted or overwritten in this folder right before the machine stopped, or moved, and "
    + "was there again afterwards"

  /// Returns whether some bytes of the content are replaced by zeros, and nothing else differs.
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
      // It is read again right after this, and then its problem is reported.
      return false
    } catch let error as CloudError where !error.isWorthRetrying {
      // The zone's version is unavailable: the file here is the only one.
      return false
    }
  }

  /// Bytes that no loss explains; the rest of the content isn't read then.
  private struct HasOthers: Error {}

  /// Compares the next bytes of a file with the intended ones, or zeros.
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
      // It is read again right after this, and then its problem is reported.
      guard error.code != .tooMany else { throw error }
      return false
    }
  }
}
