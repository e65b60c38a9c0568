import CairnZone
import Synchronization

/// Notes of chunks in stored packs that no commit references yet. They outlive the process.
protocol LooseChunkNotes: Sendable {
  /// Returns the noted chunks that still have no commit.
  func all() throws -> [ChunkEntry]
  /// Notes chunks.
  func note(_ entries: [ChunkEntry]) throws
  /// Forgets chunks.
  func forget(_ entries: [ChunkEntry]) throws
}

/// The new chunks of this device that no commit references yet: in packs that the container has, or
/// small enough for a commit. `PackSender` adds them, on any thread and without the lock of the
/// zone; a commit takes them. It owns their entries, and must not know stores or logs. The index
/// notes those in large packs, for the next start.
final class LooseChunks: Sendable {
  /// The conditions for new packs, from the header of the zone.
  struct Terms: Hashable, Sendable {
    /// The owner of new packs.
    var owner: UserID
    /// The open generation of packs.
    var generation: UInt32 = 0
    /// A Boolean value that indicates whether this person can edit the zone. Otherwise a content
    /// gets an id, and nothing is stored.
    var mayStore = true
  }

  private struct State {
    var terms: Terms
    var entries: [ChunkName: ChunkEntry] = [:]
    /// The number of bytes that the next commit contains by itself.
    var inlineBytes = 0
    /// The number of times that all chunks were dropped.
    var era = 0
    /// The chunks that the index notes.
    var noted: Set<ChunkName> = []
    /// The noted chunks of an earlier run, by their packs. Nobody has checked these packs yet.
    var earlier: [PackStamp: [ChunkEntry]] = [:]
    /// The pack of each of these chunks.
    var earlierPacks: [ChunkName: PackStamp] = [:]
  }

  private let state: Mutex<State>
  private let notes: (any LooseChunkNotes)?

  /// The size in bytes from which a pack's chunks are noted. Storing a smaller one again costs less
  /// than a transaction for each small file.
  private static let leastNoted = 1 << 20

  /// Creates a value with the noted chunks. New packs belong to `owner`.
  /// - Parameters:
  ///   - owner: The owner of the zone.
  ///   - notes: The notes; nil if nothing is noted.
  /// - Throws: Any SQLite error.
  init(owner: UserID, notes: (any LooseChunkNotes)? = nil) throws {
    self.notes = notes
    var first = State(terms: Terms(owner: owner))
    for entry in try notes?.all() ?? [] {
      guard let pack = entry.pack else { continue }
      first.noted.insert(entry.name)
      first.earlier[pack, default: []].append(entry)
      first.earlierPacks[entry.name] = pack
    }
    state = Mutex(first)
  }

  /// The conditions for new packs.
  var terms: Terms { state.withLock { $0.terms } }

  /// The owner of new packs.
  var owner: UserID { terms.owner }

  /// The number of times that all chunks were dropped. A pack that was stored in an earlier era is
  /// not published.
  var era: Int { state.withLock { $0.era } }

  /// Sets the conditions for new packs. Chunks in packs of an older generation are dropped: these
  /// packs are closed, so the chunks are read again.
  func begin(_ terms: Terms) {
    state.withLock { state in
      let isRaised = terms.generation > state.terms.generation
      state.terms = terms
      guard isRaised else { return }
      state.entries = state.entries.filter { Self.isOpen($0.value, terms) }
    }
  }

  private static func isOpen(_ entry: ChunkEntry, _ terms: Terms) -> Bool {
    entry.pack.map { $0.generation >= terms.generation } ?? true
  }

  /// Returns whether a commit can reference the chunk without reading it again.
  func has(_ name: ChunkName) -> Bool { self[name] != nil }

  /// The entry of the chunk for a commit.
  subscript(_ name: ChunkName) -> ChunkEntry? {
    state.withLock { $0.entries[name].map(Self.forCommit) }
  }

  /// A commit leaves the pack of a chunk that begins with another one to the zone.
  private static func forCommit(_ entry: ChunkEntry) -> ChunkEntry {
    var entry = entry
    if entry.after != nil { entry.pack = nil }
    return entry
  }

  /// Adds the chunks of a pack that the container has.
  /// - Parameters:
  ///   - pack: The pack.
  ///   - era: The era in which it was begun.
  /// - Throws: Any SQLite error, if they can't be noted. They are added nevertheless.
  func add(_ pack: SealedPack, in era: Int) throws {
    let isLarge = pack.bytes.count >= Self.leastNoted && notes != nil
    let isAdded = state.withLock { state in
      guard state.era == era, pack.entries.allSatisfy({ Self.isOpen($0, state.terms) }) else {
        return false
      }
      for entry in pack.entries {
        state.entries[entry.name] = entry
        if isLarge { state.noted.insert(entry.name) }
      }
      return true
    }
    if isAdded, isLarge { try notes?.note(pack.entries) }
  }

