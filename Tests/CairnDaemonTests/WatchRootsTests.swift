import Testing

@testable import CairnDaemon

@Suite struct WatchRootsTests {
  private func bytes(_ texts: String...) -> [[UInt8]] { texts.map { Array($0.utf8) } }

  private func root(_ path: String, isFlat: Bool = false) -> WatchRoots.Root {
    WatchRoots.Root(path: Array(path.utf8), isFlat: isFlat)
  }

  @Test func `a folder inside of another one needs no watch of its own`() {
    var roots = WatchRoots()
    let first = roots.cover(
      folders: bytes("/a/b", "/a", "/a/b/c", "/ab", "/c"), files: bytes("/a/x/f", "/d/f", "/d/g"))
    #expect(
      Set(roots.roots.values)
        == [root("/a"), root("/ab"), root("/c"), root("/d", isFlat: true)])
    #expect(first.count == 4)
    #expect(
      roots.cover(folders: bytes("/a/b", "/a", "/ab", "/c"), files: bytes("/d/f", "/d/g")) == [])
  }

  @Test func `the topmost folder contains everything`() {
    let (top, path) = (Array("/".utf8), Array("/a/b".utf8))
    #expect(WatchRoots.isInside(path, top) && !WatchRoots.isInside(top, path))
    #expect(WatchRoots.prefixes(of: path) == bytes("/a/b", "/a", "/"))
    #expect(WatchRoots.prefixes(of: top) == [top])
    #expect(WatchRoots.relative(path, to: top) == Array("a/b".utf8))
    #expect(WatchRoots.relative(path, to: Array("/a".utf8)) == Array("b".utf8))
    var roots = WatchRoots()
    #expect(roots.cover(folders: bytes("/a", "/"), files: bytes("/f")).count == 1)
    #expect(Set(roots.roots.values) == [root("/")])
  }

  @Test func `a folder around others gives way before they are watched`() throws {
    var roots = WatchRoots()
    let first = roots.cover(folders: bytes("/a", "/a/b"), files: [])
    guard case .watch(let outer, _)? = first.first else {
      Issue.record("nothing is watched")
      return
    }
    roots.isReady(outer, directories: 5)
    #expect(roots.ready(covering: Array("/a/b".utf8))?.directories == 5)
    #expect(roots.ready(covering: Array("/ab".utf8)) == nil)
    let second = roots.cover(folders: bytes("/a/b"), files: bytes("/a/f"))
    #expect(second.first == .unwatch(outer) && second.count == 3)
    #expect(
      Set(roots.roots.values) == [root("/a/b"), root("/a", isFlat: true)])
    #expect(roots.ready(covering: Array("/a/b".utf8)) == nil)
    let third = roots.cover(folders: [], files: [])
    #expect(third.count == 2 && roots.roots.isEmpty)
  }

  @Test func `a path from a mount is named from the root around the mount`() throws {
    var roots = WatchRoots()
    let first = roots.cover(folders: bytes("/a", "/a/b/c"), files: bytes("/d/f"))
    #expect(first.count == 2)
    let number = roots.roots.first { $0.value == root("/a") }?.key
    let outer = try #require(roots.root(around: Array("/a".utf8)))
    #expect(outer.number == number && outer.way.isEmpty)
    let inner = try #require(roots.root(around: Array("/a/b/c".utf8)))
    #expect(inner.number == number && inner.way == Array("b/c".utf8))
    #expect(roots.root(around: Array("/d".utf8)) == nil)
    #expect(roots.root(around: Array("/ab".utf8)) == nil)
  }
}
