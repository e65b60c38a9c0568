/// The regular scans of a mount: all of it, and more often the directories that are not watched. It
/// has no access to the folder or the clock.
struct RegularScans {
  private var everything = RoutineLook()
  private var unwatched = RoutineLook(.unwatched)

  /// The time of the next scan; nil during a scan.
  var next: Int64? { [everything.next, unwatched.next].compactMap { $0 }.min() }

  /// The time between two scans of the directories that are not watched, in nanoseconds.
  var pause: Int64 { unwatched.pause }

  /// Notes the start of a scan of everything, for any reason.
  mutating func beginEverything(_ now: Int64) {
    everything.begin(now)
    unwatched.begin(now)
  }

  /// Notes the start of a scan of the directories that are not watched.
  mutating func beginUnwatched(_ now: Int64) { unwatched.begin(now) }

  /// Notes that nothing is left to do. `took` is the time of the last scan.
  mutating func rest(_ now: Int64, took: Int64, isWatched: Bool) {
    everything.rest(now)
    unwatched.rest(now, took: took)
    if isWatched { unwatched = RoutineLook(.unwatched) }
  }

  /// Returns whether a scan of everything is due.
  func isEverythingDue(_ now: Int64) -> Bool { everything.isDue(now) }

  /// Returns whether a scan of the directories that are not watched is due.
  func isUnwatchedDue(_ now: Int64) -> Bool { unwatched.isDue(now) }
}
