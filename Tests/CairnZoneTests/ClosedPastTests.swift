import CairnZone
import Testing

/// A past that the owner closes to those who come later: what the fold makes of it.
struct ClosedPastTests {
  private let finn = person(7)
  private let close = ShareChange.zone(.closePast)

  private func raising(
    _ log: Log, by user: UserID = ana, _ share: [ShareChange]
  ) -> Commit { log.next(by: user, raising: true, share: share) }

  @Test func `chunks that no record has leave the zone, and the epoch that was ends with it`() {
    var log = Log.founded([.file(3, .root, "a", content([chunk(1)]))], chunks: [chunk(1)])
    log.append([.file(4, .root, "b", content([chunk(2)]))], chunks: [chunk(2), chunk(3)])
    log.append([.delete(3)])
    #expect(log.append(raising(log, [close])).isApplied)
    let header = log.zone.header
    #expect(header.closings == [ClosedPast(sequence: 4, epoch: 1)] && header.epoch == 2)
    #expect(Set(log.zone.chunks.keys) == [chunk(2)])
    #expect(log.zone.records.count == 2)
    // What refers to one of them brings it anew.
    let back = RecordChange.file(5, .root, "c", content([chunk(1)]))
    #expect(log.append([back]).code == .referenceViolation)
    #expect(log.append([back], chunks: [chunk(1)]).isApplied)
  }

  @Test func `the owner closes it, in a commit that raises the epoch and changes no records`() {
    var log = Log.shared()
    for user in [adam, bob, cleo, dan, eve] {
      #expect(log.append(raising(log, by: user, [close])).code == .permissionFailure)
    }
    #expect(log.append(share: [close]).code == .invalidArguments)
    var commit = raising(log, [close])
    commit.records = [.directory(90, .root, "d")]
    #expect(log.append(commit).code == .invalidArguments)
    commit = raising(log, [close])
    commit.chunks = [ChunkEntry(name: chunk(9), size: 1, place: [1])]
    #expect(log.append(commit).code == .invalidArguments)
    #expect(log.zone.header.closings.isEmpty)
    for count in 1...ClosedPast.most {
      #expect(log.append(raising(log, [close, close])).isApplied)
      #expect(log.zone.header.closings.count == count)
    }
    #expect(log.append(raising(log, [close])).code == .limitExceeded)
  }

  @Test func `what somebody sees begins where the past was closed`() {
    var log = Log.shared()
    let link = Link(
      id: LinkID(number32(701)), boxKey: number32(702), isOneTime: true, permission: .readOnly,
      firstEpoch: 2)
    let invite = ShareChange.invite(user: eve, permission: .readWrite, firstEpoch: 2)
    #expect(log.append(share: [invite]).code == .invalidArguments)
    #expect(log.append(share: [.addLink(link)]).code == .invalidArguments)
    let place = log.zone.header.sequence + 1
    #expect(log.append(raising(log, [close])).isApplied)
    #expect(log.append(share: [invite, .addLink(link)]).isApplied)
    let header = log.zone.header
    #expect(header.firstEpoch(of: eve) == 2 && header.firstEpoch(of: bob) == 0)
    #expect(header.closing(before: 2) == ClosedPast(sequence: place, epoch: 1))
    #expect(header.closing(before: 0) == nil)
    for wrong: UInt64 in [1, 3, .max] {
      let other = ShareChange.invite(user: finn, permission: .readOnly, firstEpoch: wrong)
      #expect(log.append(share: [other]).code == .invalidArguments)
    }
    // Said again, it is no more and no less.
    #expect(log.append(share: [.invite(user: eve, permission: .readOnly)]).isApplied)
    #expect(log.zone.header.firstEpoch(of: eve) == 2)
    let claim = ShareChange.claim(link: link.id, proof: [])
    #expect(log.append(by: finn, share: [claim]).isApplied)
    #expect(log.zone.header.firstEpoch(of: finn) == 2)
    // Who doesn't see the past can't keep it.
    #expect(log.append(by: eve, share: [.accept]).isApplied)
    #expect(log.append(share: [.offer(to: eve)]).code == .invalidArguments)
  }
}
