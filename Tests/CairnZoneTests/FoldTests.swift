import CairnZone
import Testing

/// The rules about a commit as a whole: the chain, the founding, the epoch and atomicity.
struct FoldTests {
  private func founding(_ change: (inout Commit) -> Void = { _ in }) -> Commit {
    var commit = Log().next(epoch: 1)
    commit.genesis = Genesis(owner: ana, name: "Trip")
    commit.keys[ana] = key(of: ana)
    change(&commit)
    return commit
  }

  @Test func `the first commit founds the zone and its root`() {
    var log = Log()
    #expect(log.zone.record(.root) == nil)
    #expect(log.append(founding()).isApplied)
    #expect(log.zone.header.genesis == Genesis(owner: ana, name: "Trip"))
    #expect(log.zone.header.epoch == 1)
    #expect(log.zone.header.sequence == 1)
    #expect(log.zone.header.head == number32(1001))
    let root = log.zone.record(.root)
    #expect(root?.type == .directory)
    #expect(root?.place == nil)
    #expect(
      root?.created == Stamp(sequence: 1, user: ana, device: DeviceID(number16(8)), time: 1000))
  }

  @Test func `the first commit may bring records and a share`() {
    let log = Log.founded(
      [.directory(1, .root, "a"), .file(2, record(1), "b")],
      share: [.title("T"), .invite(user: bob, permission: .readOnly)])
    #expect(log.zone.child(of: record(1), named: name("b")) == record(2))
    #expect(log.zone.header.share?.participants[bob]?.acceptance == .pending)
  }

  @Test func `a founding that isn't right founds nothing`() {
    let rows: [(String, Commit, Refusal.Code)] = [
      ("no genesis", founding { $0.genesis = nil }, .zoneNotFound),
      ("another owner", founding { $0.genesis?.owner = bob }, .permissionFailure),
      ("epoch 0", founding { $0.epoch = 0 }, .invalidArguments),
      ("epoch 2", founding { $0.epoch = 2 }, .invalidArguments),
      ("a previous entry", founding { $0.previous = number32(5) }, .serverRecordChanged),
      ("a wrong record", founding { $0.records = [.delete(1)] }, .unknownItem),
      ("no key of the owner's", founding { $0.keys = [:] }, .invalidArguments),
      ("a key of somebody else", founding { $0.keys[bob] = key(of: bob) }, .permissionFailure),
      ("a root", founding { $0.records = [.directory(0, .root, "r")] }, .invalidArguments),
    ]
    for (what, commit, code) in rows {
      var log = Log()
      #expect(log.append(commit).code == code, "\(what)")
      #expect(log.zone.header.genesis == nil, "\(what)")
      #expect(log.zone.records.isEmpty, "\(what)")
      // It is as if it weren't there: the log is still to begin.
      #expect(log.zone.header.sequence == 0, "\(what)")
      #expect(log.append([.directory(1, .root, "a")]).code == .zoneNotFound, "\(what)")
      #expect(log.append(founding()).isApplied, "\(what)")
    }
  }

  @Test func `a zone is founded once`() {
    var log = Log.founded()
    var again = log.next()
    again.genesis = Genesis(owner: ana, name: "Other")
    #expect(log.append(again).code == .invalidArguments)
    #expect(log.zone.header.genesis?.name == "Trip")
  }

  @Test func `a commit must follow the entry before it`() {
    var log = Log.founded()
    let stale = log.next(records: [.directory(1, .root, "b")])
    #expect(log.append([.delete(9)]).code == .unknownItem)
    #expect(log.append([.directory(1, .root, "a")]).isApplied)
    #expect(log.append(stale).code == .serverRecordChanged)
    #expect(log.append([.delete(1)]).isApplied)
  }

  @Test func `an entry is of the epoch in force`() {
    let rows: [(UInt64, Refusal.Code?)] = [
      (0, .invalidArguments), (1, .invalidArguments), (2, nil), (3, .invalidArguments),
      (.max, .invalidArguments),
    ]
    for (epoch, code) in rows {
      var log = Log.founded()
      #expect(log.append(log.next(raising: true)).isApplied)
      #expect(log.zone.header.epoch == 2)
      #expect(log.append(log.next(epoch: epoch, records: [.typed(1)])).code == code, "\(epoch)")
      #expect(log.zone.header.epoch == 2, "\(epoch)")
    }
  }

  @Test func `only the owner and administrators raise the epoch`() {
    let rows: [(UserID, Refusal.Code?)] = [
      (ana, nil), (adam, nil), (bob, .permissionFailure), (cleo, .permissionFailure),
      (dan, .permissionFailure), (eve, .permissionFailure),
    ]
    for (user, code) in rows {
      var log = Log.shared()
      #expect(log.append(log.next(by: user, raising: true)).code == code)
      #expect(log.zone.header.epoch == (code == nil ? 2 : 1))
    }
    var log = Log.founded()
    #expect(log.append(log.next(by: bob, raising: true)).code == .permissionFailure)
    #expect(log.append(log.next(raising: true)).isApplied)
  }

  @Test func `one invalid change refuses the whole commit`() {
    var log = Log.shared()
    let before = log.zone
    let verdict = log.append(
      [.directory(1, .root, "a"), .delete(9)], share: [.remove(user: bob)], chunks: [chunk(1)])
    #expect(verdict.code == .unknownItem)
    #expect(log.zone == before)
  }

  @Test func `a refused commit doesn't raise the epoch`() {
    var log = Log.founded()
    #expect(log.append(log.next(raising: true, records: [.delete(9)])).code == .unknownItem)
    #expect(log.zone.header.epoch == 1)
  }

  @Test func `a chunk that the zone has stays as it was first said`() {
    var log = Log.founded(chunks: [chunk(1)])
    var commit = log.next(chunks: [chunk(1), chunk(2), chunk(2)])
    commit.chunks[0].place = [9]
    commit.chunks[2].place = [8]
    guard case .applied(let delta) = log.append(commit) else {
      Issue.record("known chunks are no reason to refuse")
      return
    }
    #expect(delta.chunks == [ChunkEntry(name: chunk(2), size: 1, place: [1])])
    #expect(log.zone.chunks[chunk(1)]?.place == [1])
  }

  @Test func `what a state throws is thrown and no refusal`() {
    struct Broken: ZoneState {
      struct Unreadable: Error {}
      var header: ZoneHeader { get throws { throw Unreadable() } }
      func record(_ id: RecordID) throws -> Record? { throw Unreadable() }
      func child(of parent: RecordID, named name: FileName) throws -> RecordID? { nil }
      func children(of parent: RecordID, after: RecordID?, limit: Int) throws -> [RecordID] { [] }
      func hasChunk(_ name: ChunkName) throws -> Bool { false }
      func size(ofChunk name: ChunkName) throws -> UInt32? { nil }
      func chunk(_ name: ChunkName) throws -> ChunkEntry? { nil }
      func digest(ofCheckpoint sequence: UInt64) throws -> Bytes32? { nil }
      func keepsPack(_ pack: PackName) throws -> Bool { false }
      func record(closedOutBy retirement: Retirement) throws -> RecordID? { nil }
    }
    #expect(throws: Broken.Unreadable.self) {
      try Fold.judge(Log().next(), at: 1, digest: .zero, on: Broken())
    }
  }
}
