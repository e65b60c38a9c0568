import CairnThreads
import Synchronization
import Testing

@testable import CairnFolders

/// The order of transfers.
struct TransferQueueTests {
  private static func work(
    _ size: UInt64, of mount: Int = 1, _ way: TransferWork.Way = .upload
  ) -> TransferWork {
    TransferWork(mount: mount, way: way, size: size) {}
  }

  private static let mega: UInt64 = 1 << 20

  /// Takes everything that may begin, and returns the sizes.
  private static func begin(_ queue: inout TransferQueue) -> [UInt64] {
    var sizes: [UInt64] = []
    while let next = queue.take() { sizes.append(next.size) }
    return sizes
  }

  @Test func `large files leave places to small ones, in each direction`() {
    var queue = TransferQueue()
    for number in 1...5 as ClosedRange<UInt64> {
      queue.add(Self.work(number * 100 * Self.mega))
      queue.add(Self.work(number * 100 * Self.mega, .download))
    }
    #expect(Self.begin(&queue) == [100, 200, 100, 200].map { $0 * Self.mega })
    queue.add(Self.work(Self.mega))
    queue.add(Self.work(2 * Self.mega))
    #expect(Self.begin(&queue) == [Self.mega])
    queue.add(Self.work(3))
    #expect(Self.begin(&queue) == [3])
    queue.end(Self.work(3))
    #expect(Self.begin(&queue) == [], "the last place is for the smallest")
    queue.end(Self.work(Self.mega))
    #expect(Self.begin(&queue) == [2 * Self.mega])
  }

  @Test func `mounts take turns`() {
    var queue = TransferQueue()
    for number in 1...4 as ClosedRange<UInt64> { queue.add(Self.work(number, of: 1)) }
    queue.add(Self.work(1_000, of: 2))
    #expect(Self.begin(&queue) == [1, 1_000, 2, 3])
  }

  @Test func `who is passed again and again is next at last`() {
    var queue = TransferQueue()
    let large = 200 * Self.mega
    queue.add(Self.work(large))
    var passed = 0
    var isTaken = false
    while !isTaken, passed < 1_000 {
      queue.add(Self.work(9 * Self.mega))
      queue.add(Self.work(9 * Self.mega))
      for size in Self.begin(&queue) {
        if size == large { isTaken = true }
        passed += 1
        queue.end(Self.work(size))
      }
    }
    #expect(isTaken && passed > 16)
  }

  @Test func `an empty queue has forgotten everybody`() {
    var queue = TransferQueue()
    queue.add(Self.work(1))
    #expect(Self.begin(&queue) == [1] && !queue.isEmpty)
    queue.end(Self.work(1))
    #expect(queue.isEmpty && queue.take() == nil)
  }

  @Test func `a small transfer ends while all large ones wait for the line`() {
    let pool = TransferPool()
    let line = Monitor(false)
    let ended = Monitor(0)
    for mount in 1...9 {
      pool.carryOut(
        TransferWork(mount: mount, way: .upload, size: 100 << 20) {
          let _: Bool? = line.wait(until: nil) { $0 ? true : nil }
          ended.change { $0 += 1 }
        })
    }
    let small = Waiter<Void>()
    pool.carryOut(TransferWork(mount: 1, way: .upload, size: 3) { small.complete() })
    small.wait()
    #expect(ended.wait(until: 0) { $0 } == 0)
    line.change { $0 = true }
    #expect(ended.wait(until: nil) { $0 == 9 ? $0 : nil } == 9)
  }
}
