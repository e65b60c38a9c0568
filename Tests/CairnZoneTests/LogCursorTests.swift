import CairnZone
import Testing

/// The reader of a log, over what stands at the next positions, among copies, and in the record of
/// the epoch's end. Each row says where the reader ends, and how.
struct LogCursorTests {
  /// The entries of all rows, by name. `Other` entries take the positions of those without it.
  private enum Entry: Int {
    case none, a, b, otherA, behindOtherA, end, ownA, behindOwnA, raise, behindRaise
  }

  private static let world: LogWorld = {
    var world = LogWorld()
    world.add(0, "2", "write")  // a
    world.add(Entry.a.rawValue, "3", "write")  // b
    world.add(0, "3", "other")  // otherA, by another device than a
    world.add(Entry.otherA.rawValue, "3", "write")  // behindOtherA
    world.add(Entry.b.rawValue, "1", "remove")  // end
    world.add(0, "2", "other")  // ownA, by the device of a
    world.add(Entry.ownA.rawValue, "3", "write")  // behindOwnA
    world.add(Entry.a.rawValue, "1", "remove")  // raise
    world.add(Entry.b.rawValue, "3", "write")  // behindRaise
    return world
  }()

  struct Row: CustomTestStringConvertible, Sendable {
    let name: String
    /// The objects at the positions, the next one first: numbers of entries, `-1` for garbage.
    var at: [Int?] = []
    var copies: [Int] = []
    var mark: Int?
    var anchor: Int?
    var head = 0
    let ends: String
    var testDescription: String { name }
  }

  private static let garbage = -1

  static let rows: [Row] = [
    Row(name: "nothing", ends: "none end"),
    Row(name: "garbage", at: [garbage], ends: "none held"),
    Row(name: "an entry", at: [1], ends: "a end"),
    Row(name: "two entries", at: [1, 2], ends: "b end"),
    Row(name: "garbage behind an entry", at: [1, garbage], ends: "a held"),
    Row(name: "garbage behind a free position", at: [nil, garbage], ends: "none end"),
    Row(name: "an entry behind that names another", at: [1, 4], ends: "none held"),
    Row(name: "and the other is another device's", at: [1, 4], copies: [3], ends: "none held"),
    Row(
      name: "and the other is the same device's", at: [1, 7], copies: [6], ends: "behindOwnA end"),
    Row(name: "a missing entry", at: [nil, 2], ends: "none damaged"),
    Row(name: "a missing entry with a copy", at: [nil, 2], copies: [1], ends: "b end"),
    Row(name: "garbage in place of a copied entry", at: [garbage, 2], copies: [1], ends: "b end"),
    Row(
      name: "a missing entry with another's copy", at: [nil, 2], copies: [3],
      ends: "none damaged"),
    Row(name: "the anchor", at: [1], anchor: 1, ends: "a end"),
    Row(name: "another entry than the anchor", at: [1], anchor: 3, ends: "a disputed"),
    Row(name: "nothing at the anchor", anchor: 1, ends: "none disputed"),
    Row(name: "nothing at the anchor, which has a copy", copies: [1], anchor: 1, ends: "a end"),
    Row(name: "an end before the anchor", at: [1], anchor: 2, ends: "a disputed"),
    Row(
      name: "an anchor over another's entry", at: [1, 4], copies: [3], anchor: 4,
      ends: "behindOtherA end"),
    Row(name: "garbage as a record", mark: garbage, ends: "none held"),
    Row(name: "garbage as a record behind an entry", at: [1], mark: garbage, ends: "a held"),
    Row(name: "an ended epoch", at: [1, 2, 5], mark: 5, ends: "end end"),
    Row(
      name: "an ended epoch without an entry", at: [nil, 2, 5], copies: [1], mark: 5,
      ends: "end end"),
    Row(
      name: "an ended epoch with another's entry", at: [3, 2, 5], copies: [1], mark: 5,
      ends: "end end"),
    Row(name: "a record without its entry", at: [1, 2], mark: 5, ends: "b end"),
    Row(name: "a record of an epoch with a gap", at: [nil, 2, 5], mark: 5, ends: "none damaged"),
    Row(name: "the owner's end with an entry behind", at: [1, 8, 9], ends: "raise end"),
    Row(name: "a lost entry", head: 1, ends: "a lostEnd"),
    Row(name: "another entry than the known one", at: [3], head: 1, ends: "a twoHistories"),
    Row(name: "a lost entry with one behind", at: [nil, 2], head: 1, ends: "a damaged"),
    Row(name: "a copy of the known entry", copies: [1], head: 1, ends: "a end"),
  ]

