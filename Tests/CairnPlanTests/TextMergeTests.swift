import Testing

@testable import CairnPlan

@Suite struct TextMergeTests {
  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  private func merge(_ base: String, _ first: String, _ second: String) -> String? {
    TextMerge.merge(base: bytes(base), bytes(first), bytes(second)).map {
      String(decoding: $0, as: UTF8.self)
    }
  }

  @Test(arguments: [
    ("a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"),
    ("a\nb\nc\n", "a\nb\nc\nd\n", "0\na\nb\nc\n", "0\na\nb\nc\nd\n"),
    ("a\nb\nc\n", "b\nc\n", "a\nb\n", "b\n"),
    ("a\nb\n", "a\nx\nb\n", "a\nx\nb\n", "a\nx\nb\n"),
    ("a\nb\nc", "a\nb\nC", "A\nb\nc", "A\nb\nC"),
    ("a\r\nb\r\nc\r\n", "A\r\nb\r\nc\r\n", "a\r\nb\r\nC\r\n", "A\r\nb\r\nC\r\n"),
    ("", "a\n", "", "a\n"), ("", "", "", ""), ("a\n", "", "a\n", ""),
    ("a\nb\nc\n", "a\nx\nc\nd\n", "a\nx\nc\n", "a\nx\nc\nd\n"),
  ])
  func `changes of different lines are merged`(
    _ base: String, _ first: String, _ second: String, _ merged: String
  ) {
    #expect(merge(base, first, second) == merged)
    #expect(merge(base, second, first) == merged)
  }

  @Test(arguments: [
    ("a\nb\nc\n", "a\nx\nc\n", "a\ny\nc\n"), ("", "x\n", "y\n"),
    ("a\n", "a\nx\n", "a\ny\n"),
    // Adjacent lines: nobody can tell whether the two changes belong together.
    ("a\nb\nc\n", "A\nb\nc\n", "a\nB\nc\n"), ("a\nb\n", "b\n", "a\nx\nb\n"),
    ("a\nb\nc\n", "a\nc\n", "a\nx\nc\n"), ("a\n", "a", "a\nb\n"),
  ])
  func `changes of the same or adjacent lines are a conflict`(
    _ base: String, _ first: String, _ second: String
  ) {
    #expect(merge(base, first, second) == nil)
    #expect(merge(base, second, first) == nil)
  }

  @Test func `only texts of a limited size and number of changes are merged`() {
    let text = bytes("a\nb\nc\n")
    #expect(TextMerge.merge(base: text, text + [0], text) == nil)
    #expect(TextMerge.merge(base: text, text + [0xff], text) == nil)
    #expect(TextMerge.merge(base: [0xc3], text, text) == nil)
    let long = [UInt8](repeating: UInt8(ascii: "x"), count: TextMerge.mostBytes)
    #expect(TextMerge.merge(base: long, long, long) == long)
    #expect(TextMerge.merge(base: long, long + bytes("x"), long) == nil)
    let lines = [UInt8](repeating: UInt8(ascii: "\n"), count: TextMerge.mostLines)
    #expect(TextMerge.merge(base: lines, lines, lines) == lines)
    #expect(TextMerge.merge(base: lines, lines + bytes("\n"), lines) == nil)
    let other = (0..<2_000).flatMap { bytes("\($0)\n") }
    #expect(TextMerge.merge(base: text, other, text) == nil)
    #expect(TextMerge.marked(text, other, names: ([], []))?.parts == nil)
  }

  /// Texts with few different lines, so that many are equal.
  private func text(_ dice: inout Dice, _ kinds: Int) -> [Int] {
    (0..<dice.below(12)).map { _ in dice.below(kinds) }
  }

  private func written(_ lines: [Int]) -> [UInt8] { lines.flatMap { bytes("line \($0)\n") } }

  @Test func `merging is symmetric, and a version that didn't change decides nothing`() {
    var dice = Dice(seed: 51)
    var merged = 0
    for round in 0..<4_000 {
      let texts = (0..<3).map { _ in text(&dice, 2 + round % 9) }
      let (base, one, other) = (written(texts[0]), written(texts[1]), written(texts[2]))
      #expect(TextMerge.merge(base: base, one, one) == one)
      #expect(TextMerge.merge(base: base, one, base) == one)
      #expect(TextMerge.merge(base: base, base, one) == one)
      let result = TextMerge.merge(base: base, one, other)
      #expect(result == TextMerge.merge(base: base, other, one))
      if result != nil { merged += 1 }
    }
    #expect(merged > 100)
  }

  @Test func `no line that one side added or both kept is lost, and merging again changes nothing`()
  {
    var dice = Dice(seed: 9)
    var merged = 0
    for _ in 0..<4_000 {
      var fresh = 100
      let base = Array(0..<(1 + dice.below(12)))
      var (texts, added, removed) = ([base, base], [Set<Int>(), []], [Set<Int>(), []])
      for side in 0..<2 {
        for _ in 0...dice.below(3) {
          let place = dice.below(texts[side].count + 1)
          if dice.below(3) == 0, place < texts[side].count {
            let line = texts[side].remove(at: place)
            if line < 100 { removed[side].insert(line) } else { added[side].remove(line) }
          } else {
            fresh += 1
            texts[side].insert(fresh, at: place)
            added[side].insert(fresh)
          }
        }
      }
      let (old, one, other) = (written(base), written(texts[0]), written(texts[1]))
      guard let result = TextMerge.merge(base: old, one, other) else { continue }
      merged += 1
      let lines = String(decoding: result, as: UTF8.self).split(separator: "\n")
      let kept = Set(base).subtracting(removed[0]).subtracting(removed[1])
      #expect(Set(lines) == Set(kept.union(added[0]).union(added[1]).map { "line \($0)" }))
      #expect(Set(lines).count == lines.count)
      #expect(TextMerge.merge(base: old, one, result) == result)
      #expect(TextMerge.merge(base: one, one, result) == result)
    }
    #expect(merged > 1_000)
  }

  @Test func `both versions of a text are in the marked one`() throws {
    let names = (first: bytes("note.txt"), second: bytes("copy"))
    let found = try #require(
      TextMerge.marked(bytes("a\nb\nc\nd"), bytes("a\nB\nc\ne"), names: names))
    #expect(found.parts == 2)
    #expect(
      String(decoding: found.text, as: UTF8.self)
        == "a\n<<<<<<< note.txt\nb\n=======\nB\n>>>>>>> copy\nc\n<<<<<<< note.txt\nd\n=======\n"
        + "e\n>>>>>>> copy\n")
    let same = try #require(TextMerge.marked(bytes("a\n"), bytes("a\n"), names: names))
    #expect(same.parts == 0 && same.text == bytes("a\n"))
    #expect(TextMerge.marked([0], [], names: names)?.parts == nil)
  }

  @Test func `a folder says which other files are merged`() {
    func path(_ text: String) -> [[UInt8]] { text.split(separator: "/").map { Array($0.utf8) } }
    let usual = MergeRules(parsing: nil)
    #expect(usual.include(path("a/notes.txt")) && usual.include(path("README.md")))
    #expect(!usual.include(path("a.org")) && !usual.include(path("txt")))
    let own = MergeRules(parsing: bytes("*.org\n!README.md\n!/fixed/*\n"))
    #expect(own.include(path("x/a.org")) && own.include(path("a.txt")))
    #expect(!own.include(path("README.md")) && !own.include(path("fixed/a.txt")))
  }
}
