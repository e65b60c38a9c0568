import CairnIndex
public import CairnZone

/// Reading bytes into a zone's chunks. Nobody holds a lock of the zone meanwhile: commits, changes
/// of the share and replays don't wait for the container to take the bytes.
extension Zone {
  /// Reads a file's bytes into the zone's chunks. Chunks that the zone lacks are stored in packs in
  /// the container at once. A later `commit` references them.
  /// - Parameters:
  ///   - earlier: The content that the file had before, if the zone has it.
  ///   - fill: Fills the buffer and returns the number of bytes, 0 at the end.
  /// - Returns: The content. Its bytes are durable once a commit references it.
  /// - Throws: `CloudError` if the container can't be used, and any error of `fill`.
  public func ingest(
    after earlier: Content? = nil, _ fill: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> Content {
    var content: Content?
    try withoutActuallyEscaping(fill) { fill in
      try ingestAll { content = try $0(after: earlier, fill) }
    }
    guard let content else { preconditionFailure("a content that was read and isn't there") }
    return content
  }

  /// A reader of one file's bytes, like `ingest`.
  public struct Ingest {
    fileprivate typealias Fill = (UnsafeMutableRawBufferPointer) throws -> Int

    fileprivate let read: (Content?, Fill) throws -> Content

    /// Reads a file's bytes, like `Zone.ingest`.
    /// - Parameters:
    ///   - earlier: The content that the file had before, if the zone has it.
    ///   - fill: Fills the buffer and returns the number of bytes, 0 at the end.
    /// - Returns: The content.
    /// - Throws: The errors of `Zone.ingest`.
    public func callAsFunction(
      after earlier: Content? = nil, _ fill: (UnsafeMutableRawBufferPointer) throws -> Int
    ) throws -> Content {
      try read(earlier, fill)
    }
  }

  /// Reads the bytes of several files into the zone's chunks. Several threads may do so at once.
  /// After an error, the contents of this call have to be ingested again. Chunks in packs that the
  /// container has by then are not stored again.
  /// - Parameters:
  ///   - lanes: The number of parallel workers. With more than one, another thread helps to hash
  ///     the chunks of a large file, and one stores a full pack while the next one is filled.
  ///   - lenders: Zones that may have some of the chunks. Chunks in zones of the same owner needn't
  ///     be stored again.
  ///   - onStored: A function that is called with the number of bytes so far that the container
  ///     has, or that the next commit contains.
  ///   - body: A function that gets a reader for single files, like `ingest`.
  /// - Throws: The errors of `ingest` and `body`.
  public func ingestAll(
    lanes: Int = 1, borrowingFrom lenders: [Zone] = [],
    onStored: @escaping (Int) -> Void = { _ in }, _ body: (Ingest) throws -> Void
  ) throws {
    let mayStore = try exclusively { try $0.mayStore }
    let sender = PackSender(store, loose, isBeside: lanes > 1)
    var (cut, stored) = (0, 0)
    var pending = PendingChunks()
    var growing = GrowingEnd()
    func tell() {
      let now = cut - pending.bytes.count - sender.unstored
      guard now > stored else { return }
      stored = now
      onStored(now)
    }
    func take(_ name: ChunkName, _ bytes: UnsafeRawBufferPointer, _ end: ChunkName?) throws {
      if let entry = try usableChunk(name, of: lenders) { return sender.borrow(entry) }
      let era = loose.era
      let (isGrown, entry) = try end.map { try grown(name, bytes, from: $0) } ?? (false, nil)
      if let entry, loose.addGrown(entry, in: era) { return }
      try sender.add(name, bytes, grows: isGrown)
    }
    func takePending() throws {
      let known = try chunksHere(among: pending.names)
      try pending.takeAll { name, bytes, end in
        if try !known.contains(name) && !sender.has(name) { try take(name, bytes, end) }
      }
    }
    let builder = ContentBuilder(lanes: lanes) { [self] name, bytes in
      let end = growing.next()
      defer {
        cut += bytes.count
        tell()
      }
      guard try mayStore && !sender.has(name) else { return }
      if pending.add(name, bytes, end) { return }
      try takePending()
      if pending.add(name, bytes, end) { return }
      if try chunksHere(among: [name]).isEmpty { try take(name, bytes, end) }
    }
    let ingest = Ingest { earlier, fill in
      growing = GrowingEnd(earlier)
      do {
        while try builder.fill(fill) > 0 {}
        return try builder.finish()
      } catch {
        builder.reset()
        throw error
      }
    }
    try body(ingest)
    try takePending()
    try sender.finish()
    tell()
  }

  /// Returns the chunks that the zone has.
  private func chunksHere(among names: [ChunkName]) throws -> Set<ChunkName> {
    guard !names.isEmpty else { return [] }
    return try index.read {
      let zone = try IndexedZone($0, zone: id, header: header)
      return Set(try names.filter(zone.hasChunk))
    }
  }

  /// The entry of a chunk in another zone, if this zone can reference it.
  private func usableChunk(_ name: ChunkName, of lenders: [Zone]) throws -> ChunkEntry? {
    for lender in lenders {
      guard let entry = try lender.read({ try $0.state.chunks.entry(name) }) else { continue }
      return try read { try ChunkCarrier.isUsable(entry, in: $0.state) } ? entry : nil
    }
    return nil
  }

  /// Looks whether a chunk begins with the last chunk of the file's earlier content.
  ///
  /// Nobody reads that one back, so only this person's own chunks are relied on. Its pack must be
  /// open: a closed one may leave before the commit.
  /// - Parameters:
  ///   - name: The name of the chunk.
  ///   - bytes: Its plaintext.
  ///   - end: The last chunk of the earlier content.
  /// - Returns: Whether it begins so, and its entry; nil if the whole chunk has to be stored.
  /// - Throws: Any SQLite error.
  private func grown(
    _ name: ChunkName, _ bytes: UnsafeRawBufferPointer, from end: ChunkName
  ) throws -> (isGrown: Bool, entry: ChunkEntry?) {
    let terms = loose.terms
    let (former, isOwn) = try read { view in
      (try view.state.chunks.entry(end), try view.state.chunks.bringer(of: end) == view.user)
    }
    guard let former, let start = Self.start(bytes, Int(former.size)),
      ChunkName.digest(of: start) == end
    else { return (false, nil) }
    let place: ChunkPlace
    do throws(FormatError) { place = try ChunkPlace(former) } catch { return (true, nil) }
    let payload: Int
    switch place.position {
    case .inline(let bytes): payload = bytes.count
    case .pack(let range, _):
      guard range.owner == terms.owner, range.stamp.generation >= terms.generation else {
        return (true, nil)
      }
      payload = range.length
    }
    let rest = UnsafeRawBufferPointer(rebasing: bytes[start.count...])
    guard isOwn, let added = ChunkCodec().frame(rest, after: start) else { return (true, nil) }
    let piece = ChunkPiece(before: end, size: start.count, added: added)
    guard place.pieces.takes(piece, payload: payload) else { return (true, nil) }
    var whole = place
    (whole.size, whole.pieces) = (bytes.count, place.pieces + [piece])
    // The zone puts the piece behind the other place, byte by byte.
    let all = whole.encoded()
    guard all.starts(with: former.place), all.count <= ChunkEntry.longestPlace else {
      return (true, nil)
    }
    return (
      true,
      ChunkEntry(
        name: name, size: UInt32(bytes.count), place: Array(all[former.place.count...]),
        pack: former.pack, after: end)
    )
  }

  private static func start(
    _ bytes: UnsafeRawBufferPointer, _ count: Int
  ) -> UnsafeRawBufferPointer? {
    count < bytes.count ? UnsafeRawBufferPointer(rebasing: bytes[..<count]) : nil
  }

  /// Returns the content id of bytes, without storing anything.
  public func contentID(
    _ fill: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> ContentID {
    try ContentDigest.id(of: fill)
  }
}

/// Finds the chunk of a content that can begin with the last chunk of an earlier content: the one
/// with the same number, because a file that grows has the same chunks before it.
private struct GrowingEnd {
  private let end: ChunkName?
  /// The number of chunks before it; negative behind it.
  private var before: Int

  init(_ earlier: Content? = nil) {
    end = earlier?.chunks.last
    before = (earlier?.chunks.count ?? 0) - 1
  }

  /// The last chunk of the earlier content, if the next chunk can begin with it.
  mutating func next() -> ChunkName? {
    before -= 1
    return before == -1 ? end : nil
  }
}
