import Testing

@testable import CairnFolders

struct CalendarWatchTests {
  private static let year = 365 * 86_400 * Int64.second
  private static let minute = 60 * Int64.second
  private static let start = 56 * year

  private func begun() -> CalendarWatch { CalendarWatch(offset: Self.start) }

  @Test func `a small correction of the clock puts nothing in doubt`() {
    var calendar = begun()
    for minutes in 1...5 as ClosedRange<Int64> {
      let now = minutes * Self.minute
      let isNews = calendar.look(now: now, date: Self.start + now + minutes * .second / 10)
      #expect(!isNews)
    }
    #expect(calendar == begun())
  }

  @Test func `after a jump ahead, the last minutes are in doubt until they are on the disk`() {
    var calendar = begun()
    let (now, ahead) = (100 * Self.minute, Self.start + Self.year)
    var isNews = calendar.look(now: now, date: ahead + now)
    #expect(isNews)
    #expect(calendar.doubted == Self.start + now - CalendarWatch.unwritten)
    // The change is saved once.
    isNews = calendar.look(now: now + 9 * Self.minute, date: ahead + now + 9 * Self.minute)
    #expect(!isNews)
    isNews = calendar.look(now: now + 10 * Self.minute, date: ahead + now + 10 * Self.minute)
    #expect(isNews)
    #expect(calendar.doubted == nil)
    isNews = calendar.look(now: now + 11 * Self.minute, date: ahead + now + 11 * Self.minute)
    #expect(!isNews)
  }

  @Test func `after a jump back, all later times are in doubt, because older ones are newer`() {
    var calendar = begun()
    let (now, back) = (100 * Self.minute, Self.start - Self.year)
    var isNews = calendar.look(now: now, date: back + now)
    #expect(isNews)
    #expect(calendar.doubted == back + now - CalendarWatch.unwritten)
    isNews = calendar.look(now: now + Self.year / 2, date: back + now + Self.year / 2)
    #expect(!isNews)
    #expect(calendar.doubted == back + now - CalendarWatch.unwritten)
    // The clock goes ahead again. The first point in time counts.
    isNews = calendar.look(now: now + Self.year / 2, date: Self.start + now)
    #expect(isNews)
    #expect(calendar.doubted == back + now - CalendarWatch.unwritten)
    isNews = calendar.look(now: now + Self.year, date: Self.start + now + Self.year / 2)
    #expect(!isNews && calendar.doubted == back + now - CalendarWatch.unwritten)
  }

  @Test func `times before a run are in doubt until they are surely on the disk`() {
    var calendar = CalendarWatch(offset: Self.start, present: 5, until: 100)
    var isNews = calendar.look(now: 99, date: Self.start + 99)
    #expect(!isNews && calendar.doubted == 5)
    isNews = calendar.look(now: 100, date: Self.start + 100)
    #expect(isNews && calendar.doubted == nil)
  }

  @Test func `the doubt of an earlier start ends with a scan, and nothing else does`() {
    var calendar = CalendarWatch(offset: Self.start, former: 5)
    #expect(calendar.doubted == 5)
    let isNews = calendar.look(now: 0, date: Self.start + Self.year)
    #expect(isNews && calendar.doubted == 5)
    calendar.settle()
    #expect(calendar.doubted == Self.start - CalendarWatch.unwritten)
  }
}
