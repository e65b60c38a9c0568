import BenchFigures
import Testing

/// Runs become one outcome, which is judged on an idle machine only.
@Suite struct OutcomeTests {
  private let idle = Load(foreign: 0.01, pressure: 0)
  private let busy = Load(foreign: 0.37, pressure: 0)

  private func outcome(_ figures: [Figure], _ load: Load) throws -> Outcome {
    let all = Outcome.merge(figures.map { [$0] }, loads: figures.map { _ in load })
    return try #require(all.first)
  }

  @Test func `the ratio is the median of each run's ratio, and not that of the medians`() throws {
    let runs = [(10.0, 10.0), (30, 10), (22, 20)].map {
      Figure("drop", "ms", $0.0, bare: $0.1, bar: 1.5)
    }
    let found = try outcome(runs, idle)
    #expect(found.cairn == Spread(median: 22, least: 10, most: 30))
    #expect(found.bare == Spread(median: 10, least: 10, most: 20))
    #expect(found.ratio == Spread(median: 1.1, least: 1, most: 3))
    #expect(found.verdict == .met)
  }

  @Test func `a goal is missed above the ratio, the amount, or below the rate`() throws {
    #expect(try outcome([Figure("a", "s", 14, bare: 10, bar: 1.3)], idle).verdict == .missed)
    #expect(try outcome([Figure("a", "s", 13, bare: 10, bar: 1.3)], idle).verdict == .met)
    #expect(try outcome([Figure("a", "s", 2.1, bare: 9, most: 2)], idle).verdict == .missed)
    #expect(try outcome([Figure("a", "MiB", 151, bar: 150)], idle).verdict == .missed)
    #expect(try outcome([Figure(rate: "a", "/s", [9], least: 10)], idle).verdict == .missed)
    #expect(try outcome([Figure(rate: "a", "/s", [11], least: 10)], idle).verdict == .met)
    #expect(try outcome([Figure("a", "s", 100, bare: 1)], idle).verdict == .none)
  }

  @Test func `a ratio without a number meets no goal`() throws {
    #expect(try outcome([Figure("a", "s", 0, bare: 0, bar: 1.3)], idle).verdict == .missed)
  }

  @Test func `nothing is judged on a busy machine, whatever the numbers are`() throws {
    let slow = try outcome([Figure("a", "s", 14, bare: 10, bar: 1.3)], busy)
    let fast = try outcome([Figure("a", "s", 10, bare: 10, bar: 1.3)], busy)
    #expect(slow.verdict == .notJudged("37 % foreign load"))
    #expect(fast.verdict == .notJudged("37 % foreign load"))
  }

  @Test func `one busy run among idle ones is enough`() throws {
    let runs = [Figure("a", "s", 1, bar: 2), Figure("a", "s", 1, bar: 2)]
    let found = Outcome.merge(runs.map { [$0] }, loads: [busy, idle])
    #expect(found.map(\.verdict) == [.notJudged("37 % foreign load")])
  }

  @Test func `waiting for a disk before the run counts as foreign work`() throws {
    let load = Load(foreign: 0, pressure: 0.2)
    #expect(
      try outcome([Figure("a", "s", 1, bar: 2)], load).verdict
        == .notJudged("others waited for a disk for 20 % of the time"))
  }

  @Test func `figures of one name are told apart by the figure that they belong to`() {
    let run = [
      Figure("tree", "s", 1), Figure("  processor time", "s", 2),
      Figure("big", "s", 3), Figure("  processor time", "s", 4),
    ]
    let found = Outcome.merge([run, run], loads: [idle, idle])
    #expect(
      found.map(\.name) == ["tree", "tree: processor time", "big", "big: processor time"])
    #expect(found.map(\.label) == run.map(\.name))
    #expect(found.map(\.cairn.median) == [1, 2, 3, 4])
  }

  @Test func `only many samples have a 99th percentile`() throws {
    let many = (1...100).map { Double($0) }
    #expect(try outcome([Figure("a", "ms", many, bare: many)], idle).tail == 99.01)
    #expect(try outcome([Figure("a", "ms", many, bare: many)], idle).bareTail == 99.01)
    #expect(try outcome([Figure("a", "ms", [1, 2, 3], bare: nil)], idle).tail == nil)
    #expect(try outcome([Figure("a", "ms", many, bare: nil, at: 0.99)], idle).tail == nil)
  }

  @Test func `costs are medians, and what was not measured stays unknown`() throws {
    let costs = [3.0, 1, 2].map { number in
      var cost = Cost()
      cost.processor = number
      cost.written = [number, number * 10]
      return cost
    }
    let found = try outcome(costs.map { Figure("a", "s", 1).costing($0, bare: 4) }, idle).cost
    #expect(found.processor == 2)
    #expect(found.written == [2, 20])
    #expect(found.bareProcessor == 4)
    #expect(found.stored == nil)
    #expect(found.calls == nil)
  }

  @Test func `system calls come from another run of the same figures`() {
    var cost = Cost()
    cost.calls = 70
    let traced = [Figure("a", "s", 9).costing(cost), Figure("other", "s", 9).costing(cost)]
    let counted = Figure.counted([Figure("a", "s", 1), Figure("b", "s", 1)], by: traced)
    #expect(counted.map(\.cost.calls) == [70, nil])
    #expect(counted.map(\.value) == [1, 1])
  }
}
