import Glibc
import Synchronization

/// The thread that currently plays a story. libsodium's random numbers and the calendar are
/// replaced for the whole process. Other threads, such as parallel tests, continue with the real
/// ones.
enum SimulatedThread {
  private static let player = Mutex<UInt?>(nil)

  private static var own: UInt { UInt(pthread_self()) }

  /// A Boolean value that indicates whether this thread plays a story.
  static var isCurrent: Bool { player.withLock { $0 == own } }

  /// Runs a closure as a story on this thread.
  static func play<Result>(_ body: () throws -> Result) rethrows -> Result {
    player.withLock { $0 = own }
    defer { player.withLock { $0 = nil } }
    return try body()
  }

  /// Nanoseconds since 1970 by the machine's own calendar, for all other threads.
  static var realDate: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
