/// Whether somebody sets the machine's calendar while a folder is mirrored. What a power cut may
/// have taken is told by when inodes were changed, which the calendar says: a machine that learns
/// the time from the network only after it started, or whose battery is empty, would have the last
/// minutes before that be years ago, or still to come.
struct CalendarWatch: Hashable {
  /// The minutes for which the kernel may keep what was written to itself, in nanoseconds. Linux
  /// writes out what is dirty after half a minute; these are for those who set that higher.
  static let unwritten: Int64 = 600 * .second
  /// How far a clock is corrected little by little, in nanoseconds.
  private static let corrected: Int64 = 60 * .second

  /// The calendar less the clock that nobody sets, in nanoseconds.
  private(set) var offset: Int64
  /// From which change of an inode on a power cut may take something now, in nanoseconds since
  /// 1970; nil if the newest inode tells that.
  private var present: Int64?
  /// When the newest one tells it again, by the clock that nobody sets.
  private var end: Int64
  /// From which on an earlier start of the machine may have lost something, alike.
  private var former: Int64?

  /// - Parameters:
  ///   - offset: the calendar less the clock that nobody sets.
  ///   - present: from which change on one of this start of the machine may be lost.
  ///   - end: until when, by the clock that nobody sets.
  ///   - former: what was noted in an earlier one, of which not all was looked at since.
  init(
    offset: Int64 = 0, present: Int64? = nil, until end: Int64 = .max, former: Int64? = nil
  ) {
    (self.offset, self.present, self.end, self.former) = (offset, present, end, former)
  }

  /// From which change of an inode on a power cut may have taken something; nil if the newest inode
  /// tells that.
  var doubted: Int64? { present.map { min($0, former ?? $0) } ?? former }

  /// Compares the clocks.
  /// - Returns: whether something is to be written down that isn't yet.
  mutating func look(now: Int64, date: Int64) -> Bool {
    let found = date - now
    guard abs(found - offset) <= Self.corrected else {
      // Where the calendar went back, what was written before that stays the newest, also once it
      // goes ahead again, as nobody knows how far.
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

  /// What an earlier start of the machine may have lost was looked at.
  mutating func settle() { former = nil }
}
