import CairnControl
import CairnThreads

/// The requests of a program to a daemon. While no daemon answers, because it restarts, requests
/// are repeated. The daemon performs a repeated request once.
final class ProgramSession: Sendable {
  let secret: String
  let followed: FollowedZones
  private let client: ControlClient
  private let clock = Monitor(false)

  /// The longest time of repetition, and the pauses between requests, in nanoseconds.
  private static let patience: Int64 = 30_000_000_000
  static let (shortPause, longPause): (Int64, Int64) = (5_000_000, 250_000_000)

  init(_ client: ControlClient, _ secret: String) {
    (self.client, self.secret) = (client, secret)
    followed = FollowedZones(client, secret)
  }

  deinit { followed.end() }

  /// Asks for an operation.
  func ask<Operation: ControlOperation>(_ operation: Operation) throws -> Operation.Reply {
    try repeating { () throws(ControlError) in try client.call(operation).reply }
  }

  /// Asks for an operation whose answer has a list.
  func list<Operation: ControlOperation>(
    _ operation: Operation
  ) throws -> Operation.Reply where Operation.Reply: ControlListReply {
    try repeating { () throws(ControlError) in
      var items: [Operation.Reply.Item] = []
      var reply = try client.call(operation) { update throws(ControlError) in
        items += try update.items(Operation.Reply.Item.self)
      }.reply
      reply.items = items
      return reply
    }
  }

  /// Asks for bytes, and passes each of them on once.
  /// - Throws: `CloudError`; any error of `body`.
  func pieces(
    _ operation: Control.ProgramDownload, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var (passed, failure): (Int, (any Error)?) = (0, nil)
    do {
      try repeating { () throws(ControlError) in
        var place = 0
        _ = try client.call(operation) { update throws(ControlError) in
          for piece in try update.items(String.self) {
            guard let bytes = Control.bytes(base64: piece) else {
              throw ControlError(.internalError, "the daemon sent bytes that aren't base64")
            }
            let new = bytes.dropFirst(max(0, passed - place))
            place += bytes.count
            guard !new.isEmpty else { continue }
            do { try new.withUnsafeBytes { try body($0) } } catch {
              failure = error
              throw ControlError(.operationCancelled, "the program reads no further")
            }
            passed = place
          }
        }
      }
    } catch {
      throw failure ?? error
    }
  }

  /// Runs a request, and again while no daemon answers.
  private func repeating<Result>(_ body: () throws(ControlError) -> Result) throws -> Result {
    let end = Monotonic.now + Self.patience
    var pause = Self.shortPause
    while true {
      do { return try body() } catch {
        guard Self.mayPass(error.code), Monotonic.now < end else { throw CloudError(error) }
      }
      _ = clock.wait(until: Monotonic.now + pause) { $0 ? true : nil }
      pause = min(pause * 2, Self.longPause)
    }
  }

  /// Returns whether the same request may succeed soon.
  static func mayPass(_ code: Control.ErrorCode) -> Bool {
    [.notRunning, .interrupted, .serviceUnavailable, .requestRateLimited].contains(code)
  }
}
