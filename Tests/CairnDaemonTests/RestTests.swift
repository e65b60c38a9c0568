import Testing

@testable import CairnDaemon

@Suite struct RestTests {
  private let pause = Rest.pause

  /// Returns the successive answers for numbers of records at those times.
  private func answers(_ rest: inout Rest, _ questions: [(done: Int, now: Int64)]) -> [Bool] {
    questions.map { rest.isDue(done: $0.done, resident: 0, now: $0.now) }
  }

  @Test func `memory is given back once after the start and a pause`() {
    var rest = Rest()
    let early = answers(&rest, [(0, 0), (0, pause - 1)])
    #expect(early == [false, false])
    #expect(rest.begins == pause)
    let late = answers(&rest, [(0, pause), (0, 2 * pause)])
    #expect(late == [true, false])
    #expect(rest.begins == nil)
  }

  @Test func `memory is given back after the last of many small pieces, not between them`() {
    var rest = resting()
    let pieces = answers(
      &rest, [(1_000, pause + 1), (2_000, pause + 2), (2_999, pause + 3), (3_000, 2 * pause + 2)])
    #expect(pieces == [false, false, false, false])
    #expect(rest.begins == 3 * pause + 2)
    let rested = answers(&rest, [(3_000, 3 * pause + 2)])
    #expect(rested == [true])
  }

  @Test func `memory stays for a file now and then, but many of them add up`() {
    var rest = resting()
    let drops = answers(&rest, (1..<Rest.much).map { ($0, Int64($0 + 1) * 10 * pause) })
    #expect(!drops.contains(true))
    #expect(rest.begins == nil)
    let last = answers(&rest, [(Rest.much, 1_000 * pause), (Rest.much, 1_001 * pause)])
    #expect(last == [false, true])
  }

  @Test func `memory is given back after the process has grown, though no record moved`() {
    var rest = resting()
    rest.gaveBack(leaving: 1_000)
    let grown = 1_000 + Rest.growth
    let questions = [(grown - 1, 10 * pause), (grown, 20 * pause), (grown, 21 * pause)]
    #expect(
      questions.map { rest.isDue(done: 0, resident: $0.0, now: $0.1) } == [false, false, true])
    rest.gaveBack(leaving: grown)
    let again = rest.isDue(done: 0, resident: grown, now: 30 * pause)
    #expect(!again)
    #expect(rest.begins == nil)
  }

  @Test func `the resident memory of this process is known`() {
    #expect(Rest.resident > 1 << 20)
  }

  private func resting() -> Rest {
    var rest = Rest()
    _ = answers(&rest, [(0, 0), (0, pause)])
    return rest
  }
}
