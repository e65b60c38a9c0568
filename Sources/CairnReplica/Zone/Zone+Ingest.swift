import CairnIndex
public import CairnZone

/// Reading bytes into a zone's chunks. Nobody holds a lock of the zone meanwhile: commits, changes
/// of the share and replays don't wait for the container to take the bytes.
extension Zone {
  /// Reads a file's bytes into the zone's chunks. Chunks that the zone lacks are stored in packs in
  /// the container at once. A later `commit` references them.
  /// - Parameter fill: Fills the buffer and returns the number of bytes, 0 at the end.
  /// - Returns: The content. Its bytes are durable once a commit references it.
  /// - Throws: `CloudError` if the container can't be used, and any error of `fill`.
  public func ingest(_ fill: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> Content {
    var content: Content?
    try withoutActuallyEscaping(fill) { fill in try ingestAll { content = try $0(fill) } }
    guard let content else { preconditionFailure("a content that was read and isn't there") }
    return content
  }

  /// Reads one file's bytes, like `ingest`.
  public typealias Ingest = ((UnsafeMutableRawBufferPointer) throws -> Int) throws -> Content

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
    func tell() {
      let now = cut - pending.bytes.count - sender.unstored
      guard now > stored else { return }
      stored = now
      onStored(now)
    }
    func take(_ name: ChunkName, _ bytes: UnsafeRawBufferPointer) throws {
      if let entry = try usableChunk(name, of: lenders) { return sender.borrow(entry) }
      try sender.add(name, bytes)
    }
    func takePending() throws {
      let known = try chunksHere(among: pending.names)
      try pending.takeAll { name, bytes in
        if try !known.contains(name) && !sender.has(name) { try take(name, bytes) }
      }
    }
    let builder = ContentBuilder(lanes: lanes) { [self] name, bytes in
      defer {
        cut += bytes.count
        tell()
      }
      guard try mayStore && !sender.has(name) else { return }
      if pending.add(name, bytes) { return }
      try takePending()
      if pending.add(name, bytes) { return }
      if try chunksHere(among: [name]).isEmpty { try take(name, bytes) }
    }
    try body { fill in
      do {
        while try builder.fill(fill) > 0 {}
        return try builder.finish()
      } catch {
        builder.reset()
        throw error
      }
    }
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

  /// Returns the content id of bytes, without storing anything.
  public func contentID(
    _ fill: (UnsafeMutableRawBufferPointer) throws -> Int
  ) throws -> ContentID {
    try ContentDigest.id(of: fill)
  }
}
