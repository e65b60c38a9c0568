import CairnContainer
import CairnThreads
import CairnZone
import Logging

/// Removes garbage once a day where a person keeps less than everything, or a log has become long,
/// and does nothing for others. It has the schedule, and no knowledge of garbage.
struct GarbageDay {
  /// The time from the start to the first check, when the daemon has other things to do, and from
  /// each check to the next, in nanoseconds.
  private static let (first, next): (Int64, Int64) = (600 * 1_000_000_000, 86_400 * 1_000_000_000)

  private let container: Container
  private let log: Logger
  /// The time of the next check by the machine's monotonic clock.
  private(set) var due: Int64

  init(_ container: Container, _ log: Logger, now: Int64) {
    self.container = container
    self.log = log
    due = now + Self.first
  }

  /// Checks, if it is due, on a thread of its own: it may read and write for long, and no share
  /// must wait for that.
  mutating func work(now: Int64) {
    guard now >= due else { return }
    due = now + Self.next
    let isStarted = PosixThread.run("cairn-garbage") { [container, log] in
      Self.collect(container, log)
    }
    if !isStarted { log.warning("garbage can't be thrown away now: no thread is left") }
  }

  private static func collect(_ container: Container, _ log: Logger) {
    do {
      guard try container.upkeep.mayHaveGarbage() else { return }
      let report = try container.upkeep.collectGarbage()
      let gone = report.deletedEntries
      guard report.closed + report.deleted.packs + gone.entries > 0 else { return }
      log.info(
        """
        garbage: \(report.deleted.packs) packs with \(report.deleted.bytes) bytes were deleted, \
        \(report.waiting.packs) wait, older packs were closed in \(report.closed) zones; \
        \(gone.entries) entries with \(gone.bytes) bytes were deleted, \(report.entries.entries) \
        wait, snapshots were made of \(report.floors) zones
        """)
    } catch {
      log.warning("garbage can't be thrown away now: \(error)")
    }
  }
}
