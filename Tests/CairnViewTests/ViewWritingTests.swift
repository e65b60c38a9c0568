import CairnControl
import CairnFuse
import CairnThreads
import Glibc
import Testing

@testable import CairnView

@Suite struct ViewWritingTests {
  private static func play(
    isEditable: Bool = true, _ body: (FakeSource, ViewFileSystem, CacheFolder) throws -> Void
  ) throws {
    try CacheFolder.play { folder in
      let source = FakeSource(folder.path)
      source.state.change { $0.entries = [FakeSource.file(0)] }
      let files = ViewFileSystem(
        root: FakeSource.root, isEditable: isEditable, source: source,
        cache: ViewCache(folder: folder.view, limit: 1 << 30, source: source),
        rescue: folder.rescue, at: "/view"
      ) { _ in }
      try body(source, files, folder)
    }
  }

  private let name = Array("1000000".utf8)

  private func write(
    _ files: ViewFileSystem, _ handle: UInt64, at offset: Int64, _ text: String
  ) throws {
    try Array(text.utf8).withUnsafeBytes { try files.write(handle, at: offset, $0) }
  }

  @Test func `a new file is in the zone once it is closed`() throws {
    try Self.play { source, files, folder in
      let (entry, handle) = try files.create(Array("new".utf8), in: 1, mode: 0o755)
      #expect(try files.lookup(Array("new".utf8), in: 1).node == entry.node)
      // A shell closes a descriptor before it writes.
      try files.flush(handle)
      #expect(source.puts.isEmpty)
      try write(files, handle, at: 0, "text")
      #expect(try files.attributes(of: entry.node).size == 4)
      try files.flush(handle)
      try files.flush(handle)
      files.close(handle)
      let put = try #require(source.puts.first)
      #expect(source.puts.count == 1 && put.bytes == Array("text".utf8))
      #expect(put.request.content == nil && put.request.executable)
      // It stays the same file for the kernel.
      let after = try files.lookup(Array("new".utf8), in: 1)
      #expect(after.node == entry.node && after.size == 4 && after.inode == entry.inode)
      #expect(!folder.names.contains { $0.hasPrefix("draft-") })
    }
  }

  @Test func `an empty file is sent when nobody has it open any more`() throws {
    try Self.play { source, files, _ in
      let (_, handle) = try files.create(Array("new".utf8), in: 1, mode: 0o644)
      files.close(handle)
      #expect(source.puts.map(\.bytes) == [[]])
    }
  }

  @Test func `a changed file keeps its other bytes, and names the version it was made of`() throws {
    try Self.play { source, files, _ in
      let file = try files.lookup(name, in: 1)
      let handle = try files.open(file.node, flags: O_RDWR)
      try write(files, handle, at: 1, "X")
      // Another program reads what was written.
      let reader = try files.open(file.node, flags: O_RDONLY)
      var bytes = [UInt8](repeating: 0, count: 9)
      #expect(try pread(files.read(reader, 0..<9), &bytes, 9, 0) == 3)
      #expect(bytes.prefix(3) == [0, UInt8(ascii: "X"), 2])
      try files.flush(handle)
      files.close(handle)
      files.close(reader)
      let put = try #require(source.puts.first)
      #expect(put.bytes == [0, UInt8(ascii: "X"), 2] && source.puts.count == 1)
      #expect(put.request.record == "0" && put.request.content == FakeSource.content(0))
    }
  }

  @Test func `a file that is emptied or cut without a handle is sent at once`() throws {
    try Self.play { source, files, _ in
      let file = try files.lookup(name, in: 1)
      var change = cairn_fuse_change()
      (change.has_size, change.size) = (1, 2)
      #expect(try files.change(file.node, change).size == 2)
      #expect(source.puts.map(\.bytes) == [[0, 1]])
      let handle = try files.open(file.node, flags: O_WRONLY | O_TRUNC)
      try files.flush(handle)
      #expect(source.puts.count == 1)
      try write(files, handle, at: 0, "new")
      try files.flush(handle)
      files.close(handle)
      #expect(source.puts.map(\.bytes) == [[0, 1], Array("new".utf8)])
    }
  }

