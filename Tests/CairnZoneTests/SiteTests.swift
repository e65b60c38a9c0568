import CairnZone
import Testing

/// A zone that goes on at another place: what the fold makes of it.
struct SiteTests {
  private let there = Site(id: SiteID(number16(1)), location: "s3:https://there/bucket")

  private func move(_ log: Log, by user: UserID = ana, to site: Site) -> Commit {
    log.next(by: user, raising: true, share: [.zone(.goesOn(site))])
  }

  @Test func `a zone is kept where its owner says, and who is in it stays`() {
    var log = Log.shared()
    let before = log.zone.header
    #expect(before.site == nil)
    #expect(log.append(move(log, to: there)).isApplied)
    let header = log.zone.header
    #expect(header.site == there && header.epoch == before.epoch + 1)
    #expect(header.share == before.share && header.keys == before.keys)
    // The fold knows no containers: what follows is valid, and counts where its reader finds it.
    #expect(log.append(by: bob, [.file(5, .root, "later")]).isApplied)
    let further = Site(id: SiteID(number16(2)), location: "/further")
    #expect(log.append(move(log, to: further)).isApplied)
    #expect(log.zone.header.site == further)
  }

  @Test func `nobody but the owner moves a zone, and an owner who was before doesn't`() {
    var log = Log.shared()
    for user in [adam, bob, cleo, dan, eve] {
      #expect(log.append(move(log, by: user, to: there)).code == .permissionFailure, "\(user)")
    }
    log.transfer(to: bob)
    #expect(log.append(move(log, to: there)).code == .permissionFailure)
    #expect(log.zone.header.site == nil)
    #expect(log.append(move(log, by: bob, to: there)).isApplied)
  }

  @Test func `the last entry ends an epoch, and says nothing else`() {
    var log = Log.shared()
    #expect(log.append(share: [.zone(.goesOn(there))]).code == .invalidArguments)
    let changes: [(inout Commit) -> Void] = [
      { $0.records = [.file(9, .root, "x")] },
      { $0.chunks = [ChunkEntry(name: chunk(9), size: 1, place: [1])] },
      { $0.share.append(.title("Else")) }, { $0.share.append($0.share[0]) },
    ]
    for (index, change) in changes.enumerated() {
      var commit = move(log, to: there)
      change(&commit)
      #expect(log.append(commit).code == .invalidArguments, "change \(index)")
    }
    #expect(log.append(move(log, to: there)).isApplied)
  }

  @Test func `a place that can't be found, or is the same, is none`() {
    var log = Log.shared()
    let long = String(repeating: "x", count: Site.longestLocation)
    for wrong in ["", long + "x", "a\nb", "a\u{7F}", "a\u{85}"] {
      let site = Site(id: there.id, location: wrong)
      #expect(log.append(move(log, to: site)).code == .invalidArguments)
    }
    #expect(log.append(move(log, to: Site(id: there.id, location: long))).isApplied)
    #expect(log.append(move(log, to: there)).code == .invalidArguments)
  }

  @Test func `a zone that is made at such a place is kept there`() {
    var log = Log()
    var commit = log.next(epoch: 1)
    commit.genesis = Genesis(owner: ana, name: "Trip", site: there.id)
    commit.keys[ana] = key(of: ana)
    #expect(log.append(commit).isApplied)
    #expect(log.zone.header.site == Site(id: there.id, location: ""))
    #expect(log.append(move(log, to: there)).code == .invalidArguments)
  }

  @Test func `what somebody publishes goes on without another epoch`() {
    var zone = MemoryZone(zone: ZoneID(number32(7)), kind: .public)
    var commit = Log().next(epoch: 1)
    commit.genesis = Genesis(owner: ana, name: "Public")
    commit.lock = number32(3)
    #expect(zone.fold(commit, at: 1, digest: number32(1)).isApplied)
    var next = Log().next(by: bob, epoch: 1, share: [.zone(.goesOn(there))])
    (next.previous, next.lock) = (zone.header.head, number32(3))
    #expect(zone.fold(next, at: 2, digest: number32(2)).code == .permissionFailure)
    next.author.user = ana
    #expect(zone.fold(next, at: 2, digest: number32(2)).isApplied)
    #expect(zone.header.site == there && zone.header.epoch == 1)
  }
}
