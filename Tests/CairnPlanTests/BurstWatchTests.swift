import CairnPlan
import CairnZone
import Testing

/// An unusually large number of changes by one device.
@Suite struct BurstWatchTests {
  private let one = Author(user: PastZone.user, device: PastZone.device(1))
  private let other = Author(user: PastZone.user, device: PastZone.device(2))

  @Test func `more than a hundred files, and a third of all, are reported once`() {
    var watch = BurstWatch()
    for number in 1...100 {
      watch.take(
        recordID(number), isDeleted: number > 60, by: one, at: 10 + UInt64(number), now: 5)
    }
    // The same files again.
    for number in 1...60 {
      watch.take(recordID(number), isDeleted: false, by: one, at: 200, now: 6)
    }
    #expect(!watch.isDoubtful && watch.news(files: 160).isEmpty)
    watch.take(recordID(500), isDeleted: false, by: one, at: 201, now: 7)
    #expect(watch.isDoubtful && watch.news(files: 300).isEmpty)
    let news = watch.news(files: 160)
    #expect(news.map(\.author) == [one] && news.map(\.before) == [10])
    #expect(news.map(\.changed) == [61] && news.map(\.deleted) == [40])
    for number in 600...900 {
      watch.take(recordID(number), isDeleted: true, by: one, at: 300, now: 8)
    }
    #expect(watch.news(files: 1).isEmpty, "it was told already")
  }

  @Test func `changes of several devices, or over several hours, cause no alert`() {
    var watch = BurstWatch()
    let pause = BurstWatch.memory + 1
    for number in 1...240 {
      let (author, hour) = (number.isMultiple(of: 2) ? one : other, Int64(number / 121))
      watch.take(
        recordID(number), isDeleted: true, by: author, at: UInt64(number), now: hour * pause)
      #expect(watch.news(files: 10).isEmpty)
    }
  }
}