  @Test func `bytes that are written while others are sent are sent, too`() throws {
    try Self.play { source, files, _ in
      let (_, handle) = try files.create(Array("new".utf8), in: 1, mode: 0o644)
      try write(files, handle, at: 0, "one")
      source.state.change { $0.isPutHeld = true }
      let failures = Monitor([String]())
      let thread = PosixThread.start("closer") {
        do { try files.flush(handle) } catch { failures.change { $0.append("\(error)") } }
      }
      _ = source.state.wait(until: nil) { $0.putting == 1 ? true : nil }
      try write(files, handle, at: 3, " two")
      source.state.change { $0.isPutHeld = false }
      thread?.join()
      try files.flush(handle)
      #expect(source.puts.map(\.bytes) == [Array("one".utf8), Array("one two".utf8)])
      #expect(failures.change { $0 }.isEmpty)
      files.close(handle)
    }
  }

  @Test func `a file that is being opened keeps its bytes while another program closes it`() throws
  {
    try Self.play { source, files, folder in
      let file = try files.lookup(name, in: 1)
      let first = try files.open(file.node, flags: O_WRONLY)
      try files.beginDraft(file.node, truncating: false)
      files.close(first)
      let second = files.draftHandle(file.node, writes: true)
      try write(files, second, at: 0, "X")
      try files.flush(second)
      files.close(second)
      #expect(source.puts.map(\.bytes) == [[UInt8(ascii: "X"), 1, 2]])
      #expect(!folder.names.contains { $0.hasPrefix("draft-") })
    }
  }

  @Test func `another mode of an unchanged open file keeps its time`() throws {
    try Self.play { source, files, _ in
      let file = try files.lookup(name, in: 1)
      let handle = try files.open(file.node, flags: O_WRONLY)
      var change = cairn_fuse_change()
      (change.has_mode, change.mode) = (1, 0o755)
      #expect(try files.change(file.node, change).modified_ns == 0)
      files.close(handle)
      let put = try #require(source.puts.first?.request)
      #expect(put.executable && put.modified.nanoseconds == 0)
    }
  }

  @Test func `a refused file isn't sent again before the end`() throws {
    try Self.play { source, files, _ in
      for (code, isRetried) in [(.permissionFailure, false), (.networkUnavailable, true)]
        as [(Control.ErrorCode, Bool)]
      {
        source.state.change { $0.putFailure = ControlError(code, "no") }
        let (_, handle) = try files.create(Array("new".utf8), in: 1, mode: 0o644)
        files.close(handle)
        #expect(files.retry.change { $0.isRunning } == isRetried)
        #expect(try files.lookup(Array("new".utf8), in: 1).size == 0)
      }
      source.state.change { $0.putFailure = nil }
      files.end()
      #expect(source.puts.count == 2)
    }
  }

  @Test func `a rescued file keeps the bytes of its name, and a failure is reported`() throws {
    try CacheFolder.play { folder in
      let name = [UInt8](repeating: 0xff, count: 255)
      let drafts = DraftFolder(folder: folder.view, rescue: folder.rescue, origin: "/view")
      for number: UInt64 in 1...2 {
        let (_, descriptor) = try drafts.make(number: number, name: name)
        close(descriptor)
      }
      let paths = drafts.rescueAll()
      #expect(paths.allSatisfy { $0.failure == nil } && folder.names.isEmpty)
      let names = paths.map { Array($0.path.bytes.dropFirst(folder.rescue.utf8.count + 1)) }
      #expect(names == [name, Array(name.dropLast(2)) + Array(" 2".utf8)])
      for path in paths { unlink((path.path.bytes + [0]).map { CChar(bitPattern: $0) }) }
      // A file is in the way of the folder.
      let (file, descriptor) = try drafts.make(number: 3, name: name)
      close(descriptor)
      let blocked = DraftFolder(
        folder: folder.view, rescue: "\(folder.view)/\(file)/rescue", origin: "/view")
      let left = try #require(blocked.rescueAll().first)
      #expect(left.failure != nil && left.path == Control.Path("\(folder.view)/\(file)"))
    }
  }

