import CairnControl
import CairnFolders
import CairnThreads
import Synchronization

extension Mount {
  /// Runs something with the engine, between two of its turns, and returns what came of it.
  /// - Throws: what `body` throws; `timedOut` if the engine doesn't come to it, and
  ///   `assetNotAvailable` if the folder isn't there.
  func ask<Answer: Sendable>(
    _ body: @escaping @Sendable (MountEngine) throws -> Answer
  ) throws -> Answer {
    let answer = Waiter<Result<Answer, any Error>>()
    mailbox.post(.run { engine in answer.complete(Result { try body(engine) }) })
    while true {
      if let result = answer.wait(until: clock.now + 1_000_000_000) { return try result.get() }
      // A mount that ended takes no more messages; one that works comes to it after its turn.
      guard !hasEnded.withLock({ $0 }) else {
        throw ControlError(
          .operationCancelled, "\(Control.Path(path)) isn't mirrored any more.",
          remedy: "See `cairn status`.", path: Control.Path(path))
      }
    }
  }
}
