import CairnIndex
public import CairnZone

/// Typed records of a zone that move to another zone of the same owner together: some records, and
/// all records that refer to them. The records keep their ids, and their chunk entries name the
/// present location of the bytes, so that no content is stored again. A value; it must not know the
/// other zone.
public struct RecordGraph {
  /// The records that move, in the order of their ids.
  public let moved: [Record]
  /// The records that the moved ones refer to, and that stay. The other zone gets copies of them,
  /// so that each reference leads to a record there.
  public let copied: [Record]
  /// The position of the zone's log at the time of the read.
  public let sequence: UInt64
  private let chunks: [ChunkName: ChunkEntry]

  /// Reads the present records of the zone. Ids without a typed record are left out.
  /// - Complexity: All typed records of the zone are read.
  public init(_ ids: [RecordID], in view: ZoneView) throws {
    let all = try view.state.records.allTyped()
    var below: [RecordID: [RecordID]] = [:]
    for record in all.values {
      for target in record.references { below[target, default: []].append(record.id) }
    }
    let moved = Self.reached(from: ids.filter { all[$0] != nil }) { below[$0] ?? [] }
    let needed = Self.reached(from: Array(moved)) { id in
      all[id]?.references.filter { all[$0] != nil } ?? []
    }
    self.moved = moved.sorted().compactMap { all[$0] }
    copied = needed.subtracting(moved).sorted().compactMap { all[$0] }
    sequence = view.header.sequence
    var chunks: [ChunkName: ChunkEntry] = [:]
    for content in (self.moved + copied).flatMap(\.contents) {
      for name in content.chunks where chunks[name] == nil {
        chunks[name] = try view.state.chunks.entry(name)
      }
    }
    self.chunks = chunks
  }

  private static func reached(
    from ids: [RecordID], _ next: (RecordID) -> [RecordID]
  ) -> Set<RecordID> {
    var (found, waiting) = (Set(ids), ids)
    while let id = waiting.popLast() {
      for other in next(id) where found.insert(other).inserted { waiting.append(other) }
    }
    return found
  }

  /// Returns the chunks that these changes need and the other zone doesn't have.
  public func chunks(
    for changes: [RecordChange], isKnown: (ChunkName) throws -> Bool
  ) rethrows -> [ChunkEntry] {
    let names = Set(changes.flatMap(\.contents).flatMap(\.chunks))
    return try names.sorted().compactMap { try isKnown($0) ? nil : chunks[$0] }
  }
}

extension Record {
  /// The records that its fields refer to.
  fileprivate var references: [RecordID] { fields.values.flatMap(\.references) }
}

extension FieldValue {
  fileprivate var references: [RecordID] {
    switch self {
    case .reference(let id): [id]
    case .list(let values): values.flatMap(\.references)
    default: []
    }
  }
}
