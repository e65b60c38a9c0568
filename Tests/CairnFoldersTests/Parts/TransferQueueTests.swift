import CairnIdentity
import CairnReplica
import CairnThreads
import CairnZone
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

  @Test func `a transfer that a person wants first passes all others`() {
    var queue = TransferQueue()
    let wanted = RecordID.random()
    for size in 1...4 as ClosedRange<UInt64> { queue.add(Self.work(size * 100 * Self.mega)) }
    queue.add(
      TransferWork(mount: 1, way: .upload, size: 900 * Self.mega, records: [wanted]) {})
    #expect(Self.begin(&queue) == [100 * Self.mega, 200 * Self.mega])
    queue.hurry([wanted], of: 2)
    #expect(Self.begin(&queue) == [], "it is a record of another mount")
    queue.hurry([wanted], of: 1)
    #expect(Self.begin(&queue) == [900 * Self.mega], "it takes a place for small ones")
    queue.end(Self.work(100 * Self.mega))
    #expect(Self.begin(&queue) == [])
  }

  /// Transfers as the daemon hands them out.
  private static func sized(_ size: UInt64, _ way: TransferWork.Way) -> TransferWork {
    let memory =
      way == .upload
      ? TransferMemory.toSend(size, lanes: 2) : TransferMemory.toReceive(size, lanes: 2)
    return TransferWork(mount: 1, way: way, size: size, memory: memory) {}
  }

  @Test func `running transfers have 64 MiB of buffers at most, and small files don't wait`() {
    var queue = TransferQueue()
    for way in [TransferWork.Way.upload, .download] {
      for _ in 1...3 { queue.add(Self.sized(10 << 30, way)) }
    }
    #expect(Self.begin(&queue).count == 2, "a large one in each direction")
    for way in [TransferWork.Way.upload, .download] { queue.add(Self.sized(8 << 20, way)) }
    #expect(Self.begin(&queue).contains(8 << 20), "a full group passes")
    var running: [TransferWork] = []
    var generator = SystemRandomNumberGenerator()
    queue = TransferQueue()
    for _ in 0..<2_000 {
      let size = UInt64.random(in: 0...35, using: &generator)
      queue.add(Self.sized(1 << size, Bool.random(using: &generator) ? .upload : .download))
      while let work = queue.take() { running.append(work) }
      #expect(queue.memory == running.reduce(0) { $0 + $1.memory })
      #expect(queue.memory <= 64 << 20)
      if Bool.random(using: &generator), let index = running.indices.randomElement() {
        queue.end(running.remove(at: index))
      }
    }
    while let work = running.popLast() {
      queue.end(work)
      while let next = queue.take() { running.append(next) }
    }
    #expect(queue.isEmpty && queue.memory == 0)
  }

  @Test func `a large transfer gets its buffers although small ones come without end`() {
    var queue = TransferQueue()
    for _ in 1...2 { queue.add(Self.sized(8 << 20, .upload)) }
    var running: [TransferWork] = []
    while let work = queue.take() { running.append(work) }
    queue.add(Self.sized(1 << 30, .upload))
    var rounds = 0
    while !running.contains(where: { $0.size == 1 << 30 }), rounds < 10_000 {
      rounds += 1
      queue.add(Self.sized(8 << 20, .upload))
      queue.end(running.removeFirst())
      while let work = queue.take() { running.append(work) }
    }
    #expect(rounds < 10_000)
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
