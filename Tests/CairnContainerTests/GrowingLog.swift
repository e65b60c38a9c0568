import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// A file of Ana's that grows at its end, in a zone that Bob reads.
final class GrowingLog {
  let world: ZoneWorld
  let ana: Container
  let accounts: [Account]
  let zone: Zone
  let bobs: Zone
  let file: RecordID
  /// All contents so far, the present one last.
  private(set) var versions: [(content: Content, bytes: [UInt8])]

  /// Stores the first content, and other files in the same pack.
  init(
    _ bytes: [UInt8], beside others: [String: [UInt8]] = [:],
    in store: any ObjectStore = DistantStore(MemoryStore())
  ) throws {
    world = try ZoneWorld(store)
    let (anas, bobs, accounts) = try world.shared()
    (self.bobs, self.accounts) = (bobs, accounts)
    ana = try world.open(accounts[0])
    zone = try #require(try ana.zone(anas.id))
    try zone.pull()
    var changes: [RecordChange] = []
    try zone.ingestAll { ingest in
      let all = [("log", bytes)] + others.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
      for (name, bytes) in all {
        changes.append(try Zone.file(name, Zone.read(bytes, with: ingest)))
      }
    }
    file = changes[0].id
    versions = [(try #require(changes[0].content), bytes)]
    try zone.save(changes)
  }

  /// The present bytes.
  var bytes: [UInt8] { versions[versions.count - 1].bytes }

  /// Commits a new content of the file, as a folder does.
  @discardableResult
  func write(_ bytes: [UInt8], by other: Zone? = nil) throws -> ChunkPlace {
    let zone = other ?? zone
    try zone.pull()
    let earlier = try zone.read { try #require(try $0.record(file)?.content) }
    let content = try zone.ingest(bytes, after: earlier)
    try zone.save([RecordChange(id: file, act: .update, content: content)])
    versions.append((content, bytes))
    return try place(of: content, in: zone)
  }

  /// Appends to the file.
  @discardableResult
  func append(_ more: [UInt8], by other: Zone? = nil) throws -> ChunkPlace {
    try write(bytes + more, by: other)
  }

  /// Appends noise.
  @discardableResult
  func append(_ count: Int, by other: Zone? = nil) throws -> ChunkPlace {
    try append(ContentPieces.noise(count, seed: UInt64(versions.count) << 8), by: other)
  }

  /// The place of a content's last chunk.
  func place(of content: Content, in other: Zone? = nil) throws -> ChunkPlace {
    let name = try #require(content.chunks.last)
    return try (other ?? zone).read { view in
      try ChunkPlace(#require(try view.state.chunks.readable(name)))
    }
  }

  /// The number of bytes of all objects in the container.
  func stored() throws -> Int {
    try world.keys().reduce(0) { try $0 + (world.store.size(of: $1) ?? 0) }
  }

  func newcomer() throws -> Zone {
    let zone = try #require(try world.open(accounts[1]).zone(zone.id))
    try zone.pull()
    return zone
  }

  /// Expects that a zone has these versions.
  func expectAll(
    in zone: Zone, from first: Int = 0, _ comment: Comment? = nil,
    at location: SourceLocation = #_sourceLocation
  ) throws {
    for (content, bytes) in versions[first...] {
      var found: [UInt8] = []
      try zone.readContent(content) { found += $0 }
      #expect(found == bytes, comment, sourceLocation: location)
    }
  }

  /// Lines as a web server writes them, about 110 bytes each.
  static func lines(_ count: Int, from first: Int = 0) -> [UInt8] {
    let noise = ContentPieces.noise(count * 8, seed: UInt64(first) + 77)
    var bytes: [UInt8] = []
    for line in 0..<count {
      let random = noise[line * 8..<line * 8 + 8].map(Int.init)
      let time = (first + line) * 61 + random[0] % 60
      let clock = [time / 3_600 % 24, time / 60 % 60, time % 60].map {
        ($0 < 10 ? "0" : "") + "\($0)"
      }
      bytes += Array(
        """
        2026-11-\(10 + time / 86_400 % 20) \(clock.joined(separator: ":")) 10.0.\(random[1]).\
        \(random[2]) GET /shared/\(random[3] % 32)/photo-\(random[4] * 256 + random[5]).jpg 200 \
        \(random[6] * 613 + random[7]) "Mozilla/5.0"\n
        """.utf8)
    }
    return bytes
  }
}

extension Zone {
  /// Reads bytes as a file that had another content before.
  func ingest(_ bytes: [UInt8], after earlier: Content?) throws -> Content {
    var offset = 0
    return try ingest(after: earlier) { room in
      let count = min(room.count, bytes.count - offset)
      room.copyBytes(from: bytes[offset..<offset + count])
      offset += count
      return count
    }
  }
}
