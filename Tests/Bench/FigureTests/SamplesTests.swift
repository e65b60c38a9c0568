import BenchFigures
import Testing

/// Medians, percentiles and spreads of measured numbers.
@Suite struct SamplesTests {
  @Test func `the median is the middle, or the mean of the two in the middle`() {
    #expect(Samples([5, 1, 3]).median == 3)
    #expect(Samples([4, 1, 3, 2]).median == 2.5)
    #expect(Samples([7]).median == 7)
    #expect(Samples([]).median.isNaN)
  }

  @Test func `a percentile lies between its neighbours`() {
    let hundred = Samples((0...100).map { Double($0) })
    #expect(hundred.quantile(0.99) == 99)
    #expect(hundred.quantile(0) == 0)
    #expect(hundred.quantile(1) == 100)
    #expect(Samples([0, 10]).quantile(0.25) == 2.5)
  }

  @Test func `a spread has the smallest and the largest number`() {
    #expect(Samples([2, 9, 4]).spread == Spread(median: 4, least: 2, most: 9))
  }

  @Test(arguments: [
    (1_234.5, "1235"), (12.345, "12.35"), (0.012_34, "0.0123"), (0, "0.0"), (.nan, "-"),
  ])
  func `numbers have as many digits as people read`(value: Double, text: String) {
    #expect(Numbers.short(value) == text)
  }

  @Test(arguments: [(512.0, "512 B"), (81_920, "80.0 KiB"), (3_145_728, "3.0 MiB")])
  func `bytes have a unit that fits`(value: Double, text: String) {
    #expect(Numbers.bytes(value) == text)
  }
}
