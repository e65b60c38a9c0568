import CairnPlan
import CairnZone
import Testing

/// The restored records of a reverted zone, and their commits.
@Suite struct ReversalTests {
  private func id(_ value: Int) -> RecordID { RecordID(Bytes16(high: 0, low: UInt64(value))) }

  private func bytes(_ value: Int) -> Content {
    let chunk = ChunkName(PastZone.bytes32(UInt64(50_000 + value)))
    return Content(id: contentID(value), size: 1, chunks: [chunk])
  }

  private func make(
    _ value: Int, _ name: String, in parent: RecordID = .root, _ content: Int? = nil
  ) -> RecordChange {
    RecordChange(
      id: id(value), act: .create(content == nil ? .directory : .file),
      place: Place(parent: parent, name: fileName(name)), content: content.map(bytes))
  }

  private func edit(_ value: Int, _ content: Int) -> RecordChange {
    RecordChange(id: id(value), act: .update, content: bytes(content))
  }

  private func move(_ value: Int, _ name: String, in parent: RecordID = .root) -> RecordChange {
    RecordChange(
      id: id(value), act: .update, place: Place(parent: parent, name: fileName(name)))
  }

  private func delete(_ value: Int) -> RecordChange { RecordChange(id: id(value), act: .delete) }

  private func commit(_ zone: inout PastZone, by device: UInt64 = 1, _ changes: RecordChange...) {
    #expect(zone.commit(changes, by: device) == nil)
  }

  @Test(arguments: 0..<60) func `any series of changes can be fully reverted`(seed: Int) throws {
    var zone = PastZone()
    var dice = Dice(seed: UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 &+ 1)
    var states = [zone.sequence: zone.seen]
    for _ in 0..<40 {
      if zone.commit(changes(zone, &dice), by: UInt64(1 + dice.below(2))) == nil {
        states[zone.sequence] = zone.seen
      }
    }
    for (place, seen) in states.sorted(by: { $0.key > $1.key }) {
      var copy = zone
      let most = 1 + dice.below(6)
      #expect(try copy.rewind(to: place, ofAtMost: most) == nil, "seed \(seed) to \(place)")
      #expect(copy.seen == seen, "seed \(seed) to \(place)")
      // A second reversal has nothing to do.
      let head = copy.sequence
      #expect(try copy.rewind(to: place) == nil)
      #expect(copy.sequence == head, "seed \(seed) to \(place)")
    }
  }

  @Test(arguments: 0..<60)
  func `one person's changes are reverted in any log, and others' changes stay`(
    seed: Int
  ) throws {
    var zone = PastZone()
    var dice = Dice(seed: UInt64(seed) &* 0x9e37_79b9_7f4a_7c15 &+ 2)
    for _ in 0..<40 { _ = zone.commit(changes(zone, &dice), by: UInt64(1 + dice.below(2))) }
    for place in stride(from: UInt64(1), to: zone.sequence, by: 3) {
      // Nobody's changes are reverted, so nothing changes.
      var same = zone
      #expect(try same.rewind(to: place, PastZone.isBy(3)) == nil)
      #expect(same.sequence == zone.sequence)
      // Files that only the other person changed are as they were before.
      var copy = zone
      #expect(try copy.rewind(to: place, PastZone.isBy(1)) == nil, "seed \(seed) to \(place)")
      var view = zone
      view.since = place
      for id in view.changed {
        let isMine = view.versions(of: id).contains { version in
          [version.began > place ? version.record.changed : nil, version.end?.stamp]
            .contains { $0.map { PastZone.isBy(1)($0.author) } ?? false }
        }
        guard !isMine, let before = zone.seen[id], zone.record(id)?.type == .file else { continue }
        #expect(copy.seen[id] == before, "seed \(seed) to \(place)")
      }
      // A second reversal has nothing to do.
      let head = copy.sequence
      #expect(try copy.rewind(to: place, PastZone.isBy(1)) == nil)
      #expect(copy.sequence == head, "seed \(seed) to \(place)")
    }
  }

