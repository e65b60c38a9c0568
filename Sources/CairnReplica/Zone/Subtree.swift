import CairnIdentity
import CairnIndex
import CairnZone

/// A directory of a zone with everything below it, or one file, that moves to another zone of the
/// same owner. The records keep their ids, and their chunk entries name the present location of the
/// bytes, so that no content is stored again. A value; it must not know the other zone.
public struct Subtree {
  /// The part of it that fits into one commit.
  public struct Batch: Sendable {
    /// The changes that create the records in the other zone.
    public var records: [RecordChange] = []
    /// The chunks that these records need.
    public var chunks: [ChunkEntry] = []
    var bytes = 0
  }

  /// The directory or file itself.
  public let top: Record
  /// Everything below it, parents before children.
  public let below: [Record]
  /// The typed records of the zone, if they move, too.
  public let typed: [Record]
  /// The position of the zone's log at the time of the read.
  public let sequence: UInt64
  private let chunks: [ChunkName: ChunkEntry]

  /// Reads the present records of the zone, without the given ones and everything below them.
  /// `isAll` says that all of the zone moves. Then its typed records, which are in no directory,
  /// move, too.
  public init(
    _ id: RecordID, in view: ZoneView, without others: Set<RecordID> = [], isAll: Bool = false
  ) throws {
    guard let top = try view.record(id) else {
      throw CloudError(
        .unknownItem, "there is no record \(id) in the zone any more",
        remedy: "look again with `cairn ls`")
    }
    self.top = top
    sequence = view.header.sequence
    let found = top.type == .directory ? try view.state.records.descendants(of: id) : []
    let children = Dictionary(grouping: found.filter { !others.contains($0.id) }) {
      $0.place?.parent ?? .root
    }
    var ordered: [Record] = []
    var next = children[id] ?? []
    while !next.isEmpty {
      ordered += next
      next = next.flatMap { $0.type == .directory ? children[$0.id] ?? [] : [] }
    }
    below = ordered
    typed = try isAll ? view.state.records.allTyped().values.sorted { $0.id < $1.id } : []
    var chunks: [ChunkName: ChunkEntry] = [:]
    for content in ([top] + ordered + typed).flatMap(\.contents) {
      for name in content.chunks where chunks[name] == nil {
        chunks[name] = try view.state.chunks.entry(name)
      }
    }
    self.chunks = chunks
  }

  /// A Boolean value that indicates whether a part of it is shared by itself already.
  public var holdsReferences: Bool { below.contains { $0.type == .reference } }

  /// The directory or file, and everything below it.
  public var all: [Record] { [top] + below }

  /// Returns the records in their form in another zone. The directory is its root, if the part is
  /// all of that zone. Otherwise the directory or file is in its root under that name.
  public func records(in part: ZonePart, named name: FileName) -> [Record] {
    guard part.isWhole else {
      var first = top
      first.place = Place(parent: .root, name: name)
      return [first] + below
    }
    return below.map { record in
      var record = record
      if record.place?.parent == top.id { record.place?.parent = .root }
      return record
    }
  }

  /// Returns the changes that add these records to a zone, one batch for each commit. `isKnown`
  /// tells which chunks the zone has already.
  public func batches(
    _ changes: [RecordChange], isKnown: (ChunkName) throws -> Bool = { _ in false }
  ) throws -> [Batch] {
    try Self.batches(changes, of: [self], isKnown: isKnown)
  }

  /// Returns the changes that add the records of several subtrees to a zone, one batch for each
  /// commit.
  public static func batches(
    _ changes: [RecordChange], of subtrees: [Subtree],
    isKnown: (ChunkName) throws -> Bool = { _ in false }
  ) throws -> [Batch] {
    var batches: [Batch] = []
    var batch = Batch()
    var sent: Set<ChunkName> = []
    for change in changes {
      batch.records.append(change)
      batch.bytes += 200
      for name in change.contents.flatMap(\.chunks) where sent.insert(name).inserted {
        let entry = subtrees.lazy.compactMap { $0.chunks[name] }.first
        guard let entry, try !isKnown(name) else { continue }
        batch.chunks.append(entry)
        batch.bytes += entry.place.count + 64
      }
      if batch.bytes > 4 << 20 {
        batches.append(batch)
        batch = Batch()
      }
    }
    if !batch.records.isEmpty { batches.append(batch) }
    return batches
  }
}

extension RecordChange {
  /// Creates the record again, unchanged.
  public init(creating record: Record) {
    var isTyped = false
    if case .typed = record.type { isTyped = true }
    self.init(
      id: record.id, act: .create(record.type), place: record.place, content: record.content,
      target: record.target, attributes: isTyped ? nil : record.attributes,
      fields: record.fields.mapValues { $0 })
  }

  /// Changes the record into its state there; nil if it has that state already.
  public init?(turning old: Record, into new: Record) {
    guard
      old.place != new.place || old.content != new.content || old.target != new.target
        || old.attributes != new.attributes
    else { return nil }
    self.init(
      id: new.id, act: .update, place: new.place, content: new.content, target: new.target,
      attributes: new.attributes)
  }
}

extension RecordTable {
  /// Returns all records below a directory, in no order.
  public func descendants(of directory: RecordID) throws -> [Record] {
    var query = try rows.query(
      """
      WITH RECURSIVE below(id) AS (
        SELECT id FROM record INDEXED BY record_parent WHERE zone = ?1 AND parent = ?2
        UNION SELECT r.id FROM below b
          JOIN record r INDEXED BY record_parent ON r.zone = ?1 AND r.parent = b.id)
      """ + IndexRow.selectRecord + " AND r.id IN (SELECT id FROM below)")
    query.bind(directory)
    query.bind(rows.number)
    return try read(query)
  }

  /// Returns the references in the zone.
  func references() throws -> [Record] {
    var query = try rows.query(
      "SELECT id FROM record INDEXED BY record_reference WHERE zone = ? AND type = 'reference'")
    var found: [Record] = []
    while try query.next() {
      if let record = try query.id(0).flatMap({ try record($0) }) { found.append(record) }
    }
    return found
  }
}

extension ZoneView {
  /// Returns the references to parts in other zones of the same owner. A reference by anybody else
  /// doesn't count, because it leads nowhere.
  public func references() throws -> [Record] {
    try state.records.references().filter { $0.created.user == state.header.owner }
  }

  /// Returns whether content may refer to that chunk.
  public func hasChunk(_ name: ChunkName) throws -> Bool { try state.hasChunk(name) }
}
