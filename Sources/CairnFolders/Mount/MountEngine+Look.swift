import CairnCloud
import CairnPlan
import CairnZone

/// Looks at the folder: at all of it, or at what somebody gave a hint about. What can't be read now
/// is unknown, and read later; until then nothing counts as looked at as a whole.
extension MountEngine {
  func look() throws {
    guard let scanner else { return }
    let late = unread.takeDue(clock.now)
    listHints.formUnion(late.map { FolderHint($0) })
    if needsFullScan {
      unread = Unread()
      scanner.ignores.forgetAll()
      hints = []
      ownMoves = []
      listHints = []
      report.setProblems(told)
      if let staging { kept.load(staging, clock.now) }
      let unreadable = try scan(scanner.everything())
      needsFullScan = false
      try findSuspects()
      try takeCopy(without: unreadable)
      return
    }
    guard !hints.isEmpty || !listHints.isEmpty || !ownMoves.isEmpty else { return }
    // A writer may have closed its file: what waits for that is tried again at once.
    for (id, deferral) in deferrals where deferral.reason == .busy { deferrals[id]?.until = 0 }
    let changed = hints
    let lists = listHints
    let moves = ownMoves
    ownMoves = []
    hints = []
    listHints = []
    scanner.ignores.forget(changed.map(\.path))
    var looks = Set(try scanner.looks(at: changed))
    for path in Self.tops(of: Set(lists.map(\.path))) {
      looks.formUnion(try scanner.lists(at: path))
    }
    looks.formUnion(try scanner.lists(of: lists))
    for path in moves { looks.formUnion(try scanner.everything(below: path)) }
    try scan(Array(looks))
    if !late.isEmpty { try findSuspects(below: late) }
  }

  /// The paths without those below another one.
  private static func tops(of paths: Set<[UInt8]>) -> [[UInt8]] {
    var tops: [[UInt8]] = []
    // As text, with a separator at its end, what is below a path follows it at once.
    let separator = UInt8(ascii: "/")
    for path in paths.map({ $0.isEmpty ? [] : $0 + [separator] })
      .sorted(by: { $0.lexicographicallyPrecedes($1) })
    where tops.last.map({ path.starts(with: $0) }) != true {
      tops.append(path)
    }
    return tops.map { $0.dropLast() }
  }

  /// - Returns: the directories that couldn't be read.
  @discardableResult
  private func scan(_ looks: [Look]) throws -> Set<[UInt8]> {
    guard let scanner, !looks.isEmpty else { return [] }
    didLook = true
    isHeldStale = true
    let troubled = Set(report.problems.keys)
    let found: Scanner.Report
    do {
      found = try scanner.scan(looks, troubled: troubled) { [report] in
        report.progress.looked = $0
      }
    } catch {
      // What was to be looked at, and what turned up on the way, nobody will say again.
      needsFullScan = true
      throw error
    }
    unread.postpone(found.unread, clock.now)
    // Another look at what can't be sent or received solves nothing.
    let told = found.revisited.isEmpty ? [:] : self.told
    for path in found.revisited.subtracting(found.problems.map(\.path)) {
      if let problem = told[path] { report.add([problem]) } else { report.clearProblem(at: path) }
    }
    retryReading(at: found.revisited)
    report.add(found.problems)
    if found.movedDirectories && hasReferences || found.strangers { needsReferences = true }
    return found.unreadable
  }
}
