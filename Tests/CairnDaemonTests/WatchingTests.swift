import BuiltPrograms
import CairnControl
import CairnFolders
import CairnThreads
import Foundation
import Synchronization
import Testing

@testable import CairnDaemon

/// The daemon's handling of the real cairn-watch's reports about one folder.
@Suite(.serialized) final class WatchingTests {
  private let root = NSTemporaryDirectory() + "cairn-watching-\(UUID())"
  private let mounts: Mounts
  private let mount: Mount
  private var folder: String { root + "/folder" }

  init() throws {
    try FileManager.default.createDirectory(
      atPath: root + "/folder", withIntermediateDirectories: true)
    mounts = Mounts(EndedShares(try Home(environment: ["CAIRN_HOME": root + "/home"])))
    mount = try MountTests.mount(at: root + "/folder")
    mounts.insert(mount)
  }

  deinit {
    // No thread works on the mount, which would answer that it has ended.
    _ = mount.mailbox.close()
    mounts.stop()
    do { try FileManager.default.removeItem(atPath: root) } catch {
      Issue.record("\(root) can't be removed: \(error)")
    }
  }

  private func start(_ fault: FaultyProgram.Fault? = nil) throws -> FaultyProgram? {
    let built = try #require(builtProgram("cairn-watch"))
    let faulty = try fault.map {
      try FaultyProgram(
        at: root + "/program", for: built, named: "cairn-watch", $0, below: folder)
    }
    try mounts.startWatching(faulty?.path ?? built)
    mounts.watch([mount])
    return faulty
  }

