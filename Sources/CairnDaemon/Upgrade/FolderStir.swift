import CairnSystem
import Glibc

/// Waits until something comes into a folder, a time is over, or somebody ends it. It owns an
/// inotify instance and an eventfd. Where the system gives no instance, only time passes.
///
/// One thread waits; `end` may be called by any.
final class FolderStir: Sendable {
  /// Why a wait ended.
  enum Why: Equatable {
    case stirred, time, ended
  }

  /// How long is waited for something that nobody tells, in milliseconds.
  private static let untold: Int32 = 600_000

  private let inotify: CInt
  private let end: CInt

  /// Nil if the system has no more descriptors.
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

  /// Ends the wait that goes on, and all that come.
  func stop() { _ = cairn_eventfd_raise(end) }

  /// Waits; at most for so many milliseconds, without a number for ever.
  func wait(_ milliseconds: Int32?) -> Why {
    // poll(2) passes over a negative descriptor.
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
