import CairnZone
import Testing

/// The place of a log at a time, when clocks may be wrong.
@Suite struct PlaceAtTimeTests {
  private func place(_ times: [Int64], at time: Int64) -> UInt64 {
    var found = PlaceAtTime(time)
    for (index, claimed) in times.enumerated() { found.take(UInt64(index) + 1, time: claimed) }
    return found.place
  }

  @Test func `with right clocks it is the last entry that isn't later`() {
    let times: [Int64] = [10, 20, 20, 30]
    #expect([9, 10, 19, 20, 29, 30, 99].map { place(times, at: $0) } == [0, 1, 1, 3, 3, 4, 4])
    #expect(place([], at: 5) == 0)
  }

  @Test func `a clock that is wrong by years moves nobody else's entries`() {
    // One entry says 2030: those behind it are found all the same.
    let future: [Int64] = [10, 20, 2030, 30, 40, 50]
    #expect(place(future, at: 45) == 5)
    #expect(place(future, at: 25) == 2)
    // One says 1970: what was later than asked for doesn't count by it.
    let past: [Int64] = [10, 20, 30, 0, 40]
    #expect(place(past, at: 15) == 1)
    #expect(place(past, at: 35) == 4)
    // The smallest and the largest of all times are times like others.
    #expect(place([.min, 10, .max, 20], at: 15) == 2)
  }
}
