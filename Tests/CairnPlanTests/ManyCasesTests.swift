import Foundation
import Testing

/// The planner's promises, on all small cases and on very many larger ones. Each test prints what
/// it has seen and in what time.
@Suite(.serialized) struct ManyCasesTests {
  /// The most rounds of planning and acting after which three trees must be equal.
  private static let mostRounds = 20

  private func run(_ what: String, _ parts: [[String]]) throws -> PlannerProgram.Counts {
    let program = try PlannerProgram.built.get()
    let start = ContinuousClock.now
    let counts = try program.run(parts)
    let seconds = (ContinuousClock.now - start).formatted(.units(allowed: [.seconds]))
    print("planner: \(counts.cases) \(what), \(counts.conflicts) with conflicts, in \(seconds)")
    return counts
  }

  @Test func `each pair of changes of each tree of up to four nodes`() throws {
    let counts = try run(
      "pairs of changes of small trees",
      (0..<2).map { ["exhaustive", "4", "\($0)", "2"] })
    #expect(counts.cases > 150_000)
    #expect(counts.conflicts > 20_000)
    #expect(counts.rounds <= Self.mostRounds)
  }

  @Test func `a million random triples`() throws {
    let counts = try run(
      "random triples", [["random", "0", "500000"], ["random", "500000", "1000000"]])
    #expect(counts.cases == 1_000_000)
    #expect(counts.conflicts > 10_000)
    #expect(counts.rounds <= Self.mostRounds)
  }
}
