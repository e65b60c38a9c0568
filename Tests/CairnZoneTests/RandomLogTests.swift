import CairnZone
import Testing

/// Checks the rules that hold for a zone with any log, without the code of the replay.
func checkInvariants(_ zone: MemoryZone, _ what: String) {
  checkShare(zone.header, what)
  let bytes = zone.records.values.flatMap(\.contents).reduce(0) { $0 + $1.size }
  #expect(zone.header.bytes == bytes, "\(what): the sum of sizes differs")
  var children: [RecordID: [RecordID]] = [:]
  var places: Set<Place> = []
  for (id, record) in zone.records {
    #expect(record.id == id, "\(what)")
    for chunk in record.contents.flatMap(\.chunks) { #expect(zone.hasChunk(chunk), "\(what)") }
    if case .typed = record.type { #expect(record.place == nil, "\(what)") }
    guard let place = record.place else {
      if case .typed = record.type { continue }
      #expect(id == .root, "\(what): only the root has no place")
      continue
    }
    #expect(places.insert(place).inserted, "\(what): a name is used twice")
    #expect(zone.child(of: place.parent, named: place.name) == id, "\(what): the index differs")
    #expect(zone.record(place.parent)?.type == .directory, "\(what): no directory above")
    children[place.parent, default: []].append(id)
    var above = place.parent
    var steps = 0
    while above != .root, steps <= zone.records.count, let next = zone.record(above)?.place {
      above = next.parent
      steps += 1
    }
    #expect(above == .root, "\(what): \(id) doesn't stand below the root")
  }
  for chunk in zone.chunks.values {
    guard let stamp = chunk.pack, stamp.generation < zone.header.generation else { continue }
    #expect(zone.keepsPack(stamp.pack), "\(what): a chunk in a closed pack")
  }
  #expect(zone.deletions.keys.allSatisfy { zone.records[$0] == nil }, "\(what)")
  for id in zone.records.keys {
    // Small pages, so that paging is tried too.
    var listed: [RecordID] = []
    while true {
      let page = zone.children(of: id, after: listed.last, limit: 3)
      if page.isEmpty { break }
      listed += page
    }
    #expect(listed == (children[id] ?? []).sorted(), "\(what): the children differ")
  }
}

/// Checks the rules of a share: it has named people or anyone with the link, never both, and no
/// blocked person.
private func checkShare(_ header: ZoneHeader, _ what: String) {
  guard let share = header.share else { return }
  let isPublic = share.publicPermission != .none
  #expect(share.participants[share.owner] == nil && header.owner == share.owner, "\(what)")
  for (user, participant) in share.participants {
    #expect(participant.user == user && participant.permission != .none, "\(what)")
    #expect((participant.role == .publicUser) == isPublic, "\(what): named and public mixed")
    #expect(!isPublic || participant.permission == share.publicPermission, "\(what)")
    #expect(!share.blocked.contains(user), "\(what): blocked and in")
  }
  #expect(share.links.values.allSatisfy { $0.isOneTime != isPublic }, "\(what)")
}

/// Everybody who is in has a key, and nobody else has.
private func checkKeys(_ header: ZoneHeader, _ what: String) {
  #expect(Set(header.keys.keys) == header.members, "\(what): a key too many, or none")
}

/// Sebastiano Vigna's SplitMix64: the same numbers from the same seed, everywhere.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

/// Commits of five people over few ids and names, so that everything collides, much of it invalid.
struct RandomCommits {
  var random: SplitMix

  mutating func commit(for log: Log) -> Commit {
    var commit = log.next(by: pick([ana, ana, ana, ana, ana, bob, bob, bob, cleo, dan, eve]))
    if chance(30) { commit.previous = number32(4) }
    if chance(40) { commit.epoch += UInt64.random(in: 0...2, using: &random) }
    if chance(20) { commit.nextKey = number32(number(9)) }
    if chance(60) { commit.genesis = Genesis(owner: ana, name: "Again") }
    for _ in 0..<pick([0, 0, 1, 2]) {
      commit.chunks.append(chunkEntry())
    }
    for _ in 0..<pick([0, 1, 1, 1, 1, 2, 2, 3]) { commit.records.append(change(for: log.zone)) }
    if chance(5) { commit.share.append(shareChange()) }
    for change in commit.share where !chance(8) {
      switch change {
      case .invite(let user, _, _) where !log.zone.header.isMember(user):
        commit.keys[user] = key(of: user)
      case .claim: commit.keys[commit.author.user] = key(of: commit.author.user)
      default: break
      }
    }
    if chance(40) { commit.keys[pick([ana, bob, cleo])] = number32(number(9)) }
    return commit
  }

  /// Names a live record and a live directory more often than not, or little would be valid.
  private mutating func change(for zone: MemoryZone) -> RecordChange {
    let live = zone.records.values.filter { $0.id != .root }.sorted { $0.id < $1.id }
    let directories = [.root] + live.filter { $0.type == .directory }.map(\.id)
    let parent = chance(8) ? record(number(24)) : pick(directories)
    let text = pick(["a", "b", "c", "d", "e", "f", "g", "h"])
    let id = chance(40) ? 0 : number(60)
    let known = chance(8) || live.isEmpty ? record(id) : pick(live.map(\.id))
    switch number(12) {
    case 0, 1, 2: return .directory(id, parent, text)
    case 3, 4:
      let chunks = (0..<number(2)).map { _ in chunk(number(8)) }
      return .file(id, parent, text, content(chunks))
    case 5: return .symlink(id, parent, text)
    case 6: return .typed(id, ["f": chance(3) ? .asset(content([chunk(number(8))])) : .integer(1)])
    case 7, 8:
      let placed = live.filter { $0.place != nil }
      let moved = chance(8) || placed.isEmpty ? known : pick(placed.map(\.id))
      return RecordChange(id: moved, act: .update, place: at(parent, text))
    case 9: return RecordChange(id: known, act: .update, content: empty)
    default: return RecordChange(id: known, act: .delete)
    }
  }

  private mutating func chunkEntry() -> ChunkEntry {
    var entry = ChunkEntry(name: chunk(number(8)), size: 1, place: [1])
    if chance(2) {
      entry.pack = PackStamp(
        pack: PackName(number16(number(4))), generation: UInt32(number(9)))
    }
    entry.isAgain = chance(6)
    if chance(5) {
      entry.after = chunk(number(8))
      if !chance(6) { entry.pack = nil }
    }
    return entry
  }

  private mutating func shareChange() -> ShareChange {
    let user = pick([ana, bob, cleo, dan])
    let link = LinkID(number32(700 + number(3)))
    switch number(23) {
    case 22 where chance(3):
      return .zone(.goesOn(Site(id: SiteID(number16(number(3))), location: "/there")))
    case 22: return .zone(.closePast)
    case 18: return .zone(.checkpoint)
    case 19:
      let forgotten = number(3)
      return .zone(.floor(Floor(checkpoint: number(40), digest: number32(9), forgotten: forgotten)))
    case 20:
      let kept = Set((0..<number(4)).map { _ in PackName(number16(number(4))) })
      return .zone(.retire(Retirement(generation: UInt32(number(9)), kept: kept)))
    case 21: return .zone(.carry(CarriedAttributes(rawValue: UInt32(number(3)))))
    case 0: return .title(pick(["", "T", "U"]))
    case 1, 2: return .invite(user: user, permission: pick(Permission.allCases))
    case 3, 4: return .accept
    case 5: return .remove(user: user)
    case 6: return chance(8) ? .stop : .accept
    case 7: return .setPermission(user: user, permission: pick(Permission.allCases))
    case 8: return .setRole(user: user, role: pick(Role.allCases))
    case 9: return .setPublic(pick(Permission.allCases))
    case 10, 11:
      return .addLink(
        Link(
          id: link, boxKey: number32(1), isOneTime: chance(2), permission: .readWrite,
          expires: chance(4) ? 999 : nil))
    case 12: return .removeLink(link)
    case 13: return .claim(link: link, proof: [])
    case 14: return .setAccessRequests(chance(2))
    case 15: return chance(2) ? .block(user: user) : .unblock(user: user)
    case 16 where chance(3):
      return .setPolicy(
        SharePolicy(
          access: pick(SharePolicy.Access.allCases), permission: pick([nil, nil, .readOnly]),
          allowsParticipantsToInvite: chance(2)))
    case 16: return .quota(chance(2) ? nil : number(3))
    case 17: return .revokeDevice(DeviceID(number16(number(9))))
    default: return chance(3) ? .takeOver : chance(4) ? .offer(to: chance(4) ? nil : user) : .accept
    }
  }

  private mutating func number(_ most: UInt64) -> UInt64 {
    UInt64.random(in: 0...most, using: &random)
  }

  private mutating func chance(_ oneIn: Int) -> Bool {
    Int.random(in: 0..<oneIn, using: &random) == 0
  }

  private mutating func pick<Choice>(_ choices: [Choice]) -> Choice {
    choices[Int.random(in: 0..<choices.count, using: &random)]
  }
}

/// Whole logs of random commits, the same for a seed in every run.
struct RandomLogTests {
  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func `random commits never break a zone, and invalid ones change nothing`(seed: UInt64) {
    var log = Log.founded(
      share: [
        .title("T"), .invite(user: bob, permission: .readWrite),
        .invite(user: cleo, permission: .readOnly),
      ])
    log.append(by: bob, share: [.accept])
    var commits = RandomCommits(random: SplitMix(state: seed))
    var applied = 0
    var codes: Set<Refusal.Code> = []
    for step in 0..<1500 {
      let before = log.zone
      let commit = commits.commit(for: log)
      let verdict = log.append(commit)
      if let code = verdict.code {
        codes.insert(code)
        #expect(log.zone == before, "seed \(seed), step \(step)")
      } else {
        applied += 1
        #expect(
          log.zone.header.rights(of: commit.author.user).isEmpty == false
            || !commit.share.isEmpty || !commit.keys.isEmpty, "seed \(seed), step \(step)")
      }
      checkKeys(log.zone.header, "seed \(seed), step \(step)")
      checkInvariants(log.zone, "seed \(seed), step \(step)")
    }
    // The mix must try both sides.
    #expect(applied > 150, "seed \(seed)")
    #expect(
      codes.isSuperset(of: [
        .permissionFailure, .unknownItem, .constraintViolation, .referenceViolation,
        .invalidArguments, .serverRecordChanged,
      ]), "seed \(seed)")
  }

  @Test(arguments: [11, 12, 13, 14] as [UInt64])
  func `two readers of one log come to the same state and the same reasons`(seed: UInt64) {
    var commits = RandomCommits(random: SplitMix(state: seed))
    var first = Log.founded(share: [.title("T"), .invite(user: bob, permission: .readWrite)])
    var second = first
    for step in 0..<1500 {
      let commit = commits.commit(for: first)
      #expect(first.append(commit) == second.append(commit), "seed \(seed), step \(step)")
    }
    #expect(first.zone == second.zone)
    #expect(first.zone.records.count > 1)
  }

  @Test func `a reader that comes late folds to the same state`() {
    var commits = RandomCommits(random: SplitMix(state: 21))
    var first = Log.founded()
    var stored: [Commit] = []
    for _ in 0..<800 {
      stored.append(commits.commit(for: first))
      first.append(stored[stored.count - 1])
    }
    var late = Log.founded()
    for commit in stored { late.append(commit) }
    #expect(late.zone == first.zone)
  }
}
