import CairnFolders
import Foundation
import Testing

@Suite(.serialized) struct WatchHintTests {
  @Test func `creating, writing, renaming and deleting a file are reported`() throws {
    let folder = try WatchedFolder()
    folder.write("in/a")
    #expect(try folder.sync() == [.changed("a"), .writing("a"), .written("a")])
    folder.move("in/a", "in/b")
    #expect(try folder.sync() == [.changed("a"), .changed("b")])
    #expect(unlink("\(folder.path)/in/b") == 0)
    #expect(try folder.sync() == [.changed("b")])
  }

  @Test func `attributes, links and symlinks are reported`() throws {
    let folder = try WatchedFolder()
    folder.write("in/a")
    _ = try folder.sync()
    #expect(chmod("\(folder.path)/in/a", 0o600) == 0)
    #expect(try folder.sync() == [.changed("a")])
    #expect(link("\(folder.path)/in/a", "\(folder.path)/in/hard") == 0)
    #expect(symlink("/", "\(folder.path)/in/soft") == 0)
    let events = try folder.sync()
    #expect(events.contains(.changed("hard")) && events.contains(.changed("soft")))
    #expect(chmod("\(folder.path)/in", 0o700) == 0)
    #expect(try folder.sync() == [.changed("")])
  }

  @Test func `a file that is still being written is reported as such`() throws {
    let folder = try WatchedFolder()
    folder.write("in/log")
    _ = try folder.sync()
    let descriptor = open("\(folder.path)/in/log", O_WRONLY | O_APPEND | O_CLOEXEC)
    defer { close(descriptor) }
    #expect(write(descriptor, "more", 4) == 4)
    #expect(try folder.sync() == [.writing("log")])
  }

  @Test(arguments: [
    Array("a\nb".utf8), Array(" two  spaces ".utf8), [0xFF, 0xFE, 0x80], Array("\u{1}\t\"'".utf8),
    [UInt8](repeating: 0xC3, count: 255),
  ])
  func `a name of any bytes arrives unharmed`(name: [UInt8]) throws {
    let folder = try WatchedFolder()
    folder.makeDirectory("in/d")
    _ = try folder.sync()
    folder.write(Array("in/d/".utf8) + name)
    let path = Array("d/".utf8) + name
    #expect(try folder.sync().contains(.written(root: 1, path: path)))
  }

  @Test func `Cairn's own folder is not reported`() throws {
    let folder = try WatchedFolder()
    folder.makeDirectory("in/.cairn")
    folder.write("in/.cairn/staged")
    folder.makeDirectory("in/d")
    #expect(try folder.sync() == [.changed("d"), .tree("d")])
    folder.move("in/.cairn/staged", "in/landed")
    #expect(try folder.sync() == [.changed("landed")])
    folder.makeDirectory("in/d/.cairn")
    #expect(try folder.sync() == [.changed("d/.cairn"), .tree("d/.cairn")])
  }

  @Test func `two roots are distinguished`() throws {
    let folder = try WatchedFolder()
    try folder.watch(2, "out")
    folder.write("in/a")
    folder.write("out/a")
    let events = try folder.sync()
    #expect(events.contains(.written(root: 1, path: Array("a".utf8))))
    #expect(events.contains(.written(root: 2, path: Array("a".utf8))))
  }

  @Test func `an unwatched root is silent, and the other is not`() throws {
    let folder = try WatchedFolder()
    folder.makeDirectory("out/d")
    try folder.watch(2, "out")
    folder.process.unwatch(root: 2)
    _ = try folder.recorder.take { $0 == .unwatched(root: 2) }
    folder.write("out/d/a")
    folder.write("in/a")
    #expect(try folder.sync() == [.changed("a"), .writing("a"), .written("a")])
  }

  @Test func `a folder that does not exist is refused with a sentence`() throws {
    let folder = try WatchedFolder()
    folder.process.watch(root: 5, path: folder.absolute(Array("none".utf8)))
    folder.process.watch(root: 6, path: folder.absolute(Array("in".utf8)))
    let events = try folder.sync()
    let none = "cannot watch \(folder.path)/none: No such file or directory"
    #expect(events.contains(.failed(root: 5, message: none)))
    let twice = "cannot watch \(folder.path)/in: it is watched already as part of root 1"
    #expect(events.contains(.failed(root: 6, message: twice)))
    // It is tried again, and watched once the other root is not.
    folder.process.unwatch(root: 1)
    _ = try folder.recorder.take { $0 == .ready(root: 6, directories: 1) }
  }

  @Test func `an empty root that is deleted while it is open is reported`() throws {
    let folder = try WatchedFolder()
    folder.makeDirectory("in/.cairn")
    #expect(try folder.sync() == [])
    let descriptor = open(folder.path + "/in", O_RDONLY | O_DIRECTORY)
    defer { close(descriptor) }
    folder.removeDirectory("in/.cairn")
    folder.removeDirectory("in")
    #expect(try folder.sync() == [.changed("")])
  }

  @Test func `a root that is moved or deleted is lost`() throws {
    let folder = try WatchedFolder()
    folder.makeDirectory("in2")
    try folder.watch(2, "in2")
    folder.removeDirectory("in2")
    #expect(try folder.sync().contains(.lost(root: 2)))
    folder.move("in", "elsewhere")
    #expect(try folder.sync().contains(.lost(root: 1)))
    folder.write("elsewhere/a")
    #expect(try folder.sync() == [])
  }
}
