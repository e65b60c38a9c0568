import CairnZone
import Testing

/// The permitted changes of a record: acts, types, aspects, chunks, stamps.
struct RecordRulesTests {
  /// A directory 1 with a file 2, a directory 3, a file 4, a symlink 5 and a typed record 6.
  private func log() -> Log {
    Log.founded(
      [
        .directory(1, .root, "d"), .file(2, record(1), "f"), .directory(3, .root, "e"),
        .file(4, .root, "g"), .symlink(5, .root, "s"),
        .typed(6, ["a": .integer(1), "b": .text("x")]),
      ], chunks: [chunk(1)])
  }

  private func update(
    _ id: UInt64, place: Place? = nil, content: Content? = nil, target: [UInt8]? = nil,
    attributes: Attributes? = nil, fields: [String: FieldValue?] = [:],
    act: RecordChange.Act = .update
  ) -> RecordChange {
    RecordChange(
      id: record(id), act: act, place: place, content: content, target: target,
      attributes: attributes, fields: fields)
  }

  private func check(_ rows: [(String, [RecordChange], Refusal.Code?)]) {
    for (what, changes, code) in rows {
      var log = log()
      let before = log.zone
      #expect(log.append(changes).code == code, "\(what)")
      checkInvariants(log.zone, what)
      if code != nil {
        #expect(log.zone.records == before.records, "\(what)")
      }
    }
  }

  private let attributes = Attributes(isExecutable: true, modified: 5)

  @Test func `what may be created`() {
    var noName = RecordChange.typed(10)
    noName.act = .create(.typed(""))
    var typedSomewhere = RecordChange.typed(10)
    typedSomewhere.place = at(.root, "n")
    var typedExecutable = RecordChange.typed(10)
    typedExecutable.attributes = attributes
    var fileWithField = RecordChange.file(10, .root, "n")
    fileWithField.fields = ["a": nil]
    check([
      ("a file", [.file(10, .root, "n")], nil),
      ("a directory", [.directory(10, .root, "n")], nil),
      ("a symlink", [.symlink(10, .root, "n")], nil),
      ("a typed record", [.typed(10, ["a": .integer(1)])], nil),
      ("a typed record without fields", [.typed(10)], nil),
      ("an id in use", [.file(2, .root, "n")], .constraintViolation),
      ("the id of a typed record", [.file(6, .root, "n")], .constraintViolation),
      ("the root", [.directory(0, .root, "n")], .invalidArguments),
      ("a file without content", [.file(10, .root, "n", nil)], .invalidArguments),
      ("a symlink without target", [.symlink(10, .root, "n", nil)], .invalidArguments),
      ("no type name", [noName], .invalidArguments),
      ("a typed record with a place", [typedSomewhere], .invalidArguments),
      ("a typed record with attributes", [typedExecutable], .invalidArguments),
      ("a file with a field", [fileWithField], .invalidArguments),
      ("a file in no place", [update(10, content: empty, act: .create(.file))], .invalidArguments),
      ("a directory in no place", [update(10, act: .create(.directory))], .invalidArguments),
      (
        "a symlink in no place", [update(10, target: [1], act: .create(.symlink))],
        .invalidArguments
      ),
      ("two changes of one id", [.typed(10), .typed(10)], .invalidArguments),
      ("deletion and creation of one id", [.delete(4), .file(4, .root, "n")], .invalidArguments),
    ])
  }

  @Test func `what may be updated`() {
    check([
      ("content", [update(4, content: content([chunk(1)]))], nil),
      ("attributes", [update(4, attributes: attributes)], nil),
      ("place and content", [update(4, place: at(record(3), "n"), content: empty)], nil),
      ("a target", [update(5, target: [1])], nil),
      ("a field", [update(6, fields: ["a": nil])], nil),
      ("nothing", [update(4)], .invalidArguments),
      ("nothing of a typed record", [update(6)], .invalidArguments),
      ("an unknown record", [update(10, attributes: attributes)], .unknownItem),
      ("content of a directory", [update(1, content: empty)], .invalidArguments),
      ("content of a symlink", [update(5, content: empty)], .invalidArguments),
      ("content of a typed record", [update(6, content: empty)], .invalidArguments),
      ("a target of a file", [update(4, target: [1])], .invalidArguments),
      ("a target of a directory", [update(1, target: [1])], .invalidArguments),
      ("a field of a file", [update(4, fields: ["a": .integer(1)])], .invalidArguments),
      ("the place of a typed record", [update(6, place: at(.root, "n"))], .invalidArguments),
      ("attributes of a typed record", [update(6, attributes: attributes)], .invalidArguments),
      ("the root's place", [update(0, place: at(record(1), "n"))], .invalidArguments),
      ("the root's attributes", [update(0, attributes: attributes)], .invalidArguments),
    ])
  }

  @Test func `what may be deleted`() {
    check([
      ("a file", [.delete(2)], nil),
      ("an empty directory", [.delete(3)], nil),
      ("a symlink and a typed record", [.delete(5), .delete(6)], nil),
      ("a directory and its child", [.delete(1), .delete(2)], nil),
      ("a child and its directory", [.delete(2), .delete(1)], nil),
      ("a directory whose child moves out", [.delete(1), .move(2, .root, "n")], nil),
      ("a directory with a child", [.delete(1)], .referenceViolation),
      (
        "a directory whose child is renamed in it", [.delete(1), .move(2, record(1), "n")],
        .referenceViolation
      ),
      (
        "a directory whose child changes", [.delete(1), update(2, content: empty)],
        .referenceViolation
      ),
      (
        "a directory that something moves into", [.delete(3), .move(4, record(3), "n")],
        .referenceViolation
      ),
      (
        "a directory that something is made in", [.delete(3), .file(10, record(3), "n")],
        .referenceViolation
      ),
      ("an unknown record", [.delete(10)], .unknownItem),
      ("the root", [.delete(0)], .invalidArguments),
      ("a deletion with content", [update(4, content: empty, act: .delete)], .invalidArguments),
      ("one record twice", [.delete(4), .delete(4)], .invalidArguments),
    ])
  }

