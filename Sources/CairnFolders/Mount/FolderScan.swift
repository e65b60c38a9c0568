import CairnDiagnostics
import CairnPlan
import CairnZone

/// Scans the folder: all of it, or the parts with hints. Unreadable parts are unknown and are read
/// later; until then no scan counts as complete.
///
/// It uses these parts of the state: `clock`, `displaced`, `held`, `index`, `lastRun`, `notices`,
/// `onDirectories`, `part`, `path`, `references`, `report`, `retries`, `root`, `scanQueue`,
/// `scanner`, `staging`.
struct FolderScan {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  func look() throws {
    guard let scanner = state.scanner else { return }
    let began = state.clock.now
    state.held.look(at: began)
    do {
      switch state.scanQueue.take(state.clock.now) {
      case .nothing: return
      case .everything: try lookEverywhere(scanner)
      case .some(let hints): try look(at: hints, scanner)
      }
      state.report.disk.scanTook = max(0, state.clock.now - began)
    } catch {
      // Nobody repeats the hints of the failed scan, or the directories that it found on the way.
      state.scanQueue.lookEverywhere()
      throw error
    }
  }

  private func lookEverywhere(_ scanner: Scanner) throws {
    try SelectionKeeper(state).loadRules()
    scanner.ignores.forgetAll()
    state.report.setProblems(state.retries.told)
    if let staging = try state.staging { state.displaced.load(staging, state.clock.now) }
    let unreadable = try scan(
      scanner.everything(), scanner, undoneSince: state.lastRun.undoneSince(late: false))
    try CrashDamage(state).findSuspects()
    state.lastRun.hasLooked = true
    state.references.looks += 1
    try RootCheck(state).takeCopy(without: unreadable)
  }

  private func look(at hints: ScanQueue.Hints, _ scanner: Scanner) throws {
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
    let isLate = !hints.late.isEmpty
    try scan(
      Array(looks), scanner, undoneSince: isLate ? state.lastRun.undoneSince(late: true) : nil)
    if isLate { try CrashDamage(state).findSuspects(below: hints.late) }
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

  /// - Returns: The directories that couldn't be read.
  @discardableResult
  private func scan(
    _ looks: [Look], _ scanner: Scanner, undoneSince: Int64?
  ) throws -> Set<[UInt8]> {
    guard !looks.isEmpty else { return [] }
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
    let board = state.report.board
    board.change { $0.looked = 0 }
    defer { board.change { $0.looked = nil } }
    let found = try scanner.scan(looks, troubled: troubled, undoneSince: undoneSince) {
      (count, directories) in
      board.change { $0.looked = Int64(count) }
      if !directories.isEmpty { state.onDirectories(directories) }
    }
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
    return found.unreadable
  }
}
