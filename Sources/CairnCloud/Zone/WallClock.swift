import Glibc
import Synchronization

/// The time of day, for what is shown to people; nothing is decided by it.
public enum WallClock {
  private static let replacement = Mutex<Replacement?>(nil)

  private struct Replacement {
    let now: @Sendable () -> Int64
  }

  /// Nanoseconds since 1970.
  static var now: Int64 {
    if let replaced = replacement.withLock({ $0 }) { return replaced.now() }
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Seconds since 1970.
  static var seconds: Int64 { now / 1_000_000_000 }

  /// Takes the time from somewhere else from now on, in all of this process: for simulations, in
  /// which a run must be the same each time.
  public static func replace(by clock: @escaping @Sendable () -> Int64) {
    replacement.withLock { $0 = Replacement(now: clock) }
  }
}
