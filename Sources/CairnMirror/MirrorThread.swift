import CairnCloud
import CairnThreads

/// The thread on which a mirror works. SQLite blocks, and so nothing of it may run on the
/// cooperative pool.
final class MirrorThread: SerialExecutor {
  private let pool: BlockingPool

  init() throws(CloudError) {
    guard let pool = BlockingPool(threads: 1) else {
      throw CloudError(.internalError, "the system provides no thread")
    }
    self.pool = pool
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    pool.submitShort { [self] in job.runSynchronously(on: asUnownedSerialExecutor()) }
  }
}
