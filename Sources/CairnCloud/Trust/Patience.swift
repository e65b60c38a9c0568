import CairnZone
import Glibc
import Synchronization

/// How long entries of logs are waited for whose author can't be seen yet. A store may show an
/// entry before the chain of whoever wrote it; who passed over it then would have another zone
/// than everybody else, for good. But whoever can write into a log can name an author that there
/// never will be, and must not stop it: nobody is waited for twice in vain. It must not know the
/// entries.
final class Patience: Sendable {
  /// For how long an author is waited for, in nanoseconds: longer than a file system in a network
  /// takes to show a new file.
  static let limit: Int64 = 90_000_000_000
  /// How many authors who take no part in a zone are waited for in vain.
  static let strangers = 3

  private struct State {
    /// Since when somebody is waited for.
    var since: [UserID: Int64] = [:]
    /// How long the chain was of whom it was waited for in vain.
    var inVain: [UserID: UInt64] = [:]
    var strangersInVain = 0
  }

  private let state = Mutex(State())
  private let now: @Sendable () -> Int64

  /// Waits by this clock, in nanoseconds.
  init(now: @escaping @Sendable () -> Int64 = Patience.monotonic) { self.now = now }

  /// Whether an entry waits, because a device of this person may still turn up in their chain.
  /// - Parameters:
  ///   - user: the author that the entry names.
  ///   - length: how many entries of their chain can be seen.
  ///   - isMember: whether they take part in the zone.
  /// - Returns: whether to ask again later.
  func waits(for user: UserID, length: UInt64, isMember: Bool) -> Bool {
    let now = now()
    return state.withLock { state in
      if let vain = state.inVain[user], length <= vain { return false }
      guard isMember || state.strangersInVain < Self.strangers else { return false }
      let since = state.since[user] ?? now
      state.since[user] = since
      guard now - since >= Self.limit else { return true }
      state.since[user] = nil
      state.inVain[user] = length
      if !isMember { state.strangersInVain += 1 }
      return false
    }
  }

  /// The person's device turned up.
  func ends(for user: UserID) {
    state.withLock { if !$0.since.isEmpty { $0.since[user] = nil } }
  }

  @Sendable private static func monotonic() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
