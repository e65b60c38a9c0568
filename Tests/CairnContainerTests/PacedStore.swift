import CairnStore
import CairnThreads
import Testing

/// A slow line whose pace a test sets: the puts and reads of packs wait until the test lets them
/// pass. Everything else passes at once.
final class PacedStore: StoreAround {
  private struct State: Sendable {
    var isClosed = false
    /// The number of calls that may pass while it is closed.
    var passes = 0
    /// The number of calls that wait.
    var waiting = 0
    /// The number of bytes of packs that were read.
    var read = 0
  }

  let inner: any ObjectStore
  private let state = Monitor(State())

  init(_ inner: any ObjectStore = MemoryStore()) { self.inner = inner }

  /// Lets packs wait from now on.
  func close() { state.change { $0.isClosed = true } }

  /// Lets everything pass that waits, and everything after it.
  func open() { state.change { $0.isClosed = false } }

  /// Lets some calls pass.
  func pass(_ count: Int) { state.change { $0.passes += count } }

  /// The number of bytes of packs that were read since the last call.
  func takeRead() -> Int {
    state.change { state in
      defer { state.read = 0 }
      return state.read
    }
  }

  /// Waits until that many calls wait.
  func expectWaiting(
    _ count: Int = 1, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let found: Bool? = state.wait(until: Monotonic.now + Self.bound) {
      $0.waiting >= count ? true : nil
    }
    #expect(found == true, "nobody waits for a pack", sourceLocation: sourceLocation)
  }

  private static let bound: Int64 = 60_000_000_000

  private func wait(_ key: ObjectKey) {
    guard key.description.contains("/packs/") else { return }
    state.change { $0.waiting += 1 }
    let _: Bool? = state.wait(until: nil) { state in
      if state.isClosed, state.passes == 0 { return nil }
      if state.isClosed { state.passes -= 1 }
      state.waiting -= 1
      return true
    }
  }

  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    wait(key)
    return try inner.put(key, bytes)
  }

  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    wait(key)
    let bytes = try inner.get(key, range: range)
    if key.description.contains("/packs/") {
      state.change { $0.read += bytes?.count ?? 0 }
    }
    return bytes
  }

  /// Performs a closure on another thread, and waits for its end. If it waits for the line, an
  /// issue is recorded, and the line is opened.
  func expectEnd<Value: Sendable>(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @escaping @Sendable () throws -> Value
  ) throws -> Value {
    let done = Waiter<Void>()
    let work = BackgroundTask {
      defer { done.complete() }
      return try body()
    }
    if done.wait(until: Monotonic.now + Self.bound / 12) == nil {
      Issue.record("\(what) waits for the line", sourceLocation: sourceLocation)
      open()
    }
    return try work.wait()
  }
}
