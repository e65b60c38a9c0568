import CairnDesktop
import CairnStore
import CairnThreads
import Glibc
import Synchronization

/// Decides whether speed limits for some times apply now, by the clock of this machine and by
/// NetworkManager, where it runs. Its answer about the connection is kept for half a minute.
final class LimitWatch: Sendable {
  private let minute: @Sendable () -> Int
  private let ask: @Sendable () -> Bool
  private let now: @Sendable () -> Int64
  /// The last answer about the connection, and the time of the next question.
  private let known = Mutex<(isMetered: Bool, end: Int64)?>(nil)

  private static let patience: Int64 = 30_000_000_000

  /// Creates a value. Tests replace the clocks and the question.
  /// - Parameters:
  ///   - minute: Returns the minutes since midnight.
  ///   - now: Returns the time of the monotonic clock.
  ///   - ask: Returns whether the connection is metered.
  init(
    minute: @escaping @Sendable () -> Int = LimitWatch.minuteOfDay,
    now: @escaping @Sendable () -> Int64 = { Monotonic.now },
    ask: @escaping @Sendable () -> Bool = LimitWatch.isMetered
  ) {
    (self.minute, self.now, self.ask) = (minute, now, ask)
  }

  /// Returns whether limits for these times apply now.
  func applies(_ times: LimitTimes) -> Bool {
    guard !times.isAlways else { return true }
    return times.apply(at: minute()) {
      known.withLock { known in
        let time = now()
        if let known, time < known.end { return known.isMetered }
        let isMetered = ask()
        known = (isMetered, time + Self.patience)
        return isMetered
      }
    }
  }

  /// Returns the minutes since midnight, by the clock and the time zone of this machine.
  private static func minuteOfDay() -> Int {
    var (date, parts) = (time(nil), tm())
    localtime_r(&date, &parts)
    return Int(parts.tm_hour) * 60 + Int(parts.tm_min)
  }

  /// Asks NetworkManager, where there is one. A guess of it counts, too.
  private static func isMetered() -> Bool { cairn_desktop_metered() == 1 }
}