  private func make(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: folder + "/" + name, withIntermediateDirectories: true)
  }

  /// Returns the messages to the mount until a condition holds, for half a minute at most.
  @discardableResult
  private func messages(
    until fits: (MountSnapshot.Watching, [Mount.Message]) -> Bool
  ) throws -> [Mount.Message] {
    let end = Monotonic.now + 30_000_000_000
    var all: [Mount.Message] = []
    while true {
      let watching = mount.snapshot.withLock { $0.watching }
      if fits(watching, all) { return all }
      let next = mount.mailbox.take(until: end)
      try #require(!next.isEmpty, "it didn't come to that: \(watching) after \(all)")
      all += next
    }
  }

  private func hears(of path: String, _ messages: [Mount.Message]) -> Bool {
    messages.contains {
      if case .changed(let hint) = $0 { hint.path == Array(path.utf8) } else { false }
    }
  }

  @Test func `a folder that was lost is watched again`() throws {
    _ = try start()
    try messages { watching, _ in watching.directories == 1 }
    #expect(rename(folder, root + "/away") == 0)
    try FileManager.default.createDirectory(
      atPath: root + "/away/inner", withIntermediateDirectories: false)
    #expect(rename(root + "/away", folder) == 0)
    try messages { watching, _ in watching.directories == 2 }
    try Data("x".utf8).write(to: URL(filePath: folder + "/inner/file"))
    try messages { _, all in hears(of: "inner/file", all) }
  }

  /// Waits until everything that happened before this call was delivered.
  private func barrier(_ list: Mounts? = nil) {
    let waiter = Waiter<Void>()
    (list ?? mounts).afterHints { waiter.complete() }
    waiter.wait()
  }

  /// Kills the program of this test.
  private func killWatcher() throws {
    let found = try FileManager.default.contentsOfDirectory(atPath: "/proc").first { process in
      // A process may have ended since it was listed.
      let line = pid_t(process).flatMap {
        FileManager.default.contents(atPath: "/proc/\($0)/cmdline")
      }
      return line == Data("\(root)/program\0".utf8)
    }
    #expect(kill(try #require(found.flatMap { pid_t($0) }), SIGKILL) == 0)
  }

  private func startByLink() throws {
    #expect(symlink(try #require(builtProgram("cairn-watch")), root + "/program") == 0)
    try mounts.startWatching(root + "/program")
    mounts.watch([mount])
  }

  /// The event of a folder before the program dies.
  enum Loss: CaseIterable { case renamed, replaced, deleted }

  @Test(arguments: Loss.allCases)
  func `a folder that was lost stays watched when the program dies later`(loss: Loss) throws {
    try startByLink()
    try messages { watching, _ in watching.directories == 1 }
    switch loss {
    case .renamed: #expect(rename(folder, root + "/away") == 0)
    case .replaced:
      #expect(rename(folder, root + "/old") == 0)
      try FileManager.default.createDirectory(
        atPath: root + "/away", withIntermediateDirectories: false)
    case .deleted:
      #expect(rmdir(folder) == 0)
      try FileManager.default.createDirectory(
        atPath: root + "/away", withIntermediateDirectories: false)
    }
    try FileManager.default.createDirectory(
      atPath: root + "/away/inner", withIntermediateDirectories: false)
    #expect(rename(root + "/away", folder) == 0)
    try messages { watching, _ in watching.directories == 2 }
    try killWatcher()
    barrier()
    let file = folder + "/inner/file"
    let scans = mount.mailbox.take(until: 0)
    #expect(scans.contains { if case .everything = $0 { true } else { false } })
    try Data("x".utf8).write(to: URL(filePath: file))
    barrier()
    #expect(hears(of: "inner/file", mount.mailbox.take(until: 0)))
  }

  @Test func `one program watches the folders of two containers, until both have ended`() throws {
    let watching = FolderWatching()
    let home = try Home(environment: ["CAIRN_HOME": root + "/home"])
    let lists = [0, 1].map { _ in Mounts(EndedShares(home), watching: watching) }
    #expect(symlink(try #require(builtProgram("cairn-watch")), root + "/program") == 0)
    // The second container finds the program of the first one.
    for (list, program) in zip(lists, ["/program", "/nosuch"]) {
      try list.startWatching(root + program)
    }
    let both = try ["one", "two"].map { try MountTests.mount(at: folder + "/" + $0) }
    for (list, mount) in zip(lists, both) {
      try make(String(decoding: Control.Path(mount.path).lastName, as: UTF8.self))
      list.insert(mount)
      list.watch([mount])
    }
    for (list, mount) in zip(lists, both) {
      try awaitWatch(of: mount)
      try Data("x".utf8).write(to: Control.Path(mount.path).url("file"))
      barrier(list)
    }
    #expect(both.map { hears(of: "file", $0.mailbox.take(until: 0)) } == [true, true])
    // One of them ends, as after a failure: the other one is still watched.
    _ = both[0].mailbox.close()
    lists[0].stop()
    try Data("y".utf8).write(to: Control.Path(both[1].path).url("more"))
    barrier(lists[1])
    #expect(hears(of: "more", both[1].mailbox.take(until: 0)))
    _ = both[1].mailbox.close()
    lists[1].stop()
    #expect(throws: (any Error).self) { try lists[0].startWatching(root + "/nosuch") }
  }

  /// Waits until a folder is watched.
  private func awaitWatch(of mount: Mount) throws {
    let end = Monotonic.now + 30_000_000_000
    while !mount.snapshot.withLock({ $0.watching.isWhole && $0.watching.directories > 0 }) {
      try #require(!mount.mailbox.take(until: end).isEmpty)
    }
  }

  @Test func `a program that can't work is named, and a sync is answered all the same`() throws {
    // As without an inotify instance: it ends with status 69 before it reports anything.
    try Data("#!/bin/sh\nexit 69\n".utf8).write(to: URL(filePath: root + "/program"))
    #expect(chmod(root + "/program", 0o755) == 0)
    try mounts.startWatching(root + "/program")
    mounts.watch([mount])
    let told = try messages { watching, all in
      watching.note?.contains("fs.inotify.max_user_instances") == true && !all.isEmpty
    }
    #expect(told.contains { if case .everything = $0 { true } else { false } })
    #expect(mount.snapshot.withLock { $0.watching.parts } == [[]])
    barrier()
    barrier()
    // A folder that comes later begins, too.
    let other = try MountTests.mount(at: root + "/other")
    mounts.insert(other)
    mounts.watch([other])
    #expect(!other.mailbox.take(until: Monotonic.now + 30_000_000_000).isEmpty)
    #expect(other.snapshot.withLock { $0.watching.note } != nil)
    _ = other.mailbox.close()
    // Once it can work, everything is watched.
    #expect(unlink(root + "/program") == 0)
    #expect(symlink(try #require(builtProgram("cairn-watch")), root + "/program") == 0)
    try messages { watching, _ in watching.isWhole && watching.note == nil }
  }

  @Test func `a program that is killed is started again, and everything is scanned`() throws {
    try startByLink()
    try messages { watching, _ in watching.isWhole }
    for _ in 0..<3 {
      try killWatcher()
      try messages { watching, all in
        watching.isWhole
          && all.contains { if case .everything = $0 { true } else { false } }
      }
      try Data("x".utf8).write(to: URL(filePath: folder + "/file"))
      try messages { _, all in hears(of: "file", all) }
    }
  }

  @Test func `another folder that is at the path without an event is watched`() throws {
    try startByLink()
    try messages { watching, _ in watching.isWhole }
    // Only the folder above is renamed, so the kernel reports nothing about the root.
    let above = root + "/above"
    let inner = try MountTests.mount(at: above + "/folder")
    defer { _ = inner.mailbox.close() }
    func makeFolder() throws {
      try FileManager.default.createDirectory(
        atPath: above + "/folder", withIntermediateDirectories: true)
    }
    try makeFolder()
    mounts.insert(inner)
    mounts.watch([inner])
    while !inner.snapshot.withLock({ $0.watching.isWhole }) {
      try #require(!inner.mailbox.take(until: Monotonic.now + 30_000_000_000).isEmpty)
    }
    #expect(rename(above, root + "/gone") == 0)
    try makeFolder()
    let attributes = try FileManager.default.attributesOfItem(atPath: above + "/folder")
    let inode = try #require(attributes[.systemFileNumber] as? UInt64)
    mounts.saw([FolderHint([], directory: inode)], in: inner)
    barrier()
    barrier()
    try Data("x".utf8).write(to: URL(filePath: above + "/folder/file"))
    barrier()
    #expect(hears(of: "file", inner.mailbox.take(until: 0)))
  }

  @Test func `that watches run out is told while it lasts, and no longer`() throws {
    for name in ["a", "b", "c"] { try make(name) }
    let faulty = try start(.watches(1))
    try messages { watching, _ in watching.directories > 0 }
    let waiter = Waiter<Void>()
    mounts.afterHints { waiter.complete() }
    waiter.wait()
    let watching = mount.snapshot.withLock { $0.watching }
    #expect(watching.directories == 2 && watching.unwatched == 2)
    #expect(watching.note?.contains("fs.inotify.max_user_watches") == true)
    // A mount that comes to lie in one of them is not watched at all.
    let part = String(decoding: try #require(watching.parts.first), as: UTF8.self)
    let inner = try MountTests.mount(at: folder + "/" + part + "/inner")
    mounts.insert(inner)
    mounts.watch([inner])
    #expect(inner.snapshot.withLock { $0.watching.unwatched } == 1)
    #expect(inner.snapshot.withLock { $0.watching.parts } == [[]])
    _ = inner.mailbox.close()
    try faulty?.heal()
    try messages { watching, _ in
      watching.directories == 4 && watching.unwatched == 0 && watching.note == nil
    }
    for name in ["a", "b", "c"] {
      try Data("x".utf8).write(to: URL(filePath: folder + "/\(name)/file"))
      try messages { _, all in hears(of: "\(name)/file", all) }
    }
  }

  @Test func `a directory that is watched again, with everything below, is no longer counted`() {
    var watching = MountSnapshot.Watching(directories: 1)
    for path in ["a", "a/b", "ab", "a"] { watching.refuse(Array(path.utf8)) }
    #expect(watching.unwatched == 3)
    watching.grant(Array("a".utf8))
    #expect(watching.unwatched == 1 && watching.note != nil)
  }

  @Test func `a directory that a scan found and no event reported is watched`() throws {
    let faulty = try start(.opening(1, errno: ENOENT))
    try messages { watching, _ in watching.directories == 1 }
    try make("d")
    try messages { _, all in hears(of: "d", all) }
    try faulty?.heal()
    let inode = try FileManager.default.attributesOfItem(atPath: folder + "/d")[.systemFileNumber]
    mounts.saw(
      [FolderHint(Array("d".utf8), directory: try #require(inode as? UInt64))], in: mount)
    try messages { _, all in
      all.contains { if case .tree(let hint) = $0 { hint.path == [0x64] } else { false } }
    }
    try Data("x".utf8).write(to: URL(filePath: folder + "/d/file"))
    try messages { _, all in hears(of: "d/file", all) }
  }

  @Test func `a folder that can't be watched is reported, and watched once it can be`() throws {
    try FileManager.default.removeItem(atPath: folder)
    _ = try start()
    let reason = "No such file or directory; it is tried again by itself"
    try messages { watching, _ in watching.note == "cannot watch \(folder): \(reason)" }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    try messages { watching, _ in watching.directories == 1 && watching.note == nil }
  }
}

extension Control.Path {
  /// The location of an entry in this folder.
  fileprivate func url(_ name: String) -> URL { URL(filePath: "\(description)/\(name)") }
}
