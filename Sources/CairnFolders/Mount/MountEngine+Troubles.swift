import CairnPlan
import CairnZone

/// What people are told of records that can't be sent or received now, until they can, or needn't
/// be any more.
extension MountEngine {
  /// What is told of such records, by path.
  var told: [[UInt8]: Problem] {
    Dictionary(troubles.values.map { ($0.path, $0) }) { first, _ in first }
  }

  /// Tells of a record that has to wait; what was told of it before, under another path perhaps,
  /// counts no more.
  func tell(_ problem: Problem, of id: RecordID) {
    if let before = troubles[id], before.path != problem.path { solve(id) }
    troubles[id] = problem
    report.add([problem])
  }

  /// What was told of a record is over.
  func solve(_ id: RecordID) {
    guard let problem = troubles.removeValue(forKey: id),
      report.problems[problem.path] == problem
    else { return }
    // All that stands nowhere in the folder is told of under its root.
    if problem.path.isEmpty, let other = troubles.values.first(where: { $0.path.isEmpty }) {
      report.add([other])
    } else {
      report.clearProblem(at: problem.path)
    }
  }

  /// Somebody did something to files that couldn't be read: they may be readable now, or gone.
  func retryReading(at paths: Set<[UInt8]>) {
    guard !paths.isEmpty else { return }
    for (id, problem) in troubles
    where deferrals[id]?.reason == .unreadable && paths.contains(problem.path) {
      deferrals[id]?.until = 0
    }
  }

  /// A record comes in order without the step that failed, too: somebody deletes it, say.
  func solveNeedless() throws {
    let candidates = troubles.keys.filter { deferrals[$0] == nil }
    guard !candidates.isEmpty else { return }
    let needless = try index.read(mount) { tree in try candidates.filter { try !tree.isDirty($0) } }
    for id in needless { solve(id) }
  }
}
