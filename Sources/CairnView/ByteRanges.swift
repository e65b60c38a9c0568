/// The sorted, separate ranges of a file that are in the cache.
struct ByteRanges: Hashable, Sendable {
  private(set) var ranges: [Range<Int64>] = []

  /// The number of bytes in all ranges.
  var count: Int64 { ranges.reduce(0) { $0 + Int64($1.count) } }

  /// Adds a range.
  mutating func insert(_ range: Range<Int64>) {
    guard !range.isEmpty else { return }
    let first = ranges.firstIndex { $0.upperBound >= range.lowerBound } ?? ranges.count
    var (merged, end) = (range, first)
    while end < ranges.count, ranges[end].lowerBound <= range.upperBound {
      merged =
        min(
          merged.lowerBound, ranges[end].lowerBound)..<max(
          merged.upperBound, ranges[end].upperBound)
      end += 1
    }
    ranges.replaceSubrange(first..<end, with: [merged])
  }

  /// Returns the first part of a range that is missing; nil if all of it is there.
  func gap(in range: Range<Int64>) -> Range<Int64>? {
    var start = range.lowerBound
    for known in ranges where known.upperBound > start {
      guard known.lowerBound > start else {
        start = known.upperBound
        continue
      }
      return start >= range.upperBound ? nil : start..<min(known.lowerBound, range.upperBound)
    }
    return start >= range.upperBound ? nil : start..<range.upperBound
  }
}
