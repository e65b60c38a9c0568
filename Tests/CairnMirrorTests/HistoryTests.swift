import CairnCloud
import CairnMirror
import Foundation
import Testing

/// Random histories of two people, one of them with two devices: offline work, ends of the program
/// between commits and before their marks in the database, a full quota, withdrawn rights, and an
/// older schema. In the end
/// all tables are equal. `CAIRN_TESTS_DEEP` plays a thousand of them, `CAIRN_MIRROR_SEEDS=7-9`
/// these three.
@Suite struct HistoryTests {
  static let seeds: [UInt64] = {
    let environment = ProcessInfo.processInfo.environment
    if let chosen = environment["CAIRN_MIRROR_SEEDS"]?.split(separator: "-")
      .compactMap({ UInt64($0) }),
      let first = chosen.first, let last = chosen.last, first <= last
    {
      return Array(first...last)
    }
    return Array(0..<(environment["CAIRN_TESTS_DEEP"] == nil ? 20 : 1_000))
  }()

  /// The number of histories that are played at the same time.
  private static let lanes = 4

  /// The schema of Bob's program, which is older.
  private static let older = Program.notes.replacing(
    "title TEXT NOT NULL, color TEXT", with: "title TEXT NOT NULL")

  private struct Dice {
    var state: UInt64

    mutating func roll(_ sides: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((state >> 33) % UInt64(sides))
    }
  }

  /// A statement as a program may write it. It fails in no state of the tables.
  private static func statement(_ dice: inout Dice, _ step: Int, isOlder: Bool) -> String {
    func any(_ table: String, _ dice: inout Dice) -> String {
      "(SELECT id FROM \(table) ORDER BY (id * 7919 + \(dice.roll(1_000))) % 101 LIMIT 1)"
    }
    let (name, text) = (["a", "b", "c", "d"][dice.roll(4)], "t\(step)")
    switch dice.roll(isOlder ? 11 : 12) {
    case 0: return "INSERT INTO note(title) VALUES ('\(text)')"
    case 1, 2:
      return """
        INSERT INTO paragraph(note, place, body)
          SELECT id, \(step), '\(text)' FROM note WHERE id = \(any("note", &dice))
        """
    case 3: return "UPDATE paragraph SET body = '\(text)' WHERE id = \(any("paragraph", &dice))"
    case 4: return "UPDATE note SET title = '\(text)' WHERE id = \(any("note", &dice))"
    case 5: return "INSERT OR IGNORE INTO tag(name) VALUES ('\(name)')"
    case 6:
      return """
        INSERT OR IGNORE INTO note_tag SELECT note.id, tag.id FROM note, tag
          WHERE note.id = \(any("note", &dice)) AND tag.id = \(any("tag", &dice))
        """
    case 7: return "UPDATE OR IGNORE tag SET name = '\(name)' WHERE id = \(any("tag", &dice))"
    case 8: return "DELETE FROM paragraph WHERE id = \(any("paragraph", &dice))"
    case 9:
      return dice.roll(3) > 0
        ? "DELETE FROM note WHERE id = \(any("note", &dice))"
        : "DELETE FROM tag WHERE id = \(any("tag", &dice))"
    case 10:
      return """
        UPDATE paragraph SET note = \(any("note", &dice))
          WHERE id = \(any("paragraph", &dice)) AND EXISTS (SELECT 1 FROM note)
        """
    default:
      let color = dice.roll(3) == 0 ? "CAST(zeroblob(\(20_000 + step)) AS BLOB)" : "'\(text)'"
      return "UPDATE note SET color = \(color) WHERE id = \(any("note", &dice))"
    }
  }

  /// The notes of a share on one device, with paragraphs and tags.
  private static func shared(_ program: Program, _ share: CloudZone) async throws -> [String] {
    var lines: [String] = []
    for row in try program.rows("SELECT id FROM note") {
      let id = try #require(Int64(row))
      let place = try await program.mirror.record(of: MirroredRow("note", .integer(id)))
      guard place?.zone.id == share.id else { continue }
      let title = try program.rows("SELECT title FROM note WHERE id = \(id)")[0]
      lines += try program.rows("SELECT place, body FROM paragraph WHERE note = \(id)").map {
        "\(title): \($0)"
      }
      lines += try program.rows(
        "SELECT name FROM note_tag JOIN tag ON tag.id = tag WHERE note = \(id)"
      ).map { "\(title) #\($0)" }
      lines.append(title)
    }
    return lines.sorted()
  }

  @Test(arguments: 0..<lanes)
  func `a random history ends with equal tables`(lane: Int) async throws {
    for (number, seed) in Self.seeds.enumerated() where number % Self.lanes == lane {
      do { try await Self.play(seed) } catch { Issue.record("seed \(seed): \(error)") }
    }
  }

  private static func play(_ seed: UInt64) async throws {
    var dice = Dice(state: seed &* 0x9e37_79b9_7f4a_7c15)
    let cloud = try Cloud()
    let (one, two) = try await twoDevices(cloud)
    let bob = try await Program(cloud, cloud.open("bob"), schema: older)
    try one.run("INSERT INTO note VALUES (1, 'shared', NULL)")
    let share = try await one.mirror.share([MirroredRow("note", 1)], title: "Shared")
    _ = try await share.invite([bob.container.me])
    _ = try await bob.container.accept(try #require(try await bob.container.invitations().first))
    let all = [one, two, bob]
    for step in 0..<60 {
      let program = all[dice.roll(3)]
      switch dice.roll(11) {
      case 0...6:
        try program.run("BEGIN")
        for _ in 0...dice.roll(3) {
          try program.run(statement(&dice, step, isOlder: program === bob))
        }
        try program.run("COMMIT")
      case 7: try await program.sync()
      case 8: try await program.crash(after: dice.roll(4))
      case 9: try limit(share, to: dice.roll(2) == 0 ? 1 : nil)
      default:
        try await share.setPermission(
          dice.roll(2) == 0 ? .readOnly : .readWrite, of: bob.container.me)
      }
    }
    try limit(share, to: nil)
    try await share.setPermission(.readWrite, of: bob.container.me)
    for _ in 0..<4 { try await meet(one, two, bob) }
    for program in all {
      try program.check()
      #expect(try await program.mirror.status() == MirrorStatus.nothing, "seed \(seed)")
      #expect(try await program.mirror.plan().isEmpty, "seed \(seed)")
    }
    let (first, second) = (try one.contents(), try two.contents())
    #expect(first == second, "seed \(seed)")
    let (anas, bobs) = (try await shared(one, share), try await shared(bob, share))
    #expect(anas == bobs, "seed \(seed)")
  }
}
