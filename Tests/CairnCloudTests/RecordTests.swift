import CairnCloud
import Foundation
import Testing

/// Records: saving by policy, conflicts, queries, changes.
@Suite struct RecordTests {
  private static func note(_ text: String, done: Bool = false) -> CloudRecord {
    var record = CloudRecord("Note")
    record["text"] = .text(text)
    record["done"] = .boolean(done)
    return record
  }

  @Test func `a record is saved, fetched and deleted`() async throws {
    let cloud = try Cloud()
    let zone = try await cloud.open("ana").privateDatabase.zone(named: "Notes")
    let saved = try #require(try await zone.modify(saving: [Self.note("milk")]).first)
    #expect(saved.changed != nil && saved.changedKeys.isEmpty)
    let fetched = try #require(try await zone.record(saved.id))
    #expect(fetched == saved && fetched["text"]?.string == "milk")
    #expect(fetched["done"]?.bool == false && fetched.type == "Note")
    #expect(try await zone.modify(deleting: [fetched]).isEmpty)
    #expect(try await zone.record(saved.id) == nil)
  }

  @Test func `a conflict carries the records of client, server and their ancestor`() async throws {
    let cloud = try Cloud()
    let (ana, bob) = try await cloud.shared()
    let first = try #require(try await ana.modify(saving: [Self.note("milk")]).first)
    let untouched = try #require(try await ana.modify(saving: [Self.note("tea")]).first)
    var (mine, theirs) = (first, try #require(try await bob.record(first.id)))
    mine["text"] = "oat milk"
    theirs["done"] = true
    theirs = try #require(try await bob.modify(saving: [theirs]).first)
    let batch = [mine, untouched]
    let error = await #expect(throws: CloudError.self) { try await ana.modify(saving: batch) }
    let conflict = try #require(error?.conflicts.first)
    #expect(error?.code == .serverRecordChanged && error?.remedy == .fetch)
    #expect(error?.records == [first.id] && error?.conflicts.count == 1)
    #expect(conflict.client == mine && conflict.server == theirs)
    #expect(conflict.ancestor?.fields == first.fields)
    // The changed keys of both can be merged.
    let merged = try await ana.modify(saving: [mine], policy: .changedKeys).first
    #expect(merged?["text"] == "oat milk" && merged?["done"] == true)
    // Then the second device deletes it.
    let last = try #require(try await bob.record(first.id))
    _ = try await bob.modify(deleting: [last])
    let stale = mine
    let gone = await #expect(throws: CloudError.self) {
      try await ana.modify(saving: [stale], policy: .changedKeys)
    }
    #expect(gone?.conflicts.first?.server == nil && gone?.conflicts.count == 1)
    let again = try await ana.modify(saving: [stale], policy: .allKeys).first
    #expect(again?.fields == mine.fields)
  }

  @Test func `a new record with a used id, and a deletion of a newer record, are conflicts`()
    async throws
  {
    let cloud = try Cloud()
    let zone = try await cloud.open("ana").privateDatabase.zone(named: "Notes")
    let first = try #require(try await zone.modify(saving: [Self.note("milk")]).first)
    let twin = CloudRecord("Note", id: first.id)
    let error = await #expect(throws: CloudError.self) { try await zone.modify(saving: [twin]) }
    #expect(error?.conflicts.first?.ancestor == nil && error?.conflicts.first?.server == first)
    var next = first
    next["done"] = true
    _ = try await zone.modify(saving: [next])
    #expect(try await code { _ = try await zone.modify(deleting: [first]) } == .serverRecordChanged)
    _ = try await zone.modify(deleting: [first], policy: .allKeys)
    #expect(try await zone.record(first.id) == nil)
  }

  @Test func `a refused save names its record, and nothing of its batch is saved`() async throws {
    let cloud = try Cloud()
    let zone = try await cloud.open("ana").privateDatabase.zone(named: "Notes")
    let good = Self.note("milk")
    var bad = Self.note("tea")
    bad["mixed"] = .list([.text("a"), .integer(1)])
    let batch = [good, bad]
    let error = await #expect(throws: CloudError.self) { try await zone.modify(saving: batch) }
    #expect(error?.records == [bad.id] && error?.code == .invalidArguments)
    #expect(try await zone.record(good.id) == nil)
    let reader = try await Cloud().shared(.readOnly).bob
    #expect(!reader.canEdit)
    let denied = await #expect(throws: CloudError.self) { try await reader.modify(saving: [good]) }
    #expect(denied?.code == .permissionFailure && denied?.remedy == .askOwner)
  }

