import CairnControl
import CairnZone
import Testing

@testable import CairnDaemon

/// Types and fields as they occur in records.
@Suite struct SchemaTests {
  private func record(
    _ type: RecordType, _ number: UInt64, fields: [String: FieldValue] = [:],
    change: (inout Record) -> Void = { _ in }
  ) -> Record {
    let stamp = Stamp(
      sequence: 1, user: UserID(.zero), device: DeviceID(Bytes16(high: 0, low: 0)), time: 0)
    var record = Record(
      id: RecordID(Bytes16(high: 0, low: number)), type: type, place: nil,
      attributes: Attributes(isExecutable: false, modified: 0), fields: fields, created: stamp,
      changed: stamp)
    change(&record)
    return record
  }

  @Test func `types of folders come first, and each field has its type and its count`() {
    var count = SchemaCount()
    count.add(
      record(
        .typed("Task"), 1,
        fields: ["title": .text("a"), "tags": .list([.text("x")]), "done": .boolean(false)]))
    count.add(
      record(
        .typed("Task"), 2, fields: ["title": .text("b"), "tags": .list([]), "done": .integer(1)]))
    count.add(record(.directory, 3) { $0.attributes.mode = 0o755 })
    count.add(record(.directory, 4))
    // A program may give its own type any name.
    count.add(record(.typed("directory"), 5))
    #expect(count.records == 5)
    let types = count.types
    #expect(types.map(\.type) == ["directory", "Task", "directory"])
    #expect(types.map(\.builtIn) == [true, false, false] && types.map(\.records) == [2, 2, 1])
    #expect(
      types[0].fields == [
        Control.SchemaField(name: "mode", kind: .integer, records: 1),
        Control.SchemaField(name: "modified", kind: .date, records: 2),
      ])
    #expect(
      types[1].fields == [
        Control.SchemaField(name: "done", kind: .boolean, records: 1),
        Control.SchemaField(name: "done", kind: .integer, records: 1),
        Control.SchemaField(name: "tags", kind: nil, list: true, records: 1),
        Control.SchemaField(name: "tags", kind: .text, list: true, records: 1),
        Control.SchemaField(name: "title", kind: .text, records: 2),
      ])
    #expect(types[2].fields.isEmpty)
  }

  @Test func `extended attributes are fields, under names that can be printed`() {
    var count = SchemaCount()
    count.add(
      record(.file, 1) { $0.attributes.extended = [Array("user.a\u{1B}".utf8): [1]] })
    #expect(count.types.first?.fields.map(\.name) == ["executable", "modified", "user.a\\x1B"])
  }
}
