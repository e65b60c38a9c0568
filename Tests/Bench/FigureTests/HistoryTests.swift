import BenchFigures
import Testing

/// Rows of the history.
@Suite struct HistoryTests {
  private func outcome(_ figure: Figure, foreign: Double = 0.012) throws -> Outcome {
    let all = Outcome.merge([[figure]], loads: [Load(foreign: foreign, pressure: nil)])
    return try #require(all.first)
  }

  private func row(_ outcome: Outcome) -> String? {
    History.row(outcome, date: "2026-11-28", revision: "abc", machine: "2 x\ta processor")
  }

  @Test func `a row has a cell for each column`() throws {
    var cost = Cost()
    cost.processor = 1.5
    cost.stored = 4_096
    let figure = Figure("drop", "ms", [3, 1, 2], bare: [1], bar: 1.5).costing(cost, bare: 0.5)
    let text = try #require(row(try outcome(figure)))
    #expect(
      text == "2026-11-28\tabc\t2 x a processor\tdrop\tms\t2.0\t\t2.0\t2.0\t1.0\t2.0\t1.5\t0.5"
        + "\t4096\t0.012")
    #expect(
      text.split(separator: "\t", omittingEmptySubsequences: false).count
        == History.header.split(separator: "\t").count)
  }

  @Test func `a figure without a goal, or from a busy machine, has no row`() throws {
    #expect(row(try outcome(Figure("drop", "ms", 1))) == nil)
    #expect(row(try outcome(Figure("drop", "ms", 1, bar: 2), foreign: 0.2)) == nil)
    #expect(row(try outcome(Figure("drop", "ms", 3, bar: 2))) != nil)
  }
}
