import CairnDiagnostics
import CairnStore
import CairnThreads
import CairnZone

/// The chunks that this device brings into a zone, from their bytes to the commit that names them:
/// they fill packs, which the container takes, or go into the commit itself. It owns what no commit
/// named yet; it must not know logs. One owner.
final class LooseChunks {
  private let store: any ObjectStore
  private let writer: PackWriter
  /// Chunks that stand in packs of the container, or wait for one, and that no commit named yet.
  private var entries: [ChunkName: ChunkEntry] = [:]
  /// Packs that the container didn't take yet, two at most.
  private var unsent: [SealedPack] = []
  /// The storing of the first of them, where that is done beside everything else.
  private var sending: Errand<Bool>?

  /// New packs lie with `owner`.
  init(_ store: any ObjectStore, owner: UserID) {
    self.store = store
    writer = PackWriter(owner: owner)
  }

  /// With whom new packs lie.
  var owner: UserID { writer.owner }

  /// Has new packs be of that owner, and of the generation that is open.
  func begin(owner: UserID?, generation: UInt32) {
    if let owner { writer.owner = owner }
    writer.generation = generation
  }

  /// Whether the chunk needn't be read again for a commit.
  func has(_ name: ChunkName) -> Bool { entries[name] != nil || writer.contains(name) }

  /// The chunk as a commit brings it, if it stands in a pack.
  subscript(_ name: ChunkName) -> ChunkEntry? { entries[name] }

  /// Takes a chunk; a pack that is full by it is stored, with `isBeside` on a thread of its own.
  /// - Throws: `CloudError` if the container doesn't take it.
  func add(_ name: ChunkName, _ bytes: UnsafeRawBufferPointer, isBeside: Bool = false) throws {
    if let pack = writer.add(name, bytes) { try send(pack, isBeside: isBeside) }
  }

  /// Takes a chunk that another zone of the same owner has stored.
  func borrow(_ entry: ChunkEntry) { entries[entry.name] = entry }

  /// The entries of those of the chunks that wait here: inside the commit if they are small, in a
  /// pack otherwise, which is stored before this returns.
  /// - Throws: `CloudError` if the container doesn't take it.
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

  /// Stores what waits, as a pack.
  /// - Throws: `CloudError` if the container doesn't take it.
  func seal() throws { if let pack = writer.seal() { try send(pack, isBeside: false) } }

  /// A commit names them now.
  func drop(_ chunks: [ChunkEntry]) { for chunk in chunks { entries[chunk.name] = nil } }

  /// Packs that no entry names may be gone: what they hold is stored anew.
  func dropAll() { entries = [:] }

  /// Packs of an older generation are closed: what they hold is read again.
  func dropClosed(below generation: UInt32) {
    forgetUnsent()
    entries = entries.filter { $0.value.pack.map { $0.generation >= generation } ?? true }
  }

  /// Forgets the chunks that couldn't be stored: whose they are is read again when the container
  /// takes something, if it still is to be sent by then.
  func forgetUnsent() {
    if let errand = sending {
      sending = nil
      // That it failed is why nothing more is sent; what it stored nobody names.
      do { _ = try errand.wait() } catch {}
    }
    for entry in unsent.flatMap(\.entries) { entries[entry.name] = nil }
    unsent = []
    writer.forget()
  }

  // MARK: Sending

  /// Stores the packs that the container didn't take yet.
  /// - Throws: `CloudError` if it doesn't take them.
  func sendUnsent() throws {
    try finishSending()
    while let pack = unsent.first {
      let isStored: Bool
      do { isStored = try store.puts(pack.key, pack.bytes) } catch { throw CloudError(error) }
      try noteSent(isStored)
    }
  }

  /// Stores a pack, with `isBeside` while the next one is filled. What can't be stored now is kept:
  /// contents that were ingested refer to it.
  private func send(_ pack: SealedPack, isBeside: Bool) throws {
    unsent.append(pack)
    for entry in pack.entries { entries[entry.name] = entry }
    guard isBeside else { return try sendUnsent() }
    try finishSending()
    guard let first = unsent.first else { return }
    sending = Errand { [store] in try store.puts(first.key, first.bytes) }
  }

  /// Waits for the pack that is being stored.
  private func finishSending() throws {
    guard let errand = sending else { return }
    sending = nil
    let isStored: Bool
    do { isStored = try errand.wait() } catch let error as StoreError { throw CloudError(error) }
    try noteSent(isStored)
  }

  /// The first pack was put; where other bytes stand under its name, it takes another one.
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
    // Trouble with the log may have come in between.
    for entry in unsent.removeFirst().entries { entries[entry.name] = entry }
  }
}
