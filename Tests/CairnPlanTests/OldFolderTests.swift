import CairnPlan
import CairnZone
import Testing

/// A folder in an earlier state without an index, and later changes of others, in every small
/// combination.
@Suite struct OldFolderTests {
  @Test func `files that others moved meanwhile go to the new place, and nothing is there twice`() {
    var (moved, deleted) = (0, 0)
    for old in TripleProperty.trees {
      for remote in TripleProperty.trees {
        var start = ModelTrees()
        start.localTree = Self.unrecorded(old)
        start.remoteTree = remote
        start.history = old.nodes
        for (id, node) in old.nodes where remote[id].map({ $0.place != node.place }) == true {
          start.left[node.place, default: []].append(id)
        }
        for (id, node) in old.nodes where node.kind == .directory && remote[id] == nil {
          start.deleted[node.place] = id
        }
        do {
          var engine = ModelEngine(start)
          try engine.run()
          try check(engine, old, remote)
          moved += start.left.isEmpty ? 0 : 1
          deleted += start.deleted.isEmpty ? 0 : 1
        } catch {
          Issue.record("was \(text(old)) R \(text(remote)): \(error)")
          return
        }
      }
    }
    #expect(moved > 100)
    #expect(deleted > 100)
  }

  @Test(arguments: [
    ("a:1=w b:2=w", "a:1=w b:3=v"), ("a:1=u b:2=w", "a:1=w b:3=v"), ("a:1=w b:2=w", "a:1=x b:3=v"),
  ])
  func `files that others deleted don't come back, even if others have their bytes`(
    was: String, now: String
  ) throws {
    // The old file has the bytes of a record that still exists, or that has got them since, or had
    // them.
    var start = ModelTrees()
    start.mayBeOlder = true
    start.localTree = tree(was.replacing(":", with: ":10"))
    start.remoteTree = tree(now)
    start.history = tree(was).nodes
    var engine = ModelEngine(start)
    try engine.run()
    #expect(engine.conflicts == 0)
    #expect(engine.trees.remoteTree.nodes == start.remoteTree.nodes)
  }

  @Test(arguments: [
    ("d:101/ d/f:102=v", ""), ("d:101/ d/e:102/", ""), ("d:101/ d/g:102=new", "d g"),
  ])
  func `a directory that others deleted goes, unless something in it is new`(
    local: String, end: String
  ) throws {
    var start = ModelTrees()
    start.mayBeOlder = true
    start.localTree = tree(local)
    start.history = tree("d:1/ d/f:2=v").nodes
    start.deleted = [
      Place(parent: .root, name: fileName("d")): recordID(1),
      Place(parent: recordID(1), name: fileName("e")): recordID(3),
    ]
    var engine = ModelEngine(start)
    try engine.run()
    for tree in [engine.trees.remoteTree, engine.trees.localTree] {
      let names = tree.nodes.values.map(\.place.name.description)
      #expect(names.sorted().joined(separator: " ") == end)
    }
  }

  @Test(arguments: [
    // Moved; moved with another target; another one made here; another entry there.
    (was: "a>t", now: "b:1>t", end: "b>t"), ("a>t", "b:1>u", "a>t b>u"),
    ("a>u", "b:1>t", "a>u b>t"), ("a>t", "b:1>t a:2=v", "a=v a~1>t b>t"),
  ])
  func `a symlink that others moved goes to the new place`(
    was: String, now: String, end: String
  ) throws {
    var start = ModelTrees()
    start.mayBeOlder = true
    start.localTree = tree(was.replacing("a", with: "a:100"))
    start.remoteTree = tree(now)
    start.left = [Place(parent: .root, name: fileName("a")): [recordID(1)]]
    var engine = ModelEngine(start)
    try engine.run()
    #expect(text(engine.trees.remoteTree) == end)
    #expect(text(engine.trees.localTree) == end)
  }

  @Test(arguments: [("a>t", ""), ("a>u", "a>u")])
  func `a symlink that others deleted is set aside, and another one stays`(
    was: String, end: String
  ) throws {
    var start = ModelTrees()
    start.mayBeOlder = true
    start.localTree = tree(was.replacing("a", with: "a:100"))
    start.deletedTargets = [Place(parent: .root, name: fileName("a")): Array("t".utf8)]
    var engine = ModelEngine(start)
    try engine.run()
    #expect(text(engine.trees.remoteTree) == end)
    #expect(text(engine.trees.localTree) == end)
  }

  @Test(arguments: [false, true])
  func `a copy made beside a record before a cut is recognized, and isn't copied again`(
    isKnown: Bool
  ) throws {
    // The index is from before the conflict: its file was renamed, and another took its place.
    var start = ModelTrees()
    start.mayBeOlder = true
    start.syncedTree = tree("f:1=v")
    start.history = start.syncedTree.nodes
    start.localTree = tree("g:1=w f:100=x")
    start.remoteTree = tree("f:1=x g:2=w")
    // The zone's history may contain these bytes for the other record.
    if isKnown { start.history[recordID(2)] = start.remoteTree[recordID(2)] }
    var engine = ModelEngine(start)
    try engine.run()
    #expect(engine.conflicts == 0)
    #expect(engine.trees.remoteTree.nodes == start.remoteTree.nodes)
    #expect(engine.trees.localTree.nodes == start.remoteTree.nodes)
  }

