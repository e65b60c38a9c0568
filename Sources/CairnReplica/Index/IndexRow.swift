import CairnIdentity
import CairnIndex
import CairnWire
import CairnZone
import FoundationEssentials
import SwiftProtobuf

/// The columns of an index file, and their values. An index contains only values from this program,
/// so an unreadable value means a damaged file.
public enum IndexRow {
  /// The columns are read by number, in the order of `record`: finding names costs more than
  /// everything else.
  static let selectRecord = """
    SELECT r.id, r.type, r.parent, r.name, r.content, r.size, r.chunks, r.target, r.executable,
      r.modified, r.fields, r.created, r.created_time, c.user, c.device,
      r.changed, r.changed_time, m.user, m.device, r.attributes
    FROM record r JOIN author c ON c.number = r.created_by JOIN author m ON m.number = r.changed_by
    WHERE r.zone = ?
    """

  /// The same for past versions, with their ends; `index` selects another search index than that of
  /// the ids.
  static func selectPast(by index: String? = nil) -> String {
    """
    SELECT r.id, r.type, r.parent, r.name, r.content, r.size, r.chunks, r.target, r.executable,
      r.modified, NULL, r.created, r.created_time, c.user, c.device,
      r.changed, r.changed_time, m.user, m.device, r.attributes,
      r.ended, r.ended_time, e.user, e.device, r.ending
    FROM past r \(index.map { "INDEXED BY " + $0 } ?? "")
    CROSS JOIN author c ON c.number = r.created_by CROSS JOIN author m ON m.number = r.changed_by
    CROSS JOIN author e ON e.number = r.ended_by
    WHERE r.zone = ?
    """
  }

  static let selectOneRecord = selectRecord + " AND r.id = ?"

  static func damaged(_ what: String) -> IndexDamage { IndexDamage(what) }

  private static let selectZone = "SELECT number, header FROM zone WHERE zone = ?"

  /// The number of a zone and its header; nil without a row.
  static func zone(
    _ zone: ZoneID, _ db: IndexConnection
  ) throws -> (number: Int64, header: ZoneHeader)? {
    var row = try Query(db, selectZone)
    row.bind(zone.value)
    guard try row.next() else { return nil }
    let header = try WireStateHeader(serializedBytes: row.bytes(1) ?? []).header()
    guard header.zone == zone else { throw damaged("header") }
    return (row.integer(0), header)
  }

  /// The headers of all zones of an index.
  public static func headers(_ db: IndexConnection) throws -> [ZoneHeader] {
    var rows = try Query(db, "SELECT header FROM zone")
    var headers: [ZoneHeader] = []
    while try rows.next() {
      headers.append(try WireStateHeader(serializedBytes: rows.bytes(0) ?? []).header())
    }
    return headers
  }

  /// A header in the form of its column.
  static func encode(_ header: ZoneHeader) -> [UInt8] {
    StoredMessage.encode(WireStateHeader(header))
  }

  /// Reads a row of `selectRecord`.
  static func record(_ row: borrowing Query) throws -> Record {
    guard let id = row.id(0) else { throw damaged("record id") }
    guard let type = row.text(1).map({ type($0) }) else { throw damaged("type") }
    var place: Place?
    if let parent = row.id(2), let name = FileName(row.bytes(3) ?? []) {
      place = Place(parent: parent, name: name)
    }
    var content: Content?
    if let id = row.bytes32(4) {
      content = Content(
        id: ContentID(id), size: UInt64(row.integer(5)), chunks: try chunks(row.bytes(6) ?? []))
    }
    return Record(
      id: id, type: type, place: place, content: content, target: row.bytes(7),
      attributes: try attributes(row),
      fields: try row.bytes(10).map { try decodeFields($0) } ?? [:],
      created: try stamp(row, from: 11), changed: try stamp(row, from: 15))
  }

  /// Reads a row of `selectPast`.
  static func version(_ row: borrowing Query) throws -> RecordVersion {
    guard let ending = RecordVersion.Ending(rawValue: UInt8(truncatingIfNeeded: row.integer(24)))
    else { throw damaged("ending") }
    return RecordVersion(
      record: try record(row),
      end: RecordVersion.End(stamp: try stamp(row, from: 20), ending: ending))
  }

  /// Sequence, time, user and device, starting at that column.
  private static func stamp(_ row: borrowing Query, from first: Int) throws -> Stamp {
    guard let user = row.bytes32(first + 2),
      let device = DeviceID(bytes: row.bytes(first + 3) ?? [])
    else { throw damaged("author") }
    return Stamp(
      sequence: UInt64(row.integer(first)), user: UserID(user), device: device,
      time: row.integer(first + 1))
  }

  static func text(_ type: RecordType) -> String {
    switch type {
    case .file: "file"
    case .directory: "directory"
    case .symlink: "symlink"
    case .reference: "reference"
    case .typed(let name): ":" + name
    }
  }

  static func type(_ text: String) -> RecordType {
    switch text {
    case "file": .file
    case "directory": .directory
    case "symlink": .symlink
    case "reference": .reference
    default: .typed(String(text.dropFirst()))
    }
  }

  /// Reads a row of name, size, place, pack and generation of a chunk.
  static func chunk(_ row: borrowing Query) throws -> ChunkEntry {
    guard let name = ChunkName(bytes: row.bytes(0) ?? []) else { throw damaged("chunk") }
    var entry = ChunkEntry(
      name: name, size: UInt32(truncatingIfNeeded: row.integer(1)), place: row.bytes(2) ?? [])
    if let pack = row.bytes(3) {
      guard let pack = PackName(bytes: pack) else { throw damaged("pack") }
      entry.pack = PackStamp(pack: pack, generation: UInt32(truncatingIfNeeded: row.integer(4)))
    }
    return entry
  }

  static func chunkList(_ content: Content) -> [UInt8] { content.chunks.flatMap(\.bytes) }

  static func chunks(_ bytes: [UInt8]) throws -> [ChunkName] {
    try stride(from: 0, to: bytes.count, by: 32).map { start in
      guard let name = ChunkName(bytes: bytes[start..<min(start + 32, bytes.count)]) else {
        throw damaged("chunk list")
      }
      return name
    }
  }
}

extension IndexRow {
  /// Fields in the form of their column; nil if there are none.
  static func encode(_ fields: [String: FieldValue]) -> [UInt8]? {
    guard !fields.isEmpty else { return nil }
    var wire = WireStateRecord()
    wire.fields = WireField.sorted(fields)
    return StoredMessage.encode(wire)
  }

  /// Fields of the form of their column.
  static func decodeFields(_ bytes: [UInt8]) throws -> [String: FieldValue] {
    try WireField.decoded(WireStateRecord(serializedBytes: bytes).fields).compactMapValues { $0 }
  }

  /// The attributes beside executable bit and time, in the form of one column; nil if there are
  /// none.
  static func encode(_ attributes: Attributes) -> [UInt8]? {
    guard attributes.mode != nil || attributes.extended != nil else { return nil }
    var wire = WireAttributes(attributes)
    wire.executable = false
    wire.modified = 0
    return StoredMessage.encode(wire)
  }

  private static func attributes(_ row: borrowing Query) throws -> Attributes {
    var attributes = Attributes(isExecutable: false, modified: 0)
    if let more = row.bytes(19) {
      attributes = try WireAttributes(serializedBytes: more).decoded()
    }
    attributes.isExecutable = row.integer(8) != 0
    attributes.modified = row.integer(9)
    return attributes
  }
}
