// SPDX-License-Identifier: GPL-2.0-only
import CInotifyTools
import Glibc

/// An event, copied out of the library's buffer.
struct InotifyEvent {
  let watch: Int32
  let mask: UInt32
  let cookie: UInt32
  /// The entry of the watched directory; empty for the directory itself.
  let name: [UInt8]

  func has(_ flag: Int32) -> Bool { mask & UInt32(bitPattern: flag) != 0 }

  var isDirectory: Bool { has(IN_ISDIR) }

  /// The event that the watched directory itself may have changed.
  var aboutDirectory: InotifyEvent {
    InotifyEvent(watch: watch, mask: UInt32(bitPattern: IN_ATTRIB), cookie: 0, name: [])
  }
}

/// The owner of libinotifytools and its process-wide state: one object per process, used by one
/// thread. It must not know paths: the library gets a new alias of an open directory for each
/// watch, and is never asked for a name afterwards.
final class InotifyLibrary {
  /// The descriptor that is readable when the kernel's queue has events. Events in the library's
  /// buffer do not show there, so wait on it only after `next` has returned nil.
  let descriptor: Int32

  /// The maximum number of waiting events: the kernel's queue and the library's buffer.
  let queueBound: Int

  private var serial: UInt64 = 0
  private var kept = 0

  /// Throws if the user has no inotify instance left.
  init() throws {
    let before = InotifyLibrary.inotifyDescriptors()
    guard inotifytools_initialize() != 0,
      let found = InotifyLibrary.inotifyDescriptors().subtracting(before).first
    else {
      throw EarlyExit(
        status: 69,
        message: "no inotify instance could be had; raise fs.inotify.max_user_instances "
          + "(and /proc must be mounted)")
    }
    _ = fcntl(found, F_SETFD, FD_CLOEXEC)
    descriptor = found
    queueBound = InotifyLibrary.kernelQueueLength() + 4096
  }

  /// The number of library records without one of our watches. The library cannot free the watch of
  /// a deleted directory, because removing the watch fails.
  func deadRecords(live: Int) -> Int { kept - live }

  /// Watches the open directory. Returns its watch, which is the same for the same directory.
  func watch(directory: Int32) -> Result<Int32, Errno> {
    serial += 1
    let alias = InotifyLibrary.alias(of: directory, serial: serial)
    let mask =
      IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_MODIFY | IN_CLOSE_WRITE
      | IN_ATTRIB | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK
    guard inotifytools_watch_file(alias, mask) != 0 else {
      let code = inotifytools_error()
      return .failure(Errno(code: code == 0 ? EIO : code))
    }
    let watch = inotifytools_wd_from_filename(alias)
    guard watch > 0 else { return .failure(Errno(code: EIO)) }
    kept += 1
    return .success(watch)
  }

  /// Ends these watches. Those of deleted directories are not freed. The library reports each on
  /// standard error, so standard error is redirected meanwhile.
  func unwatch(_ watches: some Sequence<Int32>) {
    let aside = fcntl(2, F_DUPFD_CLOEXEC, 3)
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    if aside >= 0, null >= 0 { dup2(null, 2) }
    for watch in watches where inotifytools_remove_watch_by_wd(watch) != 0 { kept -= 1 }
    if aside >= 0, null >= 0 { dup2(aside, 2) }
    if null >= 0 { close(null) }
    if aside >= 0 { close(aside) }
  }

  /// The next waiting event, or nil.
  func next() -> InotifyEvent? {
    // One at a time, without waiting: with any other count the library spins until so many events
    // have come, whatever the time limit.
    guard let event = inotifytools_next_events(0, 1) else { return nil }
    let raw = UnsafeRawPointer(event) + MemoryLayout<inotify_event>.size
    let bytes = UnsafeRawBufferPointer(start: raw, count: Int(event.pointee.len))
    return InotifyEvent(
      watch: event.pointee.wd, mask: event.pointee.mask, cookie: event.pointee.cookie,
      name: Array(bytes.prefix { $0 != 0 }))
  }

  /// A path of the open directory that no earlier watch used: the serial number in binary, with a
  /// redundant separator for each set bit. The library finds watches by path, and never forgets a
  /// dead one.
  private static func alias(of directory: Int32, serial: UInt64) -> String {
    var alias = "/proc/self/fd/\(directory)"
    var rest = serial
    while rest > 0 {
      alias += rest & 1 == 1 ? "/." : "/"
      rest >>= 1
    }
    return alias + "/./"
  }

  private static func inotifyDescriptors() -> Set<Int32> {
    var found: Set<Int32> = []
    for descriptor in Int32(0)..<64 {
      var link = [UInt8](repeating: 0, count: 64)
      let count = link.withUnsafeMutableBytes { bytes in
        bytes.withMemoryRebound(to: CChar.self) { text in
          text.baseAddress.map { readlink("/proc/self/fd/\(descriptor)", $0, text.count) } ?? -1
        }
      }
      if count > 0, link[..<count].elementsEqual("anon_inode:inotify".utf8) {
        found.insert(descriptor)
      }
    }
    return found
  }

  private static func kernelQueueLength() -> Int {
    let descriptor = open("/proc/sys/fs/inotify/max_queued_events", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return 16384 }
    defer { close(descriptor) }
    var digits = [UInt8](repeating: 0, count: 32)
    let count = max(0, read(descriptor, &digits, digits.count))
    let text = String(decoding: digits[..<count].filter { $0 >= 0x30 && $0 <= 0x39 }, as: UTF8.self)
    return Int(text) ?? 16384
  }
}

/// An error number of the system.
struct Errno: Error, Equatable {
  let code: Int32

  var message: String { String(cString: strerror(code)) }
}
