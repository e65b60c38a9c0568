import CairnControl
import CairnFuse
import CairnThreads
import Glibc
import Testing

@testable import CairnView

@Suite struct ViewFileSystemTests {
  private static func play(
    _ count: Int, _ body: (FakeSource, ViewFileSystem) throws -> Void
  ) throws {
    try CacheFolder.play { folder in
      let source = FakeSource(folder.path)
      source.state.change { $0.entries = (0..<count).map { FakeSource.file($0) } }
      let files = ViewFileSystem(
        root: FakeSource.root, isEditable: false, source: source,
        cache: ViewCache(folder: folder.view, limit: 1 << 30, source: source),
        rescue: folder.rescue, at: "/view"
      ) { _ in }
      try body(source, files)
    }
  }

  /// Reads a directory as the kernel does: so many names at a time.
  private func names(
    _ files: ViewFileSystem, _ handle: UInt64, from start: Int = 0, room: Int,
    remembers: Bool = false, most: Int = .max
  ) throws -> [String] {
    var (names, offset) = ([String](), start)
    while names.count < most {
      var left = room
      let before = offset
      try files.list(handle, from: offset, remembers: remembers) { name, _, next in
        guard left > 0 else { return false }
        left -= 1
        names.append(String(decoding: name, as: UTF8.self))
        offset = next
        return true
      }
      if offset == before { break }
    }
    return names
  }

  @Test func `a large directory is read in parts, each once`() throws {
    try Self.play(10_000) { source, files in
      let handle = try files.openDirectory(1)
      #expect(source.state.change { $0.lists } == 0)
      let first = try names(files, handle, room: 50, most: 50)
      #expect(first.prefix(3) == [".", "..", "1000000"])
      // For the beginning, a short part is enough.
      #expect(source.state.change { $0.lists } == 1)
      let rest = try names(files, handle, from: 50, room: 37)
      #expect(first.count + rest.count == 10_002 && rest.last == "1009999")
      #expect(source.state.change { $0.lists } == 6)
      files.closeDirectory(handle)
    }
  }

  @Test func `a reader of a directory returns to an earlier place`() throws {
    try Self.play(5_000) { source, files in
      let handle = try files.openDirectory(1)
      let all = try names(files, handle, room: 100)
      #expect(try names(files, handle, room: 100) == all)
      #expect(try names(files, handle, from: 3_000, room: 100) == Array(all.dropFirst(3_000)))
      // Deleted entries that were read already are no gap for the rest.
      source.state.change { $0.entries.removeFirst(4_000) }
      let other = try files.openDirectory(1)
      #expect(try names(files, other, room: 100).count == 1_002)
    }
  }

  @Test func `a directory that is read again after deletions names each entry once`() throws {
    try Self.play(5_000) { source, files in
      let handle = try files.openDirectory(1)
      _ = try names(files, handle, room: 100)
      source.state.change { $0.entries.removeFirst(100) }
      let again = try names(files, handle, room: 100)
      #expect(again.count == 4_902 && Set(again).count == 4_902)
      source.state.change { $0.entries.removeLast(4_800) }
      #expect(try names(files, handle, room: 100).count == 102)
    }
  }

  @Test func `an error inside of a page loses no remembered entry`() throws {
    try Self.play(1_000) { source, files in
      let handle = try files.openDirectory(1)
      var last = 0
      try files.list(handle, from: 0, remembers: true) { _, _, next in
        // The entries before the first one are "." and "..".
        if next > 2 {
          source.state.change { $0.failure = ControlError(.networkUnavailable, "away") }
        }
        last = next
        return true
      }
      #expect(last == 202 && files.remembered == 201)
      #expect(throws: SystemError(ENETUNREACH)) {
        try files.list(handle, from: last, remembers: true) { _, _, _ in true }
      }
      source.state.change { $0.failure = nil }
      try files.list(handle, from: last, remembers: true) { _, _, _ in true }
      #expect(files.remembered == 1_001)
    }
  }

  @Test func `only what the kernel remembers takes memory`() throws {
    try Self.play(1_000) { source, files in
      let handle = try files.openDirectory(1)
      _ = try names(files, handle, room: 100)
      #expect(files.remembered == 1)
      let again = try files.openDirectory(1)
      _ = try names(files, again, room: 100, remembers: true)
      #expect(files.remembered == 1_001)
      for number in 2...2_000 { files.forget(UInt64(number), 2) }
      #expect(files.remembered == 1)
    }
  }

  @Test func `a file that is replaced is another file, and readers keep the earlier one`() throws {
    try Self.play(1) { source, files in
      let name = Array("1000000".utf8)
      let first = try files.lookup(name, in: 1)
      #expect(try files.lookup(name, in: 1).node == first.node)
      let handle = try files.open(first.node, flags: O_RDONLY)
      source.state.change { $0.entries = [FakeSource.file(0, size: 9, content: 77)] }
      let second = try files.lookup(name, in: 1)
      #expect(second.node != first.node && second.inode == first.inode && second.size == 9)
      #expect(try files.attributes(of: first.node).size == 3)
      _ = try files.read(handle, 0..<3)
      files.close(handle)
    }
  }

  @Test func `a program gets an error that fits`() throws {
    try Self.play(1) { source, files in
      #expect(throws: SystemError(ENOENT)) { try files.lookup(Array("no".utf8), in: 1) }
      let file = try files.lookup(Array("1000000".utf8), in: 1)
      #expect(throws: SystemError(EROFS)) { try files.open(file.node, flags: O_RDWR) }
      #expect(throws: SystemError(EISDIR)) { try files.open(1, flags: O_RDONLY) }
      #expect(throws: SystemError(ENOTDIR)) { try files.openDirectory(file.node) }
      source.state.change { $0.failure = ControlError(.networkUnavailable, "away") }
      #expect(throws: SystemError(ENETUNREACH)) { try files.open(file.node, flags: O_RDONLY) }
      files.forget(file.node, 1)
      #expect(throws: SystemError(ESTALE)) { try files.attributes(of: file.node) }
    }
  }

  @Test func `the table of mounts names the views of this user`() {
    let (user, line) = (getuid(), "36 25 0:30 / ")
    let table = """
      \(line)/a\\040b rw,nosuid - fuse.cairn cairn:0123 rw,user_id=\(user),group_id=0
      \(line)/other rw shared:3 - fuse.cairn cairn:0123 rw,user_id=\(user + 1),group_id=0
      \(line)/c ro,nosuid shared:3 master:1 - fuse.cairn cairn:0123 ro,user_id=\(user)
      \(line)/home rw - ext4 /dev/sda1 rw

      """
    #expect(MountedViews.all(in: Array(table.utf8)).map(\.description) == ["/a b", "/c"])
  }
}
