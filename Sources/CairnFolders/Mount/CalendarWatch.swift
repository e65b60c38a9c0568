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
  /// From which change of an inode on a power cut may have taken something, in nanoseconds since
  /// 1970, since the calendar was set; nil if the newest inode tells that.
  private(set) var doubted: Int64?
  /// When the newest one tells it again, by the clock that nobody sets.
  private var end = Int64.max

  init(offset: Int64 = 0, doubted: Int64? = nil) {
    (self.offset, self.doubted) = (offset, doubted)
  }

  /// Compares the clocks.
  /// - Returns: whether something is to be written down that isn't yet.
  mutating func look(now: Int64, date: Int64) -> Bool {
    let found = date - now
    guard abs(found - offset) <= Self.corrected else {
      // Where the calendar went back, what was written before that stays the newest, also once it
      // goes ahead again, as nobody knows how far.
      let wentBack = found < offset || (doubted != nil && end == .max)
      doubted = min(doubted ?? .max, min(now + offset, date) - Self.unwritten)
      end = wentBack ? .max : now + Self.unwritten
      offset = found
      return true
    }
    guard doubted != nil, now >= end else { return false }
    settle()
    return true
  }

  /// The newest inode tells it: what was in doubt was looked at, or is on the disk.
  mutating func settle() { (doubted, end) = (nil, .max) }
}
