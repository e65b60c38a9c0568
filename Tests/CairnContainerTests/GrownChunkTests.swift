import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// A file that grows at its end stores the added bytes, and not its last chunk again.
@Suite struct GrownChunkTests {
  // MARK: What is stored

  @Test func `64 appends of 1 KiB to a log of 1 MiB store less than 4 KB each`() throws {
    let log = try GrowingLog(Array(GrowingLog.lines(12_000).prefix(1 << 20)))
    let more = GrowingLog.lines(700, from: 20_000)
    let before = try log.stored()
    try log.append(Array(more[..<1_024]))
    let first = try log.stored() - before
    for number in 1..<64 { try log.append(Array(more[number << 10..<(number + 1) << 10])) }
    let mean = try (log.stored() - before) / 64
    #expect(first <= 2_000 && mean <= 4_000, "\(first) first, \(mean) in the mean")
    try log.expectAll(in: log.zone)
    try log.expectAll(in: log.newcomer())
    #expect(try log.newcomer().verify().isEmpty)
  }

  @Test func `64 appends of 1 KiB of noise to 1 MiB store less than 4 KB each, too`() throws {
    let log = try GrowingLog(ContentPieces.noise(1 << 20, seed: 3))
    let before = try log.stored()
    try log.append(1_024)
    let first = try log.stored() - before
    for _ in 1..<64 { try log.append(1_024) }
    let mean = try (log.stored() - before) / 64
    #expect(first <= 2_500 && mean <= 4_000, "\(first) first, \(mean) in the mean")
    try log.expectAll(in: log.newcomer())
  }

  @Test func `a chunk that grew to a cut stores the rest of it`() throws {
    let log = try GrowingLog(ContentPieces.noise(200_000, seed: 5))
    while log.versions[log.versions.count - 1].content.chunks.count == 1 {
      try log.append(15_000)
    }
    let (content, _) = log.versions[log.versions.count - 1]
    let entry = try log.zone.read { try #require(try $0.state.chunks.entry(content.chunks[0])) }
    #expect(try !ChunkPlace(entry).pieces.isEmpty)
    try log.expectAll(in: log.newcomer())
  }

  @Test func `equal bytes have equal ids and are stored once, whatever they grew from`() throws {
    let log = try GrowingLog(ContentPieces.noise(150_000))
    try log.append(1_000)
    let again = try log.zone.ingest(log.bytes)
    #expect(again == log.versions[1].content)
    let before = try log.world.packs()
    try log.zone.save([try Zone.file("copy", again)])
    #expect(try log.world.packs() == before)
    #expect(try log.newcomer().files()["copy"] == log.bytes)
  }

  @Test func `an edit isn't growth`() throws {
    let log = try GrowingLog(ContentPieces.noise(150_000))
    var edited = log.bytes
    edited[9] ^= 1
    #expect(try log.write(edited + [1]).pieces.isEmpty)
    #expect(try log.write(Array(edited.prefix(149_000))).pieces.isEmpty, "it is shorter")
    try log.expectAll(in: log.newcomer())
  }

  @Test func `a chunk inside an entry grows, too, and goes into a pack unless it is small`() throws
  {
    let text = GrowingLog.lines(3_000)
    let log = try GrowingLog(Array(text[..<150_000]))
    var (end, places): (Int, [ChunkPlace]) = (150_000, [])
    for _ in 0...ChunkPiece.most {
      #expect(try log.world.packs().isEmpty)
      places.append(try log.append(Array(text[end..<end + 500])))
      end += 500
    }
    #expect(places.last?.pieces.isEmpty == true)
    #expect(!places.dropLast().contains { $0.pieces.isEmpty })
    #expect(try log.world.packs().count == 1, "the whole chunk is in a pack now")
    #expect(try !log.append(Array(text[end..<end + 500])).pieces.isEmpty)
    let small = try GrowingLog(ContentPieces.noise(9_000))
    for _ in 0..<30 { try small.append(500) }
    #expect(try small.world.packs().isEmpty)
    try log.expectAll(in: log.newcomer())
    try small.expectAll(in: small.newcomer())
  }

  @Test func `the whole chunk is stored again once its pieces have as many bytes`() throws {
    for (size, step, most) in [(20_000, 1_000, 19), (150_000, 3_000, 21), (150_000, 10, 64)] {
      let beside = ["beside": ContentPieces.noise(90_000, seed: 2)]
      let log = try GrowingLog(ContentPieces.noise(size), beside: beside)
      var place = try log.place(of: log.versions[0].content)
      for count in 1...most {
        place = try log.append(step)
        #expect(place.pieces.count == count)
      }
      #expect(place.pieces.map(\.before) == log.versions.dropLast().map { $0.content.chunks[0] })
      #expect(place.pieces.map(\.size) == (0..<most).map { size + $0 * step })
      #expect(try log.append(step).pieces.isEmpty)
      try log.expectAll(in: log.newcomer())
    }
  }

  @Test func `an entry has the piece alone, and the zone all of them`() throws {
    let log = try GrowingLog(ContentPieces.noise(150_000))
    for _ in 0..<5 { try log.append(1_000) }
    let place = try log.place(of: log.versions[5].content)
    #expect(place.pieces.count == 5 && place.encoded().count > 5_000)
    let entry = try log.world.store.size(of: log.zone.place(log.zone.header.sequence))
    #expect(try #require(entry) < 2_000)
  }

  // MARK: Who may be relied on

  @Test func `nothing grows from the chunk of another person, which nobody has read`() throws {
    let log = try GrowingLog(ContentPieces.noise(150_000))
    #expect(try log.append(1_000, by: log.bobs).pieces.isEmpty)
    #expect(try log.append(1_000, by: log.bobs).pieces.isEmpty == false, "his own")
    #expect(try log.append(1_000).pieces.isEmpty)
    try log.zone.pull()
    try log.expectAll(in: log.zone)
  }

  @Test func `nothing grows from a closed pack, even if it is kept`() throws {
    let log = try GrowingLog(ContentPieces.noise(150_000))
    let (bytes, earlier) = (log.bytes + [1, 2, 3], log.versions[0].content)
    let content = try log.zone.ingest(bytes, after: earlier)
    #expect(try log.zone.exclusively { try PackClosing($0).retire(to: 2, at: 0) })
    let change = RecordChange(id: log.file, act: .update, content: content)
    #expect(
      try cloudCode { try log.zone.commit([change], expecting: log.zone.header.sequence) }
        == .referenceViolation)
    #expect(try log.append([1, 2, 3]).pieces.isEmpty, "it is read again")
    #expect(try log.append([4]).pieces.isEmpty == false)
    try log.expectAll(in: log.newcomer())
  }

