import CairnThreads
import Synchronization
import Testing

/// A piece of work on a separate thread.
@Suite struct BackgroundTaskTests {
  private struct Stop: Error {}

  @Test func `what it came to is had more than once`() throws {
    let errand = BackgroundTask { 7 }
    #expect(try errand.wait() == 7)
    #expect(try errand.wait() == 7)
  }

  @Test func `what it threw comes out`() {
    let errand = BackgroundTask<Int> { throw Stop() }
    #expect(throws: Stop.self) { try errand.wait() }
  }

  @Test func `whoever lets it go waits for its end`() {
    let (goes, isDone) = (Gate(), Gate())
    let opener = BackgroundTask { goes.open() }
    do {
      _ = BackgroundTask {
        goes.wait()
        isDone.open()
      }
    }
    #expect(isDone.isOpen)
    withExtendedLifetime(opener) {}
  }

  private final class Gate: Sendable {
    private let state = Atomic(false)
    var isOpen: Bool { state.load(ordering: .acquiring) }

    func open() { state.store(true, ordering: .releasing) }

    func wait() { while !isOpen {} }
  }
}
