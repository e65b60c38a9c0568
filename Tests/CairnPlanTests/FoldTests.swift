import CairnPlan
import CairnZone
import Testing

/// The planner's groups, judged by the zone's own rules instead of the model's.
@Suite struct FoldTests {
  private struct Log {
    private let user: UserID
    private let device: DeviceID
    private(set) var zone: MemoryZone

    init() throws {
      let id = contentID(7).bytes
      user = UserID(try #require(Bytes32(id)))
      device = DeviceID(Bytes16(high: 1, low: 1))
      zone = MemoryZone(zone: ZoneID(try #require(Bytes32(id))))
      try append([], genesis: Genesis(owner: user, name: "test"))
    }

    mutating func append(_ records: [RecordChange], genesis: Genesis? = nil) throws {
      let commit = Commit(
        previous: zone.header.head, author: Author(user: user, device: device), time: 0,
        genesis: genesis, epoch: max(1, zone.header.epoch), records: records,
        keys: genesis.map { [$0.owner: $0.owner.value] } ?? [:])
      let sequence = zone.header.sequence + 1
      let digest = try #require(Bytes32(contentID(Int(sequence)).bytes))
      let verdict = zone.fold(commit, at: sequence, digest: digest)
      if case .refused(let refusal) = verdict { throw Misstep("\(refusal) \(records)") }
    }
  }

  private func change(_ change: ZoneChange) -> RecordChange {
    RecordChange(
      id: change.id, act: change.act, place: change.place,
      content: change.content.map { Content(id: $0, size: 0, chunks: []) },
      target: change.target, attributes: change.attributes)
  }

  @Test func `the replay accepts each group as a commit of its own`() throws {
    for seed in 0..<500 {
      var gardener = Gardener(seed: UInt64(seed) << 20)
      let start = gardener.correlatedTrees(
        localSteps: 1 + gardener.dice.below(8), remoteSteps: gardener.dice.below(4))
      var log = try Log()
      // The planner itself fills the zone with the remote tree.
      var first = ModelTrees()
      first.localTree = start.remoteTree
      var filler = ModelEngine(first)
      for group in try filler.plan(first.dirty).zone { try log.append(group.map(change)) }

      var engine = ModelEngine(start)
      while !engine.trees.dirty.isEmpty {
        let plan = try engine.plan(engine.trees.dirty)
        for group in plan.zone { try log.append(group.map(change)) }
        try engine.carryOut(plan)
      }
      var places = log.zone.records.compactMapValues(\.place)
      places[.root] = nil
      #expect(places == engine.trees.remoteTree.nodes.mapValues(\.place))
    }
  }
}
