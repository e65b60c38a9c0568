import CairnZone
import Foundation
import GRDB
import SwiftProtobuf

/// What stands in the columns of an index file, and the values it stands for. An index holds only
/// what this program wrote, so a value that can't be read means a damaged file.
enum IndexRow {
  static let selectRecord = """
    SELECT r.*, c.user AS created_user, c.device AS created_device,
      m.user AS changed_user, m.device AS changed_device
    FROM record r JOIN author c ON c.number = r.created_by JOIN author m ON m.number = r.changed_by
    WHERE r.zone = ?
    """

  static func bytes(_ row: Row, _ column: String) -> [UInt8] {
    let data: Data? = row[column]
    return data.map { [UInt8]($0) } ?? []
  }

  static func id(_ row: Row, _ column: String) throws -> RecordID {
    guard let id = RecordID(bytes: bytes(row, column)) else { throw damaged(column) }
    return id
  }

  static func damaged(_ what: String) -> DatabaseError {
    DatabaseError(resultCode: .SQLITE_CORRUPT, message: "unreadable \(what) in the index")
  }

  static func header(_ row: Row, zone: ZoneID) throws -> ZoneHeader {
    var header = ZoneHeader(zone: zone)
    let sequence: Int64 = row["sequence"]
    let epoch: Int64 = row["epoch"]
    header.sequence = UInt64(sequence)
    header.epoch = UInt64(epoch)
    guard let head = Bytes32(bytes(row, "head")) else { throw damaged("head") }
    header.head = head
    if let name: String = row["name"] {
      guard let founder = UserID(bytes: bytes(row, "founder")) else { throw damaged("founder") }
      header.genesis = Genesis(owner: founder, name: name)
    }
    if let facts: Data = row["facts"] { try take([UInt8](facts), into: &header) }
    return header
  }

  static func record(_ row: Row) throws -> Record {
    let typeText: String = row["type"]
    var place: Place?
    if let parent = RecordID(bytes: bytes(row, "parent")), let name = FileName(bytes(row, "name")) {
      place = Place(parent: parent, name: name)
    }
    var content: Content?
    if let id = ContentID(bytes: bytes(row, "content")) {
      let size: Int64 = row["size"]
      content = Content(id: id, size: UInt64(size), chunks: try chunks(bytes(row, "chunks")))
    }
    let target: Data? = row["target"]
    let fields: Data? = row["fields"]
    return Record(
      id: try id(row, "id"), type: type(typeText), place: place, content: content,
      target: target.map { [UInt8]($0) },
      attributes: Attributes(isExecutable: row["executable"], modified: row["modified"]),
      fields: try fields.map { try decodeFields([UInt8]($0)) } ?? [:],
      created: try stamp(row, "created"), changed: try stamp(row, "changed"))
  }

  private static func stamp(_ row: Row, _ which: String) throws -> Stamp {
    let sequence: Int64 = row[which]
    guard let user = UserID(bytes: bytes(row, which + "_user")),
      let device = DeviceID(bytes: bytes(row, which + "_device"))
    else { throw damaged(which) }
    return Stamp(
      sequence: UInt64(sequence), user: user, device: device, time: row[which + "_time"])
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
