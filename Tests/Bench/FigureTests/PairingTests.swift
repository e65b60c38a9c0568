import BenchFigures
import Testing

/// Two revisions that were measured in turns.
@Suite struct PairingTests {
  private let idle = [Load(foreign: 0, pressure: nil)]

  private func pair(
    _ old: [Double], _ new: [Double], loads: [Load]? = nil
  ) -> Pairing? {
    Pairing.pair(
      old.map { [Figure("drop", "ms", $0)] }, new.map { [Figure("drop", "ms", $0)] },
      loads: loads ?? idle
    ).first
  }

  @Test func `a slow minute slows both of a pair, and changes nothing`() throws {
    let found = try #require(pair([1, 10, 1], [1.01, 9.9, 1.01]))
    #expect(found.change == .unclear)
    #expect(found.old == Spread(median: 1, least: 1, most: 10))
  }

  @Test func `a step back is one that all pairs show`() throws {
    let found = try #require(pair([10, 20, 40], [11, 24, 44]))
    #expect(found.change == .worse)
    #expect(found.ratio == Spread(median: 1.1, least: 1.1, most: 1.2))
    #expect(pair([10, 20, 40], [12, 24, 39])?.change == .unclear)
    #expect(pair([10, 20, 40], [10.1, 20.1, 40.1])?.change == .unclear)
  }

  @Test func `a gain is one that all pairs show`() {
    #expect(pair([10, 20, 40], [9, 18, 30])?.change == .better)
  }

  @Test func `a larger rate is a gain`() {
    let (old, new) = ([Figure(rate: "puts", "/s", [10])], [Figure(rate: "puts", "/s", [20])])
    let found = Pairing.pair([old, old], [new, new], loads: idle)
    #expect(found.map(\.change) == [.better])
    #expect(found.map(\.ratio.median) == [0.5])
  }

  @Test func `nothing is told on a busy machine`() {
    let loads = idle + [Load(foreign: 0.5, pressure: nil)]
    #expect(pair([1], [2], loads: loads)?.change == .notJudged("50 % foreign load"))
  }

  @Test func `two figures of nothing are equal`() {
    #expect(pair([0, 0], [0, 0])?.ratio == Spread(median: 1, least: 1, most: 1))
  }

  @Test func `figures that only one run has are left out`() {
    let old = [[Figure("a", "s", 1), Figure("b", "s", 1)], [Figure("a", "s", 1)]]
    let found = Pairing.pair(old, old, loads: idle)
    #expect(found.map(\.name) == ["a", "b"])
    let other = [[Figure("a", "s", 1), Figure("c", "s", 1)]]
    #expect(Pairing.pair(old, other, loads: idle).map(\.name) == ["a"])
  }
}
