import CairnThreads
public import CairnZone

/// The threads that carry out the transfers of all mounts of a daemon. They begin with the work,
/// and end when nothing is left that may begin. `TransferQueue` has the order.
public final class TransferPool: TransferExecutor {
  private let queue = Monitor(TransferQueue())

  /// Creates a pool without threads.
  public init() {}

  /// See `TransferExecutor`. If the system has no more threads, the transfer is complete before
  /// this returns.
  public func carryOut(_ work: TransferWork) {
    begin(
      queue.change { queue in
        queue.add(work)
        return queue.take()
      })
  }

  /// See `TransferExecutor`.
  public func hurry(_ records: Set<RecordID>, of mount: Int) {
    begin(
      queue.change { queue in
        queue.hurry(records, of: mount)
        return queue.take()
      })
  }

  private func begin(_ next: TransferWork?) {
    guard let next else { return }
    let isStarted = PosixThread.run("cairn-transfer") { [self] in run(next) }
    if !isStarted { run(next) }
  }

  /// The size in bytes of the buffers of running transfers, at most `TransferQueue.memory`.
  var memory: Int { queue.change { $0.memory } }

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
