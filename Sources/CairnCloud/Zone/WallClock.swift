import Glibc

/// The time of day, for what is shown to people; nothing is decided by it (DESIGN.md §2.9).
enum WallClock {
  /// Nanoseconds since 1970.
  static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
