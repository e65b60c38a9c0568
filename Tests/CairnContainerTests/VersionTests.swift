import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnIndex
@testable import CairnReplica

/// The index's history of records. It is the same for every reader of the log, at any time.
@Suite struct VersionTests {
  private func name(_ text: String) throws -> FileName { try #require(FileName(text)) }

  private func place(_ parent: RecordID, _ text: String) throws -> Place {
    Place(parent: parent, name: try name(text))
  }

  private func directory(_ text: String) throws -> RecordChange {
    RecordChange(id: .random(), act: .create(.directory), place: try place(.root, text))
  }

  /// A directory with two files; one is edited by Bob, renamed and deleted, the other stays.
  private func played(_ world: ZoneWorld) throws -> (ana: Zone, bob: Zone, ids: [RecordID]) {
    let (ana, bob, _) = try world.shared()
    let folder = try directory("d")
    try ana.save([folder])
    let (file, other) = (try ana.write("a", [1]), try ana.write("b", [2]))
    try bob.pull()
    try bob.save([RecordChange(id: file, act: .update, content: try bob.ingest([3]))])
    try bob.save([RecordChange(id: file, act: .update, place: try place(folder.id, "c"))])
    try bob.save([
      RecordChange(
        id: other, act: .update, attributes: Attributes(isExecutable: true, modified: 7))
    ])
    try bob.save([RecordChange(id: file, act: .delete)])
    try ana.pull()
    return (ana, bob, [folder.id, file, other])
  }

  @Test func `a record's versions give its past states, their ends and the authors`() throws {
    let world = try ZoneWorld()
    let (ana, bob, ids) = try played(world)
    let last = ana.header.sequence
    for zone in [ana, bob] {
      let versions = try zone.read { try $0.versions(of: ids[1], limit: 10) }
      #expect(versions.map(\.end?.ending) == [.deleted, .moved, .changed])
      #expect(versions.map(\.began) == [last - 2, last - 3, last - 5])
      #expect(versions.map(\.end?.stamp.sequence) == [last, last - 2, last - 3])
      #expect(versions.map(\.isFirst) == [false, false, true])
      #expect(versions[0].record.place?.parent == ids[0])
      #expect(versions[0].end?.stamp.user == bob.account.user)
      #expect(versions[2].record.changed.user == ana.account.user)
      let sizes = versions.map { $0.record.content?.chunks.count }
      #expect(sizes == [1, 1, 1])
      // The bytes of each version still exist.
      var bytes: [UInt8] = []
      for content in versions.compactMap(\.record.content) {
        try zone.readContent(content) { bytes += Array($0) }
      }
      #expect(bytes == [3, 3, 1])
      #expect(try zone.read { try $0.versions(of: ids[1], before: last - 2, limit: 1).count } == 1)
      let since = try zone.read { try $0.versions(of: ids[2], since: last - 2) }
      #expect(since.map(\.record.attributes.isExecutable) == [false, true])
    }
    // A later reader of the log knows the same.
    try ana.exclusively { try $0.forgetFold(keeping: $0.provenKeys) }
    try ana.pull()
    let again = try ana.read { try $0.versions(of: ids[1], limit: 10) }
    #expect(try again == bob.read { try $0.versions(of: ids[1], limit: 10) })
  }

  @Test func `the tree at a position of the log is the former one`() throws {
    let world = try ZoneWorld()
    let (ana, _, ids) = try played(world)
    let last = ana.header.sequence
    func names(_ parent: RecordID, _ place: UInt64) throws -> [String] {
      try ana.read { view in
        try view.children(of: parent, at: place, after: [], limit: 100)
          .map { String(decoding: $0.name, as: UTF8.self) }
      }
    }
    #expect(try names(.root, last) == ["b", "d"])
    #expect(try names(ids[0], last) == [])
    #expect(try names(ids[0], last - 1) == ["c"])
    #expect(try names(.root, last - 3) == ["a", "b", "d"])
    #expect(try names(.root, last - 6) == ["d"])
    try ana.read { view in
      #expect(try view.child(of: .root, named: name("a"), at: last - 3) == ids[1])
      #expect(try view.child(of: .root, named: name("a"), at: last - 2) == nil)
      #expect(try view.child(of: .root, named: name("b"), at: last) == ids[2])
      #expect(try view.version(of: ids[1], at: last) == nil)
      #expect(try view.version(of: ids[1], at: last - 4)?.began == last - 5)
      #expect(try view.lastVersion(thatLeft: place(ids[0], "c"))?.record.id == ids[1])
      #expect(try view.lastVersion(thatLeft: place(.root, "a"))?.end?.ending == .moved)
      #expect(try view.lastVersion(thatLeft: place(.root, "b")) == nil)
      #expect(try view.stood(at: place(.root, "a"), otherThan: ids[0]))
      #expect(try !view.stood(at: place(.root, "a"), otherThan: ids[1]))
      let ended = try view.endedFiles(after: EventPlace(last - 4), limit: 2)
      #expect(ended.map(\.record.id) == [ids[1], ids[1]])
      let rest = try view.endedFiles(after: EventPlace(last - 2, ids[1]), limit: 9)
      #expect(rest.map { $0.end?.stamp.sequence } == [last - 1, last])
      let summary = try view.pastSummary()
      #expect(summary.versions == 4 && summary.deleted == 1)
    }
  }

  @Test func `a restore or rewind is one act, and goes on where it was cut off`() throws {
    let world = try ZoneWorld()
    let (ana, bob, accounts) = try world.shared()
    var note = ReversalNote(kind: .rewind, place: 2)
    #expect(try ana.act(cutOffBefore: note) == nil)
    func commit(_ name: String) throws -> UInt64 {
      try ana.commit(
        [Zone.file(name, ana.ingest([1]))], expecting: ana.header.sequence, as: note
      ).sequence
    }
    let first = try commit("a")
    try bob.pull()
    // Another index continues it, too. Another device doesn't, and neither does another request.
    let anew = try #require(try world.open(accounts[0]).zone(ana.id))
    try anew.pull()
    for zone in [ana, anew] {
      #expect(try zone.act(cutOffBefore: note) == first)
      #expect(try zone.act(cutOffBefore: ReversalNote(kind: .rewind, place: 1)) == nil)
      #expect(try zone.act(cutOffBefore: ReversalNote(kind: .restore, place: 2)) == nil)
    }
    #expect(try bob.act(cutOffBefore: note) == nil)
    note.first = first
    let second = try commit("b")
    #expect(try ana.act(cutOffBefore: note) == first)
    note.ends = true
    let third = try commit("c")
    #expect(try ana.act(cutOffBefore: note) == nil, "it is done")
    for zone in [ana, bob, anew] {
      try zone.pull()
      #expect(
        try zone.read { view in try (first - 1...third).map { try view.act(at: $0) } }
          == [nil, first, first, first])
      #expect(
        try zone.log(after: first - 1, limit: 3).map(\.reversal) == [
          ReversalNote(kind: .rewind, place: 2),
          ReversalNote(kind: .rewind, place: 2, first: first), note,
        ])
    }
    #expect(second == first + 1)
    try ana.write("else", [2])
    #expect(try ana.act(cutOffBefore: note) == nil)
  }

  @Test func `the activity lists the newest first, in batches, each act once`() throws {
    let world = try ZoneWorld()
    let (ana, _, ids) = try played(world)
    let last = ana.header.sequence
    let (whole, pages, gone) = try ana.read { view in
      let whole = try view.events(before: EventPlace(.max), deletionsOnly: false, limit: 100)
      var (pages, next): ([UInt64], EventPlace?) = ([], EventPlace(.max))
      while let place = next {
        let page = try view.events(before: place, deletionsOnly: false, limit: 1)
        pages += page.map(\.sequence)
        next = page.last.map { EventPlace($0.sequence, $0.record) }
      }
      let gone = try view.events(before: EventPlace(.max), deletionsOnly: true, limit: 100)
      return (whole, pages, gone)
    }
    #expect(
      whole.map(\.sequence) == [last, last - 1, last - 2, last - 3, last - 4, last - 5, last - 6])
    #expect(pages == whole.map(\.sequence))
    #expect(gone.map(\.sequence) == [last] && gone.map(\.record) == [ids[1]])
    try ana.read { view in
      let moved = try #require(try view.event(of: ids[1], at: last - 2))
      #expect(moved.before?.end?.ending == .moved && moved.after?.record.place?.parent == ids[0])
      let deleted = try #require(try view.event(of: ids[1], at: last))
      #expect(deleted.after == nil && deleted.stamp.sequence == last)
      let made = try #require(try view.event(of: ids[1], at: last - 5))
      #expect(made.before == nil && made.after?.isFirst == true)
      #expect(try view.event(of: ids[1], at: last - 1) == nil)
    }
  }

  @Test func `each question is answered from an index, and none reads the whole past`() throws {
    let index = try IndexFile(inMemory: .zones)
    let zone = ZoneID(Bytes32.zero)
    try index.write { _ = try IndexedZone($0, zone: zone) }
    let plans = try index.read { db in
      let state = try IndexedZone(reading: db, zone: zone)
      let somebody = RecordID(Bytes16(high: 0, low: 1))
      _ = try state.history.events(before: EventPlace(.max), deletionsOnly: false, limit: 1)
      _ = try state.history.events(before: EventPlace(.max), deletionsOnly: true, limit: 1)
      _ = try state.history.version(of: somebody, at: 5)
      _ = try state.versions.former(of: somebody, endedAfter: 5)
      _ = try state.history.children(of: .root, at: 5, afterName: [], limit: 1)
      _ = try state.history.child(of: .root, named: name("a"), at: 5)
      _ = try state.versions.last(thatLeft: place(.root, "a"))
      _ = try state.history.nestings(after: 5)
      _ = try state.versions.endedFiles(after: EventPlace(5), limit: 1)
      _ = try state.versions.records(thatLeft: place(.root, "a"), limit: 1)
      _ = try state.versions.stood(at: place(.root, "a"), otherThan: somebody)
      return try Self.plans(db)
    }
    #expect(plans.count == 11)
    for (text, plan) in plans {
      #expect(!plan.contains("SCAN"), "\(text): \(plan)")
      let isSorted = text.contains("ORDER BY 1 DESC") && plan.contains("TEMP B-TREE FOR ORDER BY")
      #expect(!isSorted, "\(text): \(plan)")
    }
  }
  /// Returns the statements about the past on the connection, with their plans.
  private static func plans(_ db: IndexConnection) throws -> [(text: String, plan: String)] {
    try db.connection.statements.keys.filter { $0.contains("FROM past") }.map { text in
      (text, try db.plan(of: text).joined(separator: "; "))
    }
  }
}