  @Test func `reading, deciding and committing is one step for several people`() async throws {
    let cloud = try Cloud()
    let (ana, bob) = try await cloud.shared()
    var counter = CloudRecord("Counter")
    counter["value"] = 0
    _ = try await ana.modify(saving: [counter])
    let id = counter.id
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<20 {
        let zone = number.isMultiple(of: 2) ? ana : bob
        group.addTask {
          try await zone.modify { draft throws(CloudError) in
            guard var record = try draft.record(id) else { return }
            record["value"] = .integer((record["value"]?.int ?? 0) + 1)
            draft.save(record)
          }
        }
      }
      try await group.waitForAll()
    }
    let (hers, his) = (try await ana.record(id)?["value"], try await bob.record(id)?["value"])
    #expect(hers == 20 && his == 20, "\(String(describing: hers)) \(String(describing: his))")
  }

  @Test func `a page of a query begins behind the page before`() async throws {
    let cloud = try Cloud()
    let zone = try await cloud.open("ana").privateDatabase.zone(named: "Notes")
    let records = (0..<25).map { number in
      var record = Self.note("note \(number % 5)", done: number.isMultiple(of: 2))
      record["rank"] = .integer(Int64(number))
      return record
    }
    _ = try await zone.modify(saving: records + [CloudRecord("Other")])
    let query = CloudQuery(
      "Note", where: .and([.field("done", .equal, true), .field("rank", .greater, 3)]),
      sort: [.init("text"), .init("rank", descending: true)])
    var (found, cursor): ([CloudRecord], CloudQuery.Cursor?) = ([], nil)
    repeat {
      let page = try await zone.records(query, limit: 4, after: cursor)
      found += page.records
      cursor = page.next
    } while cursor != nil
    let expected = records.filter { $0["done"] == true && ($0["rank"]?.int ?? 0) > 3 }.sorted {
      let (one, two) = ($0["rank"]?.int ?? 0, $1["rank"]?.int ?? 0)
      return (one % 5, -one) < (two % 5, -two)
    }
    #expect(found.map(\.id) == expected.map(\.id) && found.count == 11)
    let begins = CloudQuery("Note", where: .not(.field("text", .begins, "note")))
    #expect(try await zone.records(begins).records.isEmpty)
  }

  @Test func `a query sees what others saved before, unless it stays here`() async throws {
    let cloud = try Cloud()
    let (ana, bob) = try await cloud.shared()
    _ = try await bob.modify(saving: [CloudRecord("Thing")])
    let query = CloudQuery("Thing")
    #expect(try await ana.records(query, isRefreshing: false).records.isEmpty)
    #expect(try await ana.records(query).records.count == 1)
  }

  @Test func `changes follow a token, and come to others as they happen`() async throws {
    let cloud = try Cloud()
    let (ana, bob) = try await cloud.shared()
    let first = try await ana.modify(saving: [Self.note("one"), Self.note("two")])
    let all = try await bob.changes()
    #expect(Set(all.changed.map(\.id)) == Set(first.map(\.id)) && !all.moreComing)
    let token = ZoneToken(text: all.token.text)
    #expect(try await bob.changes(since: token).changed.isEmpty)
    _ = try await ana.modify(saving: [Self.note("three")], deleting: [first[0]])
    let later = try await bob.changes(since: token)
    #expect(later.changed.map { $0["text"] } == ["three"])
    #expect(later.deleted.map(\.id) == [first[0].id] && later.deleted.map(\.type) == ["Note"])
    #expect(
      try await code { _ = try await bob.changes(since: ZoneToken(text: "x")) }
        == .invalidArguments)

    let reading = Task {
      var texts: [String] = []
      for try await changes in bob.events(since: later.token) {
        texts += changes.changed.compactMap { $0["text"]?.string }
        if texts.count >= 5 { break }
      }
      return texts
    }
    for number in 0..<5 { _ = try await ana.modify(saving: [Self.note("\(number)")]) }
    #expect(try await reading.value.sorted() == (0..<5).map { "\($0)" })
    let endless = Task { for try await _ in bob.events() {} }
    endless.cancel()
    try await endless.value
  }

  /// `CAIRN_TESTS_DEEP` makes a burst of 10,000 changes.
  @Test func `after a burst a slow reader gets the last state, in few elements`() async throws {
    let isDeep = ProcessInfo.processInfo.environment["CAIRN_TESTS_DEEP"] != nil
    let last: Int64 = isDeep ? 10_000 : 60
    let cloud = try Cloud()
    let (ana, bob) = try await cloud.shared()
    let counter = CloudRecord("Counter")
    try await ana.modify(saving: [counter])
    var events = bob.events().makeAsyncIterator()
    let first = try await events.next()
    #expect(first?.changed.map(\.id) == [counter.id])
    // The reader is busy during the burst, and each hint of it but one is dropped.
    for number in 1...last {
      try await ana.modify { draft throws(CloudError) in
        guard var record = try draft.record(counter.id) else { return }
        record["value"] = .integer(number)
        draft.save(record)
      }
    }
    let next = try #require(try await events.next())
    #expect(next.changed.map { $0["value"] } == [.integer(last)] && !next.moreComing)
    // Whatever hint is left leads to nothing but the next change.
    try await ana.modify(saving: [CloudRecord("End")])
    let end = try await events.next()
    #expect(end?.changed.map(\.type) == ["End"])
  }
}
