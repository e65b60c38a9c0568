/// The difference between two lists of lines, by the algorithm of Myers. It is a function of the
/// two lists, so every device finds the same difference.
struct LineDiff {
  /// Lines of the first list, and the lines of the second one that replace them. One of the ranges
  /// may be empty. Between two hunks of a difference is at least one common line.
  struct Hunk: Hashable {
    var old: Range<Int>
    var new: Range<Int>
  }

  /// The largest number of removed and added lines. The time is at most this number times that of
  /// the lines, and the memory has at most its square in numbers.
  static let mostChanges = 1_000

  private let old: ArraySlice<Int>
  private let new: ArraySlice<Int>

  /// Returns the differing parts in their order; nil if there are too many changes.
  static func hunks(from old: [Int], to new: [Int]) -> [Hunk]? {
    let limit = min(old.count, new.count)
    let head = (0..<limit).first { old[$0] != new[$0] } ?? limit
    let rest = limit - head
    let tail = (0..<rest).first { old[old.count - 1 - $0] != new[new.count - 1 - $0] } ?? rest
    let diff = LineDiff(
      old: old[head..<(old.count - tail)], new: new[head..<(new.count - tail)])
    guard let common = diff.commonLines() else { return nil }
    var hunks: [Hunk] = []
    var (x, y) = (head, head)
    for (nextX, nextY) in common + [(old.count - tail, new.count - tail)] {
      if nextX > x || nextY > y { hunks.append(Hunk(old: x..<nextX, new: y..<nextY)) }
      (x, y) = (nextX + 1, nextY + 1)
    }
    return hunks
  }

  /// The places of the lines that both lists have, in a shortest difference.
  private func commonLines() -> [(Int, Int)]? {
    let most = min(old.count + new.count, Self.mostChanges)
    // The furthest line of the old list on each diagonal; the middle of the list is diagonal 0.
    var furthest = [Int](repeating: 0, count: 2 * most + 3)
    let middle = most + 1
    var trace: [[Int]] = []
    for changes in 0...most {
      for diagonal in stride(from: -changes, through: changes, by: 2) {
        let isAdded =
          diagonal == -changes
          || diagonal != changes
            && furthest[middle + diagonal - 1] < furthest[middle + diagonal + 1]
        var x = isAdded ? furthest[middle + diagonal + 1] : furthest[middle + diagonal - 1] + 1
        while x < old.count, x - diagonal < new.count, isCommon(x, x - diagonal) { x += 1 }
        furthest[middle + diagonal] = x
        if x >= old.count, x - diagonal >= new.count { return way(back: trace) }
      }
      trace.append(Array(furthest[(middle - changes)...(middle + changes)]))
    }
    return nil
  }

  private func isCommon(_ x: Int, _ y: Int) -> Bool {
    old[old.startIndex + x] == new[new.startIndex + y]
  }

  /// Walks back from the ends of both lists, and returns the common lines in their order.
  private func way(back trace: [[Int]]) -> [(Int, Int)] {
    var common: [(Int, Int)] = []
    var (x, y) = (old.count, new.count)
    func take() {
      (x, y) = (x - 1, y - 1)
      common.append((old.startIndex + x, new.startIndex + y))
    }
    for changes in stride(from: trace.count, to: 0, by: -1) {
      let before = trace[changes - 1]
      let middle = changes - 1
      let diagonal = x - y
      let isAdded =
        diagonal == -changes
        || diagonal != changes && before[middle + diagonal - 1] < before[middle + diagonal + 1]
      let from = isAdded ? diagonal + 1 : diagonal - 1
      let start = before[middle + from]
      while x > start, y > start - from { take() }
      (x, y) = (start, start - from)
    }
    while x > 0, y > 0 { take() }
    return common.reversed()
  }
}
