import CairnPlan
import CairnZone

/// The properties of trees while the bytes of some records are on their way.
enum FetchedRecords {
  /// Throws a `Misstep` if something comes without its bytes, or is lost.
  /// - Returns: 1 if something waited for its bytes.
  static func check(_ start: ModelTrees, _ fetched: Set<RecordID>) throws -> Int {
    var engine = ModelEngine(start)
    engine.trees.fetched = fetched
    var hasWaited = 0
    for round in 0... {
      guard round < 20 else { throw Misstep("no end while bytes are on their way") }
      let plan = try engine.plan(engine.trees.dirty)
      for step in plan.folder where fetched.contains(step.id) {
        guard !step.needsBytes else { throw Misstep("\(step) comes too early") }
      }
      for (id, deferral) in plan.deferred where deferral == .unfetched {
        guard fetched.contains(id) else { throw Misstep("\(id) waits for nothing") }
        hasWaited = 1
      }
      if plan.isEmpty { break }
      try engine.carryOut(plan)
    }
    engine.trees.fetched = []
    try engine.run()
    try Properties.checkEnd(engine, from: start)
    return hasWaited
  }
}

extension FolderStep {
  /// A Boolean value that indicates whether the step puts the bytes of a file into the folder.
  fileprivate var needsBytes: Bool {
    switch self {
    case .install(_, let node): if case .file = node.kind { true } else { false }
    case .replace(_, let old, let new):
      if case .file = new.kind { old.kind != new.kind } else { false }
    default: false
    }
  }
}
