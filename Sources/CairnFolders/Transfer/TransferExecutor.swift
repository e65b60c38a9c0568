/// A transfer of one or more files of a mount, for an executor.
public struct TransferWork: Sendable {
  /// The direction of the bytes.
  public enum Way: Hashable, Sendable {
    /// From the folder to the container.
    case upload
    /// From the container to the folder.
    case download
  }

  /// The number of the mount in this process: executors are fair to mounts.
  public var mount: Int
  /// The direction.
  public var way: Way
  /// The number of bytes.
  public var size: UInt64
  /// Transfers the bytes, and reports the result to the mount. It may be called on any thread.
  public var run: @Sendable () -> Void

  /// Creates a transfer.
  public init(mount: Int, way: Way, size: UInt64, run: @escaping @Sendable () -> Void) {
    self.mount = mount
    self.way = way
    self.size = size
    self.run = run
  }
}

/// Carries out the transfers that sync cycles hand out. A sync cycle never waits for one.
public protocol TransferExecutor: Sendable {
  /// Carries out a transfer, now or later, on any thread.
  func carryOut(_ work: TransferWork)
}

/// An executor without threads: each transfer is complete before the sync cycle continues. A
/// simulation in one thread is deterministic with it.
public struct TransfersAtOnce: TransferExecutor {
  /// Creates the executor.
  public init() {}

  /// See `TransferExecutor`.
  public func carryOut(_ work: TransferWork) { work.run() }
}
