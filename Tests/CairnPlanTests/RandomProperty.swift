import CairnPlan
import CairnZone

/// A property of all trees, which `PlannerProgram` checks on many random ones.
struct RandomProperty: Sendable {
  /// The name of the property.
  let sentence: String
  /// A function that draws a case and throws a `Misstep` if the property doesn't hold.
  let check: @Sendable (inout Gardener) throws -> Void

  private init(_ sentence: String, _ check: @escaping @Sendable (inout Gardener) throws -> Void) {
    self.sentence = sentence
    self.check = check
  }

  /// All properties.
  static let all: [RandomProperty] = convergence + mixedRights

  private static let convergence: [RandomProperty] = [
    RandomProperty("two sides always converge and lose nothing") { gardener in
      let start = gardener.correlatedTrees(
        localSteps: 1 + gardener.dice.below(5), remoteSteps: 1 + gardener.dice.below(5))
      var engine = ModelEngine(start)
      try engine.run()
      try Properties.checkEnd(engine, from: start)
      var shuffled = ModelEngine(start)
      try shuffled.run(dirty: { $0.reverse() })
      guard shuffled.trees.localTree.shape == engine.trees.localTree.shape else {
        throw Misstep("the order of the dirty records matters")
      }
    },
    RandomProperty("what only the folder changed ends as the folder has it") { gardener in
      let start = gardener.correlatedTrees(
        localSteps: 1 + gardener.dice.below(8), remoteSteps: 0)
      var engine = ModelEngine(start)
      try engine.run()
      guard engine.trees.remoteTree.shape == start.localTree.shape, engine.conflicts == 0 else {
        throw Misstep("not as the folder has it")
      }
      try Properties.checkEnd(engine, from: start)
    },
    RandomProperty("what only the zone changed ends as the zone has it") { gardener in
      let start = gardener.correlatedTrees(
        localSteps: 0, remoteSteps: 1 + gardener.dice.below(8))
      var engine = ModelEngine(start)
      try engine.run()
      guard engine.trees.localTree.nodes == start.remoteTree.nodes, engine.conflicts == 0,
        engine.rounds <= 1
      else { throw Misstep("not as the zone has it") }
      try Properties.checkEnd(engine, from: start)
    },
    RandomProperty("a machine that stops at any step goes on later") { gardener in
      let start = gardener.correlatedTrees(
        localSteps: gardener.dice.below(6), remoteSteps: 1 + gardener.dice.below(6))
      var engine = ModelEngine(start)
      var dice = gardener.dice
      try engine.run(limit: { $0 < 8 ? dice.below(6) : nil })
      try Properties.checkEnd(engine, from: start)
    },
    RandomProperty("changes that arrive in between don't matter") { gardener in
      let start = gardener.correlatedTrees(
        localSteps: gardener.dice.below(4), remoteSteps: 1 + gardener.dice.below(4))
      var engine = ModelEngine(start)
      for _ in 0..<2 {
        try engine.carryOut(try engine.plan(engine.trees.dirty), limit: gardener.dice.below(6))
        gardener.perturb(&engine.trees.remoteTree, steps: 1, isLocal: false)
      }
      try engine.run()
      guard engine.trees.localTree.nodes == engine.trees.remoteTree.nodes else {
        throw Misstep("not equal")
      }
    },
    RandomProperty("it doesn't matter which records are called dirty") { gardener in
      let start = gardener.correlatedTrees(
        localSteps: 1 + gardener.dice.below(5), remoteSteps: 1 + gardener.dice.below(5))
      var engine = ModelEngine(start)
      var dice = gardener.dice
      try engine.run(maximum: 100, dirty: { $0 = [$0[dice.below($0.count)]] })
      try Properties.checkEnd(engine, from: start)
    },
    RandomProperty("files that can't be read yet hold up only what needs them") { gardener in
      var start = gardener.correlatedTrees(
        localSteps: 1 + gardener.dice.below(5), remoteSteps: gardener.dice.below(5))
      for id in start.localTree.nodes.keys.sorted() where gardener.dice.chance(30) {
        if case .file = start.localTree[id]?.kind { start.localTree[id]?.kind = .file(nil) }
      }
      var engine = ModelEngine(start)
      let plan = try engine.plan(start.dirty)
      for (id, node) in start.localTree.nodes where node.kind == .file(nil) {
        guard plan.deferred[id] != nil || plan.identity.allAdopt,
          plan.folder.allSatisfy({ $0.id != id })
        else { throw Misstep("\(id) was touched") }
      }
      try engine.run()
      try Properties.checkEnd(engine, from: start)
    },
    RandomProperty(
      "without permission to write the zone wins and local versions are rescued"
    ) { gardener in
      var start = gardener.correlatedTrees(
        localSteps: 1 + gardener.dice.below(6), remoteSteps: gardener.dice.below(5))
      start.mayWrite = false
      var engine = ModelEngine(start)
      try engine.run()
      guard engine.trees.localTree.nodes == start.remoteTree.nodes,
        engine.trees.remoteTree.nodes == start.remoteTree.nodes
      else { throw Misstep("the zone didn't win") }
      try Properties.checkEnd(engine, from: start)
    },
    RandomProperty("a lost index costs nothing") { gardener in
      var start = gardener.correlatedTrees(
        localSteps: 0, remoteSteps: gardener.dice.chance(50) ? 0 : gardener.dice.below(5))
      // Only remote edits, or nothing: the local tree is an older one.
      let wasEqual = start.localTree.nodes == start.remoteTree.nodes
      start.localTree = start.localTree.withFreshIDs()
      start.syncedTree = ModelTree()
      var engine = ModelEngine(start)
      try engine.run()
      if wasEqual {
        guard engine.work == 0, engine.conflicts == 0, engine.rounds <= 2 else {
          throw Misstep("work after a lost index")
        }
      }
      guard engine.trees.localTree.nodes == engine.trees.remoteTree.nodes else {
        throw Misstep("not equal")
      }
    },
    RandomProperty("a lost index makes no conflict copy of an older file") { gardener in
      var start = gardener.correlatedTrees(localSteps: 0, remoteSteps: gardener.dice.below(5))
      // A file whose record's place has another file, that left it for elsewhere, is told apart by
      // nobody, nor what stands in a directory that moved or went.
      guard
        start.localTree.nodes.allSatisfy({ id, node in
          guard let remote = start.remoteTree[id] else { return node.kind != .directory }
          return remote.place == node.place
            || node.kind != .directory && start.localTree.names[remote.place] == nil
        })
      else { return }
      start.localTree = start.localTree.withFreshIDs()
      start.syncedTree = ModelTree()
      var engine = ModelEngine(start)
      try engine.run()
      for (_, node) in engine.trees.localTree.nodes {
        guard case .file = node.kind else { continue }
        guard !node.place.name.description.contains("~") else { throw Misstep("\(node)") }
      }
    },
    RandomProperty("some lost agreements cost no bytes") { gardener in
      var start = gardener.correlatedTrees(
        localSteps: gardener.dice.below(5), remoteSteps: gardener.dice.below(5))
      for id in start.syncedTree.nodes.keys.sorted() where gardener.dice.chance(30) {
        start.syncedTree[id] = nil
      }
      var engine = ModelEngine(start)
      try engine.run()
      try Properties.checkEnd(engine, from: start)
    },
  ]

