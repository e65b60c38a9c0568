import CairnDiagnostics
import CairnIdentity
import CairnStore
import CairnThreads
import CairnZone

/// The way of new chunks from their bytes into packs, and of the packs into the container. Nobody
/// needs the lock of a zone for it. It owns the pack that is being filled and the one that is being
/// stored. Chunks in stored packs are in `LooseChunks`, and stay there if this ends early: nobody
/// stores them again. One owner, for one run through contents.
final class PackSender {
  private let store: any ObjectStore
  private let loose: LooseChunks
  private let writer: PackWriter
  private let isBeside: Bool
  /// The chunks of the pack that is being stored, and the work.
  private var sending: (names: Set<ChunkName>, work: BackgroundTask<Void>)?
  /// The number of plaintext bytes in the pack that is being filled, and in the one that is being
  /// stored.
  private var (filled, sent) = (0, 0)

  /// The number of plaintext bytes of added chunks that the container doesn't have yet.
  var unstored: Int { filled + sent }

  /// Creates a sender.
  /// - Parameters:
  ///   - store: The container.
  ///   - loose: The destination of stored chunks.
  ///   - isBeside: Whether a full pack is stored on a thread of its own while the next one is
  ///     filled.
  init(_ store: any ObjectStore, _ loose: LooseChunks, isBeside: Bool = false) {
    self.store = store
    self.loose = loose
    self.isBeside = isBeside
    writer = PackWriter(owner: loose.owner)
  }

  /// Returns whether the chunk needs no reading: it is on its way, or waits for a commit.
  /// - Throws: `CloudError` if the container can't be asked for the pack of an earlier run, and any
  ///   SQLite error.
  func has(_ name: ChunkName) throws -> Bool {
    if writer.contains(name) || sending?.names.contains(name) == true || loose.has(name) {
      return true
    }
    let era = loose.era
    let entries = loose.earlier(with: name)
    guard !entries.isEmpty else { return false }
    try loose.settle(entries, isStored: isStored(entries), in: era)
    return loose.has(name)
  }

  /// Returns whether the container has the whole pack of these chunks.
  private func isStored(_ entries: [ChunkEntry]) throws -> Bool {
    var (key, end): (ObjectKey?, Int) = (nil, 0)
    for entry in entries {
      do throws(FormatError) {
        guard case .pack(let range, _) = try ChunkPlace(entry).position,
          range.owner == loose.owner
        else { return false }
        (key, end) = (range.key, max(end, range.offset + range.length))
      } catch {
        // The index is damaged here, so the chunks are stored again.
        return false
      }
    }
    do throws(StoreError) {
      guard let key, let size = try store.size(of: key) else { return false }
      return size >= end
    } catch {
      throw CloudError(error)
    }
  }

  /// Adds a chunk. If it completes a pack, the pack is stored. A person who can't edit the zone any
  /// more stores nothing.
  /// - Parameters:
  ///   - name: The name of the chunk.
  ///   - bytes: Its plaintext.
  ///   - grows: A Boolean value that indicates whether it is at the end of a file that grows.
  /// - Throws: `CloudError` if the container doesn't accept it. Then this sender has ended.
  func add(
    _ name: ChunkName, _ bytes: UnsafeRawBufferPointer, grows: Bool = false
  ) throws {
    let terms = loose.terms
    guard terms.mayStore else {
      filled = 0
      return writer.forget()
    }
    (writer.owner, writer.generation) = (terms.owner, terms.generation)
    if !writer.contains(name) { filled += bytes.count }
    if let pack = writer.add(name, bytes, grows: grows) { try send(pack) }
  }

  /// Adds a chunk that another zone of the same owner has stored.
  func borrow(_ entry: ChunkEntry) { loose.add([entry], in: loose.era) }

  /// Stores the waiting chunks, unless they are small enough for a commit.
  /// - Throws: `CloudError` if the container doesn't accept them.
  func finish() throws {
    try finishSending()
    guard !writer.isEmpty, loose.terms.mayStore else { return }
    if let bytes = writer.inlineBytes, loose.addInline(bytes, { writer.inlineEntries() }) {
      return filled = 0
    }
    try seal()
  }

  /// Stores the waiting chunks as a pack.
  /// - Throws: `CloudError` if the container doesn't accept them.
  func seal() throws {
    try finishSending()
    if let pack = writer.seal() { try send(pack) }
    try finishSending()
  }

  private func send(_ pack: SealedPack) throws {
    try finishSending()
    let era = loose.era
    (sent, filled) = (filled, 0)
    guard isBeside else {
      try loose.add(Self.put(pack, into: store), in: era)
      return sent = 0
    }
    let work = BackgroundTask { [store, loose] in
      try loose.add(Self.put(pack, into: store), in: era)
    }
    sending = (Set(pack.entries.map(\.name)), work)
  }

  /// Waits for the pack that is being stored.
  private func finishSending() throws {
    guard let (_, work) = sending else { return }
    sending = nil
    try work.wait()
    sent = 0
  }

  /// Stores a pack. If there are other bytes under its name, or its folder can't be used, it gets
  /// another name.
  private static func put(_ pack: SealedPack, into store: any ObjectStore) throws -> SealedPack {
    var pack = pack
    while true {
      let key = pack.key
      let isStored: Bool
      do { isStored = try store.puts(key, pack.bytes) } catch {
        // A name is in one of 256 folders, and a stranger may have made one of them.
        let isOfFolder = [.denied, .corrupt, .unsupported].contains(error.code)
        guard isOfFolder, pack.renamed == 0 else { throw CloudError(error) }
        pack.rename()
        continue
      }
      guard !isStored else {
        Diagnostics.transfer.debug("pack stored", [.value("bytes", pack.bytes.count)])
        return pack
      }
      pack.rename()
      guard pack.renamed.isMultiple(of: 4) else { continue }
      throw CloudError(
        .serviceUnavailable, "other bytes stand wherever a pack is put, as under \(key)",
        remedy: "see who else writes into the container; it is tried again")
    }
  }
}
