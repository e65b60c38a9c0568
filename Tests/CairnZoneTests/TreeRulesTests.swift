import CairnZone
import Testing

/// The tree after a commit: parents, names, cycles, and what it costs to check them.
struct TreeRulesTests {
  /// `/a(1)/b(2)/c(3)`, `/d(4)`, files `/x(5)` and `/y(6)`.
  private func log() -> Log {
    Log.founded([
      .directory(1, .root, "a"), .directory(2, record(1), "b"), .directory(3, record(2), "c"),
      .directory(4, .root, "d"), .file(5, .root, "x"), .file(6, .root, "y"), .typed(7),
    ])
  }

  private func check(_ rows: [(String, [RecordChange], Refusal.Code?)]) {
    for (what, changes, code) in rows {
      for changes in [changes, changes.reversed()] {
        var log = log()
        #expect(log.append(changes).code == code, "\(what)")
        checkInvariants(log.zone, what)
      }
    }
  }

  @Test func `a parent is a directory that is there after the commit`() {
    check([
      ("made in the commit", [.directory(10, .root, "n"), .file(11, record(10), "f")], nil),
      ("unknown", [.file(10, record(99), "n")], .referenceViolation),
      ("a file", [.file(10, record(5), "n")], .referenceViolation),
      ("a typed record", [.file(10, record(7), "n")], .referenceViolation),
      ("the file itself", [.move(5, record(5), "n")], .referenceViolation),
      ("moved to an unknown one", [.move(5, record(99), "n")], .referenceViolation),
      ("deleted in the commit", [.delete(4), .move(5, record(4), "n")], .referenceViolation),
      (
        "a file of the commit", [.file(10, .root, "n"), .file(11, record(10), "f")],
        .referenceViolation
      ),
    ])
  }

  @Test func `a name is unique in its directory after the commit`() {
    check([
      ("free", [.file(10, .root, "n")], nil),
      ("taken", [.file(10, .root, "x")], .constraintViolation),
      ("taken by a directory", [.move(5, .root, "a")], .constraintViolation),
      ("in another directory", [.file(10, record(1), "x")], nil),
      ("its own", [.move(5, .root, "x")], nil),
      ("in another case", [.file(10, .root, "X")], nil),
      ("of two new records", [.file(10, .root, "n"), .file(11, .root, "n")], .constraintViolation),
      (
        "of two in a new directory",
        [.directory(9, .root, "z"), .file(10, record(9), "n"), .file(11, record(9), "n")],
        .constraintViolation
      ),
      ("swapped", [.move(5, .root, "y"), .move(6, .root, "x")], nil),
      ("rotated", [.move(5, .root, "y"), .move(6, .root, "a"), .move(1, .root, "x")], nil),
      ("of a deleted one", [.delete(5), .file(10, .root, "x")], nil),
      ("of one that moves away", [.move(5, record(4), "x"), .file(10, .root, "x")], nil),
      (
        "of one that only changes",
        [
          RecordChange(id: record(5), act: .update, content: empty), .file(10, .root, "x"),
        ], .constraintViolation
      ),
      (
        "of one that moves to where it is", [.move(5, .root, "x"), .file(10, .root, "x")],
        .constraintViolation
      ),
    ])
  }

  @Test func `no directory stands below itself`() {
    check([
      ("below itself", [.move(1, record(1), "n")], .referenceViolation),
      ("below its child", [.move(1, record(2), "n")], .referenceViolation),
      ("below its grandchild", [.move(1, record(3), "n")], .referenceViolation),
      ("below another", [.move(1, record(4), "n")], nil),
      (
        "two below each other", [.move(1, record(4), "n"), .move(4, record(3), "n")],
        .referenceViolation
      ),
      ("turned round", [.move(2, .root, "n"), .move(1, record(3), "m")], nil),
      (
        "new ones in a ring", [.directory(10, record(11), "n"), .directory(11, record(10), "m")],
        .referenceViolation
      ),
      ("new in itself", [.directory(10, record(10), "n")], .referenceViolation),
      (
        "an old one below a new one in it",
        [.directory(10, record(3), "n"), .move(1, record(10), "m")], .referenceViolation
      ),
      ("a new one above an old one", [.directory(10, .root, "n"), .move(1, record(10), "m")], nil),
    ])
  }

  @Test func `records move out of a directory and it goes, in one commit`() {
    var log = log()
    #expect(log.append([.delete(1), .move(2, .root, "b")]).isApplied)
    #expect(log.zone.record(record(3))?.place?.parent == record(2))
    checkInvariants(log.zone, "after the move")
  }

  @Test func `ten thousand children and their directory go in one commit`() {
    let count: UInt64 = 10_000
    let ids = (10..<10 + count).reversed()
    var log = Log.founded(
      [.directory(1, .root, "d")] + ids.map { .file($0, record(1), "f\($0)") })
    #expect(log.zone.children(of: record(1), after: nil, limit: .max).count == Int(count))

    let reads = Reads()
    let commit = log.next(records: [.delete(1)] + ids.map { .delete($0) })
    let verdict = judge(commit, on: log.zone, counting: reads)
    #expect(verdict?.isApplied == true)
    #expect(reads.records == Int(count) + 1)
    #expect(reads.pages <= Int(count) / 512 + 2)
    #expect(reads.names == 0)
    log.append(commit)
    #expect(Set(log.zone.records.keys) == [.root])
    #expect(log.zone.children(of: record(1), after: nil, limit: 1).isEmpty)
  }

