import Glibc
import Synchronization

/// The time of day, only for display; nothing depends on it.
public enum WallClock {
  private static let replacement = Mutex<Replacement?>(nil)

  private struct Replacement {
    let now: @Sendable () -> Int64
  }

  /// Nanoseconds since 1970.
  public static var now: Int64 {
    if let replaced = replacement.withLock({ $0 }) { return replaced.now() }
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Seconds since 1970.
  public static var seconds: Int64 { now / 1_000_000_000 }

  /// Replaces the source of the time in this process: for simulations, whose runs must be
  /// repeatable.
  public static func replace(by clock: @escaping @Sendable () -> Int64) {
    replacement.withLock { $0 = Replacement(now: clock) }
  }
}
