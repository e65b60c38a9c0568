import CairnCloud
import Glibc

/// Looks now and then, while large files are received, whether the mount is over: who isn't in a
/// share any more has nothing to wait for.
///
/// `@unchecked Sendable`: several threads receive files, and only the engine's own looks.
final class EndWatch: @unchecked Sendable {
  /// After how many bytes the log is looked at.
  private static let interval = 8 << 20

  private let state: MountState
  private let owner = pthread_self()
  private var waiting = 0

  init(_ state: MountState) { self.state = state }

  /// So many bytes were received.
  /// - Throws: `CloudError` with `.zoneBusy` if the mount is over: the next turn ends it.
  func received(_ count: Int) throws {
    guard pthread_equal(owner, pthread_self()) != 0 else { return }
    waiting += count
    guard waiting >= Self.interval else { return }
    waiting = 0
    state.exchange.needsPull = true
    do {
      try state.zone.pull()
    } catch {
      // The next turn reads the log, too, and tells what is wrong with it.
      return
    }
    guard let why = try Departure(from: state.zone) else { return }
    throw CloudError(
      .zoneBusy, "the folder isn't mirrored any more (\(why.rawValue))",
      remedy: "nothing to do")
  }
}
