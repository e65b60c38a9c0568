import CairnCloud
import Testing

/// Queries against a filter and a sort in memory.
@Suite struct QueryTests {
  /// A generator of random numbers from a seed.
  private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var bits = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
      return bits ^ (bits >> 31)
    }

    mutating func roll(_ sides: Int) -> Int { Int.random(in: 0..<sides, using: &self) }

    /// A value of one kind; there are few, so that many are equal.
    mutating func value(_ kind: Int) -> FieldValue {
      let number = roll(7) - 3
      switch kind {
      case 0: return .boolean(number > 0)
      case 1: return .integer([.min, -2, -1, 0, 1, 256, .max][number + 3])
      case 2: return .number([-1e300, -2.5, -0.1, 0, 0.1, 2.5, 1e300][number + 3])
      case 3: return .date(Int64(number) * 1_000_000_007)
      case 4: return .text(["", "a", "a\0", "a\0b", "ab", "b", "é"][number + 3])
      case 5: return .bytes([[], [0], [0, 1], [0, 255], [1], [255], [255, 255]][number + 3])
      case 6: return .reference(Self.ids[number + 3])
      case 7: return .location(latitude: Double(number % 2), longitude: Double(number))
      default:
        // A list has values of one kind.
        let kind = roll(2) == 0 ? 1 : 4
        return .list((0..<roll(3)).map { _ in value(kind) })
      }
    }

    private static let ids = (1...7).compactMap {
      RecordID("0\($0)000000-0000-0000-0000-00000000000\($0)")
    }
  }

  /// The fields of the test, by the kinds of their values; one has values of several kinds.
  private static let fields = ["yes", "count", "size", "day", "name", "raw", "of", "at", "tags"]

  private static func record(_ dice: inout Dice, id: RecordID = .random()) -> CloudRecord {
    var record = CloudRecord("Thing", id: id)
    for (kind, field) in fields.enumerated() where dice.roll(4) > 0 {
      record[field] = dice.value(kind)
    }
    record["any"] = dice.value(dice.roll(fields.count))
    return record
  }

  // MARK: The model

  private static func kind(_ value: FieldValue) -> Int {
    switch value {
    case .boolean: 1
    case .integer: 2
    case .number: 3
    case .date: 4
    case .text: 5
    case .bytes: 6
    case .reference: 7
    case .location: 8
    case .asset: 9
    case .list: 10
    }
  }

  private static func isLess(_ left: FieldValue?, _ right: FieldValue?) -> Bool {
    guard let left, let right else { return left == nil && right != nil }
    switch (left, right) {
    case (.boolean(let one), .boolean(let two)): return !one && two
    case (.integer(let one), .integer(let two)): return one < two
    case (.number(let one), .number(let two)): return one < two
    case (.date(let one), .date(let two)): return one < two
    case (.text(let one), .text(let two)):
      return one.utf8.lexicographicallyPrecedes(two.utf8)
    case (.bytes(let one), .bytes(let two)): return one.lexicographicallyPrecedes(two)
    case (.reference(let one), .reference(let two)): return one < two
    case (.location(let north, let east), .location(let north2, let east2)):
      return (north, east) < (north2, east2)
    case (.list(let one), .list(let two)):
      return one.lexicographicallyPrecedes(two) { isLess($0, $1) }
    default: return kind(left) < kind(right)
    }
  }

  private static func holds(_ filter: CloudQuery.Filter, _ record: CloudRecord) -> Bool {
    switch filter {
    case .all: return true
    case .and(let all): return all.allSatisfy { holds($0, record) }
    case .or(let any): return any.contains { holds($0, record) }
    case .not(let other): return !holds(other, record)
    case .contains(let field, let value):
      return record[field]?.values?.contains(value) ?? false
    case .field(let field, let comparison, let value):
      guard let found = record[field], kind(found) == kind(value) else { return false }
      return switch comparison {
      case .equal: found == value
      case .less: isLess(found, value)
      case .lessOrEqual: !isLess(value, found)
      case .greater: isLess(value, found)
      case .greaterOrEqual: !isLess(found, value)
      case .begins: (found.string ?? "").utf8.starts(with: (value.string ?? "-").utf8)
      }
    }
  }

  private static func isBefore(
    _ left: CloudRecord, _ right: CloudRecord, _ sort: [(field: String, descending: Bool)]
  ) -> Bool {
    for rule in sort {
      if isLess(left[rule.field], right[rule.field]) { return !rule.descending }
      if isLess(right[rule.field], left[rule.field]) { return rule.descending }
    }
    return left.id < right.id
  }

  // MARK: Tests

  private static func filter(_ dice: inout Dice, _ depth: Int = 0) -> CloudQuery.Filter {
    switch dice.roll(depth > 1 ? 4 : 8) {
    case 0: return .all
    case 1...3:
      let kind = dice.roll(fields.count)
      let comparison = CloudQuery.Comparison.allCases[dice.roll(6)]
      return .field(dice.roll(5) == 0 ? "any" : fields[kind], comparison, dice.value(kind))
    case 4: return .not(filter(&dice, depth + 1))
    case 5: return .or([filter(&dice, depth + 1), filter(&dice, depth + 1)])
    default: return .and([filter(&dice, depth + 1), filter(&dice, depth + 1)])
    }
  }

  @Test(arguments: [1, 2] as [UInt64])
  func `pages of random queries have the records of a filter in memory`(
    seed: UInt64
  ) async throws {
    var dice = Dice(state: seed)
    let zone = try await Cloud().open("ana").privateDatabase.zone(named: "Things")
    var model: [RecordID: CloudRecord] = [:]
    for round in 0..<6 {
      // New, changed and deleted records.
      let some = model.values.sorted { $0.id < $1.id }
      var saving = (0..<(round == 0 ? 60 : 3)).map { _ in Self.record(&dice) }
      for old in some where dice.roll(10) == 0 {
        var next = old
        for (kind, field) in Self.fields.enumerated() where dice.roll(4) == 0 {
          next[field] = dice.roll(5) == 0 ? nil : dice.value(kind)
        }
        saving.append(next)
      }
      let gone = some.filter { old in !saving.contains { $0.id == old.id } && dice.roll(30) == 0 }
      for record in try await zone.modify(saving: saving, deleting: gone) {
        model[record.id] = record
      }
      for record in gone { model[record.id] = nil }

      for _ in 0..<12 {
        let filter = Self.filter(&dice)
        let sort = (0..<dice.roll(3)).map { _ in
          (field: (Self.fields + ["any"])[dice.roll(10)], descending: dice.roll(2) == 0)
        }
        let expected = model.values.filter { Self.holds(filter, $0) }
          .sorted { Self.isBefore($0, $1, sort) }
        let query = CloudQuery(
          "Thing", where: filter, sort: sort.map { .init($0.field, descending: $0.descending) })
        let limit = dice.roll(5) == 0 ? nil : dice.roll(20) + 1
        var (found, cursor): ([CloudRecord], CloudQuery.Cursor?) = ([], nil)
        repeat {
          let page = try await zone.records(
            query, limit: limit, after: cursor, isRefreshing: false)
          #expect(limit.map { page.records.count <= $0 } ?? true)
          found += page.records
          cursor = page.next
        } while cursor != nil
        #expect(found == expected, "\(filter) by \(sort), \(limit ?? 0) at a time")
      }
    }
  }

  @Test func `a cursor goes on behind its record, whatever others change`() async throws {
    let cloud = try Cloud()
    let (ana, bob) = try await cloud.shared()
    let records = (0..<10).map { number in
      var record = CloudRecord("Thing")
      record["rank"] = .integer(Int64(number))
      return record
    }
    let saved = try await ana.modify(saving: records)
    let query = CloudQuery("Thing", sort: [.init("rank", descending: true)])
    let first = try await ana.records(query, limit: 3)
    #expect(first.records.map { $0["rank"] } == [9, 8, 7])
    // The last record of the page and the first of the next one go, one comes between, and one
    // moves to the page before.
    var (between, moved) = (CloudRecord("Thing"), saved[4])
    between["rank"] = 6
    moved["rank"] = 20
    _ = try await bob.changes()
    _ = try await bob.modify(saving: [between, moved], deleting: [saved[7], saved[5]])
    let old = try await ana.records(query, limit: 3, after: first.next, isRefreshing: false)
    #expect(old.records.map { $0["rank"] } == [6, 5, 4])
    _ = try await ana.changes()
    let next = try await ana.records(query, limit: 3, after: first.next)
    #expect(next.records.map { $0["rank"] } == [6, 6, 3])
    let again = try await ana.records(query)
    #expect(again.records.map { $0["rank"] } == [20, 9, 8, 6, 6, 3, 2, 1, 0])
  }

  @Test func `a query of a draft has the changes of the draft, in its order`() async throws {
    let cloud = try Cloud()
    let zone = try await cloud.open("ana").privateDatabase.zone(named: "Books")
    func book(_ name: String) -> CloudRecord {
      var record = CloudRecord("Book")
      record["name"] = .text(name)
      return record
    }
    let stored = try await zone.modify(saving: ["b", "d", "f"].map { book($0) })
    let new = book("e")
    let names = try await zone.modify { draft throws(CloudError) in
      var first = stored[0]
      first["name"] = "x"
      draft.save(first)
      draft.save(new)
      draft.save(CloudRecord("Other"))
      draft.delete(stored[2].id)
      let some = CloudQuery(
        "Book", where: .field("name", .less, "x"), sort: [.init("name", descending: true)])
      let all = CloudQuery("Book", sort: [.init("name")])
      return [try draft.records(all), try draft.records(some)].map { $0.map { $0["name"]?.string } }
    }
    #expect(names == [["d", "e", "x"], ["e", "d"]])
  }
}
