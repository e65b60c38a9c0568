import CairnControl
import Synchronization

/// Pieces of work in the order they came, for threads that sleep until there is some.
final class WorkQueue: Sendable {
  private let pieces = Mutex<[@Sendable () -> Void]>([])
  private let ready = CountingSemaphore()

  /// Adds a piece of work, and wakes one thread for it.
  func add(_ work: @escaping @Sendable () -> Void) {
    pieces.withLock { $0.append(work) }
    ready.signal()
  }

  /// The oldest piece; blocks until there is one. Nil once the queue is closed and empty.
  func next() -> (@Sendable () -> Void)? {
    ready.wait()
    let work = pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    // Woken with nothing to do: the queue is closed. The next thread has to hear of it too.
    if work == nil { ready.signal() }
    return work
  }

  /// Ends every thread that takes work from here, after the work that there is.
  func close() {
    ready.signal()
  }
}
