import CairnCloud
import Foundation
import Testing

/// Random races of two people for the same records, against a model of the zone. A conflict must
/// have the client's, the server's and the ancestor's record of the model. `CAIRN_TESTS_DEEP` plays
/// a thousand races.
@Suite struct RaceTests {
  private struct Dice {
    var state: UInt64

    mutating func roll(_ sides: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(sides))
    }
  }

  /// A record of the model, with the number of its last change.
  private struct Stored: Equatable {
    var fields: [String: FieldValue]
    var version: Int
  }

  /// A record as a person has it, and as it was in the zone when they fetched it.
  private struct Held {
    var record: CloudRecord
    var fetched: Stored?
  }

  /// One person, and the records that they have.
  private struct Person {
    let zone: CloudZone
    var held: [RecordID: Held] = [:]
  }

  private static let count =
    ProcessInfo.processInfo.environment["CAIRN_TESTS_DEEP"] == nil ? 12 : 1_000

  @Test func `each conflict has the three records of the model`() async throws {
    let cloud = try Cloud()
    let (ana, bob) = try await cloud.shared()
    var conflicts = 0
    for seed in 0..<Self.count {
      var race = Race(ana, bob, seed: UInt64(seed))
      for _ in 0..<25 { try await race.step() }
      try await race.saveAtOnce()
      conflicts += race.conflicts
    }
    #expect(conflicts > 0, "the races meet")
  }

  private struct Race {
    var dice: Dice
    var people: [Person]
    /// The zone as it must be.
    var model: [RecordID: Stored] = [:]
    let ids: [RecordID] = (0..<3).map { _ in .random() }
    var versions = 0
    var conflicts = 0
    let seed: UInt64

    init(_ ana: CloudZone, _ bob: CloudZone, seed: UInt64) {
      dice = Dice(state: seed &* 0x9e37_79b9_7f4a_7c15)
      people = [Person(zone: ana), Person(zone: bob)]
      self.seed = seed
    }

    mutating func step() async throws {
      let who = dice.roll(2)
      let id = ids[dice.roll(ids.count)]
      switch dice.roll(6) {
      case 0, 1: try await fetch(id, who)
      case 2: people[who].held[id] = Held(record: CloudRecord("Note", id: id), fetched: nil)
      case 3: edit(id, who)
      default:
        edit(id, who)
        try await save(who)
      }
    }

    private mutating func fetch(_ id: RecordID, _ who: Int) async throws {
      let record = try await people[who].zone.record(id)
      #expect(record?.fields == model[id]?.fields, "seed \(seed)")
      people[who].held[id] = record.map { Held(record: $0, fetched: model[id]) }
    }

    /// Changes or removes a field.
    private mutating func edit(_ id: RecordID, _ who: Int) {
      let field = ["a", "b", "c"][dice.roll(3)]
      let value = FieldValue.integer(Int64(dice.roll(4)))
      people[who].held[id]?.record[field] = value == 0 ? nil : value
    }

    /// Saves and deletes some of the records that a person has, and compares with the model.
    private mutating func save(_ who: Int) async throws {
      let policy = SavePolicy.allCases[dice.roll(4) % 3]
      var (saving, deleting): ([Held], [Held]) = ([], [])
      for id in ids {
        guard let held = people[who].held[id] else { continue }
        switch dice.roll(5) {
        case 0...2: saving.append(held)
        case 3: deleting.append(held)
        default: break
        }
      }
      let refused = (saving + deleting.filter { _ in policy == .ifUnchanged })
        .filter { isConflict($0, policy) }
      do {
        let saved = try await people[who].zone.modify(
          saving: saving.map(\.record), deleting: deleting.map(\.record), policy: policy)
        #expect(refused.isEmpty, "seed \(seed): a conflict is missed")
        for held in deleting { model[held.record.id] = nil }
        for held in deleting { people[who].held[held.record.id] = nil }
        for held in saving { apply(held, policy) }
        let wanted = saving.map { model[$0.record.id]?.fields ?? [:] }
        #expect(saved.map(\.fields) == wanted, "seed \(seed)")
        for record in saved {
          people[who].held[record.id] = Held(record: record, fetched: model[record.id])
        }
      } catch {
        guard error.code == .serverRecordChanged else { throw error }
        compare(error, refused)
      }
    }

    private func isConflict(_ held: Held, _ policy: SavePolicy) -> Bool {
      let server = model[held.record.id]
      return switch policy {
      case .ifUnchanged: held.fetched?.version != server?.version
      case .changedKeys: held.fetched != nil && server == nil
      case .allKeys: false
      }
    }

    private mutating func apply(_ held: Held, _ policy: SavePolicy) {
      let (id, before) = (held.record.id, model[held.record.id])
      var fields = before?.fields ?? [:]
      if policy == .allKeys || before == nil {
        fields = held.record.fields
      } else {
        for key in held.record.changedKeys { fields[key] = held.record[key] }
      }
      guard before?.fields != fields else { return }
      versions += 1
      model[id] = Stored(fields: fields, version: versions)
    }

    private mutating func compare(_ error: CloudError, _ refused: [Held]) {
      conflicts += error.conflicts.count
      #expect(error.records == refused.map(\.record.id), "seed \(seed)")
      #expect(error.conflicts.map(\.client) == refused.map(\.record), "seed \(seed)")
      for (conflict, held) in zip(error.conflicts, refused) {
        #expect(conflict.server?.fields == model[held.record.id]?.fields, "seed \(seed)")
        #expect(conflict.ancestor?.fields == held.fetched?.fields, "seed \(seed)")
      }
    }

    /// Both people save one record at the same moment: one of them gets the other's record.
    mutating func saveAtOnce() async throws {
      var start = CloudRecord("Note")
      start["a"] = 0
      start = try #require(try await people[0].zone.modify(saving: [start]).first)
      let edits = people.indices.map { number in
        var edit = start
        edit["b"] = .integer(Int64(number))
        return edit
      }
      let zones = people.map(\.zone)
      let failures = await withTaskGroup(of: (Int, CloudError?).self) { group in
        for (number, edit) in edits.enumerated() {
          group.addTask {
            do throws(CloudError) {
              try await zones[number].modify(saving: [edit])
            } catch {
              return (number, error)
            }
            return (number, nil)
          }
        }
        var failures: [(loser: Int, error: CloudError)] = []
        for await (number, error) in group {
          if let error { failures.append((number, error)) }
        }
        return failures
      }
      #expect(failures.count == 1, "seed \(seed)")
      guard let (loser, error) = failures.first else { return }
      let conflict = try #require(error.conflicts.first)
      #expect(error.code == .serverRecordChanged && conflict.client == edits[loser])
      #expect(conflict.server?.fields == edits[1 - loser].fields, "seed \(seed)")
      #expect(conflict.ancestor?.fields == start.fields, "seed \(seed)")
    }
  }
}
