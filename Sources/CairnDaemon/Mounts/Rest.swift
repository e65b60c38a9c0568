/// When a mount gives memory back to the system: once nothing was to be done for a while, after
/// much was. What comes in pieces looks finished between any two of them, so the end of one piece
/// is no rest.
struct Rest {
  /// The records that were sent or arrived until memory was last given back; nil before that first
  /// happened, after the start.
  private var released: Int?
  /// What had been done when the quiet began.
  private var quiet = 0
  /// When the quiet has lasted long enough, in nanoseconds of the clock's; nil if nothing waits for
  /// that.
  private(set) var begins: Int64?

  /// How long nothing may happen before, in nanoseconds.
  static let pause: Int64 = 1_000_000_000
  /// How many records are much: a file now and then costs nobody the pages that the next one needs.
  static let much = 64

  /// Asked whenever nothing is left to do.
  /// - Parameters:
  ///   - done: How many records were sent or arrived since the start.
  ///   - now: The clock's time, in nanoseconds.
  /// - Returns: whether memory is to be given back now.
  mutating func isDue(done: Int, now: Int64) -> Bool {
    guard released.map({ done - $0 >= Self.much }) ?? true else {
      begins = nil
      return false
    }
    guard let end = begins, quiet == done else {
      quiet = done
      begins = now + Self.pause
      return false
    }
    guard now >= end else { return false }
    released = done
    begins = nil
    return true
  }
}
