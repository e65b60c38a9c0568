/// Work that is done at the same time by the calling thread and by others that begin and end with
/// it: pieces that block or compute for milliseconds. It must not know what they do.
public enum Lanes {
  /// Calls `body` on so many threads at once, the caller's among them. Where the system gives no
  /// more threads there are fewer, so `body` takes its part from what all share.
  /// - Parameters:
  ///   - count: How many threads, at least one.
  ///   - meanwhile: What the caller's thread does before it joins in.
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
