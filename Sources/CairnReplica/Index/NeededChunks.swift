import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// The chunks of a zone's older packs, and the needed ones among them. A zone of many gigabytes has
/// many: they are read at once, in the order of the index, and each takes no more space than its
/// name, its pack and its length. It must not know who needs them.
public struct NeededChunks {
  /// Ascending names. A chunk of both the zone and its past, possibly in two packs, is here twice.
  /// The other arrays are about the chunks at the same indexes.
  private var names: [ChunkName] = []
  /// Each chunk's pack, by its index among all.
  private var places: [UInt32] = []
  /// The number of bytes of its pack that each takes; 0 for invalid chunks.
  private var lengths: [UInt32] = []
  private var marks: [Mark] = []
  private var all: [PackName] = []

  private struct Mark: OptionSet {
    let rawValue: UInt8
    static let isNeeded = Mark(rawValue: 1)
    /// The zone has the chunk.
    static let isOfZone = Mark(rawValue: 2)
    /// The chunk left the zone with a history cutoff.
    static let isOfPast = Mark(rawValue: 4)
  }

  /// Reads all chunks in packs of older generations, as not needed.
  /// - Parameters:
  ///   - rows: The rows of the zone.
  ///   - generation: The first newer generation.
  /// - Throws: errors of SQLite.
  init(_ rows: ZoneRows, below generation: UInt32) throws {
    var known: [PackName: UInt32] = [:]
    var query = try rows.query(
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

  /// Marks chunks as needed, as far as they are in older packs.
  mutating func need(_ chunks: [ChunkName]) {
    for name in chunks {
      var number = first(of: name)
      while number < names.count, names[number] == name {
        marks[number].insert(.isNeeded)
        number += 1
      }
    }
  }

  /// Marks all chunks except these as needed.
  mutating func needAll(but forgotten: Set<ChunkName>) {
    for number in names.indices where !forgotten.contains(names[number]) {
      marks[number].insert(.isNeeded)
    }
  }

  /// The first index of a chunk, also if it is missing.
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

  /// The packs with a needed chunk.
  var packs: Set<PackName> { Set(needed.map { all[Int(places[$0])] }) }

  /// The number of needed bytes in each of these packs, plus one. Packs that cannot be repacked,
  /// because later participants must not see their content, have the maximum.
  public var bytes: [PackName: UInt64] {
    var bytes: [UInt64] = all.map { _ in 0 }
    for number in needed {
      let place = Int(places[number])
      let more = marks[number].contains(.isOfPast) ? UInt64.max : UInt64(lengths[number])
      bytes[place] = max(bytes[place], 1).adding(saturating: more)
    }
    return Dictionary(uniqueKeysWithValues: zip(all, bytes)).filter { $0.value > 0 }
  }

  /// The needed chunks in some packs that may be repacked: those that the zone still has.
  func movable(in packs: Set<PackName>) -> [ChunkName] {
    needed.filter { marks[$0].contains(.isOfZone) && packs.contains(all[Int(places[$0])]) }
      .map { names[$0] }
  }
}
