import Testing

@testable import CairnDaemon

@Suite struct RoutineLookTests {
  private let hour: Int64 = 3_600_000_000_000

  @Test func `no scan is due before the first one, or while one runs`() {
    var look = RoutineLook()
    look.rest(5)
    #expect(look.next == nil)
    #expect(!look.isDue(.max))
    look.begin(10)
    #expect(look.next == nil)
    #expect(!look.isDue(.max))
  }

  @Test func `an hour after a quick scan the next one is due`() {
    var look = RoutineLook()
    look.begin(10)
    look.rest(20)
    #expect(look.next == 20 + hour)
    #expect(!look.isDue(19 + hour))
    #expect(look.isDue(20 + hour))
  }

  @Test func `work between two scans doesn't put the next one off`() {
    var look = RoutineLook()
    look.begin(10)
    look.rest(20)
    look.rest(hour)
    #expect(look.next == 20 + hour)
  }

  @Test(arguments: [(seconds: 36, hours: 1), (360, 10), (1_000_000, 24)])
  func `a scan takes at most a hundredth of the time, and one is due each day`(
    seconds: Int64, hours: Int64
  ) {
    var look = RoutineLook()
    look.begin(0)
    look.rest(seconds * 1_000_000_000)
    #expect(look.next == seconds * 1_000_000_000 + hours * hour)
  }

  @Test(arguments: [(took: 1, pause: 30), (2, 40), (1_000, 3_600)])
  func `directories that are not watched are scanned twice a minute, but at most 5 % of the time`(
    took: Int64, pause: Int64
  ) {
    var look = RoutineLook(.unwatched)
    look.begin(0)
    look.rest(90_000_000_000, took: took * 1_000_000_000)
    #expect(look.next == (90 + pause) * 1_000_000_000)
    #expect(look.pause == pause * 1_000_000_000)
  }

  @Test func `a clock that is set back does no harm`() {
    var look = RoutineLook()
    look.begin(100)
    look.rest(50)
    #expect(look.next == 50 + hour)
  }
}
