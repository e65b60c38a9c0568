import BuiltPrograms
import CairnFolders
import Foundation
import Testing

/// A disk that fails for a moment, or watches that run out, leave no directory unwatched.
@Suite(.serialized) struct WatchFaultTests {
  @Test func `a directory that can't be opened once is watched soon after`() throws {
    let folder = try WatchedFolder(.opening(1))
    folder.makeDirectory("in/new")
    folder.makeDirectory("in/new/inner")
    let events = try folder.recorder.take { $0.path == "new" && $0.isTree }
    #expect(!events.contains { $0.isLimit })
    folder.write("in/new/inner/file")
    #expect(try folder.sync().contains(.written("new/inner/file")))
  }

  @Test func `a directory that can't be opened during a listing is watched soon after`() throws {
    let folder = try WatchedFolder(.opening(2))
    // The watch begins again with these two. The second one fails to open.
    folder.process.unwatch(root: 1)
    _ = try folder.sync()
    for name in ["in/a", "in/b"] { folder.makeDirectory(name) }
    try folder.watch(1, "in")
    _ = try folder.recorder.take { $0.isTree }
    for name in ["a", "b"] {
      folder.write("in/\(name)/file")
      #expect(try folder.sync().contains(.written("\(name)/file")))
    }
  }

  /// The case of a rename that was done and answered by an error: no event reports the directory.
  @Test(arguments: ["new", "new/inner"])
  func `a directory without any event is watched once a scan has seen it`(
    seen: String
  ) throws {
    let folder = try WatchedFolder(.opening(1, errno: ENOENT))
    folder.makeDirectory("in/new")
    #expect(try folder.sync() == [.changed("new")])
    folder.makeDirectory("in/new/inner")
    folder.write("in/new/inner/before")
    #expect(try folder.sync() == [])
    let inode = try folder.inode("in/\(seen)")
    folder.process.saw([FolderHint(Array(seen.utf8), directory: inode)], in: 1)
    #expect(try folder.sync() == [.tree("new")])
    folder.write("in/new/inner/after")
    #expect(try folder.sync().contains(.written("new/inner/after")))
    // A watched directory is no news.
    folder.process.saw([FolderHint(Array(seen.utf8), directory: inode)], in: 1)
    folder.process.saw([FolderHint(Array("none/deep".utf8), directory: 1)], in: 1)
    folder.process.saw([FolderHint(Array("new".utf8), directory: 1)], in: 1)
    folder.process.saw([FolderHint(Array("new".utf8), directory: 1)], in: 7)
    #expect(try folder.sync() == [])
  }

  @Test func `a missing watch is reported once, and added when there is one`() throws {
    let folder = try WatchedFolder(.watches(1))
    for name in ["in/a", "in/b", "in/b/inner"] { folder.makeDirectory(name) }
    _ = try folder.recorder.take { $0 == .limit(root: 1, path: Array("b".utf8)) }
    let inode = try folder.inode("in/b")
    folder.process.saw([FolderHint(Array("b".utf8), directory: inode)], in: 1)
    #expect(try folder.sync() == [])
    try folder.endFault()
    let events = try folder.recorder.take { $0.isReady }
    #expect(events.last == .ready(root: 1, directories: 4) && !events.contains { $0.isLimit })
    folder.write("in/b/inner/file")
    #expect(try folder.sync().contains(.written("b/inner/file")))
  }

  @Test func `a root with too few watches reports that last`() throws {
    let folder = try WatchedFolder(.watches(1))
    folder.process.unwatch(root: 1)
    _ = try folder.sync()
    for name in ["in/a", "in/b", "in/c"] { folder.makeDirectory(name) }
    try folder.watch(1, "in")
    #expect(try folder.sync().filter(\.isLimit).count == 2)
    for name in ["in/a", "in/b", "in/c"] { folder.removeDirectory(name) }
    // No directory is left that could be watched.
    _ = try folder.recorder.take { $0 == .ready(root: 1, directories: 1) }
  }

  @Test func `a missing folder is watched once it exists`() throws {
    let folder = try WatchedFolder()
    folder.process.watch(root: 2, path: folder.absolute(Array("late".utf8)))
    let failures = try folder.sync().filter { if case .failed(2, _) = $0 { true } else { false } }
    #expect(failures.count == 1)
    folder.makeDirectory("late")
    let events = try folder.recorder.take { $0.isReady }
    #expect(events == [.ready(root: 2, directories: 1)])
    folder.write("late/file")
    #expect(try folder.sync().contains(.written(root: 2, path: Array("file".utf8))))
  }
}

extension WatchEvent {
  /// A Boolean value that indicates whether a directory must be listed.
  fileprivate var isTree: Bool { if case .tree = self { true } else { false } }
  /// A Boolean value that indicates whether no watch was left.
  fileprivate var isLimit: Bool { if case .limit = self { true } else { false } }
  /// A Boolean value that indicates whether a whole root is watched.
  fileprivate var isReady: Bool { if case .ready = self { true } else { false } }
}
