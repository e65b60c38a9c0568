import Foundation
import Testing

/// The planner's promises, on all small cases and on very many larger ones. Each test prints its
/// number of cases and its time.
@Suite(.serialized) struct ManyCasesTests {
  /// The highest number of rounds of planning and acting until three trees must be equal.
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
    // An ordinary run takes each tree of up to three nodes, and one of eight with four.
    let isDeep = PlannerProgram.isDeep
    let parts =
      isDeep
      ? (0..<2).map { ["exhaustive", "4", "\($0)", "2"] }
      : [["exhaustive", "3", "0", "1"], ["exhaustive", "4", "3", "8"]]
    let counts = try run("pairs of changes of small trees", parts)
    #expect(counts.cases > (isDeep ? 200_000 : 50_000))
    #expect(counts.conflicts > (isDeep ? 20_000 : 8_000))
    #expect(counts.rounds <= Self.mostRounds)
  }

  @Test func `many random triples`() throws {
    let half = PlannerProgram.isDeep ? 500_000 : 50_000
    let counts = try run(
      "random triples", [["random", "0", "\(half)"], ["random", "\(half)", "\(2 * half)"]])
    #expect(counts.cases == 2 * half)
    #expect(counts.conflicts > half / 50)
    #expect(counts.rounds <= Self.mostRounds)
  }
}
