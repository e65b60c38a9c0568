import CairnThreads
import Testing

/// Messages and answers between threads.
@Suite struct MailboxTests {
  /// The maximum time that a test waits for an expected message, in nanoseconds.
  private static let patience: Int64 = 60_000_000_000

  private var soon: Int64 { Monotonic.now + Self.patience }

  @Test func `messages come in their order, all at once, and wake whoever waits`() {
    let mailbox = Mailbox<Int>(limit: 10, overflow: -1)
    let taken = Waiter<[Int]>()
    #expect(PosixThread.run("test") { taken.complete(mailbox.take(until: nil)) })
    mailbox.hint([1])
    #expect(taken.wait(until: soon)?.first == 1)
    mailbox.hint([2, 3])
    mailbox.post(4)
    #expect(mailbox.take(until: soon) == [2, 3, 4])
    #expect(mailbox.take(until: Monotonic.now) == [])
  }

  @Test func `too many hints become one, and no message is lost for that`() {
    let mailbox = Mailbox<Int>(limit: 2, overflow: -1)
    mailbox.hint([1])
    mailbox.hint([2, 3])
    mailbox.hint([4])
    mailbox.post(5)
    #expect(mailbox.take(until: soon) == [1, -1, 5])
    mailbox.hint([6])
    #expect(mailbox.take(until: soon) == [6])
  }

  @Test func `a closed mailbox gives back what nobody took, and takes nothing`() {
    let mailbox = Mailbox<Int>(limit: 2, overflow: -1)
    #expect(mailbox.post(1))
    #expect(mailbox.close() == [1])
    #expect(!mailbox.post(2))
    mailbox.hint([3])
    #expect(mailbox.close() == [])
  }

  @Test func `the first answer counts, for all who wait`() {
    let waiter = Waiter<Int>()
    #expect(waiter.wait(until: Monotonic.now) == nil)
    let seen = (0..<3).map { _ in
      let seen = Waiter<Int>()
      #expect(PosixThread.run("test") { seen.complete(waiter.wait()) })
      return seen
    }
    waiter.complete(7)
    waiter.complete(8)
    #expect(seen.map { $0.wait(until: soon) } == [7, 7, 7])
  }

  @Test func `short work is done in its order, waiting work beside it, up to its limit`() throws {
    let pool = try #require(BlockingPool(threads: 1, waitingLimit: 1))
    let (goes, done) = (Waiter<Void>(), Mailbox<Int>(limit: 10, overflow: -1))
    #expect(pool.submitWaiting { goes.wait() })
    #expect(!pool.submitWaiting {})
    for number in 1...3 { pool.submitShort { done.post(number) } }
    var numbers: [Int] = []
    while numbers.count < 3, case let more = done.take(until: soon), !more.isEmpty {
      numbers += more
    }
    #expect(numbers == [1, 2, 3])
    goes.complete()
  }
}