  @Test func `nothing grows from a chunk that left the zone in between`() throws {
    let log = try GrowingLog(ContentPieces.noise(150_000))
    let (bytes, earlier) = (log.bytes + [1, 2, 3], log.versions[0].content)
    let content = try log.zone.ingest(bytes, after: earlier)
    try log.write([1])
    _ = try log.zone.exclusively { try PastClosing($0, at: WallClock.seconds).close() }
    let change = RecordChange(id: log.file, act: .update, content: content)
    for _ in 0..<2 {
      #expect(
        try cloudCode { try log.zone.commit([change], expecting: log.zone.header.sequence) }
          == .referenceViolation)
    }
    #expect(try log.zone.ingest(bytes, after: earlier) == content, "it is read again")
    try log.zone.commit([change], expecting: log.zone.header.sequence)
    #expect(try log.place(of: content).pieces.isEmpty)
    #expect(try log.newcomer().files() == ["log": bytes])
  }

  // MARK: What others read

  @Test func `a reader with the former version fetches nothing`() throws {
    let store = PacedStore()
    let log = try GrowingLog(ContentPieces.noise(1 << 20), in: store)
    for _ in 0..<3 { try log.append(1_000) }
    let reader = try log.newcomer()
    let (old, new) = (log.versions[2], log.versions[3])
    let parts = try #require(try reader.read { try $0.parts(of: old.content.id, for: new.content) })
    _ = store.takeRead()
    for isAltered in [false, true] {
      let known = KnownChunks(parts: parts) { part in
        var bytes = Array(old.bytes[Int(part.offset)..<Int(part.offset) + part.size])
        if isAltered { bytes[0] ^= 1 }
        return bytes
      }
      for lanes in [1, 2] {
        try reader.readContents([new.content], lanes: lanes, known: [0: known]) { _, read in
          var bytes: [UInt8] = []
          try read { bytes += $0 }
          #expect(bytes == new.bytes)
        }
        #expect((store.takeRead() == 0) == !isAltered)
      }
    }
  }

  @Test func `damage of the base names its pack, and a present file repairs all that grew`() throws
  {
    let log = try GrowingLog(ContentPieces.noise(150_000))
    for _ in 0..<4 { try log.append(1_000) }
    let key = try #require(try log.world.packs().first)
    for isGone in [false, true] {
      if isGone {
        try log.world.store.delete(key)
      } else {
        try log.world.replace(key) { $0[70_000] ^= 1 }
      }
      let broken = try log.zone.brokenChunks()
      #expect(broken.count == 5 && broken.allSatisfy { $0.object == key.description })
      let left = try log.zone.mend(broken, isDryRun: false) { id, read in
        #expect(id == log.file)
        var offset = 0
        try read { room in
          let count = min(room.count, log.bytes.count - offset)
          room.copyBytes(from: log.bytes[offset..<offset + count])
          offset += count
          return count
        }
        return true
      }
      #expect(left.isEmpty)
      try log.expectAll(in: log.newcomer())
    }
  }

  @Test func `a piece that was altered, or is of another chunk, is refused`() throws {
    let log = try GrowingLog(ContentPieces.noise(100_000))
    try log.append(GrowingLog.lines(2))
    try log.append(GrowingLog.lines(3))
    let content = log.versions[2].content
    let entry = try log.zone.read { try #require(try $0.state.chunks.entry(content.chunks[0])) }
    func isRead(_ change: (inout ChunkPlace) throws -> Void) throws -> Bool {
      var place = try ChunkPlace(entry)
      try change(&place)
      var changed = entry
      changed.place = place.encoded()
      do {
        try ContentReader(store: log.world.store).read(content, lookup: { _ in changed }) { _ in }
        return true
      } catch is ContentError {
        return false
      }
    }
    #expect(try isRead { _ in })
    let honest = try #require(try ChunkPlace(entry).pieces.last).added
    for byte in honest.indices {
      #expect(try !isRead { $0.pieces[1].added[byte] ^= 0x40 }, "byte \(byte)")
    }
    #expect(try !isRead { $0.pieces[1].added = Array(honest.dropLast()) })
    #expect(try !isRead { $0.pieces[1].added += [0] })
    #expect(try !isRead { $0.pieces[1].added = [] })
    #expect(try !isRead { $0.pieces[0].added += [UInt8](repeating: 0, count: ChunkPiece.limit) })
    #expect(try !isRead { $0.pieces = [] })
    for number in 0...1 {
      #expect(try !isRead { _ = $0.pieces.remove(at: number) })
      #expect(try !isRead { $0.pieces.append($0.pieces[number]) })
      for size in [0, 1, 99_999, 100_001, Int(entry.size), Int(entry.size) + 1] {
        #expect(try !isRead { $0.pieces[number].size = size }, "\(size) bytes before")
      }
    }
    #expect(try !isRead { $0.pieces.swapAt(0, 1) })
    #expect(try !isRead { $0.pieces[0].before = content.chunks[0] })
    #expect(try isRead { $0.pieces[1].before = content.chunks[0] }, "nothing is opened with it")
    #expect(try !isRead { $0.position = .inline([1]) })
  }

  /// Made by `piece_of` in `Tests/Format/cairn_format/contents.py`.
  @Test func `a piece of another implementation is read`() throws {
    let start = [UInt8](repeating: 0, count: 100).flatMap { _ in Array("a line\n".utf8) }
    let added = Array("a line, and another line\na line\na line\na line\na line\n".utf8)
    let frame = try #require(
      readHexadecimal(
        Array(
          "28b52ffd2035f50000a82c20616e6420616e6f746865720a61206c696e650a02004ad97f6c0601".utf8)))
    let name = try #require(
      readHexadecimal(
        Array("97f6c4b5ea7399be7cc98be8272aa50fb379ec88bdcebb0e3d4cea100383adde".utf8)
      ).flatMap { ChunkName(bytes: $0) })
    let piece = ChunkPiece(
      before: start.withUnsafeBytes { ChunkName.digest(of: $0) }, size: start.count, added: frame)
    let plain = ChunkCodec().plaintext(
      of: start, [piece], size: start.count + added.count, name: name)
    #expect(plain == start + added)
    let own = (start + added).withUnsafeBytes { bytes in
      ChunkCodec().frame(
        UnsafeRawBufferPointer(rebasing: bytes[start.count...]),
        after: UnsafeRawBufferPointer(rebasing: bytes[..<start.count]))
    }
    #expect(try #require(own).count < added.count)
  }
}
