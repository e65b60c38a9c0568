// SPDX-License-Identifier: Apache-2.0
import CairnThreads
import Glibc
import Synchronization

/// The watches of this process: owns one cairn-watch program, a thread that talks to it, and the
/// list of roots, so that a program that dies is started again with all of them.
/// It must not know what a hint leads to.
public final class WatchProcess: Sendable {
  private let loop: WatchLoop
  private let thread: Mutex<PosixThread?>

  /// Starts the program at the path `executable`, and a thread that reads from it.
  ///
  /// `onEvents` gets what was read at once, in order, on that thread; it may call this object.
  /// Throws if the program can't be started; a program that can't work (no inotify instance left)
  /// is started again and again, once a second, until `stop`.
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
  /// negative. Answered by `ready` or `failed`. A number in use is given to the new folder.
  ///
  /// Of a flat root the entries are watched, and nothing that is below them.
  public func watch(root: Int, path: [UInt8], isFlat: Bool = false) {
    precondition(root >= 0, "a root's number is not negative, but \(root) is")
    precondition(!path.contains(0), "a path has no NUL")
    loop.ask { $0.watch(root: root, path: path, isFlat: isFlat) }
  }

  /// Somebody has seen these directories below a root. What of them isn't watched, because no event
  /// told of it, is from here on, and answered by `tree`. It costs next to nothing of all others.
  public func saw(_ directories: [FolderHint], in root: Int) {
    loop.ask { $0.saw(directories, in: root) }
  }

  /// Ends the watch of a root, a lost one included; answered by `unwatched`.
  public func unwatch(root: Int) {
    loop.ask { $0.unwatch(root: root) }
  }

  /// Asks for `synced` with this number (not negative), which comes after the hints for
  /// everything that happened before this call.
  public func sync(token: Int) {
    precondition(token >= 0, "a token is not negative, but \(token) is")
    loop.ask { $0.sync(token: token) }
  }

  /// Ends the program and the thread. Nothing is reported after it returns, unless it was called
  /// by `onEvents` itself. A second call does nothing.
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
