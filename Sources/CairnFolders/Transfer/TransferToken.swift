import Synchronization

/// The permission to continue a transfer, which the sync cycle can take back, and its progress.
final class TransferToken: Sendable {
  /// A transfer that was cancelled. The sync cycle doesn't wait for it any more.
  struct Cancelled: Error {}

  private struct State {
    var isCancelled = false
    /// The time of its begin, by the engine's clock; nil if it waits.
    var began: Int64?
    /// The number of finished bytes of this attempt.
    var done: Int64 = 0
    /// The number of bytes that an earlier attempt finished, and that needn't be transferred again.
    var kept: Int64
    /// The number of bytes that were reported and not taken back.
    var told: Int64 { max(done, kept) }
  }

  private let state: Mutex<State>
  /// The direction of the bytes.
  let way: TransferWork.Way
  private let board: WorkBoard
  private let clock: any MountClock

  /// Creates a token.
  /// - Parameters:
  ///   - way: The direction of the bytes.
  ///   - board: The board for reports.
  ///   - clock: The engine's clock.
  ///   - kept: The number of bytes that an earlier attempt reported and kept.
  init(
    _ way: TransferWork.Way, _ board: WorkBoard, _ clock: any MountClock, kept: Int64 = 0
  ) {
    self.way = way
    self.board = board
    self.clock = clock
    state = Mutex(State(kept: kept))
  }

  /// A Boolean value that indicates whether the transfer has begun.
  var hasBegun: Bool { state.withLock { $0.began != nil } }

  /// The number of bytes per second since its begin; nil if there is none yet.
  var bytesPerSecond: Int64? {
    let now = clock.now
    return state.withLock { state in
      guard let began = state.began, now > began, state.done > state.kept else { return nil }
      return Int64(Double(state.done - state.kept) / Double(now - began) * 1e9)
    }
  }

  /// The number of reported bytes.
  var told: Int64 { state.withLock { $0.told } }

  /// Ends the transfer at its next step. Once this returns, it adds no name to the staging
  /// folder.
  func cancel() { state.withLock { $0.isCancelled = true } }

  /// Notes the begin of the transfer.
  /// - Throws: `Cancelled`.
  func begin() throws {
    let now = clock.now
    try state.withLock { state in
      guard !state.isCancelled else { throw Cancelled() }
      state.began = now
    }
  }

  /// Throws if the transfer was cancelled.
  func check() throws { try step {} }

  /// Adds a name to the staging folder, unless the transfer was cancelled.
  /// - Throws: `Cancelled`, and errors of `body`.
  func step<Result: Sendable>(_ body: () throws -> Result) throws -> Result {
    try state.withLock { state in
      guard !state.isCancelled else { throw Cancelled() }
      return try body()
    }
  }

  /// Reports finished bytes; a negative number takes them back. Bytes that an earlier attempt
  /// finished are not reported again.
  func tell(_ bytes: Int) { change { $0.done += Int64(bytes) } }

  /// Reports the number of finished bytes of all files together.
  func set(_ bytes: Int) { change { $0.done = Int64(bytes) } }

  /// Takes everything back: an earlier attempt has left nothing.
  func loseAll() { change { ($0.done, $0.kept) = (0, 0) } }

  private func change(_ body: (inout State) -> Void) {
    let difference = state.withLock { state in
      let before = state.told
      body(&state)
      return Int(state.told - before)
    }
    switch way {
    case _ where difference == 0: break
    case .upload: board.sent(difference)
    case .download: board.received(difference)
    }
  }
}
