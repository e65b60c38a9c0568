import CairnFolders
import CairnSystem
import Foundation
import Testing

@Suite(.serialized) struct WatchDirectoryTests {
  @Test func `a file in directories made at once is never missed`() throws {
    let folder = try WatchedFolder()
    for index in 0..<200 {
      let top = "t\(index)"
      folder.makeDirectory("in/\(top)")
      folder.makeDirectory("in/\(top)/b")
      folder.makeDirectory("in/\(top)/b/c")
      folder.write("in/\(top)/b/c/f")
      let events = try folder.sync()
      try #require(events.cover("\(top)/b/c/f"), "\(events)")
    }
  }

  @Test func `a burst of directories is covered and stays watched`() throws {
    let folder = try WatchedFolder()
    for index in 0..<200 {
      folder.makeDirectory("in/t\(index)")
      folder.makeDirectory("in/t\(index)/b")
      folder.write("in/t\(index)/b/f")
    }
    let events = try folder.sync()
    for index in 0..<200 { #expect(events.cover("t\(index)/b/f")) }
    for index in 0..<200 { folder.write("in/t\(index)/b/g") }
    let later = try folder.sync()
    for index in 0..<200 { #expect(later.contains(.written("t\(index)/b/g"))) }
  }

  @Test func `after a rename of a directory its events have the new path`() throws {
    let folder = try WatchedFolder()
    folder.makeDirectory("in/a")
    folder.makeDirectory("in/a/deep")
    folder.makeDirectory("in/ab")
    _ = try folder.sync()
    folder.move("in/a", "in/z")
    folder.write("in/z/deep/f")
    folder.write("in/ab/f")
    let events = try folder.sync()
    #expect(events.prefix(2) == [.changed("a"), .changed("z")])
    #expect(events.contains(.written("z/deep/f")) && events.contains(.written("ab/f")))
    folder.move("in/z", "in/ab/y")
    folder.move("in/ab", "in/top")
    folder.write("in/top/y/deep/g")
    #expect(try folder.sync().cover("top/y/deep/g"))
    folder.write("in/top/y/deep/h")
    #expect(try folder.sync().contains(.written("top/y/deep/h")))
  }

  @Test func `directories that swap their names swap their paths`() throws {
    let folder = try WatchedFolder()
    for name in ["a", "b", "a/in-a", "b/in-b"] { folder.makeDirectory("in/\(name)") }
    _ = try folder.sync()
    let path = "\(folder.path)/in"
    #expect(cairn_rename_exchange(AT_FDCWD, path + "/a", AT_FDCWD, path + "/b") == 0)
    _ = try folder.sync()
    folder.write("in/b/in-a/f")
    folder.write("in/a/in-b/f")
    let events = try folder.sync()
    #expect(events.contains(.written("b/in-a/f")) && events.contains(.written("a/in-b/f")))
  }

  @Test func `a notification names its directory, whatever its path leads to later`() throws {
    let folder = try WatchedFolder()
    folder.makeDirectory("in/a")
    _ = try folder.sync()
    let (top, a) = (try folder.inode("in"), try folder.inode("in/a"))
    folder.write("in/a/f")
    folder.move("in/a", "in/b")
    folder.makeDirectory("in/a")
    let events = try folder.syncWithDirectories()
    #expect(events.contains(.written(root: 1, hint: FolderHint(Array("a/f".utf8), directory: a))))
    #expect(events.contains(.changed(root: 1, hint: FolderHint(Array("b".utf8), directory: top))))
    let other = FolderHint(Array("a".utf8), directory: try folder.inode("in/a"))
    #expect(events.contains(.tree(root: 1, hint: other)))
    folder.move("in/b", "out/b")
    folder.move("out/b", "in/c")
    let later = try folder.syncWithDirectories()
    #expect(later.contains(.tree(root: 1, hint: FolderHint(Array("c".utf8), directory: a))))
    #expect(chmod("\(folder.path)/in", 0o700) == 0)
    #expect(try folder.syncWithDirectories() == [.changed(root: 1, hint: FolderHint([]))])
  }

  @Test func `directories that are renamed over and over end at their last names`() throws {
    let folder = try WatchedFolder()
    for index in 0..<8 {
      folder.makeDirectory("in/d\(index)")
      folder.makeDirectory("in/d\(index)/sub")
    }
    for round in 0..<60 {
      let (one, two) = (round % 8, (round * 5 + 3) % 8)
      guard one != two else { continue }
      folder.move("in/d\(one)", "in/spare")
      folder.move("in/d\(two)", "in/d\(one)")
      folder.move("in/spare", "in/d\(two)")
    }
    _ = try folder.sync()
    for index in 0..<8 { folder.write("in/d\(index)/sub/f") }
    let events = try folder.sync()
    #expect(
      events.filter { if case .written = $0 { true } else { false } }
        == (0..<8).map { .written("d\($0)/sub/f") })
  }

  @Test func `a directory that was moved out is silent`() throws {
    let folder = try WatchedFolder()
    folder.makeDirectory("in/d")
    folder.makeDirectory("in/d/e")
    _ = try folder.sync()
    folder.move("in/d", "out/d")
    #expect(try folder.sync() == [.changed("d")])
    folder.write("out/d/e/f")
    folder.write("out/d/f")
    #expect(try folder.sync() == [])
  }

  @Test func `a directory that was moved in is a tree, and is watched`() throws {
    let folder = try WatchedFolder()
    folder.makeDirectory("out/d")
    folder.makeDirectory("out/d/e")
    folder.write("out/d/e/old")
    folder.move("out/d", "in/d")
    #expect(try folder.sync() == [.changed("d"), .tree("d")])
    folder.write("in/d/e/f")
    #expect(try folder.sync().contains(.written("d/e/f")))
    folder.move("in/d", "out/d")
    _ = try folder.sync()
    folder.move("out/d", "in/again")
    folder.write("in/again/e/f")
    #expect(try folder.sync().contains(.tree("again")))
    folder.write("in/again/e/g")
    #expect(try folder.sync().contains(.written("again/e/g")))
  }

  @Test func `a directory that moves to another root is a tree there`() throws {
    let folder = try WatchedFolder()
    try folder.watch(2, "out")
    folder.makeDirectory("in/d")
    _ = try folder.sync()
    folder.move("in/d", "out/e")
    let events = try folder.sync()
    #expect(events.contains(.changed("d")))
    #expect(events.contains(.tree(root: 2, path: Array("e".utf8))))
    folder.write("out/e/f")
    #expect(try folder.sync().contains(.written(root: 2, path: Array("e/f".utf8))))
  }

  @Test func `a directory that is removed and made again is watched again`() throws {
    let folder = try WatchedFolder()
    for round in 0..<20 {
      folder.makeDirectory("in/d")
      folder.removeDirectory("in/d")
      folder.makeDirectory("in/d")
      folder.write("in/d/f\(round)")
      let events = try folder.sync()
      #expect(events.cover("d/f\(round)"))
      folder.write("in/d/g")
      #expect(try folder.sync().contains(.written("d/g")))
      for name in ["f\(round)", "g"] { #expect(unlink("\(folder.path)/in/d/\(name)") == 0) }
      folder.removeDirectory("in/d")
    }
  }

  @Test func `the entries of a flat root are reported, and nothing below them`() throws {
    let folder = try WatchedFolder()
    folder.makeDirectory("out/d")
    let events = try folder.watch(2, "out", isFlat: true)
    #expect(events == [.ready(root: 2, directories: 1)])
    folder.write("out/d/inner")
    folder.makeDirectory("out/e")
    folder.write("out/e/inner")
    folder.write("out/file")
    let names = ["e", "file", "file", "file"].map { Array($0.utf8) }
    #expect(
      try folder.sync() == [
        .changed(root: 2, path: names[0]), .changed(root: 2, path: names[1]),
        .writing(root: 2, path: names[2]), .written(root: 2, path: names[3]),
      ])
    // A directory from a watched folder isn't watched there.
    folder.makeDirectory("in/moved")
    _ = try folder.sync()
    folder.move("in/moved", "out/moved")
    folder.write("out/moved/inner")
    #expect(
      try folder.sync() == [
        .changed("moved"), .changed(root: 2, path: Array("moved".utf8)),
      ])
    // A folder below it may be a root by itself.
    try folder.watch(3, "out/d")
    folder.write("out/d/inner")
    #expect(
      try folder.sync().contains(.written(root: 3, path: Array("inner".utf8))))
  }

  @Test func `a symlink to a directory is not followed`() throws {
    let folder = try WatchedFolder()
    #expect(symlink("\(folder.path)/out", "\(folder.path)/in/link") == 0)
    #expect(try folder.sync() == [.changed("link")])
    folder.write("out/f")
    #expect(try folder.sync() == [])
  }

  @Test func `directories deeper than any path are watched`() throws {
    let folder = try WatchedFolder()
    let name = String(repeating: "n", count: 200)
    var at = open("\(folder.path)/in", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    for _ in 0..<30 {
      #expect(mkdirat(at, name, 0o755) == 0)
      let next = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      close(at)
      at = next
    }
    defer { close(at) }
    _ = try folder.sync()
    let file = openat(at, "f", O_WRONLY | O_CREAT | O_CLOEXEC, 0o644)
    #expect(file >= 0)
    close(file)
    let deep = Array(repeating: name, count: 30).joined(separator: "/") + "/f"
    #expect(try folder.sync().contains(.written(deep)))
  }
}
