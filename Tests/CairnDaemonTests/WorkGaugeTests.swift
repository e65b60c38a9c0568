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
    for second in 1...90 {
      let bytes = Int64(second <= 30 ? second * 1_000 : 30_000 + (second - 30) * 10)
      reading = gauge.take(
        Self.work(of: 1, bytes: bytes, of: 100_000), at: Int64(second) * Self.second)
    }
    #expect(reading.bytesPerSecond == 10 && reading.secondsLeft == 6_940)
    for second in 91...240 {
      reading = gauge.take(
        Self.work(of: 1, bytes: 30_600, of: 100_000), at: Int64(second) * Self.second)
    }
    #expect(reading.bytesPerSecond == 0 && reading.secondsLeft == nil)
  }

  @Test func `the estimate comes from the last 30 seconds, however often it is asked for`() {
    var (asked, silent) = (WorkGauge(), WorkGauge())
    for second in 1...100 {
      let bytes = Int64(second <= 60 ? second * 1_000 : 60_000 + (second - 60) * 4_000)
      let work = Self.work(of: 1, bytes: bytes, of: 1_000_000)
      for _ in 1...3 { asked.take(work, at: Int64(second) * Self.second) }
      silent.take(work, at: Int64(second) * Self.second)
    }
    let work = Self.work(of: 1, bytes: 220_000, of: 1_000_000)
    let reading = silent.take(work, at: 100 * Self.second)
    #expect(reading.bytesPerSecond == 4_000 && reading.secondsLeft == 195)
    #expect(asked.take(work, at: 100 * Self.second) == reading)
  }

  @Test func `a line that needs more than 30 seconds for a pack has an estimate`() {
    var gauge = WorkGauge()
    for second in Int64(1)...300 {
      let work = Self.work(of: 1, bytes: second / 80 * 8_000_000, of: 80_000_000)
      let reading = gauge.take(work, at: second * Self.second)
      guard second >= 80, let rate = reading.bytesPerSecond else { continue }
      #expect((50_000...100_000).contains(rate), "\(second): \(rate)")
      #expect(reading.secondsLeft != nil)
    }
  }

  @Test func `work that waits for a person has no part in the estimate`() {
    var gauge = WorkGauge()
    var work = Self.work(names: 5, of: 10, bytes: 500, of: 1_000)
    work.waiting = Work.Waiting(names: 4, bytes: 400)
    #expect(gauge.take(work, at: Self.second).secondsLeft == 1)
    work.waiting = Work.Waiting(names: 5, bytes: 500)
    #expect(gauge.take(work, at: 2 * Self.second).secondsLeft == nil)
  }

  @Test(arguments: 0..<20) func `status and a waiting command tell the same numbers`(_: Int) {
    var work = Work()
    work.since = 1
    func amount() -> Work.Amount {
      Work.Amount(done: .random(in: 0...99), pending: .random(in: 1...99))
    }
    (work.sending.names, work.sending.bytes) = (amount(), amount())
    (work.receiving.names, work.receiving.bytes) = (amount(), amount())
    let reading = WorkGauge.Reading(work: work, bytesPerSecond: 7, secondsLeft: 8)
    let activity = MountActivity(snapshot: MountSnapshot(), reading: reading)
    let (status, progress) = (activity.work, activity.progress("/a"))
    let ways = [status.sending, status.receiving].compactMap { $0 }
    #expect(progress.done == ways.reduce(0) { $0 + $1.names })
    #expect(progress.total == ways.reduce(0) { $0 + $1.allNames })
    #expect(progress.bytes == ways.reduce(0) { $0 + $1.bytes })
    #expect(progress.allBytes == ways.reduce(0) { $0 + $1.allBytes })
    #expect(progress.bytesPerSecond == status.bytesPerSecond)
    #expect(progress.secondsLeft == status.secondsLeft)
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
