import CairnThreads
import Synchronization

/// The place of a mount's actor. Its first step creates it, and its last one releases it.
final class MountPlace: Sendable {
  private let actor = Mutex<MountActor?>(nil)
  private let make: @Sendable () -> sending MountActor

  init(_ make: @escaping @Sendable () -> sending MountActor) { self.make = make }

  func step() -> ActorPool.Next {
    actor.withLock { [make] actor in
      var current = actor ?? make()
      let next = current.step()
      actor = if case .ended = next { nil } else { current }
      return next
    }
  }
}
