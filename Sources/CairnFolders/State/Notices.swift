/// The times at which a mount checks again what people are told and that changes no record: the
/// amount of waiting work, and the links that lead out of a shared folder.
struct Notices {
  /// A Boolean value that indicates whether the ignored names may differ from the counted ones.
  var mayHaveIgnored = true
  /// A Boolean value that indicates whether lock files, or the files that they belong to, may
  /// differ from the reported ones.
  private(set) var mayHaveLocks = true
  /// A Boolean value that indicates whether the file of a lock file is still to be found.
  private var isLockUnmatched = false
  /// A Boolean value that indicates whether links may have changed since their last check.
  var mayHaveLinks = true
  private var wasShared = false
  private var counted: Int64?
  /// A Boolean value that indicates whether more bytes may wait than were counted.
  private var mayHaveMore = true
  private var bytesCounted: Int64?

  /// Notes that a scan has ended, and whether it found other ignored names than before.
  mutating func scanned(ignoredChanged: Bool) {
    if ignoredChanged { (mayHaveIgnored, mayHaveLocks) = (true, true) }
    if isLockUnmatched { mayHaveLocks = true }
  }

  /// Notes that the lock files are reported.
  mutating func foundLocks(isUnmatched: Bool) {
    (mayHaveLocks, isLockUnmatched) = (false, isUnmatched)
  }

  /// Returns whether links must be checked, and resets that.
  mutating func takeLinks(isShared: Bool) -> Bool {
    defer { (mayHaveLinks, wasShared) = (false, isShared) }
    return mayHaveLinks || isShared != wasShared
  }

  /// Returns whether it is time to count the waiting records. That reads all of them: if they are
  /// many, it is a considerable part of each sync cycle.
  func isCountDue(_ now: Int64) -> Bool { counted.map { now - $0 >= .second / 4 } ?? true }

  mutating func count(at now: Int64) { counted = now }

  /// Notes that more bytes may wait than before.
  mutating func mayHaveBytes() { mayHaveMore = true }

  /// Returns whether it is time to count the waiting bytes.
  func areBytesDue(_ now: Int64) -> Bool {
    mayHaveMore && (bytesCounted.map { now >= $0 } ?? true)
  }

  /// Notes that the waiting bytes were counted, from `began` to `now`.
  mutating func countedBytes(from began: Int64, to now: Int64) {
    mayHaveMore = false
    // Counting reads all waiting records: a fiftieth of the time, or once in twenty seconds.
    bytesCounted = now + min(max(.second, 50 * (now - began)), 20 * .second)
  }
}
