import CairnPlan
import CairnZone
import Testing

/// The steps of plans, for cases in which their results alone don't suffice.
@Suite struct PlannerStepTests {
  private func plan(s: String, l: String, r: String) throws -> Plan {
    var engine = ModelEngine(Row("", s: s, l: l, r: r, end: "").trees)
    return try engine.plan(engine.trees.dirty)
  }

  private func place(_ name: String, in parent: RecordID = .root) -> Place {
    Place(parent: parent, name: fileName(name))
  }

  @Test func `a swap needs one temporary name`() throws {
    let plan = try plan(s: "a:1=v b:2=w", l: "a:1=v b:2=w", r: "b:1=v a:2=w")
    let parks = plan.folder.filter { if case .park = $0 { true } else { false } }
    #expect(parks.count == 1 && plan.folder.count == 3)
    #expect(plan.zone.isEmpty && plan.agreed == [recordID(1), recordID(2)])
  }

  @Test func `a chain of names needs no temporary name`() throws {
    let plan = try plan(s: "a:1=u b:2=v", l: "a:1=u b:2=v", r: "b:1=u c:2=v")
    #expect(
      plan.folder == [
        .move(recordID(2), from: place("b"), to: place("c")),
        .move(recordID(1), from: place("a"), to: place("b")),
      ])
  }

  @Test func `a swap in the zone is one group`() throws {
    let plan = try plan(s: "a:1=v b:2=w", l: "b:1=v a:2=w", r: "a:1=v b:2=w")
    #expect(plan.folder.isEmpty && plan.zone.map(\.count) == [2])
  }

  @Test func `a name never goes missing in the zone`() throws {
    let plan = try plan(s: "a:1=v", l: "a:2=w", r: "a:1=v")
    #expect(plan.zone.count == 1)
    #expect(Set(plan.zone.joined().map(\.id)) == [recordID(1), recordID(2)])
  }

  @Test func `directories are created first and deleted last`() throws {
    let plan = try plan(
      s: "o:9/ o/f:8=v", l: "o:9/ o/f:8=v", r: "d:3/ d/e:2/ d/e/f:1=w d/e/g:8=v")
    let none = Attributes(isExecutable: false, modified: 0)
    let new = Node(
      place: place("f", in: recordID(2)), kind: tree("f:1=w")[recordID(1)]?.kind ?? .directory,
      attributes: none)
    let old = Node(place: place("o"), kind: .directory, attributes: none)
    #expect(
      plan.folder == [
        .makeDirectory(recordID(3), place("d")),
        .makeDirectory(recordID(2), place("e", in: recordID(3))),
        .install(recordID(1), new),
        .move(
          recordID(8), from: place("f", in: recordID(9)), to: place("g", in: recordID(2))),
        .remove(recordID(9), expected: old),
      ])
  }

  @Test func `a rename of a directory is one change`() throws {
    let plan = try plan(s: "d:1/ d/f:2=v", l: "e:1/ e/f:2=v", r: "d:1/ d/f:2=v")
    #expect(plan.zone == [[ZoneChange(id: recordID(1), act: .update, place: place("e"))]])
    #expect(plan.folder.isEmpty && plan.agreed == [recordID(1)])
  }

  @Test(arguments: [true, false])
  func `a new directory doesn't bring the tree in it into the plan`(isLocal: Bool) throws {
    let new = "d:1/ d/e:2/ d/e/f:3=v d/g:4=w"
    let trees = Row("", s: "", l: isLocal ? new : "", r: isLocal ? "" : new, end: "").trees
    var engine = ModelEngine(trees)
    #expect(try engine.plan([recordID(1)]).agreed == [recordID(1)])
    #expect(try engine.plan([recordID(2)]).agreed == [recordID(1), recordID(2)])
    try engine.run()
    #expect(text(engine.trees.remoteTree) == text(engine.trees.localTree))
  }

  @Test func `a move plans the parents that must be moved before it, too`() throws {
    let trees = Row(
      "", s: "m:1/ m/q:2/ m/q/p:3/", l: "q:2/ q/p:3/ q/p/m:1/", r: "m:1/ m/q:2/ m/q/p:3/", end: ""
    ).trees
    var engine = ModelEngine(trees)
    let plan = try engine.plan([recordID(1)])
    #expect(plan.zone.map { $0.map(\.id) } == [[recordID(2)], [recordID(1)]])
    try engine.run()
    #expect(text(engine.trees.remoteTree) == "q/ q/p/ q/p/m/")
  }

  @Test func `an edit sends bytes and attributes, and no place`() throws {
    let plan = try plan(s: "f:1=v", l: "f:1=w@3", r: "f:1=v")
    let change = plan.zone.first?.first
    #expect(plan.zone.count == 1 && change?.place == nil && change?.content != nil)
    #expect(change?.attributes == Attributes(isExecutable: false, modified: 3))
  }

  @Test func `an unread file waits, and so does the record that needs its name`() throws {
    let plan = try plan(s: "", l: "f:1=? g:3=w", r: "f:2=v")
    #expect(plan.deferred == [recordID(1): .unread, recordID(2): .blocked(by: recordID(1))])
    #expect(plan.agreed == [recordID(3)] && plan.identity.isEmpty && plan.folder.isEmpty)
  }

  @Test func `a directory waits for an unread file in it`() throws {
    let plan = try plan(s: "d:1/ d/f:2=v", l: "d:1/ d/f:2=?", r: "")
    #expect(plan.deferred == [recordID(1): .blocked(by: recordID(2)), recordID(2): .unread])
    #expect(plan.isEmpty)
  }

  @Test func `a whole tree is adopted at once`() throws {
    let plan = try plan(s: "", l: "d:1/ d/e:2/ d/e/f:3=v", r: "d:4/ d/e:5/ d/e/f:6=v")
    #expect(
      plan.identity == [
        .adopt(local: recordID(1), remote: recordID(4)),
        .adopt(local: recordID(2), remote: recordID(5)),
        .adopt(local: recordID(3), remote: recordID(6)),
      ])
  }

  @Test func `a lost index makes no conflict of an older version`() throws {
    var trees = Row("", s: "", l: "f:1=v", r: "f:2=w", end: "").trees
    trees.history[recordID(2)] = tree("f:2=v")[recordID(2)]
    var engine = ModelEngine(trees)
    try engine.run()
    #expect(text(engine.trees.localTree) == "f=w" && engine.conflicts == 0)
  }

  @Test func `a lost index makes no conflict of a later edit`() throws {
    var trees = Row("", s: "", l: "f:1=v", r: "f:2=w", end: "").trees
    trees.history[recordID(2)] = trees.remoteTree[recordID(2)]
    var engine = ModelEngine(trees)
    try engine.run()
    #expect(text(engine.trees.remoteTree) == "f=v" && engine.conflicts == 0)
  }

  @Test(arguments: [
    ("f:2=w g:3=v@1", "f=w g=v@1"), ("f:2/ g:3=v@1", "f/ g=v@1"),
    ("f:2=w d:4/ d/g:3=x@2", "d/ d/g=x@2 f=w"),
  ])
  func `a lost index makes no conflict of a file whose name another one has now`(
    remote: String, end: String
  ) throws {
    var trees = Row("", s: "", l: "f:1=v@1", r: remote, end: "").trees
    trees.history[recordID(3)] = tree("f:3=v@1")[recordID(3)]
    var engine = ModelEngine(trees)
    #expect(try engine.plan(trees.dirty).identity == [.recall(local: recordID(1), as: recordID(3))])
    try engine.run()
    #expect(text(engine.trees.localTree) == end && engine.conflicts == 0)
  }

  @Test(arguments: [
    // Written again, with bytes that were there before.
    ("f:1=v@5", "f:2=w", "f=w f~1=v@5"),
    // It is elsewhere in the zone, and nothing says who moved it.
    ("f:1=v@1", "g:3=v@1", "f=v@1 g=v@1"),
    // The record has a file of its own here.
    ("f:1=v@1 g:4=v@1", "f:2=w g:3=v@1", "f=w f~1=v@1 g=v@1"),
  ])
  func `an old file is not taken for another one`(
    local: String, remote: String, end: String
  ) throws {
    var trees = Row("", s: "", l: local, r: remote, end: "").trees
    trees.history[recordID(3)] = tree("f:3=v@1")[recordID(3)]
    var engine = ModelEngine(trees)
    try engine.run()
    #expect(text(engine.trees.localTree) == end)
  }

  @Test(arguments: [("", ""), ("f:2=w", "f=w "), ("f:2/", "f/ "), ("f:2>w", "f>w ")])
  func `an old file that others deleted is set aside, not brought back`(
    remote: String, end: String
  ) throws {
    var trees = Row("", s: "", l: "f:1=v@1 g:4=v@2", r: remote, end: "").trees
    trees.history[recordID(3)] = tree("f:3=v@1")[recordID(3)]
    var engine = ModelEngine(trees)
    #expect(try engine.plan(trees.dirty).identity == [.rescue(recordID(1), .deletion)])
    try engine.run()
    #expect(text(engine.trees.remoteTree) == end + "g=v@2")
    #expect(engine.rescued.count == 1 && engine.conflicts == 0)
  }

  /// Another record has the bytes now, and is changed here.
  @Test func `the only copy of a record's bytes is not taken for a deleted file`() throws {
    var trees = Row("", s: "", l: "f:1=v@1 g:4=x@3", r: "f:2=w g:5=v@1", end: "").trees
    trees.history[recordID(3)] = tree("f:3=v@1")[recordID(3)]
    trees.history[recordID(5)] = tree("g:5=v@1")[recordID(5)]
    var engine = ModelEngine(trees)
    try engine.run()
    #expect(text(engine.trees.remoteTree) == "f=w f~1=v@1 g=x@3")
  }

  @Test func `nodes with a temporary name find their places, whatever their records are`() throws {
    for (remote, end) in [("b:1=v", "b=v"), ("b:1=w", "b=w"), ("", ""), ("a:1=v", "a=v")] {
      var trees = Row("", s: "a:1=v", l: "a:1=v", r: remote, end: end).trees
      let parked = Place(parent: .parked, name: fileName("a"))
      trees.localTree[recordID(1)]?.place = parked
      var engine = ModelEngine(trees)
      try engine.run()
      #expect(text(engine.trees.localTree) == end)
    }
    var trees = Row("", s: "a:1=v", l: "a:1=x a~1:2=y", r: "", end: "").trees
    let parked = Place(parent: .parked, name: fileName("a"))
    trees.localTree[recordID(1)]?.place = parked
    var engine = ModelEngine(trees)
    try engine.run()
    #expect(text(engine.trees.localTree) == "a~1=y a~2=x")
  }

  @Test func `large and deep trees are planned step by step`() throws {
    var trees = ModelTrees()
    let none = Attributes(isExecutable: false, modified: 0)
    var parent = RecordID.root
    for depth in 1...2000 {
      let id = recordID(depth)
      trees.localTree[id] = Node(
        place: place("d", in: parent), kind: .directory, attributes: none)
      parent = id
    }
    for number in 10_000..<40_000 {
      trees.localTree[recordID(number)] = Node(
        place: place("\(number)", in: parent), kind: .file(contentID(1)), attributes: none)
    }
    var engine = ModelEngine(trees)
    let up = try engine.plan(trees.dirty)
    #expect(up.zone.count == 32_000 && up.zone.first?.first?.id == recordID(1))
    swap(&engine.trees.localTree, &engine.trees.remoteTree)
    let down = try engine.plan(engine.trees.dirty)
    #expect(down.folder.count == 32_000)
    engine.trees.syncedTree = engine.trees.remoteTree
    let gone = try engine.plan(engine.trees.dirty)
    #expect(gone.zone.count == 32_000 && gone.zone.last?.first?.id == recordID(1))
  }
}
