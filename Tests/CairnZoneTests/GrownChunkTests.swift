import CairnZone
import Testing

/// Chunks that begin with other ones: the zone gets their packs, and their places in one piece.
struct GrownChunkTests {
  private static let stamp = PackStamp(pack: PackName(number16(1)), generation: 0)

  /// A zone with chunk 1 in a pack, and chunk 2 inside an entry.
  private func log() -> Log {
    var log = Log.shared()
    var commit = log.next()
    commit.chunks = [
      ChunkEntry(name: chunk(1), size: 5, place: [1, 2], pack: Self.stamp),
      ChunkEntry(name: chunk(2), size: 6, place: [3]),
    ]
    #expect(log.append(commit).isApplied)
    return log
  }

  private func grown(_ name: UInt64, after other: UInt64, _ place: [UInt8] = [9]) -> ChunkEntry {
    ChunkEntry(name: chunk(name), size: 7, place: place, after: chunk(other))
  }

  private func append(_ chunks: [ChunkEntry], by user: UserID = ana, to log: inout Log) -> Verdict {
    var commit = log.next(by: user)
    commit.chunks = chunks
    return log.append(commit)
  }

  @Test func `the zone gets whole places, and the packs of the chunks before`() {
    var log = log()
    #expect(append([grown(3, after: 1), grown(4, after: 2, [])], by: bob, to: &log).isApplied)
    #expect(append([grown(5, after: 3, [7, 8])], by: bob, to: &log).isApplied)
    #expect(
      log.zone.chunk(chunk(3))
        == ChunkEntry(name: chunk(3), size: 7, place: [1, 2, 9], pack: Self.stamp))
    #expect(log.zone.chunk(chunk(4)) == ChunkEntry(name: chunk(4), size: 7, place: [3]))
    #expect(
      log.zone.chunk(chunk(5))
        == ChunkEntry(name: chunk(5), size: 7, place: [1, 2, 9, 7, 8], pack: Self.stamp))
    // The zone has it already, so that it stays as it is.
    #expect(append([grown(3, after: 2)], to: &log).isApplied)
    #expect(log.zone.chunk(chunk(3))?.place == [1, 2, 9])
  }

  @Test func `the chunk before must be in the zone before the commit`() {
    var log = log()
    #expect(append([grown(3, after: 8)], to: &log).code == .referenceViolation)
    #expect(
      append([ChunkEntry(name: chunk(8), size: 1, place: [1]), grown(3, after: 8)], to: &log).code
        == .referenceViolation)
    #expect(append([grown(3, after: 3)], to: &log).code == .referenceViolation)
    var again = grown(3, after: 1)
    again.isAgain = true
    #expect(append([again], to: &log).code == .referenceViolation)
    var packed = grown(3, after: 1)
    packed.pack = Self.stamp
    #expect(append([packed], to: &log).code == .referenceViolation)
    #expect(append([grown(3, after: 1)], by: cleo, to: &log).code == .permissionFailure)
    #expect(log.zone.chunk(chunk(3)) == nil)
  }

  @Test func `a chunk grows from the place that the other one has by then`() {
    var log = log()
    var moved = ChunkEntry(name: chunk(1), size: 5, place: [6], isAgain: true)
    moved.pack = PackStamp(pack: PackName(number16(2)), generation: 1)
    #expect(append([moved, grown(3, after: 1)], to: &log).isApplied)
    #expect(log.zone.chunk(chunk(3))?.place == [1, 2, 9], "as it was before the commit")
    #expect(append([grown(4, after: 1)], to: &log).isApplied)
    let fourth = log.zone.chunk(chunk(4))
    #expect(fourth?.place == [6, 9] && fourth?.pack == moved.pack)
  }

  @Test func `a pack that is closed takes the chunks with it that grew in it`() {
    var log = log()
    #expect(append([grown(3, after: 1)], to: &log).isApplied)
    let kept = Retirement(generation: 2, kept: [Self.stamp.pack])
    #expect(log.append(share: [.zone(.retire(kept))]).isApplied)
    #expect(append([grown(4, after: 3)], to: &log).isApplied, "it lives on")
    #expect(log.append(share: [.zone(.retire(Retirement(generation: 3, kept: [])))]).isApplied)
    #expect([1, 3, 4].allSatisfy { log.zone.chunk(chunk($0)) == nil })
    #expect(append([grown(5, after: 4)], to: &log).code == .referenceViolation)
  }

  @Test func `places and their number in a commit are limited`() {
    var log = log()
    let room = ChunkEntry.longestPlace - 2
    let large = [UInt8](repeating: 0, count: room)
    #expect(append([grown(3, after: 1, large + [0])], to: &log).code == .referenceViolation)
    #expect(append([grown(3, after: 1, large)], to: &log).isApplied)
    let many = (10..<UInt64(10 + ChunkEntry.mostAfter)).map { grown($0, after: 2) }
    #expect(append(many + [grown(9, after: 2)], to: &log).code == .limitExceeded)
    #expect(append(many, to: &log).isApplied)
  }
}
