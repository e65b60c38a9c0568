import CairnThreads

/// The threads that carry out the transfers of all mounts of a daemon. They begin with the work,
/// and end when nothing is left that may begin. `TransferQueue` has the order.
public final class TransferPool: TransferExecutor {
  private let queue = Monitor(TransferQueue())

  /// Creates a pool without threads.
  public init() {}

  /// See `TransferExecutor`. If the system has no more threads, the transfer is complete before
  /// this returns.
  public func carryOut(_ work: TransferWork) {
    let next = queue.change { queue in
      queue.add(work)
      return queue.take()
    }
    guard let next else { return }
    let isStarted = PosixThread.run("cairn-transfer") { [self] in run(next) }
    if !isStarted { run(next) }
  }

  /// Waits until nothing is under way. The mounts have ended by then, so each transfer ends at its
  /// next step.
  public func finish() {
    let _: Bool? = queue.wait(until: nil) { $0.isEmpty ? true : nil }
  }

  private func run(_ first: TransferWork) {
    var next: TransferWork? = first
    while let work = next {
      work.run()
      next = queue.change { queue in
        queue.end(work)
        return queue.take()
      }
    }
  }
}
