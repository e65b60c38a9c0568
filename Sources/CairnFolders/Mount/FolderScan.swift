import CairnDiagnostics
import CairnPlan
import CairnZone

/// Scans the folder: all of it, or the parts with hints. Unreadable parts are unknown and are read
/// later; until then no scan counts as complete.
///
/// A scan that finds only new files pauses after each few thousand, so that they are sent before
/// all of a large folder is scanned. Nothing else is concluded from a part of a scan: as soon as it
/// finds a missing, moved or changed file, or anything else is to be done than sending new files,
/// it is completed first.
///
/// It uses these parts of the state: `clock`, `displaced`, `folder`, `held`, `index`,
/// `isReadOnly`, `lastRun`, `notices`, `onDirectories`, `only`, `part`, `path`, `read`,
/// `references`, `report`, `retries`, `root`, `scanQueue`, `scanner`, `settings`, `staging`,
/// `zoneSync`.
struct FolderScan {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Scans what is to be scanned, or the next stretch of a paused scan.
  func look() throws {
    guard let scanner = state.scanner else { return }
    let began = state.clock.now
    state.held.look(at: began)
    try scanning {
      if scanner.isPaused {
        let isWhole = state.scanQueue.needsEverything
        let isOver = try resume(scanner, until: isWhole ? nil : stretch(scanner))
        state.report.disk.scanTook += max(0, state.clock.now - began)
        guard isOver else { return }
      }
      switch state.scanQueue.take(state.clock.now) {
      case .nothing: return
      case .everything: try lookEverywhere(scanner)
      case .some(let hints): try look(at: hints, scanner)
      }
      state.report.disk.scanTook = max(0, state.clock.now - began)
    }
  }

  /// A Boolean value that indicates whether a part of the folder is still to be scanned.
  var isPaused: Bool { state.scanner?.isPaused == true }

  /// Completes a paused scan.
  func complete() throws {
    guard let scanner = state.scanner, scanner.isPaused else { return }
    state.held.look(at: state.clock.now)
    try scanning { _ = try resume(scanner, until: nil) }
  }

  private func scanning(_ body: () throws -> Void) throws {
    do { try body() } catch {
      // Nobody repeats the hints of the failed scan, or the directories that it found on the way.
      state.scanQueue.lookEverywhere()
      throw error
    }
  }

  /// The end of the next stretch; nil if something is to be done that depends on the whole scan.
  private func stretch(_ scanner: Scanner) -> Scanner.Stretch? {
    let mayPause =
      state.only == nil && !state.isReadOnly && !state.lastRun.findsSuspects
      && scanner.journal.isEmpty && state.folder.attached?.isCopy != true
      && !state.references.areThere && state.held.since == nil && state.held.gathering == nil
      && state.zoneSync.refusal == nil && !state.zoneSync.hasChanges
    guard mayPause else { return nil }
    let wasPaused = scanner.isPaused
    return Scanner.Stretch(count: state.settings.stretch) { [state] in
      // After the first stretch, what the zone sends is noted as it comes.
      try wasPaused || state.read { try $0.dirty(limit: 1, side: .remote).isEmpty }
    }
  }

  private func lookEverywhere(_ scanner: Scanner) throws {
    try SelectionKeeper(state).loadRules()
    scanner.ignores.forgetAll()
    state.report.setProblems(state.retries.told)
    if let staging = try state.staging { state.displaced.load(staging, state.clock.now) }
    let order = Scanner.Order(looks: try scanner.everything(), isEverything: true)
    try scan(order, scanner, undoneSince: state.lastRun.undoneSince(late: false))
  }

  private func look(at hints: ScanQueue.Hints, _ scanner: Scanner) throws {
    let looks = try looks(at: hints, scanner)
    let isLate = !hints.late.isEmpty
    try scan(
      Scanner.Order(looks: looks), scanner,
      undoneSince: isLate ? state.lastRun.undoneSince(late: true) : nil)
    if isLate { try CrashDamage(state).findSuspects(below: hints.late) }
  }

  private func looks(at hints: ScanQueue.Hints, _ scanner: Scanner) throws -> [Look] {
    // A writer may have closed its file: changes that wait for that are tried again at once.
    state.retries.hurry(.busy)
    if hints.entries.contains(where: { $0.path == LocalRules.fileName }) {
      try SelectionKeeper(state).loadRules()
    }
    scanner.ignores.forget(hints.entries.map(\.path))
    noteRemovals(hints.entries)
    var looks = Set(try scanner.looks(at: hints.entries))
    for path in Self.tops(of: Set(hints.trees.map(\.path))) {
      looks.formUnion(try scanner.lists(at: path))
    }
    looks.formUnion(try scanner.lists(of: hints.trees))
    for path in hints.renamed { looks.formUnion(try scanner.everything(below: path)) }
    return Array(looks)
  }

