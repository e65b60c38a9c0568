/// When a mount looks again at what people are told of, and that changes no record: how much waits,
/// and which links lead out of a shared folder.
struct Notices {
  /// Whether other names may be left out than were counted.
  var mayHaveIgnored = true
  /// Whether links may have changed since they were last looked at.
  var mayHaveLinks = true
  private var wasShared = false
  private var counted: Int64?
  /// Whether more bytes may wait than were counted, and before when they aren't counted again.
  private var mayHaveMore = true
  private var bytesCounted: Int64?

  /// Whether links have to be looked at.
  mutating func takeLinks(isShared: Bool) -> Bool {
    defer { (mayHaveLinks, wasShared) = (false, isShared) }
    return mayHaveLinks || isShared != wasShared
  }

  /// Whether it is time to count what waits. Counting reads all of it: with much it is a part of
  /// each turn that can be spared.
  func isCountDue(_ now: Int64) -> Bool { counted.map { now - $0 >= .second / 4 } ?? true }

  mutating func count(at now: Int64) { counted = now }

  /// More may wait than before.
  mutating func mayHaveBytes() { mayHaveMore = true }

  /// Whether it is time to count the bytes that wait.
  func areBytesDue(_ now: Int64) -> Bool {
    mayHaveMore && (bytesCounted.map { now >= $0 } ?? true)
  }

  /// They were counted, of so many records.
  mutating func countedBytes(of records: Int, at now: Int64) {
    mayHaveMore = false
    // Ten times as long as it took, about.
    bytesCounted = now + max(.second, Int64(records) * 50_000)
  }
}
