import Testing

@testable import CairnStore

@Suite struct PruneTests {
  @Test func `folders without objects go, and what holds one stays`() throws {
    let folder = TemporaryFolder()
    let store = DirectoryStore(root: folder.path)
    let (gone, stays) = try (#require(ObjectKey("a/b/c/d")), #require(ObjectKey("a/x/y")))
    for key in [gone, stays] { #expect(try store.put(key, [1]) == .stored) }
    try store.delete(gone)
    try store.prune("a/b/")
    #expect(try store.list("", after: nil, limit: 10) == [stays])
    #expect(folder.names(in: "a") == ["x"])
    try store.prune("a")
    try store.prune("absent/folder")
    #expect(folder.names(in: "a/x") == ["y"])
    #expect(try store.put(gone, [2]) == .stored)
    #expect(try store.get(gone) == [2])
  }
}
