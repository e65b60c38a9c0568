import CairnControl
import CairnReplica
import CairnZone

/// The operation that lists the types of records in a zone.
struct SchemaOperations: Operations {
  let shares: Shares

  /// The approximate number of records that are read at a time.
  private static let portion = 512

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Schema.self) { try schema($0, $1) }
  }

  private func schema(
    _ request: Control.Schema, _ stream: ResponseStream
  ) throws -> Control.SchemaReply {
    let zone = try shares.lately(try shares.zone(of: request.zone, for: Control.Schema.self))
    var count = SchemaCount()
    var place: UInt64 = 0
    let end = zone.header.sequence
    while place < end {
      place = try zone.read { view in
        let (ids, through) = try view.changes(after: place, limit: Self.portion)
        for id in ids { if let record = try view.record(id) { count.add(record) } }
        return through
      }
      stream.progress(
        Control.Progress(done: count.records, unit: "records", what: "reading the zone"))
    }
    return Control.SchemaReply(zone: zone.id.description, types: count.types)
  }
}

/// Types and fields as seen in records, and how often. It must not know where records come from.
struct SchemaCount {
  private struct Field: Hashable {
    var name: String
    var kind: Control.FieldKind?
    var isList = false
  }

  private struct Seen {
    var records = 0
    var fields: [Field: Int] = [:]
  }

  private var seen: [RecordType: Seen] = [:]

  /// The number of counted records.
  var records: Int64 { seen.values.reduce(0) { $0 + Int64($1.records) } }

  /// Counts a record.
  mutating func add(_ record: Record) {
    var entry = seen[record.type] ?? Seen()
    entry.records += 1
    for field in Self.fields(of: record) { entry.fields[field, default: 0] += 1 }
    seen[record.type] = entry
  }

  /// The counted types in the order of the answer.
  var types: [Control.RecordSchema] {
    seen.map { type, seen in
      let fields = seen.fields.map { field, records in
        Control.SchemaField(
          name: field.name, kind: field.kind, list: field.isList, records: records)
      }
      return Control.RecordSchema(
        type: type.told, builtIn: type.isBuiltIn, records: seen.records,
        fields: fields.sorted {
          ($0.name, $0.list ? 1 : 0, $0.kind?.rawValue ?? "")
            < ($1.name, $1.list ? 1 : 0, $1.kind?.rawValue ?? "")
        })
    }
    .sorted { ($0.builtIn ? 0 : 1, $0.type) < ($1.builtIn ? 0 : 1, $1.type) }
  }

  private static func fields(of record: Record) -> Set<Field> {
    guard record.type.isBuiltIn else {
      return Set(record.fields.map { field(named: $0.key, of: $0.value) })
    }
    var fields: Set<Field> = []
    if record.place != nil { fields.insert(Field(name: "name", kind: .bytes)) }
    if record.content != nil { fields.insert(Field(name: "content", kind: .asset)) }
    switch record.type {
    case .file:
      fields.formUnion([
        Field(name: "executable", kind: .boolean), Field(name: "modified", kind: .date),
      ])
    case .directory: fields.insert(Field(name: "modified", kind: .date))
    case .symlink:
      fields.formUnion([
        Field(name: "target", kind: .bytes), Field(name: "modified", kind: .date),
      ])
    case .reference: fields.insert(Field(name: "target", kind: .reference))
    case .typed: break
    }
    if record.attributes.mode != nil { fields.insert(Field(name: "mode", kind: .integer)) }
    for name in (record.attributes.extended ?? [:]).keys {
      fields.insert(Field(name: Control.Path(name).description, kind: .bytes))
    }
    return fields
  }

  private static func field(named name: String, of value: FieldValue) -> Field {
    guard case .list(let values) = value else { return Field(name: name, kind: kind(of: value)) }
    return Field(name: name, kind: values.first.flatMap { kind(of: $0) }, isList: true)
  }

  private static func kind(of value: FieldValue) -> Control.FieldKind? {
    switch value {
    case .bytes: .bytes
    case .text: .text
    case .integer: .integer
    case .number: .number
    case .boolean: .boolean
    case .date: .date
    case .location: .location
    case .reference: .reference
    case .asset: .asset
    // None is in another one.
    case .list: nil
    }
  }
}

extension RecordType {
  /// The name for people.
  var told: String {
    switch self {
    case .file: "file"
    case .directory: "directory"
    case .symlink: "symlink"
    case .reference: "reference"
    case .typed(let name): name
    }
  }

  /// A Boolean value that indicates whether folders consist of it.
  var isBuiltIn: Bool {
    if case .typed = self { false } else { true }
  }
}
