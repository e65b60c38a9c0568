import CairnZone
import Testing

/// Marks, floors, and packs that are closed: what the fold makes of a zone's past.
struct PastTests {
  private static let roles = [ana, adam, bob, cleo, dan, eve]

  private func pack(_ number: UInt64) -> PackName { PackName(number16(number)) }

  private func stored(
    _ name: UInt64, _ pack: UInt64, generation: UInt32 = 0, isAgain: Bool = false
  ) -> ChunkEntry {
    ChunkEntry(
      name: chunk(name), size: 1, place: [UInt8(pack)],
      pack: PackStamp(pack: self.pack(pack), generation: generation), isAgain: isAgain)
  }

  private func retire(_ generation: UInt32, _ kept: [UInt64] = []) -> ShareChange {
    .zone(.retire(Retirement(generation: generation, kept: Set(kept.map { pack($0) }))))
  }

  private func floor(
    _ checkpoint: UInt64, _ digest: UInt64, _ forgotten: UInt64 = 0
  ) -> ShareChange {
    .zone(.floor(Floor(checkpoint: checkpoint, digest: number32(digest), forgotten: forgotten)))
  }

  private func forget(_ versions: Set<UInt64>) -> ShareChange {
    .zone(.forget(Forgetting(record: RecordID(number16(3)), versions: versions)))
  }

  @Test func `versions are forgotten that began before, and nothing that is there goes`() throws {
    var log = Log.founded()
    log.append(share: [.quota(nil)])
    let before = log.zone
    for versions: Set<UInt64> in [[], [0], [3], [1, .max]] {
      #expect(log.append(share: [forget(versions)]).code == .invalidArguments)
    }
    guard case .applied(let delta) = log.append(share: [forget([1]), forget([2])]) else {
      Issue.record("the owner may")
      return
    }
    #expect(delta.forgotten.map(\.versions) == [[1], [2]])
    #expect(log.zone.records == before.records && log.zone.chunks == before.chunks)
  }

  @Test func `each change has its authors`() {
    let no: Refusal.Code? = .permissionFailure
    let rows: [(ShareChange, [Refusal.Code?])] = [
      (.zone(.checkpoint), [nil, nil, no, no, no, no]),
      (.zone(.carry([.mode])), [nil, no, no, no, no, no]),
      (.zone(.history(HistoryPolicy(all: 1))), [nil, no, no, no, no, no]),
      (retire(1), [nil, no, no, no, no, no]),
      (floor(9, 5), [nil, no, no, no, no, no]),
      (forget([8, 9]), [nil, no, no, no, no, no]),
    ]
    for (change, codes) in rows {
      for (user, code) in zip(Self.roles, codes) {
        var log = Log.shared()
        while log.zone.header.sequence < 8 { log.append(share: [.quota(nil)]) }
        log.append(share: [.zone(.checkpoint)])
        log.zone.noteCheckpoint(number32(5))
        #expect(log.append(by: user, share: [change]).code == code, "\(change) by \(user)")
      }
    }
  }

