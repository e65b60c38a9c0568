import CairnSystem
import Glibc

/// Waits until an entry comes into a folder, a time is over, or a thread ends it. It owns an
/// inotify instance and an eventfd. If the system gives no instance, only the time ends a wait.
///
/// One thread waits; any thread may call `end`.
final class ProgramWatch: Sendable {
  /// The reason that a wait ended.
  enum Why: Equatable {
    case stirred, time, ended
  }

  /// The longest wait for a change without an event, in milliseconds.
  private static let untold: Int32 = 600_000

  private let inotify: CInt
  private let end: CInt

  /// Creates a value for a folder; nil if the system has no more descriptors.
  init?(_ folder: String) {
    end = cairn_eventfd()
    guard end >= 0 else { return nil }
    var instance = cairn_inotify_open()
    let file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { if file >= 0 { close(file) } }
    if instance >= 0, file < 0 || cairn_inotify_watch_folder(instance, file) < 0 {
      close(instance)
      instance = -1
    }
    inotify = instance
  }

  deinit {
    if inotify >= 0 { close(inotify) }
    close(end)
  }

  /// Ends the present wait, and all later ones.
  func stop() { _ = cairn_eventfd_raise(end) }

  /// Waits for at most that many milliseconds; without a limit if nil.
  func wait(_ milliseconds: Int32?) -> Why {
    // poll(2) skips a negative descriptor.
    var waiting = [
      pollfd(fd: end, events: Int16(POLLIN), revents: 0),
      pollfd(fd: inotify, events: Int16(POLLIN), revents: 0),
    ]
    let ready = poll(&waiting, 2, milliseconds ?? (inotify < 0 ? Self.untold : -1))
    precondition(ready >= 0 || errno == EINTR, "poll on two descriptors of our own failed")
    if waiting[0].revents != 0 { return .ended }
    guard waiting[1].revents != 0 else { return .time }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16 << 10, alignment: 8)
    defer { buffer.deallocate() }
    while read(inotify, buffer.baseAddress, buffer.count) > 0 {}
    return .stirred
  }
}
