import CairnCloud
import CairnThreads
import CairnZone
import Logging

/// Throws garbage away once a day where somebody keeps less than everything, or a log has become
/// long, and does nothing for anybody else. It knows when, and must not know what garbage is.
struct GarbageDay {
  /// How long after the start the first look is, when the daemon has other things to do, and how
  /// long after each the next, in nanoseconds.
  private static let (first, next): (Int64, Int64) = (600 * 1_000_000_000, 86_400 * 1_000_000_000)

  private let container: Container
  private let log: Logger
  /// When to look, by the machine's monotonic clock.
  private(set) var due: Int64

  init(_ container: Container, _ log: Logger, now: Int64) {
    self.container = container
    self.log = log
    due = now + Self.first
  }

  /// Looks, if that is due, on a thread of its own: it may read and write for long, and no share is
  /// to wait for that.
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
