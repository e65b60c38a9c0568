import Testing

@testable import CairnStore

/// The rate of bytes, by the test's clock.
struct TokenBucketTests {
  private let second: Int64 = 1_000_000_000

  @Test func `a second's worth goes at once, and then what each second brings`() {
    var bucket = TokenBucket(rate: 10_000)
    #expect(bucket.next(now: 5 * second) == 5 * second)
    bucket.take(10_000, now: 5 * second)
    #expect(bucket.next(now: 5 * second) == 5 * second)
    bucket.take(10_000, now: 5 * second)
    #expect(bucket.next(now: 5 * second) == 6 * second)
    bucket.take(2_500, now: 6 * second)
    #expect(bucket.next(now: 6 * second) == 6 * second + second / 4)
    // What wasn't used is lost but for one second.
    #expect(bucket.next(now: 100 * second) == 100 * second)
    bucket.take(20_000, now: 100 * second)
    #expect(bucket.next(now: 100 * second) == 101 * second)
  }

  @Test func `what is larger than a second's worth goes whole, and pays afterwards`() {
    var bucket = TokenBucket(rate: 1_024)
    bucket.take(1_024 * 60, now: 0)
    #expect(bucket.next(now: 0) == 59 * second)
    bucket.take(0, now: 59 * second)
    #expect(bucket.next(now: 59 * second) == 59 * second)
  }

  @Test func `no size and no rate is too large to reckon with`() {
    for rate in [TokenBucket.rates.lowerBound, TokenBucket.rates.upperBound] {
      var bucket = TokenBucket(rate: rate)
      bucket.take(.max, now: 0)
      #expect(bucket.next(now: 0) > 1_000 * second)
      bucket.take(Int(rate) - 1, now: 0)
    }
  }

  @Test(arguments: 1...20)
  func `in any time there go the bytes of that time, of a second, and of one object`(
    seed: UInt64
  ) {
    var dice = SplitMix(seed)
    let rate = Int64(dice.next() % 1_000_000) + TokenBucket.rates.lowerBound
    var bucket = TokenBucket(rate: rate)
    var now = Int64(dice.next() % 1_000)
    var gone: [(time: Int64, bytes: Int)] = []
    for _ in 0..<300 {
      now = bucket.next(now: now + Int64(dice.next() % 300_000_000))
      let bytes = Int(dice.next() % UInt64(3 * rate))
      bucket.take(bytes, now: now)
      gone.append((now, bytes))
    }
    let largest = gone.map(\.bytes).max() ?? 0
    for first in gone.indices {
      var sum = 0
      for last in first..<gone.count {
        sum += gone[last].bytes
        let time = Double(gone[last].time - gone[first].time) / 1e9
        let bound = Double(rate) * (time + 1) + Double(largest) + 1
        #expect(Double(sum) <= bound, "seed \(seed), \(first) to \(last)")
      }
    }
    // And all that is allowed does go.
    let all = gone.map(\.bytes).reduce(0, +)
    #expect(Double(all) >= Double(rate) * (Double(now) / 1e9 - 300 * 0.3) * 0.5)
  }
}

/// Random numbers from a seed.
private struct SplitMix {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