  /// Returns a few possible changes. Many of them are refused.
  private func changes(_ zone: PastZone, _ dice: inout Dice) -> [RecordChange] {
    let ids = zone.zone.records.keys.filter { $0 != .root }.sorted()
    let directories =
      [.root] + ids.filter { zone.record($0)?.type == .directory }
    let place = Place(
      parent: directories[dice.below(directories.count)],
      name: fileName(["a", "b", "c", "d"][dice.below(4)]))
    let fresh = id(100 + Int(zone.sequence) * 10)
    guard dice.chance(60), !ids.isEmpty else {
      let isFile = dice.chance(60)
      return [
        RecordChange(
          id: fresh, act: .create(isFile ? .file : .directory), place: place,
          content: isFile ? bytes(dice.below(20)) : nil)
      ]
    }
    let one = ids[dice.below(ids.count)]
    switch dice.below(5) {
    case 0: return below(one, zone).map { RecordChange(id: $0, act: .delete) }
    case 1:
      // A swap of two names.
      let other = ids[dice.below(ids.count)]
      return [
        RecordChange(id: one, act: .update, place: zone.record(other)?.place),
        RecordChange(id: other, act: .update, place: zone.record(one)?.place),
      ]
    case 2: return [RecordChange(id: one, act: .update, place: place)]
    default:
      guard zone.record(one)?.type == .file else { return [] }
      return [RecordChange(id: one, act: .update, content: bytes(dice.below(20)))]
    }
  }

  private func below(_ id: RecordID, _ zone: PastZone) -> [RecordID] {
    [id] + zone.children(of: id).flatMap { below($0, zone) }
  }

  // MARK: One person's changes

