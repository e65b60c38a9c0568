public import CairnZone

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
  /// The size in bytes of its buffers, at most.
  public var memory: Int
  /// The records of the files.
  public var records: Set<RecordID>
  /// A Boolean value that indicates whether a person wants it before all others.
  public var isFirst: Bool
  /// Transfers the bytes, and reports the result to the mount. It may be called on any thread.
  public var run: @Sendable () -> Void

  /// Creates a transfer.
  public init(
    mount: Int, way: Way, size: UInt64, memory: Int = 0, records: Set<RecordID> = [],
    isFirst: Bool = false, run: @escaping @Sendable () -> Void
  ) {
    self.mount = mount
    self.way = way
    self.size = size
    self.memory = memory
    self.records = records
    self.isFirst = isFirst
    self.run = run
  }
}

/// Carries out the transfers that sync cycles hand out. A sync cycle never waits for one.
public protocol TransferExecutor: Sendable {
  /// Carries out a transfer, now or later, on any thread.
  func carryOut(_ work: TransferWork)

  /// Moves the waiting transfers of records to the front.
  func hurry(_ records: Set<RecordID>, of mount: Int)
}

extension TransferExecutor {
  /// Does nothing: no transfer waits.
  public func hurry(_ records: Set<RecordID>, of mount: Int) {}
}

/// An executor without threads: each transfer is complete before the sync cycle continues. A
/// simulation in one thread is deterministic with it.
public struct TransfersAtOnce: TransferExecutor {
  /// Creates the executor.
  public init() {}

  /// See `TransferExecutor`.
  public func carryOut(_ work: TransferWork) { work.run() }
}
