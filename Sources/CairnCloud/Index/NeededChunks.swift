import CairnIndex
import CairnStore
import CairnZone

/// The chunks of a zone's older packs, and which of them are needed. Of a zone of many gigabytes
/// they are many: they are read in one go, in the order in which the index has them, and each takes
/// no more room than its name, its pack and its length. It must not know who needs them.
struct NeededChunks {
  /// Ascending; what both the zone and its past have, perhaps in two packs, stands twice. The
  /// others are about the chunks in the same places.
  private var names: [ChunkName] = []
  /// Each chunk's pack, by its place among all.
  private var places: [UInt32] = []
  /// How many bytes of its pack each takes; 0 where that can't be understood.
  private var lengths: [UInt32] = []
  private var marks: [Mark] = []
  private var all: [PackName] = []

  private struct Mark: OptionSet {
    let rawValue: UInt8
    static let isNeeded = Mark(rawValue: 1)
    /// The zone has it.
    static let isOfZone = Mark(rawValue: 2)
    /// It left the zone with its past.
    static let isOfPast = Mark(rawValue: 4)
  }

  /// Begins with all chunks that stand in a pack of an older generation, of which nobody needs any.
  /// - Parameters:
  ///   - state: the zone.
  ///   - generation: the first one that isn't older.
  /// - Throws: what SQLite says.
  init(_ state: IndexedZone, below generation: UInt32) throws {
    var known: [PackName: UInt32] = [:]
    var query = try state.query(
      """
      SELECT name, size, place, pack, generation, 0 FROM chunk
      WHERE zone = ?1 AND pack IS NOT NULL AND generation < ?2
      UNION ALL SELECT name, size, place, pack, generation, 1 FROM past_chunk
      WHERE zone = ?1 AND pack IS NOT NULL AND generation < ?2
      ORDER BY name
      """)
    query.bind(Int64(generation))
    while try query.next() {
      let entry = try IndexRow.chunk(query)
      let mark: Mark = query.integer(5) != 0 ? .isOfPast : .isOfZone
      guard let pack = entry.pack?.pack else { continue }
      if known[pack] == nil {
        known[pack] = UInt32(all.count)
        all.append(pack)
      }
      names.append(entry.name)
      places.append(known[pack] ?? 0)
      lengths.append(Self.length(of: entry))
      marks.append(mark)
    }
  }

  private static func length(of entry: ChunkEntry) -> UInt32 {
    do throws(FormatError) {
      guard case .pack(let range, _) = try ChunkPlace(entry).position else { return 0 }
      return UInt32(clamping: range.length)
    } catch {
      // Nobody can read it, here or elsewhere.
      return 0
    }
  }

  // MARK: Who needs what

  /// Notes that somebody needs these, as far as they stand in older packs.
  mutating func need(_ chunks: [ChunkName]) {
    for name in chunks {
      var number = first(of: name)
      while number < names.count, names[number] == name {
        marks[number].insert(.isNeeded)
        number += 1
      }
    }
  }

  /// Notes that somebody needs all but these.
  mutating func needAll(but forgotten: Set<ChunkName>) {
    for number in names.indices where !forgotten.contains(names[number]) {
      marks[number].insert(.isNeeded)
    }
  }

  /// The first place at which a chunk stands, or would.
  private func first(of name: ChunkName) -> Int {
    var (low, high) = (0, names.count)
    while low < high {
      let middle = (low + high) / 2
      if names[middle] < name { low = middle + 1 } else { high = middle }
    }
    return low
  }

  // MARK: What that comes to

  private var needed: some Sequence<Int> {
    names.indices.lazy.filter { [marks] in marks[$0].contains(.isNeeded) }
  }

  /// The packs that hold anything that is needed.
  var packs: Set<PackName> { Set(needed.map { all[Int(places[$0])] }) }

  /// How many bytes of each of these packs are needed, and one more; all that there can be of what
  /// can't be packed anew, since it isn't to be seen by those who came later.
  var bytes: [PackName: UInt64] {
    var bytes: [UInt64] = all.map { _ in 0 }
    for number in needed {
      let place = Int(places[number])
      let more = marks[number].contains(.isOfPast) ? UInt64.max : UInt64(lengths[number])
      bytes[place] = max(bytes[place], 1).adding(saturating: more)
    }
    return Dictionary(uniqueKeysWithValues: zip(all, bytes)).filter { $0.value > 0 }
  }

  /// What is needed of some packs, and can be packed anew.
  func movable(in packs: Set<PackName>) -> [ChunkName] {
    needed.filter { marks[$0].contains(.isOfZone) && packs.contains(all[Int(places[$0])]) }
      .map { names[$0] }
  }
}