  @Test func `one child that stays keeps its directory, on whichever page it is`() {
    let ids = 10..<UInt64(1510)
    let log = Log.founded(
      [.directory(1, .root, "d")] + ids.map { .file($0, record(1), "f\($0)") })
    for stays in [10, 521, 522, 1033, 1034, 1509] as [UInt64] {
      var copy = log
      let deletions = ids.filter { $0 != stays }.map { RecordChange.delete($0) }
      #expect(copy.append([.delete(1)] + deletions).code == .referenceViolation, "\(stays)")
    }
  }

  @Test func `a new directory's names are compared in the commit alone`() {
    let log = Log.founded()
    let files = (10..<1010).map { RecordChange.file(UInt64($0), record(1), "f\($0)") }
    let reads = Reads()
    let commit = log.next(records: [.directory(1, .root, "d")] + files)
    #expect(judge(commit, on: log.zone, counting: reads)?.isApplied == true)
    #expect(reads.names == 1)
  }

  @Test func `a chunk is asked for once, however often content refers to it`() {
    let log = Log.founded(chunks: [chunk(1)])
    let zeros = content([ChunkName](repeating: chunk(1), count: 1000))
    let reads = Reads()
    let commit = log.next(records: [.file(10, .root, "f", zeros), .file(11, .root, "g", zeros)])
    #expect(judge(commit, on: log.zone, counting: reads)?.isApplied == true)
    #expect(reads.chunks == 1)
  }

  @Test func `one child that stays is found on the first page`() {
    let log = Log.founded(
      [.directory(1, .root, "d")] + (10..<10_010).map { .file($0, record(1), "f\($0)") })
    let reads = Reads()
    #expect(
      judge(log.next(records: [.delete(1)]), on: log.zone, counting: reads)?.code
        == .referenceViolation)
    #expect(reads.pages == 1)
  }

  @Test func `moving a directory costs its depth and not its size`() {
    let log = Log.founded(
      [.directory(1, .root, "d"), .directory(2, .root, "e"), .directory(3, record(2), "f")]
        + (10..<1010).map { .file($0, record(1), "f\($0)") })
    let reads = Reads()
    let commit = log.next(records: [.move(1, record(3), "n")])
    #expect(judge(commit, on: log.zone, counting: reads)?.isApplied == true)
    #expect(reads.records <= 5)
    #expect(reads.pages == 0)
    #expect(reads.names == 1)
  }

  @Test func `many moves below a deep directory walk up once`() {
    let depth: UInt64 = 1000
    let chain = (1...depth).map { id -> RecordChange in
      .directory(id, id == 1 ? .root : record(id - 1), "d")
    }
    let moved = (2001..<3001).map { RecordChange.directory(UInt64($0), .root, "m\($0)") }
    let log = Log.founded(chain + moved)
    let reads = Reads()
    let moves = moved.map { change -> RecordChange in
      RecordChange(
        id: change.id, act: .update,
        place: Place(parent: record(depth), name: name("m\(change.id)")))
    }
    #expect(judge(log.next(records: moves), on: log.zone, counting: reads)?.isApplied == true)
    #expect(reads.records <= 2 * Int(depth) + 10)
  }

  private func judge(_ commit: Commit, on zone: MemoryZone, counting reads: Reads) -> Verdict? {
    do {
      return try Fold.judge(
        commit, at: zone.header.sequence + 1, digest: number32(5),
        on: CountingZone(zone: zone, reads: reads))
    } catch {
      Issue.record("a zone in memory threw \(error)")
      return nil
    }
  }
}

/// The number of reads of a state.
private final class Reads {
  var records = 0
  var names = 0
  var pages = 0
  var chunks = 0
}

/// A zone in memory that counts what it is asked.
private struct CountingZone: ZoneState {
  let zone: MemoryZone
  let reads: Reads

  var header: ZoneHeader { zone.header }
  func record(_ id: RecordID) -> Record? {
    reads.records += 1
    return zone.record(id)
  }
  func child(of parent: RecordID, named name: FileName) -> RecordID? {
    reads.names += 1
    return zone.child(of: parent, named: name)
  }
  func children(of parent: RecordID, after: RecordID?, limit: Int) -> [RecordID] {
    reads.pages += 1
    return zone.children(of: parent, after: after, limit: limit)
  }
  func hasChunk(_ name: ChunkName) -> Bool {
    reads.chunks += 1
    return zone.hasChunk(name)
  }
  func size(ofChunk name: ChunkName) -> UInt32? { zone.size(ofChunk: name) }
  func chunk(_ name: ChunkName) -> ChunkEntry? { zone.chunk(name) }
  func digest(ofCheckpoint sequence: UInt64) -> Bytes32? { zone.digest(ofCheckpoint: sequence) }
  func keepsPack(_ pack: PackName) -> Bool { zone.keepsPack(pack) }
  func record(closedOutBy retirement: Retirement) -> RecordID? {
    zone.record(closedOutBy: retirement)
  }
}