  @Test func `an entry that others changed meanwhile is recognized, too`() throws {
    var start = ModelTrees()
    start.mayBeOlder = true
    start.syncedTree = tree("f:1=v")
    start.history = tree("f:1=v g:2=w").nodes
    start.localTree = tree("g:1=w f:100=x")
    start.remoteTree = tree("f:1=x g:2=y")
    var engine = ModelEngine(start)
    try engine.run()
    #expect(engine.conflicts == 0)
    #expect(engine.trees.remoteTree.nodes == start.remoteTree.nodes)
    #expect(engine.trees.localTree.nodes == start.remoteTree.nodes)
  }

  @Test(arguments: ["w", "y"])
  func `an entry that others moved away is recognized, too`(now: String) throws {
    var start = ModelTrees()
    start.mayBeOlder = true
    start.syncedTree = tree("f:1=v")
    start.history = tree("f:1=v g:2=w").nodes
    start.localTree = tree("g:1=w f:100=x")
    start.remoteTree = tree("f:1=x h:2=\(now)")
    start.left = [Place(parent: .root, name: fileName("g")): [recordID(2)]]
    var engine = ModelEngine(start)
    try engine.run()
    #expect(engine.conflicts == 0)
    #expect(engine.trees.remoteTree.nodes == start.remoteTree.nodes)
    #expect(engine.trees.localTree.nodes == start.remoteTree.nodes)
  }

  @Test func `an unknown version older than the agreed one becomes a conflict copy`()
    throws
  {
    var start = ModelTrees(
      synced: tree("f:1=v"), local: tree("f:1=n"), remote: tree("f:1=v"))
    start.mayBeOlder = true
    let agreed = try #require(start.syncedTree[recordID(1)]).attributes.modified
    start.localTree[recordID(1)]?.attributes.modified = agreed - 1
    var engine = ModelEngine(start)
    try engine.run()
    #expect(engine.conflicts == 1)
    #expect(engine.trees.remoteTree[recordID(1)] == start.remoteTree[recordID(1)])
    #expect(engine.trees.remoteTree.contents.count == 2)
  }

  @Test func `an entry at the former place of one record is no edit of the present one`()
    throws
  {
    // Record 1 was deleted here, and 2 took its name. A power cut brought 1 back, half written.
    var start = ModelTrees()
    start.mayBeOlder = true
    start.syncedTree = tree("f:1=v")
    start.localTree = tree("f:1=n")
    start.remoteTree = tree("f:2=w")
    start.history = tree("f:2=w").nodes
    start.taken = [Place(parent: .root, name: fileName("f"))]
    var engine = ModelEngine(start)
    try engine.run()
    #expect(engine.trees.remoteTree[recordID(2)] == start.remoteTree[recordID(2)])
    #expect(engine.trees.remoteTree.contents.count == 2)
  }

  @Test func `an earlier version is noted before any step waits`() throws {
    var start = ModelTrees(
      synced: tree("f:1=w"), local: tree("f:1=v"), remote: tree("f:1=w"))
    start.mayBeOlder = true
    start.history = tree("f:1=v").nodes
    let plan = try Planner.plan([recordID(1)], in: start, mint: { recordID(200) })
    #expect(plan.identity == [.giveWay(recordID(1))])
  }

  /// The same nodes under ids that no commit knows.
  private static func unrecorded(_ tree: ModelTree) -> ModelTree {
    var result = ModelTree()
    func fresh(_ id: RecordID) -> RecordID {
      id == .root ? .root : recordID(100 + Int(id.value.bytes[15]))
    }
    for (id, node) in tree.nodes {
      var node = node
      node.place.parent = fresh(node.place.parent)
      result[fresh(id)] = node
    }
    return result
  }

  private func check(_ engine: ModelEngine, _ old: ModelTree, _ remote: ModelTree) throws {
    let end = engine.trees
    guard end.localTree.nodes == end.remoteTree.nodes, end.localTree.nodes == end.syncedTree.nodes
    else { throw Misstep("not equal") }
    for (id, node) in old.nodes where node.kind == .directory && remote[id] == nil {
      guard end.remoteTree[id] == nil || !end.remoteTree.children(of: id).isEmpty else {
        throw Misstep("\(id) came back")
      }
    }
    for (id, node) in old.nodes {
      // An entry can be recognized only if it is unchanged and its name is free. Of two files with
      // the same bytes either may be the other.
      guard let now = remote[id], now.kind == node.kind, remote.names[node.place] == nil,
        node.place != now.place, remote.nodes.values.count(where: { $0.kind == node.kind }) == 1,
        old.nodes.values.count(where: { $0.kind == node.kind }) == 1,
        remote.isDirectory(node.place.parent)
      else { continue }
      guard end.remoteTree[id]?.place == now.place else { throw Misstep("\(id) moved back") }
      guard node.kind != .directory else { continue }
      guard end.remoteTree.nodes.values.count(where: { $0.kind == node.kind }) == 1 else {
        throw Misstep("\(id) stands there twice")
      }
    }
  }

  @Test(arguments: ["c:1=old a:10=new", "c:1=old", "c:1=old a:10=other"])
  func `a file set aside before a cut that undid its bytes isn't set aside again`(
    local: String
  ) throws {
    var start = ModelTrees()
    start.mayBeOlder = true
    start.syncedTree = tree("a:1=old")
    start.localTree = tree(local)
    start.remoteTree = tree("a:1=new c:2=mine")
    start.history = tree("a:1=old c:2=mine").nodes
    var engine = ModelEngine(start)
    try engine.run()
    for id in [recordID(1), recordID(2)] {
      #expect(engine.trees.localTree[id] == start.remoteTree[id])
    }
    let isOther = local.hasSuffix("other")
    #expect(engine.conflicts == (isOther ? 1 : 0))
    #expect(engine.trees.localTree.nodes.count == (isOther ? 3 : 2))
    #expect(engine.rescued == tree("a:1=old").contents)
  }
}