  @Test func `what holds for the zone is what was said last`() {
    var log = Log.founded()
    #expect(log.zone.header.carried.isEmpty && log.zone.header.history == nil)
    let policy = HistoryPolicy(all: 60, daily: 600, versions: 3)
    #expect(
      log.append(share: [.zone(.carry([.mode, .extended])), .zone(.history(policy))]).isApplied)
    #expect(log.zone.header.carried == [.mode, .extended] && log.zone.header.history == policy)
    #expect(log.append(share: [.zone(.carry([])), .zone(.history(nil))]).isApplied)
    #expect(log.zone.header.carried.isEmpty && log.zone.header.history == nil)
    #expect(
      CarriedAttributes(known: 4) == nil && CarriedAttributes(known: 3) == [.mode, .extended])
  }

  // MARK: Marks and floors

  @Test func `a floor stands only on a checkpoint whose state all found the same`() {
    var log = Log.founded([.typed(1)])
    #expect(log.append(share: [floor(1, 5)]).code == .invalidArguments)
    #expect(log.append(share: [.zone(.checkpoint), .zone(.checkpoint)]).isApplied)
    #expect(log.zone.header.checkpoints == [2])
    #expect(log.append(share: [floor(2, 5)]).code == .serverRecordChanged, "nobody knows a digest")
    // The log ends before a refused entry, so the checkpoint is still the head.
    log.zone.noteCheckpoint(number32(5))
    #expect(log.append(share: [floor(2, 6)]).code == .serverRecordChanged)
    #expect(log.append(share: [floor(1, 5)]).code == .invalidArguments)
    #expect(log.append(share: [floor(2, 5, 3)]).code == .invalidArguments, "forgets too much")
    #expect(log.append(share: [floor(2, 5, 2)]).isApplied)
    #expect(log.zone.header.floor == Floor(checkpoint: 2, digest: number32(5), forgotten: 2))
    #expect(log.zone.header.checkpoints.isEmpty)
    #expect(log.append(share: [floor(2, 5, 2)]).code == .invalidArguments, "it is forgotten")
  }

  @Test func `a checkpoint of the same commit is none yet, and a floor never forgets less`() {
    var log = Log.founded()
    #expect(log.append(share: [.zone(.checkpoint), floor(2, 5)]).code == .serverRecordChanged)
    for digest in [5, 6] as [UInt64] {
      log.append(share: [.zone(.checkpoint)])
      log.zone.noteCheckpoint(number32(digest))
    }
    #expect(log.append(share: [floor(2, 5, 1)]).isApplied)
    #expect(log.append(share: [floor(3, 6, 0)]).code == .invalidArguments)
    #expect(log.append(share: [floor(3, 6, 1)]).isApplied)
  }

  @Test func `of many checkpoints the oldest is forgotten`() {
    var log = Log.founded()
    for _ in 0...Floor.mostCheckpoints { log.append(share: [.zone(.checkpoint)]) }
    #expect(log.zone.header.checkpoints == Array(3...UInt64(Floor.mostCheckpoints + 2)))
  }

  @Test func `a floor forgets deletions before it and no others`() {
    var log = Log.founded([.typed(1), .typed(2), .typed(3)])
    log.append([.delete(1)])
    log.append(share: [.zone(.checkpoint)])
    log.zone.noteCheckpoint(number32(5))
    log.append([.delete(2)])
    #expect(log.zone.deletions == [record(1): 2, record(2): 4])
    #expect(log.append(share: [floor(3, 5, 3)]).isApplied)
    #expect(log.zone.deletions == [record(2): 4])
    #expect(log.append([.typed(2)]).isApplied)
    #expect(log.zone.deletions.isEmpty, "what lives again isn't deleted")
  }

  // MARK: Packs

  @Test func `what stands in a closed pack is stored anew`() {
    var log = Log.founded()
    var commit = log.next(records: [.file(1, .root, "a", content([chunk(1)]))])
    commit.chunks = [stored(1, 1), stored(2, 2)]
    #expect(log.append(commit).isApplied)
    #expect(log.append(share: [retire(1)]).code == .referenceViolation, "a file needs pack 1")
    #expect(log.append(share: [retire(1, [1, 9])]).isApplied)
    #expect(Set(log.zone.chunks.keys) == [chunk(1)], "nobody refers to what pack 2 holds")
    #expect(log.zone.keptPacks == [pack(1), pack(9)])

    commit = log.next(records: [.file(2, .root, "b", content([chunk(2)]))])
    #expect(log.append(commit).code == .referenceViolation, "the chunk is gone")
    commit.chunks = [stored(2, 2)]
    #expect(log.append(commit).code == .referenceViolation, "its pack is closed")
    commit.chunks = [stored(2, 9)]
    #expect(log.append(commit).isApplied, "an older pack that lives on")
    commit = log.next(records: [.file(3, .root, "c", content([chunk(3)]))])
    commit.chunks = [stored(3, 3, generation: 1)]
    #expect(log.append(commit).isApplied, "an open one")
    commit = log.next(chunks: [])
    commit.chunks = [stored(4, 4, generation: 3)]
    #expect(log.append(commit).code == .referenceViolation, "nobody has opened it")
    commit.chunks = [stored(4, 4, generation: 2)]
    #expect(log.append(commit).isApplied, "another zone of the owner's may be one ahead")
  }

  @Test func `a generation only goes up, alone, and bytes in the log stay`() {
    var log = Log.founded([.file(1, .root, "a", content([chunk(1)]))], chunks: [chunk(1)])
    #expect(log.append(share: [retire(0)]).code == .invalidArguments)
    #expect(log.append([.typed(2)], share: [retire(1)]).code == .invalidArguments)
    #expect(log.append(share: [retire(1)], chunks: [chunk(2)]).code == .invalidArguments)
    #expect(log.append(share: [retire(1, [4]), retire(3, [4])]).code == .invalidArguments)
    #expect(log.append(share: [retire(3, [4])]).isApplied)
    #expect(log.zone.chunks[chunk(1)] != nil)
    #expect(log.append(share: [retire(2)]).code == .invalidArguments)
    #expect(log.append(share: [retire(4)]).isApplied)
    #expect(log.zone.keptPacks.isEmpty, "only what was named last lives on")
  }

  @Test func `the public zone's generation is passed over, and what is open is told`() throws {
    #expect([0, 1, 2, 7, .max].map { Retirement.generation(after: $0) } == [2, 2, 3, 8, .max])
    let stamps: [(UInt64, UInt32, Bool)] = [
      (1, 0, true), (2, 0, false), (3, 1, false), (3, 2, true), (3, 3, true), (3, 4, false),
    ]
    var log = Log.founded()
    #expect(log.append(share: [retire(2, [1])]).isApplied)
    for (name, generation, isOpen) in stamps {
      let stamp = PackStamp(pack: pack(name), generation: generation)
      #expect(try Fold.accepts(stamp, on: log.zone) == isOpen, "\(stamp)")
      #expect(stamp.isOfOwnedZones == (generation != 1))
    }
  }

  @Test func `the owner packs anew what the zone has`() {
    var log = Log.shared()
    var commit = log.next(records: [.file(1, .root, "a", content([chunk(1)]))])
    commit.chunks = [stored(1, 1)]
    #expect(log.append(commit).isApplied)
    func moving(_ entry: ChunkEntry, by user: UserID = ana) -> Commit {
      var commit = log.next(by: user)
      commit.chunks = [entry]
      return commit
    }
    #expect(log.append(moving(stored(1, 2, isAgain: true), by: bob)).code == .permissionFailure)
    #expect(log.append(moving(stored(7, 2, isAgain: true))).code == .referenceViolation)
    var other = stored(1, 2, isAgain: true)
    other.size = 2
    #expect(log.append(moving(other)).code == .referenceViolation)
    var both = moving(stored(1, 3))
    both.chunks.append(stored(7, 2, isAgain: true))
    #expect(log.append(both).code == .referenceViolation)
    both.chunks = [stored(7, 2), stored(7, 2, isAgain: true)]
    #expect(log.append(both).code == .referenceViolation, "also behind an entry that counts")
    #expect(log.append(moving(stored(1, 3))).isApplied)
    #expect(log.zone.chunks[chunk(1)] == stored(1, 1), "it has the chunk already")
    #expect(log.append(moving(stored(1, 2, generation: 1, isAgain: true))).isApplied)
    #expect(log.zone.chunks[chunk(1)] == stored(1, 2, generation: 1))
    #expect(log.append(share: [retire(1)]).isApplied, "nothing needs the first pack now")
  }

  @Test func `an asset keeps its pack as a file's content does`() {
    var log = Log.founded()
    var commit = log.next(records: [.typed(1, ["a": .list([.asset(content([chunk(1)]))])])])
    #expect(log.append(commit).code == .referenceViolation, "the zone doesn't have the chunk")
    commit.chunks = [stored(1, 1)]
    #expect(log.append(commit).isApplied)
    #expect(log.append(share: [retire(1)]).code == .referenceViolation)
    #expect(log.append([RecordChange(id: record(1), act: .update, fields: ["a": nil])]).isApplied)
    #expect(log.append(share: [retire(1)]).isApplied)
  }

  @Test func `the public zone has no past that anybody could let go`() {
    var zone = MemoryZone(zone: ZoneID(number32(7)), kind: .public)
    var commit = Log().next(epoch: 1)
    commit.genesis = Genesis(owner: ana, name: "Public")
    commit.lock = number32(3)
    #expect(zone.fold(commit, at: 1, digest: number32(1)).isApplied)
    let changes: [ShareChange] = [
      .zone(.checkpoint), floor(1, 1), retire(1), .zone(.carry([.mode])),
    ]
    for change in changes {
      var next = Log().next(epoch: 1, share: [change])
      next.previous = zone.header.head
      next.lock = number32(3)
      let place = zone.header.sequence + 1
      #expect(zone.fold(next, at: place, digest: number32(place)).code == .invalidArguments)
    }
  }
}
