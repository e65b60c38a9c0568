import CairnStore
import Synchronization
import Testing

/// The times at which speed limits apply.
struct LimitTimesTests {
  @Test(arguments: [
    ([], "00:00 12:00"), (["08:00-18:00"], "08:00 12:00 17:59"),
    (["8:00-9:00", "22:30-06:00"], "08:00 22:30 23:59 00:00 05:59"),
    (["00:00-24:00"], "00:00 12:00 23:59"),
  ])
  func `limits apply in their hours, also over midnight`(texts: [String], inside: String) throws {
    let times = try #require(LimitTimes(texts))
    #expect(times.isAlways == texts.isEmpty && LimitTimes(times.texts) == times)
    let hours = Set(inside.split(separator: " ").map(String.init))
    for text in ["00:00", "05:59", "06:00", "07:59", "08:00", "12:00", "17:59", "18:00", "22:29"] {
      let minute = (Int(text.prefix(2)) ?? 0) * 60 + (Int(text.suffix(2)) ?? 0)
      let applies = times.apply(at: minute) {
        Issue.record("nobody needs to know")
        return true
      }
      let isInside = texts.isEmpty || texts == ["00:00-24:00"] || hours.contains(text)
      #expect(applies == isInside, "\(text)")
    }
  }

  @Test func `a metered connection is enough`() throws {
    let times = try #require(LimitTimes(["metered", "08:00-09:00"]))
    #expect(!times.isAlways && times.texts == ["08:00-09:00", "metered"])
    #expect(times.apply(at: 0) { true } && !times.apply(at: 0) { false })
    #expect(times.apply(at: 500) { false })
  }

  @Test(arguments: [
    "", "-", "08:00", "8-18", "08:00-08:00", "08:60-09:00", "24:01-25:00", "-1:00-02:00",
    "08:00-18:00-19:00", "Metered", "08:0x-09:00", "008:00-09:00",
  ])
  func `other texts mean nothing`(text: String) { #expect(LimitTimes([text]) == nil) }

  @Test func `bytes without a limit aren't waited for, and aren't paid for later`() throws {
    let flag = Flag()
    let limits = Traffic.Limits(
      upload: 1_024, download: 1_024, times: try #require(LimitTimes(["metered"])))
    let traffic = Traffic(limits: limits, isLimited: { _ in flag.isSet }, date: { 5 })
    let store = TrafficStore(MemoryStore(), traffic, .line)
    let (object, bytes) = (try key("a/b"), [UInt8](repeating: 1, count: 1 << 20))
    // With the limit, these bytes would take an hour.
    _ = try store.put(object, bytes)
    for _ in 0..<3 { #expect(try store.get(object)?.count == bytes.count) }
    #expect(!traffic.isLimited)
    flag.set()
    #expect(traffic.isLimited)
    // The first bytes under the limit go at once: nothing is owed.
    _ = try store.put(try key("a/c"), bytes)
    traffic.end()
    let error = #expect(throws: StoreError.self) { try store.put(try key("a/d"), bytes) }
    #expect(error?.code == .unreachable)
  }

  @Test func `changed times take effect at once`() throws {
    var limits = Traffic.Limits(upload: 100_000)
    let traffic = Traffic(limits: limits, isLimited: { $0.isAlways }, date: { 5 })
    #expect(traffic.isLimited)
    limits.times = try #require(LimitTimes(["metered"]))
    traffic.set(limits)
    #expect(!traffic.isLimited)
    limits.times = LimitTimes()
    traffic.set(limits)
    #expect(traffic.isLimited)
  }
}

private final class Flag: Sendable {
  private let value = Atomic(false)
  var isSet: Bool { value.load(ordering: .acquiring) }
  func set() { value.store(true, ordering: .releasing) }
}
