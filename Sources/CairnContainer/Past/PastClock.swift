import CairnStore

/// The times of the entries of one log, as ticks that grow with each entry, in microseconds since
/// 1970. They give the entries of several logs one order that preserves the order of each log. The
/// times that authors claim may be wrong. The largest set of entries without contradiction counts,
/// and the other entries get ticks between these.
struct PastClock {
  private var known: [(sequence: UInt64, tick: Int64)]
  /// The highest tick. The remaining bits hold the number of the zone.
  private static let highest: Int64 = 1 << 52

  /// Creates a clock from the times of entries, in nanoseconds, in the order of the log.
  /// - Parameters:
  ///   - times: The known times.
  ///   - floors: Entries that are later than a tick of another log.
  init(_ times: [(sequence: UInt64, time: Int64)], floors: [(sequence: UInt64, tick: Int64)] = []) {
    let ticks = times.map { ($0.sequence, min(max($0.time / 1_000, 0), Self.highest)) }
    var points = Self.longestAscent(ticks)
    for floor in floors {
      let index = points.firstIndex { $0.sequence >= floor.sequence } ?? points.count
      if index < points.count, points[index].sequence == floor.sequence {
        points[index].tick = max(points[index].tick, floor.tick + 1)
      } else {
        points.insert((floor.sequence, floor.tick + 1), at: index)
      }
    }
    known = []
    for point in points {
      guard let last = known.last else {
        known.append((point.sequence, max(point.tick, Int64(clamping: point.sequence))))
        continue
      }
      let least = Self.tick(last, and: point.sequence - last.sequence)
      known.append((point.sequence, max(point.tick, least)))
    }
  }

  /// Returns the longest list of points, in their order, whose ticks never decrease.
  private static func longestAscent(
    _ points: [(sequence: UInt64, tick: Int64)]
  ) -> [(sequence: UInt64, tick: Int64)] {
    var before = [Int?](repeating: nil, count: points.count)
    // For each length, the point with the lowest tick that ends an ascent of that length.
    var ends: [Int] = []
    for (number, point) in points.enumerated() {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if points[ends[middle]].tick <= point.tick { low = middle + 1 } else { high = middle }
      }
      before[number] = low > 0 ? ends[low - 1] : nil
      if low < ends.count { ends[low] = number } else { ends.append(number) }
    }
    var ascent: [(UInt64, Int64)] = []
    var next = ends.last
    while let number = next {
      ascent.append(points[number])
      next = before[number]
    }
    return ascent.reversed()
  }

  /// Returns the tick of an entry.
  func tick(of sequence: UInt64) -> Int64 {
    guard let number = last({ $0.sequence <= sequence }) else {
      return known.first.map { $0.tick - Int64(clamping: $0.sequence - sequence) }
        ?? Int64(clamping: sequence)
    }
    return Self.tick(known[number], and: sequence - known[number].sequence)
  }

  /// Returns the tick of an entry that comes so many entries after a point. The log may never have
  /// that many entries: the positions are from the account, and mean "no last entry" if they are
  /// high.
  private static func tick(
    _ point: (sequence: UInt64, tick: Int64), and later: UInt64
  ) -> Int64 {
    min(point.tick.adding(saturating: Int64(clamping: later)), highest * 2)
  }

  /// Returns the last entry that existed at a tick; 0 if there is none. Above the known entries the
  /// result may be greater than the length of the log.
  func sequence(at tick: Int64) -> UInt64 {
    guard let number = last({ $0.tick <= tick }) else {
      guard let first = known.first else { return UInt64(clamping: tick) }
      let back = UInt64(clamping: first.tick - tick)
      return first.sequence > back ? first.sequence - back : 0
    }
    let (sequence, ahead) = known[number].sequence.addingReportingOverflow(
      UInt64(tick - known[number].tick))
    guard !ahead else { return .max }
    guard number + 1 < known.count else { return sequence }
    return min(sequence, known[number + 1].sequence - 1)
  }

  /// Returns the number of the last point that satisfies a condition. All points before it satisfy
  /// it, too.
  private func last(_ isMet: ((sequence: UInt64, tick: Int64)) -> Bool) -> Int? {
    var (low, high) = (0, known.count)
    while low < high {
      let middle = (low + high) / 2
      if isMet(known[middle]) { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}
