import CairnZone
import Foundation
import GRDB
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

  static func bytes(_ row: Row, _ column: Int) -> [UInt8] {
    let data: Data? = row[column]
    return data.map { [UInt8]($0) } ?? []
  }

  /// The record id in the first column.
  static func id(_ row: Row) throws -> RecordID {
    guard let id = RecordID(bytes: bytes(row, 0)) else { throw damaged("record id") }
    return id
  }

  static func damaged(_ what: String) -> DatabaseError {
    DatabaseError(resultCode: .SQLITE_CORRUPT, message: "unreadable \(what) in the index")
  }

  static let selectZone = """
    SELECT number, founder, name, sequence, head, epoch, facts FROM zone WHERE zone = ?
    """

  /// Reads a row of `selectZone`.
  static func header(_ row: Row, zone: ZoneID) throws -> ZoneHeader {
    var header = ZoneHeader(zone: zone)
    let sequence: Int64 = row[3]
    let epoch: Int64 = row[5]
    header.sequence = UInt64(sequence)
    header.epoch = UInt64(epoch)
    guard let head = Bytes32(bytes(row, 4)) else { throw damaged("head") }
    header.head = head
    if let name = text(row, 2) {
      guard let founder = UserID(bytes: bytes(row, 1)) else { throw damaged("founder") }
      header.genesis = Genesis(owner: founder, name: name)
    }
    if let facts: Data = row[6] { try take([UInt8](facts), into: &header) }
    return header
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

  /// A text of others as SQLite takes it: one that has a NUL would end there, so it stands as a
  /// blob.
  static func value(_ text: String) -> DatabaseValue {
    text.utf8.contains(0) ? Data(text.utf8).databaseValue : text.databaseValue
  }

  /// The text that `value` made; nil if there is none.
  private static func text(_ row: Row, _ column: Int) -> String? {
    let value: DatabaseValue = row[column]
    switch value.storage {
    case .string(let text): return text
    case .blob(let data): return String(decoding: data, as: UTF8.self)
    case .null, .int64, .double: return nil
    }
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

extension [UInt8] {
  /// The bytes as SQLite takes them.
  var blob: Data { Data(self) }
}
