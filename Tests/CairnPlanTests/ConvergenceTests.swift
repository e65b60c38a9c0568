import CairnPlan
import CairnZone
import Testing

/// Properties of all trees, checked on many random ones.
@Suite struct ConvergenceTests {
  /// The number of random cases for each property.
  static let cases: UInt64 = 12_000

  /// Returns the first case that broke the property, with its seed.
  private func failure(
    cases: UInt64 = cases, _ body: (inout Gardener) throws -> Void
  ) -> String? {
    for seed in 0..<cases {
      var gardener = Gardener(seed: seed)
      do { try body(&gardener) } catch { return "seed \(seed): \(error)" }
    }
    return nil
  }

  @Test func `two sides always converge and lose nothing`() {
    let failure = failure { gardener in
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
    }
    #expect(failure == nil)
  }

  @Test func `what only the folder changed ends as the folder has it`() {
    let failure = failure { gardener in
      let start = gardener.correlatedTrees(
        localSteps: 1 + gardener.dice.below(8), remoteSteps: 0)
      var engine = ModelEngine(start)
      try engine.run()
      guard engine.trees.remoteTree.shape == start.localTree.shape, engine.conflicts == 0 else {
        throw Misstep("not as the folder has it")
      }
      try Properties.checkEnd(engine, from: start)
    }
    #expect(failure == nil)
  }

  @Test func `what only the zone changed ends as the zone has it`() {
    let failure = failure { gardener in
      let start = gardener.correlatedTrees(
        localSteps: 0, remoteSteps: 1 + gardener.dice.below(8))
      var engine = ModelEngine(start)
      try engine.run()
      guard engine.trees.localTree.nodes == start.remoteTree.nodes, engine.conflicts == 0,
        engine.rounds <= 1
      else { throw Misstep("not as the zone has it") }
      try Properties.checkEnd(engine, from: start)
    }
    #expect(failure == nil)
  }

  @Test func `a machine that stops at any step goes on later`() {
    let failure = failure { gardener in
      let start = gardener.correlatedTrees(
        localSteps: gardener.dice.below(6), remoteSteps: 1 + gardener.dice.below(6))
      var engine = ModelEngine(start)
      var dice = gardener.dice
      try engine.run(limit: { $0 < 8 ? dice.below(6) : nil })
      try Properties.checkEnd(engine, from: start)
    }
    #expect(failure == nil)
  }

  @Test func `changes that arrive in between don't matter`() {
    let failure = failure { gardener in
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
    }
    #expect(failure == nil)
  }

  @Test func `it doesn't matter which records are called dirty`() {
    let failure = failure { gardener in
      let start = gardener.correlatedTrees(
        localSteps: 1 + gardener.dice.below(5), remoteSteps: 1 + gardener.dice.below(5))
      var engine = ModelEngine(start)
      var dice = gardener.dice
      try engine.run(maximum: 100, dirty: { $0 = [$0[dice.below($0.count)]] })
      try Properties.checkEnd(engine, from: start)
    }
    #expect(failure == nil)
  }

  @Test func `files that can't be read yet hold up only what needs them`() {
    let failure = failure { gardener in
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
    }
    #expect(failure == nil)
  }

  @Test func `without permission to write the zone wins and local versions are rescued`() {
    let failure = failure { gardener in
      var start = gardener.correlatedTrees(
        localSteps: 1 + gardener.dice.below(6), remoteSteps: gardener.dice.below(5))
      start.mayWrite = false
      var engine = ModelEngine(start)
      try engine.run()
      guard engine.trees.localTree.nodes == start.remoteTree.nodes,
        engine.trees.remoteTree.nodes == start.remoteTree.nodes
      else { throw Misstep("the zone didn't win") }
      try Properties.checkEnd(engine, from: start)
    }
    #expect(failure == nil)
  }

  @Test func `a lost index costs nothing`() {
    let failure = failure { gardener in
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
    }
    #expect(failure == nil)
  }

  @Test func `a lost index makes no conflict copy of an older file`() {
    let failure = failure { gardener in
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
    }
    #expect(failure == nil)
  }

  @Test func `some lost agreements cost no bytes`() {
    let failure = failure { gardener in
      var start = gardener.correlatedTrees(
        localSteps: gardener.dice.below(5), remoteSteps: gardener.dice.below(5))
      for id in start.syncedTree.nodes.keys.sorted() where gardener.dice.chance(30) {
        start.syncedTree[id] = nil
      }
      var engine = ModelEngine(start)
      try engine.run()
      try Properties.checkEnd(engine, from: start)
    }
    #expect(failure == nil)
  }
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
