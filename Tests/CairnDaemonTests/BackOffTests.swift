import Testing

@testable import CairnDaemon

struct BackOffTests {
  private let second: Int64 = 1_000_000_000

  @Test func `each failed try makes the next pause longer, up to the longest`() {
    var backOff = BackOff(longest: 30)
    var now: Int64 = 5
    for seconds in [2, 4, 8, 16, 30, 30] as [Int64] {
      let next = backOff.fail(now: now)
      #expect(next - now == seconds * second)
      now = next
    }
    backOff.succeed()
    #expect(backOff.next == nil && backOff.failures == 0)
    let next = backOff.fail(now: now)
    #expect(next - now == 2 * second)
  }

  @Test func `change notifications during a pause don't extend it`() {
    var backOff = BackOff(longest: 30)
    let first = backOff.fail(now: 0)
    for now in 1...20 {
      let next = backOff.fail(now: Int64(now))
      #expect(next == first)
    }
    #expect(backOff.failures == 1)
    let later = backOff.fail(now: first)
    #expect(later == first + 4 * second)
  }

  @Test func `a very long series of failures overflows nothing`() {
    var backOff = BackOff(longest: 60)
    for _ in 0..<100 { _ = backOff.fail(now: (backOff.next ?? 0)) }
    #expect(backOff.failures == 100)
  }
}