  /// Returns the chunks of an earlier run in the same pack as this one; empty if no earlier run
  /// stored it, or its pack is closed.
  func earlier(with name: ChunkName) -> [ChunkEntry] {
    state.withLock { state in
      guard let pack = state.earlierPacks[name], pack.generation >= state.terms.generation else {
        return []
      }
      return state.earlier[pack] ?? []
    }
  }

  /// Takes in the result of a check of an earlier run's pack.
  /// - Parameters:
  ///   - entries: The chunks that `earlier` returned.
  ///   - isStored: A Boolean value that indicates whether the container has the pack.
  ///   - era: The era before the check.
  /// - Throws: Any SQLite error.
  func settle(_ entries: [ChunkEntry], isStored: Bool, in era: Int) throws {
    state.withLock { state in
      for entry in entries {
        if let pack = state.earlierPacks.removeValue(forKey: entry.name) {
          state.earlier[pack] = nil
        }
        if !isStored { state.noted.remove(entry.name) }
      }
    }
    if isStored { add(entries, in: era) } else { try notes?.forget(entries) }
  }

  /// Returns those of a commit's chunks that the index notes.
  func noted(of chunks: [ChunkEntry]) -> [ChunkName] {
    state.withLock { state in
      state.noted.isEmpty ? [] : chunks.map(\.name).filter { state.noted.contains($0) }
    }
  }

  /// Adds chunks that the container has, or that another zone of the same owner has stored.
  /// - Parameters:
  ///   - entries: The chunks.
  ///   - era: The era in which they were stored.
  func add(_ entries: [ChunkEntry], in era: Int) {
    state.withLock { state in
      guard state.era == era else { return }
      for entry in entries where Self.isOpen(entry, state.terms) {
        state.entries[entry.name] = entry
      }
    }
  }

  /// Adds chunks that a commit contains, unless they are too many together with others.
  /// - Parameters:
  ///   - bytes: The number of their bytes.
  ///   - entries: A function that returns them.
  /// - Returns: false if they have to be stored in a pack.
  func addInline(_ bytes: Int, _ entries: () -> [ChunkEntry]?) -> Bool {
    state.withLock { state in
      guard state.inlineBytes + bytes <= PackWriter.inlineLimit, let entries = entries() else {
        return false
      }
      state.inlineBytes += bytes
      for entry in entries { state.entries[entry.name] = entry }
      return true
    }
  }

  /// Adds a chunk that begins with one of the zone, unless the pack of that one is closed, or there
  /// are too many bytes or such chunks for the next commit. It replaces another one that begins
  /// with the same chunk: the file went on growing before a commit took that one.
  /// - Parameters:
  ///   - entry: The chunk. Its pack is that of the other one.
  ///   - era: The era before the other one was found.
  /// - Returns: false if the whole chunk has to be stored.
  func addGrown(_ entry: ChunkEntry, in era: Int) -> Bool {
    state.withLock { state in
      let bytes = state.inlineBytes + entry.place.count
      let others = state.entries.values.filter { $0.after != nil }
      for other in others where other.after == entry.after { state.entries[other.name] = nil }
      guard state.era == era, state.terms.mayStore, Self.isOpen(entry, state.terms),
        bytes <= PackWriter.inlineLimit, others.count < ChunkEntry.mostAfter
      else { return false }
      state.inlineBytes = bytes
      state.entries[entry.name] = entry
      return true
    }
  }

  /// Returns the entries of those of the chunks that are here, for a commit.
  func take(_ needed: Set<ChunkName>) -> [ChunkEntry] {
    state.withLock { state in
      state.inlineBytes = 0
      return needed.sorted().compactMap { state.entries[$0].map(Self.forCommit) }
    }
  }

  /// Removes chunks that a commit references now.
  func drop(_ chunks: [ChunkEntry]) {
    state.withLock { state in
      for chunk in chunks {
        state.entries[chunk.name] = nil
        state.noted.remove(chunk.name)
      }
    }
  }

  /// Removes all chunks: packs without a referencing entry may be deleted, so their chunks are
  /// stored again. The notes stay: after the next start their packs are checked before use.
  func dropAll() {
    state.withLock { state in
      (state.entries, state.earlier, state.earlierPacks) = ([:], [:], [:])
      state.inlineBytes = 0
      state.era += 1
    }
  }
}
