import CairnFolders

/// How fast work gets on and when it will be done, from what it was at different times. It must not
/// know a clock: who asks says what time it is.
struct WorkGauge {
  /// What is told of the work at one moment.
  struct Reading: Equatable {
    /// What there is to do.
    var work = Work()
    /// Bytes a second, both ways; nil: not known yet.
    var bytesPerSecond: Int64?
    /// When it is done if it goes on like that; nil: not known.
    var secondsLeft: Int64?
  }

  private struct Sample {
    var time: Int64
    var names: Int64
    var bytes: Int64
  }

  /// How far back it looks, in nanoseconds: long enough for what comes in bursts, short enough to
  /// see that a line became slower.
  static let window: Int64 = 10_000_000_000
  /// What is shorter tells nothing.
  static let least: Int64 = 100_000_000

  private var since: Int64?
  private var samples: [Sample] = []

  /// Takes what there is to do at a time of the engine's clock.
  mutating func take(_ work: Work, at now: Int64) -> Reading {
    var reading = Reading(work: work)
    guard let begin = work.since else {
      (since, samples) = (nil, [])
      return reading
    }
    if since != begin {
      since = begin
      // So that the first second tells something, too.
      samples = [Sample(time: begin, names: 0, bytes: 0)]
    }
    let (names, bytes) = (work.names, work.bytes)
    samples.append(Sample(time: now, names: names.done, bytes: bytes.done))
    // One stays that is as old as the window, or older.
    while samples.count > 2, samples[1].time <= now - Self.window { samples.removeFirst() }
    if samples.count > 200 { samples.remove(at: samples.count / 2) }
    guard let first = samples.first, now - first.time >= Self.least else { return reading }
    let nanoseconds = Double(now - first.time)
    func rate(_ amount: Int64) -> Double { Double(max(0, amount)) / nanoseconds * 1e9 }
    let (byteRate, nameRate) = (rate(bytes.done - first.bytes), rate(names.done - first.names))
    if bytes.total > 0 { reading.bytesPerSecond = Int64(byteRate) }
    reading.secondsLeft = Self.left(bytes, byteRate, names, nameRate)
    return reading
  }

  /// Many small files take as long as their number wants, a large one as its bytes: the slower of
  /// the two tells. Of names alone, one that isn't done yet tells nothing of the next.
  private static func left(
    _ bytes: Work.Amount, _ byteRate: Double, _ names: Work.Amount, _ nameRate: Double
  ) -> Int64? {
    var left: [Double] = []
    if bytes.pending > 0 {
      guard byteRate > 0 else { return nil }
      left.append(Double(bytes.pending) / byteRate)
    }
    if names.pending > 0, nameRate > 0 { left.append(Double(names.pending) / nameRate) }
    return left.max().flatMap { $0 < 1e9 ? Int64($0.rounded(.up)) : nil }
  }
}

extension Work {
  /// What comes and goes.
  var names: Amount { sending.names + receiving.names }
  /// Bytes of what comes and goes.
  var bytes: Amount { sending.bytes + receiving.bytes }
}

extension Work.Amount {
  /// Both together.
  static func + (left: Work.Amount, right: Work.Amount) -> Work.Amount {
    var sum = left
    sum.done += right.done
    sum.pending += right.pending
    return sum
  }
}
