import BuiltPrograms
import CairnFolders
import CairnSystem
import Foundation
import Testing

/// Gathers events and lets a test wait for one of them, for half a minute at most.
/// Unchecked: every access to `events` holds the condition's lock.
final class WatchRecorder: @unchecked Sendable {
  private let condition = NSCondition()
  private var events: [WatchEvent] = []

  func record(_ batch: [WatchEvent]) {
    condition.withLock {
      events += batch
      condition.broadcast()
    }
  }

  /// Returns the events up to and with the first one that fits, and forgets them.
  func take(until fits: (WatchEvent) -> Bool) throws -> [WatchEvent] {
    let end = Date(timeIntervalSinceNow: 30)
    return try condition.withLock {
      while true {
        if let index = events.firstIndex(where: fits) {
          defer { events.removeFirst(index + 1) }
          return Array(events[...index])
        }
        try #require(condition.wait(until: end), "the event did not come; got \(events.suffix(20))")
      }
    }
  }
}

/// A fresh folder and the real cairn-watch, with the folder's `in` watched as root 1.
final class WatchedFolder {
  let path: String
  let recorder: WatchRecorder
  let process: WatchProcess
  private let faulty: FaultyProgram?
  private var token = 0

  /// Starts the program by a symlink in the folder, so that a test can find its process.
  /// - Parameter fault: The calls below `in` that fail.
  /// - Throws: the error that keeps the folder from being made, or the program from running.
  init(_ fault: FaultyProgram.Fault? = nil) throws {
    var template = Array("/tmp/cairn-watch-test.XXXXXX".utf8CString)
    let made = try #require(mkdtemp(&template))
    let path = String(cString: made)
    self.path = path
    let recorder = WatchRecorder()
    self.recorder = recorder
    let program = "\(path)/program"
    let built = try #require(builtProgram("cairn-watch"))
    faulty = try fault.map {
      try FaultyProgram(at: program, for: built, named: "cairn-watch", $0, below: "\(path)/in")
    }
    if faulty == nil { #expect(symlink(built, program) == 0) }
    process = try WatchProcess(executable: program) { recorder.record($0) }
    makeDirectory("in")
    makeDirectory("out")
    try watch(1, "in")
  }

  /// Ends the fault. From here on no call of the program fails.
  func endFault() throws { try faulty?.heal() }

  deinit {
    process.stop()
    if (try? FileManager.default.removeItem(atPath: path)) != nil { return }
    // FileManager can't remove files at paths that are longer than the limit.
    let removal = try? Process.run(URL(fileURLWithPath: "/bin/rm"), arguments: ["-rf", path])
    removal?.waitUntilExit()
  }

  @discardableResult
  func watch(_ root: Int, _ name: String, isFlat: Bool = false) throws -> [WatchEvent] {
    process.watch(root: root, path: absolute(Array(name.utf8)), isFlat: isFlat)
    return try recorder.take { event in
      if case .ready(root, _) = event { true } else { false }
    }
  }

  /// Returns all events since the last call, without the inodes of directories.
  func sync() throws -> [WatchEvent] { try syncWithDirectories().map(\.withoutDirectory) }

  /// Returns all events since the last call, with the inodes of directories.
  func syncWithDirectories() throws -> [WatchEvent] {
    token += 1
    process.sync(token: token)
    return try recorder.take { $0 == .synced(token: token) }.dropLast()
  }

  func absolute(_ name: [UInt8]) -> [UInt8] { Array(path.utf8) + [UInt8(ascii: "/")] + name }

  func makeDirectory(_ name: String) {
    #expect(mkdir("\(path)/\(name)", 0o755) == 0)
  }

  func inode(_ name: String) throws -> UInt64 {
    var status = stat()
    try #require(lstat("\(path)/\(name)", &status) == 0)
    return UInt64(status.st_ino)
  }

  func removeDirectory(_ name: String) {
    #expect(rmdir("\(path)/\(name)") == 0)
  }

  func move(_ old: String, _ new: String) {
    #expect(rename("\(path)/\(old)", "\(path)/\(new)") == 0)
  }

  func write(_ name: String, _ content: String = "x") {
    write(Array(name.utf8), content)
  }

  func write(_ name: [UInt8], _ content: String = "x") {
    let writer = open(name, O_WRONLY | O_CREAT | O_TRUNC)
    #expect(writer >= 0)
    #expect(Glibc.write(writer, content, content.utf8.count) == content.utf8.count)
    close(writer)
    // A program that another test starts at this time has a copy of the descriptor until it runs.
    // inotify reports the end of the writing only when that copy is closed, too.
    let reader = open(name, O_RDONLY)
    while cairn_read_lease_probe(reader) == -EAGAIN { sched_yield() }
    close(reader)
  }

  private func open(_ name: [UInt8], _ flags: Int32) -> Int32 {
    (absolute(name) + [0]).withUnsafeBytes { bytes in
      bytes.withMemoryRebound(to: CChar.self) { path in
        path.baseAddress.map { Glibc.open($0, flags | O_CLOEXEC, 0o644) } ?? -1
      }
    }
  }
}

extension WatchEvent {
  /// The path of an event below root 1, for comparison; nil for any other event.
  var path: String? {
    switch self {
    case .changed(1, let hint), .written(1, let hint), .writing(1, let hint), .tree(1, let hint):
      String(decoding: hint.path, as: UTF8.self)
    default: nil
    }
  }

  var withoutDirectory: WatchEvent {
    switch self {
    case .changed(let root, let hint): .changed(root: root, path: hint.path)
    case .written(let root, let hint): .written(root: root, path: hint.path)
    case .writing(let root, let hint): .writing(root: root, path: hint.path)
    case .tree(let root, let hint): .tree(root: root, path: hint.path)
    default: self
    }
  }

  static func changed(root: Int = 1, path: [UInt8]) -> WatchEvent {
    .changed(root: root, hint: FolderHint(path))
  }
  static func written(root: Int = 1, path: [UInt8]) -> WatchEvent {
    .written(root: root, hint: FolderHint(path))
  }
  static func writing(root: Int = 1, path: [UInt8]) -> WatchEvent {
    .writing(root: root, hint: FolderHint(path))
  }
  static func tree(root: Int = 1, path: [UInt8]) -> WatchEvent {
    .tree(root: root, hint: FolderHint(path))
  }
  static func changed(_ path: String) -> WatchEvent { .changed(path: Array(path.utf8)) }
  static func written(_ path: String) -> WatchEvent { .written(path: Array(path.utf8)) }
  static func writing(_ path: String) -> WatchEvent { .writing(path: Array(path.utf8)) }
  static func tree(_ path: String) -> WatchEvent { .tree(path: Array(path.utf8)) }
}

extension [WatchEvent] {
  /// Returns whether a file has an event of its own, or is below a listed directory.
  func cover(_ path: String) -> Bool {
    contains { event in
      if case .tree = event, let top = event.path { return path.hasPrefix(top + "/") }
      return event == .changed(path) || event == .written(path)
    }
  }
}
