import CairnZone
import Testing

/// The permitted attributes and fields, and the result of changes to attributes.
struct ValueRulesTests {
  private func file(_ attributes: Attributes, _ id: UInt64 = 1) -> RecordChange {
    RecordChange(
      id: record(id), act: .create(.file), place: at(.root, "f\(id)"), content: empty,
      attributes: attributes)
  }

  private func change(_ attributes: Attributes, _ id: UInt64 = 1) -> RecordChange {
    RecordChange(id: record(id), act: .update, attributes: attributes)
  }

  private func attributes(
    _ isExecutable: Bool = false, mode: UInt16? = nil, extended: [String: [UInt8]]? = nil
  ) -> Attributes {
    Attributes(
      isExecutable: isExecutable, modified: 1, mode: mode,
      extended: extended.map { Dictionary(uniqueKeysWithValues: $0.map { (Array($0.utf8), $1) }) })
  }

  private func carrying(_ records: [RecordChange]) -> Log {
    var log = Log.founded(share: [.zone(.carry([.mode, .extended]))])
    #expect(log.append(records).isApplied)
    return log
  }

  @Test func `a zone carries what its owner said, and nothing else`() {
    let all = attributes(true, mode: 0o750, extended: ["user.a": [1]])
    for carried in [[], .mode, .extended, [.mode, .extended]] as [CarriedAttributes] {
      var log = Log.founded(share: [.zone(.carry(carried))])
      #expect(log.append([file(all)]).isApplied)
      let found = log.zone.records[record(1)]?.attributes
      #expect(found?.mode == (carried.contains(.mode) ? 0o750 : nil))
      #expect(found?.extended == (carried.contains(.extended) ? all.extended : nil))
      #expect(found?.isExecutable == true)
    }
  }

  @Test func `it counts from the commit after the one that says so`() {
    var log = Log.founded([file(attributes(mode: 0o640))], share: [.zone(.carry(.mode))])
    #expect(log.zone.records[record(1)]?.attributes.mode == nil)
    #expect(log.append([change(attributes(mode: 0o640))]).isApplied)
    #expect(log.zone.records[record(1)]?.attributes.mode == 0o640)
  }

  @Test func `who doesn't know of them leaves them as they are`() {
    var log = carrying([file(attributes(mode: 0o640, extended: ["user.a": [1], "user.b": []]))])
    #expect(log.append([change(attributes())]).isApplied)
    #expect(
      log.zone.records[record(1)]?.attributes
        == attributes(mode: 0o640, extended: ["user.a": [1], "user.b": []]))
    #expect(log.append([change(attributes(mode: 0o600, extended: [:]))]).isApplied)
    #expect(log.zone.records[record(1)]?.attributes == attributes(mode: 0o600, extended: [:]))
  }

  @Test(
    arguments: [
      (0o640, true, 0o750), (0o644, true, 0o755), (0o200, true, 0o300), (0o755, false, 0o644),
      (0o710, false, 0o600), (0o4755, true, 0o4755), (0o640, false, 0o640), (0o611, true, 0o711),
    ] as [(UInt16, Bool, UInt16)])
  func `the executable bit alone shows in the mode`(
    before: UInt16, isExecutable: Bool, after: UInt16
  ) {
    var log = carrying([file(attributes(before & 0o100 != 0, mode: before))])
    #expect(log.append([change(attributes(isExecutable))]).isApplied)
    #expect(log.zone.records[record(1)]?.attributes.mode == after)
  }

  @Test func `directories have a mode, and symlinks only a time`() {
    let all = attributes(mode: 0o2750, extended: ["user.a": [1]])
    var folder = RecordChange.directory(2, .root, "d")
    folder.attributes = all
    var link = RecordChange.symlink(3, .root, "l")
    link.attributes = all
    let log = carrying([folder, link])
    #expect(log.zone.records[record(2)]?.attributes == all)
    #expect(log.zone.records[record(3)]?.attributes == attributes())
  }

  @Test func `what no file can have is refused, also where the zone doesn't carry it`() {
    let long = String(repeating: "x", count: 251)
    let refused: [Attributes] = [
      attributes(mode: 0o10000), attributes(mode: 0o100), attributes(true, mode: 0o600),
      attributes(extended: ["trusted.a": []]), attributes(extended: ["user.": []]),
      attributes(extended: ["user." + long: []]), attributes(extended: ["user.a\0": []]),
      attributes(extended: ["user.a": [UInt8](repeating: 0, count: 65_531)]),
    ]
    for attributes in refused {
      var log = Log.founded()
      #expect(log.append([file(attributes)]).code == .invalidArguments, "\(attributes)")
    }
    let allowed: [Attributes] = [
      attributes(true, mode: 0o7777), attributes(mode: 0),
      attributes(extended: ["user." + long.dropLast(): []]),
      attributes(extended: ["user.a": [UInt8](repeating: 0, count: 65_530)]),
    ]
    for (index, attributes) in allowed.enumerated() {
      var log = Log.founded()
      #expect(log.append([file(attributes, UInt64(index) + 1)]).isApplied, "\(index)")
    }
  }

  @Test func `fields hold every kind of value in its bounds`() {
    let good: [String: FieldValue] = [
      "data": .bytes([0]), "text": .text("é"), "integer": .integer(.min),
      "number": .number(-0.5), "least": .number(.leastNonzeroMagnitude), "yes": .boolean(true),
      "no": .boolean(false), "date": .date(.max),
      "pole": .location(latitude: -90, longitude: 180), "list": .list([.text("a"), .text("")]),
      "none": .list([]), "places": .list([.location(latitude: 0, longitude: 0)]),
      "record": .reference(record(99)), "asset": .asset(empty),
    ]
    var log = Log.founded([.typed(1, good)])
    #expect(log.zone.records[record(1)]?.fields == good)
    let bad: [FieldValue] = [
      .number(.nan), .number(.infinity), .number(-0.0), .location(latitude: 90.1, longitude: 0),
      .location(latitude: 0, longitude: -180.1), .location(latitude: .nan, longitude: 0),
      .location(latitude: -0.0, longitude: 0), .list([.text("a"), .integer(1)]),
      .list([.list([])]), .list([.number(.nan)]),
      .asset(Content(id: empty.id, size: 1, chunks: [])),
    ]
    for value in bad {
      #expect(log.append([.typed(2, ["a": value])]).code == .invalidArguments, "\(value)")
    }
  }

  @Test func `assets count as bytes of the zone`() {
    let one = content([chunk(1)])
    var log = Log.founded(chunks: [chunk(1)])
    #expect(log.append([.typed(1, ["a": .asset(one), "b": .list([.asset(one)])])]).isApplied)
    #expect(log.zone.header.bytes == 2 * one.size)
    let without = RecordChange(id: record(1), act: .update, fields: ["a": nil, "c": .integer(1)])
    #expect(log.append([without]).isApplied)
    #expect(log.zone.header.bytes == one.size)
    #expect(log.append(share: [.quota(one.size)]).isApplied)
    #expect(log.append([.typed(2, ["a": .asset(one)])]).code == .quotaExceeded)
    #expect(log.append([.delete(1)]).isApplied)
    #expect(log.zone.header.bytes == 0)
  }
}
