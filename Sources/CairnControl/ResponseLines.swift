import Synchronization

/// Lines of a response on their way from the thread that receives bytes to the one that waits for
/// them. It knows no HTTP and no JSON.
final class ResponseLines: Sendable {
  private struct State {
    var partial: [UInt8] = []
    var lines: [[UInt8]] = []
    var isOver = false
    var failure: ControlError?
  }

  private let state = Mutex(State())
  private let ready = CountingSemaphore()

  /// Adds bytes as they came; each complete line can be had from `next`.
  func append(_ bytes: some Sequence<UInt8>) {
    let complete = state.withLock { state in
      var count = 0
      for byte in bytes {
        if byte == UInt8(ascii: "\n") {
          state.lines.append(state.partial)
          state.partial = []
          count += 1
        } else {
          state.partial.append(byte)
        }
      }
      return count
    }
    for _ in 0..<complete { ready.signal() }
  }

  /// No more bytes will come; `failure` says why, if that isn't how it should end.
  func end(_ failure: ControlError? = nil) {
    let isFirst = state.withLock { state in
      guard !state.isOver else { return false }
      state.isOver = true
      state.failure = failure
      return true
    }
    if isFirst { ready.signal() }
  }

  /// Whether `next` has something to return at once.
  var hasLine: Bool { state.withLock { !$0.lines.isEmpty || $0.isOver } }

  /// The next line, without its newline; blocks until there is one. Nil after the last. Throws
  /// what `end` was given.
  func next() throws(ControlError) -> [UInt8]? {
    ready.wait()
    let (line, failure) = state.withLock { state -> ([UInt8]?, ControlError?) in
      state.lines.isEmpty ? (nil, state.failure) : (state.lines.removeFirst(), nil)
    }
    if let failure { throw failure }
    return line
  }
}
