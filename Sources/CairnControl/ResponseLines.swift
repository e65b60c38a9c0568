import CairnThreads

/// The lines of a response, on their way from the receiving thread to the waiting one. It knows no
/// HTTP and no JSON.
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

  /// The result of `next`.
  private enum Next: Sendable {
    case line([UInt8])
    case end(ControlError?)
  }

  /// The maximum number of waiting complete lines.
  private static let limit = 16
  private let state = Monitor(State())

  /// Calls `body` when lines were taken after `pauseIfFull` returned true.
  func whenRoom(_ body: @escaping @Sendable () -> Void) {
    state.change { $0.whenRoom = body }
  }

  /// Returns whether receiving should pause because many lines wait. `whenRoom` then reports when
  /// it may continue.
  func pauseIfFull() -> Bool {
    state.change { state in
      state.isPaused = state.lines.count >= Self.limit
      return state.isPaused
    }
  }

  /// Starts the answer. `version` is the daemon's version, if it sent one.
  func begin(version: String?) { state.change { $0.version = version } }

  /// The daemon's version; known when `next` has returned.
  var version: String? { state.change { $0.version } }

  /// Adds received bytes. `next` returns each complete line.
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

  /// Ends the answer. `failure` is the reason for an early end.
  func end(_ failure: ControlError? = nil) {
    state.change { state in
      guard !state.isOver else { return }
      state.isOver = true
      state.failure = failure
    }
  }

  /// A Boolean value that indicates whether `next` would return at once.
  var hasLine: Bool { state.change { !$0.lines.isEmpty || $0.isOver } }

  /// Returns the next line without its newline, and blocks until there is one; nil after the last
  /// one. Throws the error that `end` got.
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
