import CairnThreads

/// Lines of a response on their way from the thread that receives bytes to the one that waits for
/// them. It knows no HTTP and no JSON.
final class ResponseLines: Sendable {
  private struct State: Sendable {
    var partial: [UInt8] = []
    var lines: [[UInt8]] = []
    var isPaused = false
    var whenRoom: (@Sendable () -> Void)?
    var isOver = false
    var failure: ControlError?
    var version: String?
  }

  /// What `next` comes to.
  private enum Next: Sendable {
    case line([UInt8])
    case end(ControlError?)
  }

  /// So many complete lines may wait.
  private static let limit = 16
  private let state = Monitor(State())

  /// Calls `body` when lines were taken after `pauseIfFull` said that there are enough.
  func whenRoom(_ body: @escaping @Sendable () -> Void) {
    state.change { $0.whenRoom = body }
  }

  /// Whether so many lines wait that no more bytes should come; then `whenRoom` says when they may.
  func pauseIfFull() -> Bool {
    state.change { state in
      state.isPaused = state.lines.count >= Self.limit
      return state.isPaused
    }
  }

  /// The answer begins; `version` is what the daemon says that it is, if it does.
  func begin(version: String?) { state.change { $0.version = version } }

  /// What the daemon said that it is; known when `next` has returned.
  var version: String? { state.change { $0.version } }

  /// Adds bytes as they came; each complete line can be had from `next`.
  func append(_ bytes: some Sequence<UInt8>) {
    state.change { state in
      for byte in bytes {
        if byte == UInt8(ascii: "\n") {
          state.lines.append(state.partial)
          state.partial = []
        } else {
          state.partial.append(byte)
        }
      }
    }
  }

  /// No more bytes will come; `failure` says why, if that isn't how it should end.
  func end(_ failure: ControlError? = nil) {
    state.change { state in
      guard !state.isOver else { return }
      state.isOver = true
      state.failure = failure
    }
  }

  /// Whether `next` has something to return at once.
  var hasLine: Bool { state.change { !$0.lines.isEmpty || $0.isOver } }

  /// The next line, without its newline; blocks until there is one. Nil after the last. Throws
  /// what `end` was given.
  func next() throws(ControlError) -> [UInt8]? {
    var room: (@Sendable () -> Void)?
    let next = state.wait(until: nil) { state -> Next? in
      guard !state.lines.isEmpty else { return state.isOver ? .end(state.failure) : nil }
      let line = state.lines.removeFirst()
      if state.isPaused, state.lines.count < Self.limit / 2 {
        state.isPaused = false
        room = state.whenRoom
      }
      return .line(line)
    }
    room?()
    switch next {
    case .line(let line): return line
    case .end(let failure?): throw failure
    case .end(nil), nil: return nil
    }
  }
}