  @Test(arguments: rows) func `a reader ends at the right entry`(row: Row) throws {
    #expect(try Self.play(row) == row.ends)
  }

  @Test func `a reader that cannot fill a free position stops before it`() throws {
    let row = Row(name: "", at: [nil, 2], copies: [1], ends: "")
    #expect(try Self.play(row, fills: false) == "none damaged")
  }

  @Test func `an answer to another question ends the task`() {
    var cursor = LogCursor()
    cursor.begin(.read(upTo: .max))
    let context = LogCursor.Context(
      header: Self.world.header(after: 0), canReadOn: true,
      founder: LogWorld.author("1").user, user: LogWorld.author("2").user)
    guard case .ask(.isThere) = cursor.next(context) else {
      Issue.record("the first question isn't about the last known entry")
      return
    }
    cursor.take(.digest(nil))
    #expect(cursor.next(context) == .ended(.misled))
  }

  @Test func `a cursor asks the same again until it is answered`() {
    var cursor = LogCursor()
    cursor.begin(.checkHead)
    let context = LogCursor.Context(
      header: Self.world.header(after: 1), canReadOn: true,
      founder: LogWorld.author("1").user, user: LogWorld.author("2").user)
    let first = cursor.next(context)
    #expect(cursor.next(context) == first)
    cursor.take(.bool(true))
    #expect(cursor.next(context) == .ended(.done))
  }

  // MARK: Playing

  private static func play(_ row: Row, fills: Bool = true) throws -> String {
    var answers: [String] = []
    var at = row.at
    while true {
      var reader = ModelReader(world, head: row.head)
      reader.cursor.anchor = row.anchor.map {
        LogAnchor(sequence: world.entries[$0].sequence, digest: LogWorld.digest($0))
      }
      reader.answers = answers[...]
      let words = reader.play().split(separator: " ").map(String.init)
      guard words[0] == "ask" else {
        let end = try #require(Entry(rawValue: reader.head))
        return "\(end) \(words[1])"
      }
      answers.append(fills || words[1] != "fill" ? look(words, &at, row) : "0")
    }
  }

  private static func look(_ words: [String], _ at: inout [Int?], _ row: Row) -> String {
    func shown(_ object: Int?) -> String { object.map { "\($0)" } ?? "-" }
    // The objects of later epochs are none in these rows.
    func object(_ key: Int, _ place: Int) -> Int? {
      key == 0 && place > 0 && place <= at.count ? at[place - 1] : nil
    }
    let numbers = words.dropFirst(2).map { Int($0) ?? 0 }
    switch words[1] {
    case "at": return shown(object(numbers[0], numbers[1]))
    case "mark": return shown(numbers[0] == 0 ? row.mark : nil)
    case "find":
      let place = Int(world.entries[numbers[0]].sequence) - 1
      if object(0, place) == numbers[0] { return "stands" }
      return row.copies.contains(numbers[0]) ? "copy" : "-"
    case "behind":
      guard words[4].split(separator: ",").contains("0") else { return "-" }
      let found = (numbers[0]...numbers[1]).compactMap { object(0, $0) }.filter { $0 > 0 }
      return found.isEmpty ? "-" : found.map { "\($0)" }.joined(separator: ",")
    default:
      while at.count < numbers[1] { at.append(nil) }
      at[numbers[1] - 1] = at[numbers[1] - 1] ?? numbers[2]
      return "1"
    }
  }
}