  /// Makes deletions wait longer while unmirrored names are deleted: the removal of the whole
  /// folder may have reached an ignored directory. The last names show that.
  private func noteRemovals(_ hints: [FolderHint]) {
    guard state.held.gathering != nil, let root = state.root else { return }
    for hint in hints.suffix(8) {
      let names = hint.path.split(separator: UInt8(ascii: "/")).map { Array($0) }
      guard let name = names.last else { continue }
      do throws(FolderError) {
        let isThere = try FileStat.at(root.openDirectory(names.dropLast()), name) != nil
        if isThere { continue }
      } catch {
        guard error.code == .notFound else { continue }
      }
      return state.held.sawOther(at: state.held.lastLook)
    }
  }

  /// Returns the paths without those below another one.
  private static func tops(of paths: Set<[UInt8]>) -> [[UInt8]] {
    var tops: [[UInt8]] = []
    // As text with a separator at the end, the entries below a path follow it directly.
    let separator = UInt8(ascii: "/")
    for path in paths.map({ $0.isEmpty ? [] : $0 + [separator] })
      .sorted(by: { $0.lexicographicallyPrecedes($1) })
    where tops.last.map({ path.starts(with: $0) }) != true {
      tops.append(path)
    }
    return tops.map { $0.dropLast() }
  }

  private func scan(_ order: Scanner.Order, _ scanner: Scanner, undoneSince: Int64?) throws {
    guard !order.looks.isEmpty else { return }
    state.retries.mayShowOther = true
    state.held.mayHaveChanged()
    let troubled = Set(state.report.problems.keys)
    if state.references.areThere { try NestedShareUpkeep(state).noteFiles() }
    if scanner.only != nil {
      // The mount that holds a reference to the file decides: the file may only have been moved.
      let isNested = try state.index.holdsReference(to: state.part)
      scanner.single.takesDeletion = !isNested
      scanner.single.isRewritten =
        isNested ? { [state] in state.index.neighbours.isDecided(state.part, is: $0) } : nil
    }
    state.zoneSync.hasChanges = false
    let found = try telling { onWave in
      try scanner.scan(
        order, troubled: troubled, undoneSince: undoneSince, stretch: stretch(scanner),
        onWave: onWave)
    }
    if let found { try end(found, order, scanner) } else { state.held.sawGrowth() }
  }

  /// Continues the paused scan, beginning with the hints that came meanwhile.
  /// - Returns: False if it paused again.
  private func resume(_ scanner: Scanner, until stretch: Scanner.Stretch?) throws -> Bool {
    guard var order = scanner.order else { return true }
    state.retries.mayShowOther = true
    state.held.mayHaveChanged()
    let looks = try looks(at: state.scanQueue.takeHints(), scanner)
    order.looks += looks
    let found = try telling { onWave in
      try scanner.resume(adding: looks, stretch: stretch, onWave: onWave)
    }
    guard let found else { return false }
    try end(found, order, scanner)
    return true
  }

  /// Calls `body` with a function that tells people and the watch program what a scan sees.
  private func telling<Result>(
    _ body: ((Int, [FolderHint]) -> Void) throws -> Result
  ) throws -> Result {
    let board = state.report.board
    board.change { $0.looked = 0 }
    defer { board.change { $0.looked = nil } }
    return try body { (count, directories) in
      board.change { $0.looked = Int64(count) }
      if !directories.isEmpty { state.onDirectories(directories) }
    }
  }

  /// Notes the findings of a complete scan.
  private func end(
    _ found: Scanner.Report, _ order: Scanner.Order, _ scanner: Scanner
  ) throws {
    try note(found, after: order.looks)
    guard order.isEverything else { return }
    try CrashDamage(state).findSuspects()
    state.lastRun.hasLooked = true
    state.references.looks += 1
    try RootCheck(state).takeCopy(without: found.unreadable)
  }

  private func note(_ found: Scanner.Report, after looks: [Look]) throws {
    Diagnostics.scan.debug(
      "scanned",
      [
        .value("zone", state.part.zone), .value("scans", looks.count),
        .value("problems", found.problems.count), .value("unread", found.unread.count),
        .name("path", String(decoding: state.path, as: UTF8.self)),
      ])
    state.notices.mayHaveBytes()
    state.notices.scanned(ignoredChanged: found.ignoredChanged)
    if found.madeNew { state.held.sawGrowth() }
    state.scanQueue.postpone(found.unread, state.clock.now)
    if found.isUnjudged { state.references.owner?.askOuter(of: state.part) }
    // Another scan of a path that can't be sent or received solves nothing.
    let told = found.revisited.isEmpty ? [:] : state.retries.told
    for path in found.revisited.subtracting(found.problems.map(\.path)) {
      if let problem = told[path] {
        state.report.add([problem])
      } else {
        state.report.clearProblem(at: path)
      }
    }
    state.retries.hurry(at: found.revisited)
    // Entries at the place of another one are reported together with that.
    state.report.add(found.problems.filter { told[$0.path] == nil })
    if found.movedDirectories && state.references.areThere || found.strangers {
      state.references.areDue = true
    } else if try NestedShareUpkeep(state).isFileGone(after: looks) {
      state.references.areDue = true
    }
  }
}
