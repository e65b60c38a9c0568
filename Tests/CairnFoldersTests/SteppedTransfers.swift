import CairnFolders
import CairnZone
import Synchronization
import Testing

/// An executor whose transfers a test carries out, one after the other, on its own thread.
final class SteppedTransfers: TransferExecutor {
  private let waiting = Mutex<[TransferWork]>([])

  /// See `TransferExecutor`.
  func carryOut(_ work: TransferWork) { waiting.withLock { $0.append(work) } }

  private let hurried = Mutex<Set<RecordID>>([])
  /// The records that were moved to the front.
  var first: Set<RecordID> { hurried.withLock { $0 } }

  /// See `TransferExecutor`.
  func hurry(_ records: Set<RecordID>, of mount: Int) {
    hurried.withLock { $0.formUnion(records) }
  }

  /// The directions and sizes of the waiting transfers.
  var sizes: [UInt64] { waiting.withLock { $0.map(\.size).sorted() } }

  /// Carries out the smallest transfer that waits; false if there is none.
  @discardableResult
  func step() -> Bool { run { $0.min { $0.size < $1.size }?.size } }

  /// Carries out the largest transfer that waits; false if there is none.
  @discardableResult
  func stepLargest() -> Bool { run { $0.max { $0.size < $1.size }?.size } }

  private func run(_ size: ([TransferWork]) -> UInt64?) -> Bool {
    let work = waiting.withLock { waiting -> TransferWork? in
      guard let size = size(waiting) else { return nil }
      return waiting.firstIndex { $0.size == size }.map { waiting.remove(at: $0) }
    }
    work?.run()
    return work != nil
  }
}
