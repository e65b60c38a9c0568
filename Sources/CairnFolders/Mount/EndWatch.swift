import CairnCloud
import Synchronization

/// Checks from time to time during the transfer of large files whether the mount has ended: a
/// person who has left a share need not wait for them.
final class EndWatch: Sendable {
  private struct State {
    var waiting = 0
    var hasPulled = false
  }

  /// The number of bytes after which the log is checked.
  private static let interval = 8 << 20

  private let zone: Zone
  private let state = Mutex(State())

  init(_ zone: Zone) { self.zone = zone }

  /// A Boolean value that indicates whether the log may have been read further.
  var hasPulled: Bool { state.withLock { $0.hasPulled } }

  /// Notes the number of received bytes.
  /// - Throws: `CloudError` with `.zoneBusy` if the mount has ended: the next sync cycle ends it.
  func received(_ count: Int) throws {
    let isDue = state.withLock { state in
      state.waiting += count
      guard state.waiting >= Self.interval else { return false }
      (state.waiting, state.hasPulled) = (0, true)
      return true
    }
    guard isDue else { return }
    do {
      try zone.pull()
    } catch {
      // The next sync cycle reads the log, too, and reports the problem.
      return
    }
    guard let why = try Departure(from: zone) else { return }
    throw CloudError(
      .zoneBusy, "the folder isn't mirrored any more (\(why.rawValue))",
      remedy: "nothing to do")
  }
}
