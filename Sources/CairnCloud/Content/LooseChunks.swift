import CairnDiagnostics
import CairnStore
import CairnThreads
import CairnZone

/// The new chunks that this device adds to a zone, from their bytes to the commit that references
/// them. They fill packs, which are stored in the container, or become part of the commit itself.
/// It owns the chunks that no commit references yet; it must not know logs. It has one owner.
final class LooseChunks {
  private let store: any ObjectStore
  private let writer: PackWriter
  /// The chunks in stored or waiting packs that no commit references yet.
  private var entries: [ChunkName: ChunkEntry] = [:]
  /// The packs that the container hasn't accepted yet, two at most.
  private var unsent: [SealedPack] = []
  /// The upload of the first of them, if it runs on another thread.
  private var sending: BackgroundTask<Bool>?

  /// Creates a value. New packs belong to `owner`.
  init(_ store: any ObjectStore, owner: UserID) {
    self.store = store
    writer = PackWriter(owner: owner)
  }

  /// The owner of new packs.
  var owner: UserID { writer.owner }

  /// Sets the owner of new packs, and the open generation.
  func begin(owner: UserID?, generation: UInt32) {
    if let owner { writer.owner = owner }
    writer.generation = generation
  }

  /// Returns whether a commit can reference the chunk without reading it again.
  func has(_ name: ChunkName) -> Bool { entries[name] != nil || writer.contains(name) }

  /// The entry of the chunk for a commit, if it is in a pack.
  subscript(_ name: ChunkName) -> ChunkEntry? { entries[name] }

  /// Adds a chunk. If it completes a pack, the pack is stored, with `isBeside` on a thread of its
  /// own.
  /// - Throws: `CloudError` if the container doesn't accept it.
  func add(_ name: ChunkName, _ bytes: UnsafeRawBufferPointer, isBeside: Bool = false) throws {
    if let pack = writer.add(name, bytes) { try send(pack, isBeside: isBeside) }
  }

  /// Adds a chunk that another zone of the same owner has stored.
  func borrow(_ entry: ChunkEntry) { entries[entry.name] = entry }

  /// Returns the entries of those of the chunks that wait here. Small chunks are stored in the
  /// commit, others in a pack that is stored before this returns.
  /// - Throws: `CloudError` if the container doesn't accept it.
  func take(_ needed: Set<ChunkName>) throws -> [ChunkEntry] {
    try sendUnsent()
    if needed.contains(where: { entries[$0] == nil && writer.contains($0) }) {
      if let inline = writer.inlineEntries() {
        for entry in inline { entries[entry.name] = entry }
      } else {
        try seal()
      }
    }
    return needed.sorted().compactMap { entries[$0] }
  }

  /// Stores the waiting chunks as a pack.
  /// - Throws: `CloudError` if the container doesn't accept it.
  func seal() throws { if let pack = writer.seal() { try send(pack, isBeside: false) } }

  /// Removes chunks that a commit references now.
  func drop(_ chunks: [ChunkEntry]) { for chunk in chunks { entries[chunk.name] = nil } }

  /// Removes all chunks: packs without a referencing entry may be deleted, so their chunks are
  /// stored again.
  func dropAll() { entries = [:] }

  /// Removes the chunks in packs of an older generation. These are closed, so the chunks are read
  /// again.
  func dropClosed(below generation: UInt32) {
    forgetUnsent()
    entries = entries.filter { $0.value.pack.map { $0.generation >= generation } ?? true }
  }

  /// Forgets the chunks that couldn't be stored. If their files still have to be sent, they are
  /// read again when the container accepts something.
  func forgetUnsent() {
    if let errand = sending {
      sending = nil
      // Its failure is the reason that nothing more is sent, and no entry references what it
      // stored.
      do { _ = try errand.wait() } catch {}
    }
    for entry in unsent.flatMap(\.entries) { entries[entry.name] = nil }
    unsent = []
    writer.forget()
  }

  // MARK: Sending

  /// Stores the packs that the container hasn't accepted yet.
  /// - Throws: `CloudError` if it doesn't accept them.
  func sendUnsent() throws {
    try finishSending()
    while let pack = unsent.first {
      let isStored: Bool
      do { isStored = try store.puts(pack.key, pack.bytes) } catch { throw CloudError(error) }
      try noteSent(isStored)
    }
  }

  /// Stores a pack, with `isBeside` while the next one is filled. A pack that can't be stored now
  /// is kept, because ingested contents refer to it.
  private func send(_ pack: SealedPack, isBeside: Bool) throws {
    unsent.append(pack)
    for entry in pack.entries { entries[entry.name] = entry }
    guard isBeside else { return try sendUnsent() }
    try finishSending()
    guard let first = unsent.first else { return }
    sending = BackgroundTask { [store] in try store.puts(first.key, first.bytes) }
  }

  /// Waits for the pack that is being stored.
  private func finishSending() throws {
    guard let errand = sending else { return }
    sending = nil
    let isStored: Bool
    do { isStored = try errand.wait() } catch let error as StoreError { throw CloudError(error) }
    try noteSent(isStored)
  }

  /// Notes that the first pack was stored. If there are other bytes under its name, it gets another
  /// name.
  private func noteSent(_ isStored: Bool) throws {
    guard isStored else {
      let key = unsent[0].key
      unsent[0].rename()
      guard unsent[0].renamed.isMultiple(of: 4) else { return }
      throw CloudError(
        .serviceUnavailable, "other bytes stand wherever a pack is put, as under \(key)",
        remedy: "see who else writes into the container; it is tried again")
    }
    Diagnostics.transfer.debug("pack stored", [.value("bytes", unsent[0].bytes.count)])
    // The log may have got into trouble in between.
    for entry in unsent.removeFirst().entries { entries[entry.name] = entry }
  }
}
