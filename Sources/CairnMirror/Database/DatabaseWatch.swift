import CairnCloud
import CairnSystem
import CairnThreads
import Glibc

/// A watch on the folder of a database: it tells of writes by any process. A hint may come without
/// a change.
final class DatabaseWatch: Sendable {
  private let inotify: CInt
  private let end: CInt

  /// Begins to watch the folder of the database at `path`. Hints come on another thread.
  init(_ path: String, _ onHint: @escaping @Sendable () -> Void) throws(CloudError) {
    let folder =
      path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]) : "."
    let (inotify, end) = (cairn_inotify_open(), cairn_eventfd())
    (self.inotify, self.end) = (inotify, end)
    let watch = cairn_inotify_watch_writes(inotify, folder.isEmpty ? "/" : folder)
    guard inotify >= 0, end >= 0, watch >= 0,
      PosixThread.run("cairn-mirror", { Self.follow(inotify, end, onHint) })
    else {
      if inotify >= 0 { close(inotify) }
      if end >= 0 { close(end) }
      throw CloudError(.internalError, "the folder \(folder) can't be watched")
    }
  }

  /// The thread closes the descriptors when it ends.
  deinit { _ = cairn_eventfd_raise(end) }

  private static func follow(_ inotify: CInt, _ end: CInt, _ onHint: () -> Void) {
    defer {
      close(inotify)
      close(end)
    }
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      var waits = [
        pollfd(fd: inotify, events: Int16(POLLIN), revents: 0),
        pollfd(fd: end, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&waits, 2, -1) >= 0 || errno == EINTR, waits[1].revents == 0 else { return }
      // All that came meanwhile is one hint.
      while read(inotify, &buffer, buffer.count) > 0 {}
      if waits[0].revents != 0 { onHint() }
    }
  }
}
