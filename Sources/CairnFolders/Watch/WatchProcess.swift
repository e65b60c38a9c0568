// SPDX-License-Identifier: Apache-2.0
import CairnThreads
import Glibc
import Synchronization

/// The watches of this process. It owns one cairn-watch program, a thread for it, and the list of
/// roots, so that a restarted program gets all of them. It must not know the use of a hint.
public final class WatchProcess: Sendable {
  private let loop: WatchLoop
  private let thread: Mutex<PosixThread?>

  /// Starts the program at the path `executable`, and a thread that reads from it.
  ///
  /// `onEvents` receives the events of one read, in order, on that thread; it may call this object.
  /// Throws if the program cannot be started. A program that cannot work (no inotify instance left)
  /// is restarted once a second, until `stop`.
  public init(
    executable: String, onEvents: @escaping @Sendable ([WatchEvent]) -> Void
  ) throws(WatchError) {
    let loop = WatchLoop(executable: executable, onEvents: onEvents)
    self.loop = loop
    guard let thread = PosixThread.start("cairn-watch-io", { loop.run() }) else {
      throw WatchError(
        errorNumber: EAGAIN,
        message: "cannot start a thread for \(executable): \(String(cString: strerror(EAGAIN)))")
    }
    self.thread = Mutex(thread)
    if let failure = loop.waitForFirstStart() {
      stop()
      throw failure
    }
  }

  deinit { stop() }

  /// Watches the folder at an absolute path, under a number of the caller's choice that is not
  /// negative. The answer is `ready` or `failed`. A number in use is given to the new folder.
  ///
  /// For a flat root only its entries are watched, without anything below them.
  public func watch(root: Int, path: [UInt8], isFlat: Bool = false) {
    precondition(root >= 0, "a root's number is not negative, but \(root) is")
    precondition(!path.contains(0), "a path has no NUL")
    loop.ask { $0.watch(root: root, path: path, isFlat: isFlat) }
  }

  /// Notes that these directories below a root were seen. Those without a watch, because no event
  /// reported them, are watched from now on, and answered by `tree`. For all others this costs
  /// almost nothing.
  public func saw(_ directories: [FolderHint], in root: Int) {
    loop.ask { $0.saw(directories, in: root) }
  }

  /// Ends the watch of a root, even a lost one; answered by `unwatched`.
  public func unwatch(root: Int) {
    loop.ask { $0.unwatch(root: root) }
  }

  /// Requests `synced` with this number (not negative), which follows the hints for everything
  /// before this call.
  public func sync(token: Int) {
    precondition(token >= 0, "a token is not negative, but \(token) is")
    loop.ask { $0.sync(token: token) }
  }

  /// Ends the program and the thread. Nothing is reported after it returns, unless `onEvents`
  /// called it. A second call does nothing.
  public func stop() {
    loop.ask { $0.isStopped = true }
    let running = thread.withLock { thread in
      defer { thread = nil }
      return thread
    }
    guard let running else { return }
    if running.isCurrent { running.letGo() } else { running.join() }
  }
}
