import CairnIdentity
import CairnReplica
import Synchronization

/// Checks from time to time, while contents are fetched, whether the mount has ended: a person who
/// has left a share need not wait for large files. All transfers of a mount share one.
final class EndWatch: Sendable {
  private struct State {
    var waiting = 0
    var hasPulled = false
    var end: Departure?
  }

  /// The number of bytes after which the log is checked. Only bytes from the container count: a
  /// check reads the last entry again, which may be larger than the changed chunks of a file.
  private static let interval = 8 << 20

  private let zone: Zone
  private let state = Mutex(State())

  init(_ zone: Zone) { self.zone = zone }

  /// Returns whether the log may have been read further since the last call.
  func takePulled() -> Bool {
    state.withLock { state in
      defer { state.hasPulled = false }
      return state.hasPulled
    }
  }

  /// Notes the number of bytes that came from the container.
  /// - Throws: `CloudError` with `.zoneBusy` if the mount has ended: the next sync cycle ends it.
  func received(_ count: Int) throws {
    let isDue = try state.withLock { state in
      if let end = state.end { throw Self.error(end) }
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
    state.withLock { $0.end = why }
    throw Self.error(why)
  }

  private static func error(_ why: Departure) -> CloudError {
    CloudError(
      .zoneBusy, "the folder isn't mirrored any more (\(why.rawValue))",
      remedy: "nothing to do")
  }
}
