import CairnZone
import Synchronization
import Testing

@testable import CairnCloud

/// Many contents that are read by several threads at once.
@Suite struct ContentLaneTests {
  private struct Stop: Error {}

  /// A zone with many small files, one of several chunks, and one whose bytes stand in a commit.
  private func world() throws -> (zone: Zone, contents: [Content], bytes: [[UInt8]]) {
    let world = try ZoneWorld()
    let zone = try world.open(try world.account("ana")).foundedPublicZone()
    var bytes = (1...300).map { ContentPieces.noise(2_000 + $0, seed: UInt64($0)) }
    bytes.append(ContentPieces.noise(3 << 20, seed: 1_000))
    var files = try bytes.map { try Zone.file("\($0.count)", zone.ingest($0)) }
    try zone.commit(files, expecting: zone.header.sequence)
    bytes.append([1, 2, 3])
    files.append(try Zone.file("small", zone.ingest([1, 2, 3])))
    try zone.commit(files.suffix(1), expecting: zone.header.sequence)
    return (zone, files.compactMap(\.content), bytes)
  }

  @Test(arguments: [1, 2, 5])
  func `each content comes whole, once, from whichever thread`(lanes: Int) throws {
    let (zone, contents, bytes) = try world()
    let found = Mutex<[Int: [[UInt8]]]>([:])
    var isBegun = false
    try zone.readContents(contents, lanes: lanes, meanwhile: { isBegun = true }) { number, read in
      var whole: [UInt8] = []
      try read { whole += $0 }
      found.withLock { [whole] in $0[number, default: []].append(whole) }
    }
    #expect(isBegun)
    let all = found.withLock { $0 }
    #expect(all.count == contents.count)
    for (number, expected) in bytes.enumerated() { #expect(all[number] == [expected]) }
  }

  @Test(arguments: [1, 2])
  func `what one of them throws ends all`(lanes: Int) throws {
    let (zone, contents, _) = try world()
    #expect(throws: Stop.self) {
      try zone.readContents(contents, lanes: lanes) { _, _ in throw Stop() }
    }
    #expect(throws: Stop.self) {
      try zone.readContents(contents, lanes: lanes, meanwhile: { throw Stop() }) { _, _ in }
    }
  }
}
