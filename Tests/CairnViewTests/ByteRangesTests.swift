import Testing

@testable import CairnView

@Suite struct ByteRangesTests {
  @Test func `ranges that touch become one`() {
    var bytes = ByteRanges()
    for range in [10..<20, 30..<40, 0..<5, 20..<30] as [Range<Int64>] { bytes.insert(range) }
    #expect(bytes.ranges == [0..<5, 10..<40])
    #expect(bytes.count == 35)
    bytes.insert(3..<12)
    #expect(bytes.ranges == [0..<40])
    bytes.insert(7..<7)
    #expect(bytes.ranges == [0..<40])
  }

  @Test func `the first missing part of a range is found`() {
    var bytes = ByteRanges()
    #expect(bytes.gap(in: 3..<9) == 3..<9)
    bytes.insert(10..<20)
    bytes.insert(30..<40)
    #expect(bytes.gap(in: 0..<50) == 0..<10)
    #expect(bytes.gap(in: 12..<50) == 20..<30)
    #expect(bytes.gap(in: 12..<20) == nil)
    #expect(bytes.gap(in: 12..<25) == 20..<25)
    #expect(bytes.gap(in: 35..<45) == 40..<45)
    #expect(bytes.gap(in: 5..<5) == nil)
  }
}
