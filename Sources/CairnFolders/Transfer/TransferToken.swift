import Synchronization

/// The permission to continue a transfer, which the sync cycle can take back, and its progress.
final class TransferToken: Sendable {
  /// A transfer that was cancelled. The sync cycle doesn't wait for it any more.
  struct Cancelled: Error {}

  private struct State {
    var isCancelled = false
    var hasBegun = false
    /// The number of bytes that were reported and not taken back.
    var told: Int64 = 0
  }

  private let state = Mutex(State())
  private let way: TransferWork.Way
  private let board: WorkBoard

  init(_ way: TransferWork.Way, _ board: WorkBoard) {
    self.way = way
    self.board = board
  }

  /// A Boolean value that indicates whether the transfer has begun.
  var hasBegun: Bool { state.withLock { $0.hasBegun } }

  /// The number of reported bytes.
  var told: Int64 { state.withLock { $0.told } }

  /// Ends the transfer at its next step. Once this returns, it adds no name to the staging
  /// folder.
  func cancel() { state.withLock { $0.isCancelled = true } }

  /// Notes the begin of the transfer.
  /// - Throws: `Cancelled`.
  func begin() throws {
    try state.withLock { state in
      guard !state.isCancelled else { throw Cancelled() }
      state.hasBegun = true
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

  /// Reports transferred bytes; a negative number takes them back.
  func tell(_ bytes: Int) {
    state.withLock { $0.told += Int64(bytes) }
    switch way {
    case .upload: board.sent(bytes)
    case .download: board.received(bytes)
    }
  }
}
