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
  static let window: Int64 = 30_000_000_000
  /// The longest measured time: a slow line finishes fewer than one pack within `window`.
  static let longest: Int64 = 120_000_000_000
  /// The shortest time that gives a speed.
  static let least: Int64 = 100_000_000
  /// The shortest time between two samples.
  private static let spacing: Int64 = 250_000_000

  private var since: Int64?
  /// The times at which amounts were finished. The first one is the begin of the measured time.
  private var samples: [Sample] = []

  /// Notes the waiting work at a time of the engine's clock, after each change.
  /// - Returns: The speed and the expected end.
  @discardableResult
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
    if let last = samples.last, (last.names, last.bytes) != (names.done, bytes.done),
      now - last.time >= Self.spacing
    {
      samples.append(Sample(time: now, names: names.done, bytes: bytes.done))
    }
    // One sample stays that is as old as the window, or older, and from before the last change.
    while samples.count > 1, samples[1].time <= now - Self.window,
      (samples[1].names, samples[1].bytes) != (names.done, bytes.done)
        || samples[1].time < now - Self.longest
    {
      samples.removeFirst()
    }
    guard let first = samples.first, now - first.time >= Self.least else { return reading }
    // Few changes, or none, tell the speed only together with the time before them.
    let from = samples.count > 3 ? max(first.time, now - Self.window) : first.time
    let nanoseconds = Double(now - from)
    func rate(_ amount: Int64) -> Double { Double(max(0, amount)) / nanoseconds * 1e9 }
    let (byteRate, nameRate) = (rate(bytes.done - first.bytes), rate(names.done - first.names))
    if bytes.total > 0 { reading.bytesPerSecond = Int64(byteRate) }
    reading.secondsLeft = Self.left(
      bytes.pending - work.waiting.bytes, byteRate, names.pending - work.waiting.names, nameRate)
    return reading
  }

  /// Returns the expected time. Many small files take the time of their number, a large one that of
  /// its bytes: the slower of the two counts. With names alone, one that isn't finished yet tells
  /// nothing about the next. Work that waits for something else than its turn has no part in it.
  private static func left(
    _ bytes: Int64, _ byteRate: Double, _ names: Int64, _ nameRate: Double
  ) -> Int64? {
    var left: [Double] = []
    if bytes > 0 {
      guard byteRate > 0 else { return nil }
      left.append(Double(bytes) / byteRate)
    }
    if names > 0, nameRate > 0 { left.append(Double(names) / nameRate) }
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
