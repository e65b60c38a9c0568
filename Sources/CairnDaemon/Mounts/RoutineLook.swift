/// The times of full scans of a folder without a hint. Events don't report everything: a file may
/// be changed through a name outside of the folder, through one that is gone again, or through a
/// memory mapping that is never closed. It has no access to the folder or the clock.
struct RoutineLook {
  /// The time between two quick scans, in nanoseconds.
  static let shortest: Int64 = 3_600 * 1_000_000_000
  /// The longest time between two scans, in nanoseconds.
  static let longest: Int64 = 24 * shortest

  private var began: Int64?
  /// The time of the next scan; nil during a scan.
  private(set) var next: Int64?

  /// Notes the start of a full scan, for any reason.
  mutating func begin(_ now: Int64) { (began, next) = (now, nil) }

  /// Notes that nothing is left to do. A scan takes at most a hundredth of the time until the next.
  mutating func rest(_ now: Int64) {
    guard let began else { return }
    next = now + min(Self.longest, max(Self.shortest, 100 * max(0, now - began)))
    self.began = nil
  }

  /// Returns whether a scan is due.
  func isDue(_ now: Int64) -> Bool { next.map { $0 <= now } ?? false }
}
