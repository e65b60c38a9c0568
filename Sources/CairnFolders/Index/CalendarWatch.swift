/// Watches for changes of the machine's calendar while a folder is mirrored. The ctimes of inodes
/// tell what a power cut may have taken, and the calendar sets them. On a machine that gets the
/// time from the network only after its start, or has an empty battery, the last minutes before it
/// would be years ago, or in the future.
struct CalendarWatch: Hashable {
  /// The time for which the kernel may keep written data in memory, in nanoseconds. Linux writes
  /// after half a minute; the rest is for machines with a higher setting.
  static let unwritten: Int64 = 600 * .second
  /// The largest gradual correction of a clock, in nanoseconds.
  private static let corrected: Int64 = 60 * .second

  /// The calendar minus the monotonic clock, in nanoseconds.
  private(set) var offset: Int64
  /// The earliest ctime of an inode that a power cut may affect now, in nanoseconds since 1970; nil
  /// if the newest inode tells that.
  private var present: Int64?
  /// The monotonic time from which the newest inode tells it again.
  private var end: Int64
  /// The earliest ctime that a former start of the machine may have lost.
  private var former: Int64?

  /// Creates the watch.
  /// - Parameters:
  ///   - offset: The calendar minus the monotonic clock.
  ///   - present: The earliest ctime that this start of the machine may lose.
  ///   - end: The monotonic time until which that holds.
  ///   - former: The note of an earlier start, if not everything was scanned since.
  init(
    offset: Int64 = 0, present: Int64? = nil, until end: Int64 = .max, former: Int64? = nil
  ) {
    (self.offset, self.present, self.end, self.former) = (offset, present, end, former)
  }

  /// The earliest ctime of an inode that a power cut may have affected; nil if the newest inode
  /// tells that.
  var doubted: Int64? { present.map { min($0, former ?? $0) } ?? former }

  /// Compares the clocks.
  /// - Returns: True if there is something new to write down.
  mutating func look(now: Int64, date: Int64) -> Bool {
    let found = date - now
    guard abs(found - offset) <= Self.corrected else {
      // After the calendar went back, earlier inodes stay the newest, also if it goes ahead again:
      // nobody knows how far.
      let wentBack = found < offset || (present != nil && end == .max)
      present = min(present ?? .max, min(now + offset, date) - Self.unwritten)
      end = wentBack ? .max : now + Self.unwritten
      offset = found
      return true
    }
    guard present != nil, now >= end else { return false }
    (present, end) = (nil, .max)
    return true
  }

  /// Notes that the losses of an earlier start of the machine were checked.
  mutating func settle() { former = nil }
}