  @Test func `a symlink's target has 1 to 4095 bytes and no NUL`() {
    let rows: [([UInt8], Refusal.Code?)] = [
      ([], .invalidArguments), ([47], nil), ([UInt8](repeating: 120, count: 4095), nil),
      ([UInt8](repeating: 120, count: 4096), .invalidArguments), ([120, 0], .invalidArguments),
      ([255, 10], nil),
    ]
    for (target, code) in rows {
      check([
        ("created with \(target.count) bytes", [.symlink(10, .root, "n", target)], code),
        ("changed to \(target.count) bytes", [update(5, target: target)], code),
      ])
    }
  }

  @Test func `content refers to chunks of the zone or of the commit`() {
    var unsized = content([chunk(1)])
    unsized.size = 0
    var hollow = empty
    hollow.size = 1
    check([
      ("known", [.file(10, .root, "n", content([chunk(1), chunk(1)]))], nil),
      ("unknown", [.file(10, .root, "n", content([chunk(1), chunk(2)]))], .referenceViolation),
      ("chunks, but no size", [.file(10, .root, "n", unsized)], .invalidArguments),
      ("size, but no chunks", [.file(10, .root, "n", hollow)], .invalidArguments),
    ])
    var log = log()
    let file = RecordChange.file(10, .root, "n", content([chunk(1), chunk(2)]))
    #expect(log.append([file], chunks: [chunk(2)]).isApplied)
    #expect(log.append([.file(11, .root, "m", content([chunk(2)]))]).isApplied)
  }

  @Test func `a deleted id may be used again, by another type too`() {
    var log = log()
    #expect(log.append([.delete(4)]).isApplied)
    #expect(log.append([update(4, content: empty)]).code == .unknownItem)
    #expect(log.append([.delete(4)]).code == .unknownItem)
    #expect(log.append([.directory(4, .root, "g")]).isApplied)
    #expect(log.zone.record(record(4))?.created.sequence == log.zone.header.sequence)
  }

  @Test func `attributes are what the type can have`() {
    let plain = Attributes(isExecutable: false, modified: 0)
    let onlyTime = Attributes(isExecutable: false, modified: 5)
    let rows: [(RecordChange, Attributes)] = [
      (.file(10, .root, "n"), attributes), (.directory(10, .root, "n"), onlyTime),
      (.symlink(10, .root, "n"), onlyTime),
    ]
    for (change, expected) in rows {
      var log = log()
      #expect(log.append([change]).isApplied)
      #expect(log.zone.record(record(10))?.attributes == plain)
      #expect(log.append([update(10, attributes: attributes)]).isApplied)
      #expect(log.zone.record(record(10))?.attributes == expected)
      var other = change
      other.id = record(11)
      other.place = at(.root, "m")
      other.attributes = attributes
      #expect(log.append([other]).isApplied)
      #expect(log.zone.record(record(11))?.attributes == expected)
    }
  }

  @Test func `an update changes its aspects, the stamp, and nothing else`() {
    var log = log()
    let before = log.zone.record(record(6))
    #expect(log.append([update(6, fields: ["a": nil, "c": .bytes([1])])]).isApplied)
    var expected = before
    expected?.fields = ["b": .text("x"), "c": .bytes([1])]
    expected?.changed = Stamp(sequence: 2, user: ana, device: DeviceID(number16(8)), time: 1000)
    #expect(log.zone.record(record(6)) == expected)
    #expect(before?.created.sequence == 1)
    #expect(log.append([.typed(10, ["a": nil, "b": .integer(2)])]).isApplied)
    #expect(log.zone.record(record(10))?.fields == ["b": .integer(2)])
  }

  @Test func `place, content, target and attributes change apart`() {
    let rows: [(RecordChange, (inout Record) -> Void)] = [
      (update(4, place: at(record(3), "n")), { $0.place = at(record(3), "n") }),
      (update(4, content: content([chunk(1)])), { $0.content = content([chunk(1)]) }),
      (update(5, target: [47, 255]), { $0.target = [47, 255] }),
      (
        update(4, attributes: attributes),
        { $0.attributes = Attributes(isExecutable: true, modified: 5) }
      ),
    ]
    for (change, edit) in rows {
      var log = log()
      guard var expected = log.zone.record(change.id) else {
        Issue.record("the record is there from the start")
        continue
      }
      edit(&expected)
      expected.changed.sequence = 2
      #expect(log.append([change]).isApplied)
      #expect(log.zone.record(change.id) == expected)
    }
  }

  @Test func `the delta holds what changed and what went, and nothing else`() {
    var log = log()
    let gone = log.zone.record(record(2))
    guard case .applied(let delta) = log.append([.delete(2), .move(4, record(3), "n")]) else {
      Issue.record("the commit is valid")
      return
    }
    #expect(delta.deleted == [record(2): gone].compactMapValues { $0 })
    #expect(Set(delta.saved.keys) == [record(4)])
    #expect(delta.chunks.isEmpty)
    #expect(delta.header == log.zone.header)
  }

  @Test func `a refusal names the record that it is about`() {
    var log = log()
    guard case .refused(let refusal) = log.append([.typed(10), .delete(11), .delete(12)]) else {
      Issue.record("the commit isn't valid")
      return
    }
    #expect(refusal.record == record(11))
    #expect(!refusal.reason.isEmpty)
  }
}
