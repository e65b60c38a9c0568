/// The times of full scans of a folder without a hint. Events don't report everything: a file may
/// be changed through a name outside of the folder, through one that is gone again, or through a
/// memory mapping that is never closed. It has no access to the folder or the clock.
struct RoutineLook {
  /// The limits of the time between two scans, in nanoseconds.
  struct Pace {
    let shortest: Int64
    let longest: Int64
    /// The time until the next scan is at least so many times the time of the scan.
    let share: Int64

    /// The scans of a watched folder.
    static let watched = Pace(
      shortest: 3_600 * 1_000_000_000, longest: 24 * 3_600 * 1_000_000_000, share: 100)
    /// The scans of directories that cannot be watched: at most a twentieth of a processor.
    static let unwatched = Pace(
      shortest: 30 * 1_000_000_000, longest: 3_600 * 1_000_000_000, share: 20)
  }

  private let pace: Pace
  private var began: Int64?
  /// The time of the next scan; nil during a scan.
  private(set) var next: Int64?

  /// The time between the last scan and the next one, in nanoseconds.
  private(set) var pause: Int64

  init(_ pace: Pace = .watched) {
    self.pace = pace
    pause = pace.shortest
  }

  /// Notes the start of a full scan, for any reason.
  mutating func begin(_ now: Int64) { (began, next) = (now, nil) }

  /// Notes that nothing is left to do. `took` is the time of the scan itself; nil if it is unknown.
  mutating func rest(_ now: Int64, took: Int64? = nil) {
    guard let began else { return }
    pause = min(pace.longest, max(pace.shortest, pace.share * max(0, took ?? now - began)))
    next = now + pause
    self.began = nil
  }

  /// Returns whether a scan is due.
  func isDue(_ now: Int64) -> Bool { next.map { $0 <= now } ?? false }
}