  @Test func `a device's encrypted files get their bytes back, and others' work stays`() throws {
    var zone = PastZone()
    commit(&zone, make(1, "d"))
    commit(&zone, make(2, "report", in: id(1), 20), make(3, "notes", in: id(1), 30))
    commit(&zone, make(4, "letter", in: id(1), 40), make(5, "old", in: id(1), 50))
    let place = zone.sequence
    commit(&zone, by: 2, edit(2, 21), edit(3, 31), edit(4, 41))
    commit(&zone, by: 2, move(2, "report.locked", in: id(1)), make(6, "RANSOM", in: id(1), 60))
    commit(&zone, by: 2, delete(5))
    // Meanwhile Ana moves one file, edits another and creates a third.
    commit(&zone, move(3, "notes"), make(7, "new", 70))
    commit(&zone, edit(4, 42))
    #expect(try zone.rewind(to: place, PastZone.isBy(2)) == nil)
    let copy = "d/letter (4, 1)"
    #expect(
      zone.paths == [
        "d": nil, "d/report": contentID(20), "notes": contentID(30), "new": contentID(70),
        "d/old": contentID(50), "d/letter": contentID(42), copy: contentID(40),
      ])
  }

  @Test func `a directory with new entries of others stays`() throws {
    var zone = PastZone()
    let place = zone.sequence
    commit(&zone, by: 2, make(1, "d"), make(2, "theirs", in: id(1), 20))
    commit(&zone, make(3, "mine", in: id(1), 30))
    #expect(try zone.rewind(to: place, PastZone.isBy(2)) == nil)
    #expect(zone.paths == ["d": nil, "d/mine": contentID(30)])
  }

  @Test func `a restored entry doesn't take a name that somebody else has used since`() throws {
    var zone = PastZone()
    commit(&zone, make(1, "a", 10), make(2, "d"), make(3, "x", in: id(2), 30))
    let place = zone.sequence
    commit(&zone, by: 2, delete(1), delete(3), delete(2))
    commit(&zone, make(4, "a", 11), make(5, "d"))
    #expect(try zone.rewind(to: place, PastZone.isBy(2)) == nil)
    #expect(
      zone.paths == [
        "a": contentID(11), "a (2, 1)": contentID(10), "d": nil, "d/x": contentID(30),
      ])
  }

  // MARK: Restoring

  @Test func `restoring a tree removes nothing new`() throws {
    var zone = PastZone()
    commit(&zone, make(1, "d"), make(2, "e", in: id(1)), make(3, "f", in: id(2), 30))
    commit(&zone, make(4, "g", in: id(1), 40))
    let place = zone.sequence
    commit(&zone, delete(3), delete(2))
    // An editor's way to save: another record has the name.
    commit(&zone, move(4, "g~", in: id(1)), make(5, "g", in: id(1), 41))
    commit(&zone, make(6, "new", in: id(1), 60))
    var reversal = zone.reversal(to: place, isRestoring: true)
    for value in 1...4 { try reversal.restore(id(value)) }
    #expect(try zone.carryOut(&reversal) == nil)
    #expect(
      zone.paths == [
        "d": nil, "d/e": nil, "d/e/f": contentID(30), "d/g": contentID(40),
        "d/g~": contentID(40), "d/new": contentID(60),
      ])
    #expect(zone.record(id(3)) != nil, "a record comes back as itself")
  }

  @Test func `one file is restored in place, after a deletion, or as a copy`() throws {
    var zone = PastZone()
    commit(&zone, make(1, "d"), make(2, "f", in: id(1), 20), make(3, "g", in: id(1), 30))
    let version = try #require(zone.record(id(2)))
    let spot = try #require(version.place)
    let place = zone.sequence
    func put(_ zone: PastZone) throws -> PastZone {
      var (zone, reversal) = (zone, zone.reversal(to: place, isRestoring: true))
      try reversal.put(version, at: spot)
      #expect(try zone.carryOut(&reversal) == nil)
      return zone
    }
    var edited = zone
    commit(&edited, edit(2, 21))
    #expect(try put(edited).seen == zone.seen)

    // Its directory is restored with it, and nothing else that was in the directory.
    var gone = zone
    commit(&gone, delete(2), delete(3), delete(1))
    #expect(try put(gone).paths == ["d": nil, "d/f": contentID(20)])

    var elsewhere = zone
    commit(&elsewhere, move(2, "h", in: id(1)), edit(3, 31))
    commit(&elsewhere, edit(2, 22))
    #expect(
      try put(elsewhere).paths == [
        "d": nil, "d/f": contentID(20), "d/g": contentID(31), "d/h": contentID(22),
      ])
  }

  @Test func `missing content is named, and everything else is restored`() throws {
    var zone = PastZone()
    commit(&zone, make(1, "a", 10), make(2, "b", 20), make(3, "c", 30))
    let place = zone.sequence
    commit(&zone, by: 2, edit(1, 11), delete(2), edit(3, 31))
    zone.forgotten = [contentID(10), contentID(20)]
    var view = zone
    view.since = place
    var reversal = zone.reversal(to: place)
    for id in view.changed { try reversal.rewind(id, PastZone.isBy(2)) }
    #expect(try zone.carryOut(&reversal) == nil)
    #expect(zone.paths == ["a": contentID(11), "c": contentID(30)])
    #expect(reversal.lost.map(\.content?.id) == [contentID(10), contentID(20)])
  }

  @Test func `a record that moved into another zone of its owner isn't created again`() throws {
    var zone = PastZone()
    commit(&zone, make(1, "d"), make(2, "f", in: id(1), 20))
    let place = zone.sequence
    let target = ZonePart(ZoneID(PastZone.bytes32(8)), base: .root).bytes
    commit(
      &zone, delete(1), delete(2),
      RecordChange(
        id: id(9), act: .create(.reference),
        place: Place(parent: .root, name: fileName("d")), target: target))
    var view = zone
    view.since = place
    var reversal = Reversal(
      in: view, to: place, isRestoring: false, nestings: [zone.sequence],
      newID: { id(1_000) }, nameBeside: { _, _ in fileName("beside") })
    for id in view.changed { try reversal.rewind(id) { _ in true } }
    #expect(try reversal.batches().isEmpty)
    #expect(Set(reversal.elsewhere) == [id(1), id(2), id(9)])
  }

  @Test(arguments: [false, true])
  func `records that are in another zone now are restored under other ids`(
    isRestoring: Bool
  ) throws {
    var zone = PastZone()
    commit(&zone, make(1, "d"), make(2, "f", in: id(1), 20), make(3, "g", 30))
    let (place, before) = (zone.sequence, zone.paths)
    commit(&zone, delete(2), delete(1), delete(3))
    func reversal(_ renamed: [RecordID: RecordID]) throws -> Reversal<PastZone> {
      var view = zone
      view.since = place
      var reversal = Reversal(
        in: view, to: place, isRestoring: isRestoring, renamed: renamed, newID: { id(1_000) },
        nameBeside: { _, _ in fileName("beside") })
      for id in view.changed {
        if isRestoring { try reversal.restore(id) } else { try reversal.rewind(id) { _ in true } }
      }
      return reversal
    }
    var unknown = try reversal([:])
    _ = try unknown.batches()
    #expect(unknown.created == [id(1), id(2), id(3)])

    let renamed = [id(1): id(101), id(2): id(102)]
    var first = try reversal(renamed)
    #expect(try zone.carryOut(&first) == nil)
    #expect(zone.paths == before)
    #expect(
      [1, 2, 3, 101, 102].map { zone.record(id($0)) != nil } == [false, false, true, true, true])
    // What is restored already is neither restored again nor deleted.
    var second = try reversal(renamed)
    #expect(try second.batches().isEmpty && second.created.isEmpty)

    // A restored record that moved away, too, gets a third id.
    commit(&zone, delete(102))
    var third = try reversal(renamed.merging([id(102): id(103)]) { first, _ in first })
    #expect(try zone.carryOut(&third) == nil)
    #expect(zone.paths == before && zone.record(id(103))?.place?.parent == id(101))
  }
}
