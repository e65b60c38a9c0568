import CairnZone
import Synchronization

/// The new chunks of this device that no commit references yet: in packs that the container has, or
/// small enough for a commit. `PackSender` adds them, on any thread and without the lock of the
/// zone; a commit takes them. It owns their entries, and must not know stores or logs.
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
  }

  private let state: Mutex<State>

  /// Creates a value without chunks. New packs belong to `owner`.
  init(owner: UserID) { state = Mutex(State(terms: Terms(owner: owner))) }

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
  subscript(_ name: ChunkName) -> ChunkEntry? { state.withLock { $0.entries[name] } }

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

  /// Returns the entries of those of the chunks that are here, for a commit.
  func take(_ needed: Set<ChunkName>) -> [ChunkEntry] {
    state.withLock { state in
      state.inlineBytes = 0
      return needed.sorted().compactMap { state.entries[$0] }
    }
  }

  /// Removes chunks that a commit references now.
  func drop(_ chunks: [ChunkEntry]) {
    state.withLock { state in for chunk in chunks { state.entries[chunk.name] = nil } }
  }

  /// Removes all chunks: packs without a referencing entry may be deleted, so their chunks are
  /// stored again.
  func dropAll() {
    state.withLock { state in
      state.entries = [:]
      state.inlineBytes = 0
      state.era += 1
    }
  }
}
