import CairnPlan
import CairnZone
import Testing

/// A mount that shows a part of a zone. A record outside of the mount isn't a deleted record.
@Suite struct PartOfZoneTests {
  private static func unknownFolder(_ local: String, was: String) -> ModelTrees {
    var start = ModelTrees()
    start.mayBeOlder = true
    start.localTree = tree(local)
    start.history = tree(was).nodes
    return start
  }

  @Test(arguments: [Presence.elsewhere, .inAnotherZone])
  func `a copy of a file that is elsewhere stays, and is sent`(presence: Presence) throws {
    var start = Self.unknownFolder("f:101=v", was: "f:1=v")
    if presence == .elsewhere {
      start.elsewhere = [recordID(1)]
    } else {
      start.movedAway = [recordID(1)]
    }
    var engine = ModelEngine(start)
    try engine.run()
    #expect(engine.rescued.isEmpty && engine.conflicts == 0)
    #expect(text(engine.trees.localTree) == "f=v")
    #expect(text(engine.trees.remoteTree) == "f=v")
  }

  @Test func `a copy of a deleted file is set aside if no record with its bytes is elsewhere`()
    throws
  {
    var start = Self.unknownFolder("f:101=v", was: "f:1=v g:2=v")
    var engine = ModelEngine(start)
    try engine.run()
    #expect(engine.rescued == start.localTree.contents)
    start.elsewhere = [recordID(2)]
    engine = ModelEngine(start)
    try engine.run()
    #expect(engine.rescued.isEmpty)
    #expect(text(engine.trees.remoteTree) == "f=v")
  }

  @Test func `a copy of a file that is elsewhere stays beside another record in its place`()
    throws
  {
    var start = Self.unknownFolder("f:101=v", was: "g:1=v")
    start.remoteTree = tree("f:3=w")
    start.elsewhere = [recordID(1)]
    var engine = ModelEngine(start)
    try engine.run()
    #expect(engine.rescued.isEmpty)
    #expect(text(engine.trees.remoteTree) == "f=w f~1=v")
  }

  @Test func `a directory that went elsewhere isn't a deleted one`() throws {
    var start = Self.unknownFolder("d:101/ d/l:102>t", was: "d:1/")
    start.deleted = [Place(parent: .root, name: fileName("d")): recordID(1)]
    start.elsewhere = [recordID(1)]
    var engine = ModelEngine(start)
    try engine.run()
    #expect(text(engine.trees.remoteTree) == "d/ d/l>t")
    #expect(text(engine.trees.localTree) == "d/ d/l>t")
  }

  @Test(arguments: [
    // An unchanged file goes along. A file that was changed here stays as a file of its own.
    ("f:1=v", "f:1=v", ""), ("f:1=v", "f:1=w", "f=w"), ("", "f:1=v", "f=v"),
    ("l:1>t", "l:1>t", ""), ("", "l:1>t", "l>t"), ("", "d:1/ d/f:2=v", "d/ d/f=v"),
    ("d:1/ d/f:2=v", "d:1/ d/f:2=v", ""), ("d:1/", "d:1/ d/f:3=v", "d/ d/f=v"),
    ("d:1/ d/f:2=v", "d:1/ d/f:2=w", "d/ d/f=w"),
  ])
  func `entries that left the mount go, and new ones in them get ids of their own`(
    synced: String, local: String, end: String
  ) throws {
    var start = ModelTrees(synced: tree(synced), local: tree(local), remote: ModelTree())
    start.elsewhere = [recordID(1), recordID(2)]
    var engine = ModelEngine(start)
    try engine.run()
    #expect(text(engine.trees.localTree) == end)
    #expect(text(engine.trees.remoteTree) == end)
    #expect(start.elsewhere.isDisjoint(with: engine.trees.remoteTree.nodes.keys))
  }
}
