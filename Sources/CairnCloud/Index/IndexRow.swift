import CairnIndex
import CairnZone
import FoundationEssentials
import SwiftProtobuf

/// What stands in the columns of an index file, and the values it stands for. An index holds only
/// what this program wrote, so a value that can't be read means a damaged file.
enum IndexRow {
  /// The columns are read by their places, as `record` says: looking for names costs more than
  /// everything else.
  static let selectRecord = """
    SELECT r.id, r.type, r.parent, r.name, r.content, r.size, r.chunks, r.target, r.executable,
      r.modified, r.fields, r.created, r.created_time, c.user, c.device,
      r.changed, r.changed_time, m.user, m.device
    FROM record r JOIN author c ON c.number = r.created_by JOIN author m ON m.number = r.changed_by
    WHERE r.zone = ?
    """

  static let selectOneRecord = selectRecord + " AND r.id = ?"

  static func damaged(_ what: String) -> IndexDamage { IndexDamage(what) }

  private static let selectZone = """
    SELECT number, founder, name, sequence, head, epoch, facts FROM zone WHERE zone = ?
    """

  /// The number of a zone and its header; nil if it has no row.
  static func zone(
    _ zone: ZoneID, _ db: IndexConnection
  ) throws -> (number: Int64, header: ZoneHeader)? {
    var row = try Query(db, selectZone)
    row.bind(zone.value)
    guard try row.next() else { return nil }
    var header = ZoneHeader(zone: zone)
    header.sequence = UInt64(row.integer(3))
    header.epoch = UInt64(row.integer(5))
    guard let head = row.bytes32(4) else { throw damaged("head") }
    header.head = head
    if let name = row.text(2) {
      guard let founder = row.bytes32(1) else { throw damaged("founder") }
      header.genesis = Genesis(owner: UserID(founder), name: name)
    }
    if let facts = row.bytes(6) { try take(facts, into: &header) }
    return (row.integer(0), header)
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
      attributes: Attributes(isExecutable: row.integer(8) != 0, modified: row.integer(9)),
      fields: try row.bytes(10).map { try decodeFields($0) } ?? [:],
      created: try stamp(row, from: 11), changed: try stamp(row, from: 15))
  }

  /// Sequence, time, user and device, from that column on.
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

  private static func type(_ text: String) -> RecordType {
    switch text {
    case "file": .file
    case "directory": .directory
    case "symlink": .symlink
    case "reference": .reference
    default: .typed(String(text.dropFirst()))
    }
  }

  static func chunkList(_ content: Content) -> [UInt8] { content.chunks.flatMap(\.bytes) }

  private static func chunks(_ bytes: [UInt8]) throws -> [ChunkName] {
    try stride(from: 0, to: bytes.count, by: 32).map { start in
      guard let name = ChunkName(bytes: bytes[start..<min(start + 32, bytes.count)]) else {
        throw damaged("chunk list")
      }
      return name
    }
  }
}

extension IndexRow {
  static func encode(_ fields: [String: FieldValue]) throws -> [UInt8] {
    var wire = IndexFields()
    for (name, value) in fields {
      var field = IndexField()
      switch value {
      case .bytes(let bytes): field.bytesValue = Data(bytes)
      case .text(let text): field.textValue = text
      case .integer(let number): field.integerValue = number
      }
      wire.values[name] = field
    }
    return try wire.serializedBytes()
  }

  private static func decodeFields(_ bytes: [UInt8]) throws -> [String: FieldValue] {
    try IndexFields(serializedBytes: bytes).values.mapValues { field in
      switch field.value {
      case .bytesValue(let data)?: return .bytes([UInt8](data))
      case .textValue(let text)?: return .text(text)
      case .integerValue(let number)?: return .integer(number)
      case nil: throw damaged("field")
      }
    }
  }
}
