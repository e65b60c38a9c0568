/// Work that the calling thread and additional threads do at the same time. The additional threads
/// end with the call. The pieces of work block or compute for milliseconds. It must not know their
/// purpose.
public enum ParallelFor {
  /// Calls `body` on `count` threads at once, including the caller's thread. The system may provide
  /// fewer threads, so `body` takes its pieces from a shared source.
  /// - Parameters:
  ///   - count: The number of threads, at least one.
  ///   - meanwhile: Work of the calling thread before it joins in.
  ///   - body: Takes pieces of the work until none is left.
  public static func run(
    _ count: Int, meanwhile: () -> Void, _ body: @Sendable () -> Void
  ) {
    withoutActuallyEscaping(body) { body in
      let threads = (1..<max(1, count)).compactMap { _ in PosixThread.start("cairn-lane", body) }
      meanwhile()
      body()
      for thread in threads { thread.join() }
    }
  }
}
