import CairnCloud
import Glibc

/// Checks from time to time during the transfer of large files whether the mount has ended: a
/// person who has left a share need not wait for them.
///
/// `@unchecked Sendable`: several threads receive files, but only the engine's own checks.
final class EndWatch: @unchecked Sendable {
  /// The number of bytes after which the log is checked.
  private static let interval = 8 << 20

  private let state: MountState
  private let owner = pthread_self()
  private var waiting = 0

  init(_ state: MountState) { self.state = state }

  /// Notes the number of received bytes.
  /// - Throws: `CloudError` with `.zoneBusy` if the mount has ended: the next sync cycle ends it.
  func received(_ count: Int) throws {
    guard pthread_equal(owner, pthread_self()) != 0 else { return }
    waiting += count
    guard waiting >= Self.interval else { return }
    waiting = 0
    state.zoneSync.needsPull = true
    do {
      try state.zone.pull()
    } catch {
      // The next sync cycle reads the log, too, and reports the problem.
      return
    }
    guard let why = try Departure(from: state.zone) else { return }
    throw CloudError(
      .zoneBusy, "the folder isn't mirrored any more (\(why.rawValue))",
      remedy: "nothing to do")
  }
}