  private static let mixedRights: [RandomProperty] = [
    RandomProperty("own changes go through beside foreign ones") { gardener in
      var start = gardener.correlatedTrees(
        localSteps: 1 + gardener.dice.below(8), remoteSteps: 0)
      MixedRights.giveAway(&start, &gardener.dice)
      var engine = ModelEngine(start)
      try engine.run()
      try MixedRights.checkEnd(engine, from: start)
      try MixedRights.checkOwn(engine, from: start)
    },
    RandomProperty("two sides with mixed rights converge, stopped at any step") { gardener in
      var start = gardener.correlatedTrees(
        localSteps: 1 + gardener.dice.below(6), remoteSteps: gardener.dice.below(6))
      MixedRights.giveAway(&start, &gardener.dice)
      var engine = ModelEngine(start)
      var dice = gardener.dice
      try engine.run(limit: { $0 < 8 && dice.chance(50) ? dice.below(6) : nil })
      try MixedRights.checkEnd(engine, from: start)
    },
  ]
}

extension [IdentityStep] {
  /// A Boolean value that indicates whether there are only adoptions.
  fileprivate var allAdopt: Bool {
    !isEmpty && allSatisfy { if case .adopt = $0 { true } else { false } }
  }
}

extension ModelTree {
  /// The same tree, as a scan without an index sees it.
  func withFreshIDs() -> ModelTree {
    func fresh(_ id: RecordID) -> RecordID {
      let bytes = id.value.bytes
      return id == .root ? id : recordID(1 << 20 | Int(bytes[15]) << 8 | Int(bytes[14]))
    }
    var result = ModelTree()
    for (id, var node) in nodes {
      node.place.parent = fresh(node.place.parent)
      result[fresh(id)] = node
    }
    return result
  }
}
