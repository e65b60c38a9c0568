import CairnThreads
import Glibc
import Synchronization
import Testing

/// Actors and their few threads.
@Suite struct ActorPoolTests {
  /// The maximum time that a test waits for something expected, in nanoseconds.
  private static let patience: Int64 = 60_000_000_000

  /// An actor that counts. Its fields have no lock of their own.
  private final class Counter: @unchecked Sendable {
    // Unchecked: the pool runs one step at a time, as the test shows.
    private var taken: [Int] = []
    private let isRunning = Atomic(false)
    private let overlaps = Atomic(0)
    let mailbox = Mailbox<Int>(limit: 1_000, overflow: -1)
    let result = Waiter<(messages: [Int], overlaps: Int)>()

    func step() -> ActorPool.Next {
      if isRunning.exchange(true, ordering: .acquiringAndReleasing) {
        overlaps.add(1, ordering: .relaxed)
      }
      defer { isRunning.store(false, ordering: .releasing) }
      taken += mailbox.takeNow()
      guard taken.last == 0 else { return .at(nil) }
      result.complete((taken, overlaps.load(ordering: .relaxed)))
      return .ended
    }
  }

  private func wait(for waiter: Waiter<Void>) -> Bool {
    waiter.wait(until: Monotonic.now + Self.patience) != nil
  }

  @Test func `many actors get all their messages in order, each on one thread at a time`() throws {
    let pool = ActorPool("test", count: 3, limit: 6)
    let counters = (0..<40).map { _ in Counter() }
    for counter in counters {
      let id = try #require(pool.add(counter.step))
      counter.mailbox.notify { pool.wake(id) }
      pool.wake(id)
    }
    PosixThread.race(4) { number in
      for message in 1...25 { for counter in counters { counter.mailbox.hint([message]) } }
      #expect(pool.threads <= 6, "the thread \(number)")
    }
    for counter in counters { counter.mailbox.post(0) }
    for counter in counters {
      let (messages, overlaps) = try #require(
        counter.result.wait(until: Monotonic.now + Self.patience))
      #expect(overlaps == 0 && messages.count == 101)
      #expect(messages.filter { $0 == 25 }.count == 4)
    }
    // The threads end with the last actor.
    while pool.threads > 0 { sched_yield() }
  }

  @Test func `steps that take long stop nobody, and their threads end afterwards`() throws {
    let pool = ActorPool("test", count: 2, limit: 8, patience: 1_000_000)
    let (goes, others) = (Waiter<Void>(), (0..<4).map { _ in Waiter<Void>() })
    let held = Waiter<Void>()
    for _ in 0..<3 {
      _ = pool.add {
        goes.wait()
        return .at(nil)
      }
    }
    for other in others {
      _ = pool.add {
        other.complete()
        return .at(nil)
      }
    }
    for other in others { #expect(wait(for: other)) }
    goes.complete()
    while pool.threads > 3 { sched_yield() }
    _ = pool.add {
      held.complete()
      return .ended
    }
    #expect(wait(for: held))
  }

  @Test func `an actor ends another one, even if there is one thread only`() throws {
    let pool = ActorPool("test", count: 1, limit: 1)
    let (asked, steps, done) = (Counted(), Counted(), Waiter<Void>())
    let other = try #require(
      pool.add {
        steps.add()
        return asked.count > 0 ? .ended : .at(nil)
      })
    _ = pool.add {
      asked.add()
      pool.finish(other)
      pool.finish(other)
      done.complete()
      return .ended
    }
    #expect(wait(for: done))
    let before = steps.count
    pool.wake(other)
    #expect(steps.count == before && before >= 1)
  }

  @Test func `a step comes at its time, without a message`() throws {
    let pool = ActorPool("test")
    let (steps, done) = (Counted(), Waiter<Void>())
    _ = pool.add {
      steps.add()
      guard steps.count < 4 else {
        done.complete()
        return .ended
      }
      return .at(steps.count == 1 ? 0 : Monotonic.now + 1_000_000)
    }
    #expect(wait(for: done))
  }
}

private final class Counted: Sendable {
  private let number = Atomic(0)
  var count: Int { number.load(ordering: .acquiring) }
  func add() { number.add(1, ordering: .acquiringAndReleasing) }
}
