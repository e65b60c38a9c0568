import CairnFolders
import Foundation
import Testing

/// A disk that fails for a moment leaves no directory unwatched.
@Suite(.serialized) struct WatchFaultTests {
  @Test func `a directory that can't be opened once is watched soon after`() throws {
    let folder = try WatchedFolder(failing: 1)
    folder.makeDirectory("in/new")
    folder.makeDirectory("in/new/inner")
    let events = try folder.recorder.take { $0.path == "new" && $0.isTree }
    #expect(!events.contains { if case .limit = $0 { true } else { false } })
    folder.write("in/new/inner/file")
    #expect(try folder.sync().contains(.written("new/inner/file")))
  }

  @Test func `one that can't be opened while all is listed is watched soon after`() throws {
    let folder = try WatchedFolder(failing: 2)
    // The watch begins anew with these two there: the second that is opened fails.
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
}

extension WatchEvent {
  /// Whether it says that a directory is to be listed.
  fileprivate var isTree: Bool { if case .tree = self { true } else { false } }
}
