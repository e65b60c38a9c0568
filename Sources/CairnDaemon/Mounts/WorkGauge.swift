import CairnFolders

/// The speed of work and its expected end, from amounts at different times. It has no clock: the
/// caller gives the time.
struct WorkGauge {
  /// The work at one moment, for answers.
  struct Reading: Equatable {
    /// The waiting work.
    var work = Work()
    /// The bytes per second in both directions; nil if unknown yet.
    var bytesPerSecond: Int64?
    /// The number of seconds until the end at this speed; nil if unknown.
    var secondsLeft: Int64?
  }

  private struct Sample {
    var time: Int64
    var names: Int64
    var bytes: Int64
  }

  /// The length of the measured time, in nanoseconds: long enough for bursts, short enough to
  /// notice a slower line.
  static let window: Int64 = 10_000_000_000
  /// The shortest time that gives a speed.
  static let least: Int64 = 100_000_000

  private var since: Int64?
  private var samples: [Sample] = []

  /// Notes the waiting work at a time of the engine's clock.
  mutating func take(_ work: Work, at now: Int64) -> Reading {
    var reading = Reading(work: work)
    guard let begin = work.since else {
      (since, samples) = (nil, [])
      return reading
    }
    if since != begin {
      since = begin
      // So that the first second gives a speed, too.
      samples = [Sample(time: begin, names: 0, bytes: 0)]
    }
    let (names, bytes) = (work.names, work.bytes)
    samples.append(Sample(time: now, names: names.done, bytes: bytes.done))
    // One sample stays that is as old as the window, or older.
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

  /// Returns the expected time. Many small files take the time of their number, a large one that of
  /// its bytes: the slower of the two counts. With names alone, one that isn't finished yet tells
  /// nothing about the next.
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
  /// The names in both directions.
  var names: Amount { sending.names + receiving.names }
  /// The bytes in both directions.
  var bytes: Amount { sending.bytes + receiving.bytes }
}

extension Work.Amount {
  /// Returns the sum of both.
  static func + (left: Work.Amount, right: Work.Amount) -> Work.Amount {
    var sum = left
    sum.done += right.done
    sum.pending += right.pending
    return sum
  }
}