  @Test func `bytes that can't be sent are shown, and sent later`() throws {
    try Self.play { source, files, folder in
      let file = try files.lookup(name, in: 1)
      let handle = try files.open(file.node, flags: O_WRONLY)
      try write(files, handle, at: 0, "longer")
      source.state.change { $0.putFailure = ControlError(.networkUnavailable, "away") }
      #expect(throws: SystemError(ENETUNREACH)) { try files.flush(handle) }
      files.close(handle)
      // Also if the kernel forgets the file.
      files.forget(file.node, 1)
      #expect(try files.lookup(name, in: 1).size == 6)
      source.state.change { $0.putFailure = nil }
      files.end()
      #expect(source.puts.map(\.bytes) == [Array("longer".utf8)])
      #expect(!folder.names.contains { $0.hasPrefix("draft-") })
    }
  }

  @Test func `bytes that can never be sent are rescued at the end, under their name`() throws {
    try Self.play { source, files, folder in
      source.state.change { $0.putFailure = ControlError(.permissionFailure, "no") }
      for _ in 0..<2 {
        let (_, handle) = try files.create(Array("mine".utf8), in: 1, mode: 0o644)
        try write(files, handle, at: 0, "text")
        #expect(throws: SystemError(EACCES)) { try files.flush(handle) }
        files.close(handle)
      }
      files.end()
      #expect(folder.rescued == ["mine", "mine 2"])
      #expect(source.puts.isEmpty)
    }
  }

  @Test func `a file that is deleted while a program writes is not sent`() throws {
    try Self.play { source, files, _ in
      let (_, handle) = try files.create(Array("new".utf8), in: 1, mode: 0o644)
      try write(files, handle, at: 0, "text")
      try files.remove(Array("new".utf8), in: 1, isDirectory: false)
      #expect(throws: SystemError(ENOENT)) { try files.lookup(Array("new".utf8), in: 1) }
      try files.flush(handle)
      files.close(handle)
      let file = try files.lookup(name, in: 1)
      let other = try files.open(file.node, flags: O_RDWR)
      try write(files, other, at: 0, "x")
      try files.remove(name, in: 1, isDirectory: false)
      try files.flush(other)
      files.close(other)
      #expect(source.puts.isEmpty)
      #expect(source.changes.map(\.act) == [.delete])
      #expect(source.changes.first?.content == FakeSource.content(0))
    }
  }

  @Test func `a renamed file stays the same file, with its unsent bytes`() throws {
    try Self.play { source, files, _ in
      let (entry, handle) = try files.create(Array("tmp".utf8), in: 1, mode: 0o644)
      try write(files, handle, at: 0, "text")
      try files.rename(
        Array("tmp".utf8), in: 1, to: Array("final".utf8), in: 1, replaces: true)
      #expect(source.puts.map(\.bytes) == [Array("text".utf8)])
      #expect(try files.lookup(Array("final".utf8), in: 1).node == entry.node)
      try write(files, handle, at: 4, "!")
      try files.flush(handle)
      files.close(handle)
      #expect(source.puts.last?.bytes == Array("text!".utf8))
      #expect(source.puts.last?.request.record == source.puts.first?.request.record)
    }
  }

  @Test func `a view to read only refuses every change`() throws {
    try Self.play(isEditable: false) { source, files, _ in
      let file = try files.lookup(name, in: 1)
      let denied = SystemError(EROFS)
      #expect(throws: denied) { try files.create(Array("x".utf8), in: 1, mode: 0o644) }
      #expect(throws: denied) { try files.open(file.node, flags: O_WRONLY) }
      #expect(throws: denied) { try files.make(Array("x".utf8), in: 1, target: nil) }
      #expect(throws: denied) { try files.remove(name, in: 1, isDirectory: false) }
      #expect(throws: denied) { try files.change(file.node, cairn_fuse_change()) }
      #expect(throws: denied) {
        try files.rename(name, in: 1, to: Array("x".utf8), in: 1, replaces: true)
      }
      #expect(source.changes.isEmpty && source.puts.isEmpty)
    }
  }
}
