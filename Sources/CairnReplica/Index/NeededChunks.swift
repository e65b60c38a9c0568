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
  /// The chunks with which others begin, by the indexes of these: they take the same bytes, and the
  /// pieces behind them are in entries.
  private var starts: [Int: (name: ChunkName, pieces: UInt32)] = [:]
  private var marks: [Mark] = []
  private var all: [PackName] = []

  /// A payload in a pack.
  private struct Payload: Hashable {
    var name: ChunkName
    var place: Int
  }

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
      let (length, start) = Self.bytes(of: entry)
      starts[names.count] = start
      names.append(entry.name)
      places.append(known[pack] ?? 0)
      lengths.append(length)
      marks.append(mark)
    }
  }

  /// The number of bytes that a chunk takes in its pack, and the other chunk with which it begins,
  /// if they are the bytes of that one.
  private static func bytes(
    of entry: ChunkEntry
  ) -> (UInt32, start: (name: ChunkName, pieces: UInt32)?) {
    do throws(FormatError) {
      let place = try ChunkPlace(entry)
      guard case .pack(let range, _) = place.position else { return (0, nil) }
      let start = place.pieces.first.map {
        (name: $0.before, pieces: UInt32(clamping: place.pieces.bytes))
      }
      return (UInt32(clamping: range.length), start)
    } catch {
      // Nobody can read it, here or elsewhere.
      return (0, nil)
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

  /// The number of bytes that are written if the needed chunks of each of these packs are stored
  /// again, plus one: payloads, and pieces behind them. Packs that cannot be repacked,
  /// because later participants must not see their content, have the maximum.
  public var bytes: [PackName: UInt64] {
    var bytes: [UInt64] = all.map { _ in 0 }
    // Bytes count once for all chunks that begin with them.
    let shared = Set(starts.values.map(\.name))
    var counted: Set<Payload> = []
    for number in needed {
      let place = Int(places[number])
      let start = starts[number]
      let payload = Payload(name: start?.name ?? names[number], place: place)
      let isCounted = shared.contains(payload.name) && !counted.insert(payload).inserted
      let length = UInt64(isCounted ? 0 : lengths[number]) + UInt64(start?.pieces ?? 0)
      let more = marks[number].contains(.isOfPast) ? UInt64.max : length
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
