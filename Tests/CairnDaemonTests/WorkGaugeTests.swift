import CairnControl
import CairnFolders
import Testing

@testable import CairnDaemon

/// The rate of work, and its expected end.
@Suite struct WorkGaugeTests {
  private static let second: Int64 = 1_000_000_000

  private static func work(
    names: Int64 = 0, of allNames: Int64, bytes: Int64 = 0, of allBytes: Int64, since: Int64 = 0
  ) -> Work {
    var work = Work()
    work.since = since
    work.sending.names = Work.Amount(done: names, pending: allNames - names)
    work.sending.bytes = Work.Amount(done: bytes, pending: allBytes - bytes)
    return work
  }

  @Test func `one large file has a correct estimate within its first second`() {
    var gauge = WorkGauge()
    #expect(gauge.take(Self.work(of: 1, of: 1_000), at: 0).secondsLeft == nil)
    let reading = gauge.take(Self.work(of: 1, bytes: 100, of: 1_000), at: Self.second / 2)
    #expect(reading.bytesPerSecond == 200 && reading.secondsLeft == 5)
    // A client that asks for the first time in the middle gets the estimate, too.
    var late = WorkGauge()
    let asked = late.take(Self.work(of: 1, bytes: 500, of: 1_000), at: 5 * Self.second)
    #expect(asked.bytesPerSecond == 100 && asked.secondsLeft == 5)
  }

  @Test func `many small files are estimated by their number`() {
    var gauge = WorkGauge()
    let reading = gauge.take(
      Self.work(names: 1_000, of: 50_000, bytes: 500_000, of: 1_000_000), at: Self.second)
    #expect(reading.bytesPerSecond == 500_000 && reading.secondsLeft == 49)
    let without = gauge.take(Self.work(names: 2_000, of: 50_000, of: 0), at: 2 * Self.second)
    #expect(without.bytesPerSecond == nil && without.secondsLeft == 48)
  }

  @Test func `a line that becomes slower, or stops, is noticed`() {
    var gauge = WorkGauge()
    var reading = WorkGauge.Reading()
    for second in 1...60 {
      let bytes = Int64(second <= 30 ? second * 1_000 : 30_000 + (second - 30) * 10)
      reading = gauge.take(
        Self.work(of: 1, bytes: bytes, of: 100_000), at: Int64(second) * Self.second)
    }
    #expect(reading.bytesPerSecond == 10 && reading.secondsLeft == 6_970)
    for second in 61...80 {
      reading = gauge.take(
        Self.work(of: 1, bytes: 30_300, of: 100_000), at: Int64(second) * Self.second)
    }
    #expect(reading.bytesPerSecond == 0 && reading.secondsLeft == nil)
  }

  @Test func `other work begins with a new rate, and finished work has none`() {
    var gauge = WorkGauge()
    _ = gauge.take(Self.work(of: 1, bytes: 900, of: 1_000), at: Self.second)
    #expect(gauge.take(Work(), at: 2 * Self.second) == WorkGauge.Reading())
    let other = Self.work(of: 1, bytes: 10, of: 100, since: 10 * Self.second)
    let reading = gauge.take(other, at: 11 * Self.second)
    #expect(reading.bytesPerSecond == 10 && reading.secondsLeft == 9)
  }

  @Test func `asking often changes nothing`() {
    var gauge = WorkGauge()
    var reading = WorkGauge.Reading()
    for step in 1...5_000 {
      reading = gauge.take(
        Self.work(of: 1, bytes: Int64(step), of: 10_000), at: Int64(step) * Self.second / 1_000)
    }
    #expect(reading.bytesPerSecond == 1_000 && reading.secondsLeft == 5)
  }

  // MARK: Phases and progress

  private static func phase(
    _ told: Control.Phase, _ work: Work, isPaused: Bool = false
  ) -> Control.Phase {
    var snapshot = MountSnapshot()
    snapshot.phase = told
    return MountActivity(
      snapshot: snapshot, reading: WorkGauge.Reading(work: work), isPaused: isPaused
    ).phase
  }

  @Test func `the current work of an engine in the middle of a sync cycle is its phase`() {
    var looking = Work()
    looking.looked = 5
    let sending = Self.work(of: 1, of: 1_000)
    var both = sending
    both.receiving.bytes = Work.Amount(done: 0, pending: 1_000_000)
    for told in [Control.Phase.scanning, .sending, .receiving] {
      #expect(Self.phase(told, looking) == .scanning)
      #expect(Self.phase(told, sending) == .sending)
      #expect(Self.phase(told, both) == .receiving)
      #expect(Self.phase(told, Work()) == told)
      #expect(Self.phase(told, sending, isPaused: true) == .paused)
    }
    for told in [Control.Phase.idle, .waiting, .offline, .detached, .damaged, .held, .starting] {
      #expect(Self.phase(told, sending) == told)
    }
    #expect(Self.phase(.damaged, sending, isPaused: true) == .damaged)
  }

  @Test func `a waiting client is told the known progress`() {
    var snapshot = MountSnapshot()
    snapshot.phase = .scanning
    var looking = Work()
    looking.looked = 5
    func told(_ work: Work) -> Control.Progress {
      MountActivity(snapshot: snapshot, reading: WorkGauge.Reading(work: work)).progress("/a")
    }
    #expect(told(looking) == Control.Progress(done: 5, unit: "names", what: "looking at /a"))
    #expect(
      told(Self.work(names: 1, of: 2, bytes: 3, of: 4))
        == Control.Progress(
          done: 1, total: 2, unit: "names", what: "sending /a", bytes: 3, allBytes: 4))
  }
}
