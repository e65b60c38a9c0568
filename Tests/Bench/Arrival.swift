import CairnSystem
import Glibc

/// Waits in one folder until files have the expected contents.
final class Arrival {
  private let folder: String
  private let inotify: Int32
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  /// Watches a folder, on request also for files that go away.
  init(at folder: String, removals: Bool = false) throws {
    self.folder = folder
    inotify = cairn_inotify_open()
    var mask = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_MODIFY)
    if removals { mask |= UInt32(IN_DELETE | IN_MOVED_FROM) }
    guard inotify >= 0, inotify_add_watch(inotify, folder, mask) >= 0 else {
      throw Child.Trouble(description: "can't watch \(folder)")
    }
  }

  deinit { close(inotify) }

  /// Returns when a file has exactly these bytes.
  func wait(for name: String, _ content: [UInt8]) throws {
    let path = "\(folder)/\(name)"
    try wait(for: "\(name)") {
      Self.size(of: path) == content.count && bytes(of: path) == content
    }
  }

  /// Returns when all of these names exist, with that size.
  func wait(for names: Set<String>, size: Int) throws {
    var missing = names
    try wait(for: "\(names.count) files") {
      missing = missing.filter { Self.size(of: "\(folder)/\($0)") != size }
      return missing.isEmpty
    }
  }

  private static func size(of path: String) -> Int? {
    var status = Glibc.stat()
    return lstat(path, &status) == 0 ? status.st_size : nil
  }

  /// Returns when `isThere` is true. It is called after each event.
  func wait(for what: String, _ isThere: () -> Bool) throws {
    let deadline = now() + 120
    while !isThere() {
      var waiting = pollfd(fd: inotify, events: Int16(POLLIN), revents: 0)
      let left = deadline - now()
      guard left > 0 else { throw Child.Trouble(description: "\(what) didn't come to \(folder)") }
      if poll(&waiting, 1, Int32(left * 1_000)) > 0 { _ = read(inotify, &buffer, buffer.count) }
    }
  }
}

/// The bare equivalent of a shared folder: watches one folder, and copies each written file to
/// another folder, whole and durably. Two relays in a row are the two-hop loop.
enum Relay {
  /// Runs until it is killed. Prints a line on standard output once it watches.
  static func run(from source: String, to target: String) throws {
    let inotify = cairn_inotify_open()
    let mask = UInt32(IN_CLOSE_WRITE | IN_MOVED_TO)
    guard inotify >= 0, inotify_add_watch(inotify, source, mask) >= 0 else {
      throw Child.Trouble(description: "can't watch \(source)")
    }
    print("watching")
    fflush(nil)
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      var waiting = pollfd(fd: inotify, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, -1) > 0 else { continue }
      let filled = read(inotify, &buffer, buffer.count)
      guard filled > 0 else { continue }
      var offset = 0
      while offset < filled {
        let header = MemoryLayout<inotify_event>.size
        let event = buffer[offset...].withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
        let name = buffer[(offset + header)..<(offset + header + Int(event.len))]
        offset += header + Int(event.len)
        let text = String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        if !text.hasPrefix(".") { try copy(text, from: source, to: target) }
      }
    }
  }

  private static func copy(_ name: String, from source: String, to target: String) throws {
    // Another writer may have been faster. Then another event follows.
    guard let content = bytes(of: "\(source)/\(name)") else { return }
    let unfinished = "\(target)/.\(name)"
    let file = open(unfinished, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0, write(file, content, content.count) == content.count, fsync(file) == 0,
      close(file) == 0, rename(unfinished, "\(target)/\(name)") == 0
    else { throw Child.Trouble(description: "can't copy \(name)") }
    let folder = open(target, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard folder >= 0, fsync(folder) == 0 else {
      throw Child.Trouble(description: "can't make \(name) durable")
    }
    close(folder)
  }
}
