import Testing

@testable import CairnDaemon

/// The subset of TOML that cairn.conf(5) describes.
@Suite struct ConfigurationTextTests {
  private typealias Value = ConfigurationText.Value

  private func value(_ spelling: String) throws -> Value? {
    try ConfigurationReader.read("k = \(spelling)")["", "k"]
  }

  @Test func `sections, keys and comments are read in any layout that TOML allows`() throws {
    let text = """
      \u{feff}# A comment, with [brackets] and "quotes".\r
      before=1\r
      \t[ one ]   # a section
        a-b_3   =\t"x # no comment"# a comment

      [two]
      [three]
      last = true
      """
    let found = try ConfigurationReader.read(text)
    #expect(found.sections.map(\.name) == ["", "one", "two", "three"])
    #expect(found["", "before"] == .number(1) && found["one", "a-b_3"] == .text("x # no comment"))
    #expect(found[section: "two"]?.entries == [] && found["three", "last"] == .truth(true))
    #expect(found["one", "before"] == nil && found["four", "x"] == nil)
    for empty in ["", "\n", "#", " \t", "\u{feff}"] {
      #expect(try ConfigurationReader.read(empty) == ConfigurationText())
    }
  }

  @Test(arguments: [
    ("\"\"", Value.text("")), ("\"a\\\"b\\\\c\\n\\t\\r\\b\\f\"", .text("a\"b\\c\n\t\r\u{8}\u{c}")),
    ("\"\\u00e4\\U0001F600ö\"", .text("ä😀ö")), ("'a\\n\"b'", .text("a\\n\"b")), ("''", .text("")),
    ("0", .number(0)), ("-17", .number(-17)), ("+1_000", .number(1_000)),
    ("9223372036854775807", .number(.max)), ("-9223372036854775808", .number(.min)),
    ("true", .truth(true)), ("false", .truth(false)),
    ("[]", .list([])), ("[1,'a', true,]", .list([.number(1), .text("a"), .truth(true)])),
    ("[ # first\n  \"a\",\n\n  \"b\" # last\n]  # end", .list([.text("a"), .text("b")])),
    ("1.5", .other("1.5")), ("1979-05-27T07:32:00Z", .other("1979-05-27T07:32:00Z")),
    ("0x1f", .other("0x1f")), ("007", .other("007")), ("1__0", .other("1__0")),
    ("9223372036854775808", .other("9223372036854775808")), ("-inf", .other("-inf")),
  ]) private func `a value is read, and written so that it is read again`(
    spelling: String, expected: Value
  ) throws {
    #expect(try value(spelling) == expected)
    var table = ConfigurationText()
    table["s", "k"] = expected
    #expect(try ConfigurationReader.read(table.text) == table)
  }

  @Test(arguments: [
    ("a = 1\nb", 2, "“=” is missing after b"), ("a = 1 2", 1, "something follows"),
    ("\n\n= 1", 3, "a key has"), ("a.b = 1", 1, "“=” is missing after a"),
    ("\"a\" = 1", 1, "a key has"), ("a =", 1, "a value is"), ("a = \nb = 1", 1, "a value is"),
    ("a = yes", 1, "a value is"), ("a = {b = 1}", 1, "a value is"), ("a = 1;", 1, "a value is"),
    ("a = [[1]]", 1, "a value is"), ("a = [1 2]", 1, "“,” or “]”"),
    ("a = [\n1,\n", 3, "a value is"), ("a = [,]", 1, "a value is"), ("a = \"x", 1, "closing quote"),
    ("a = 'x\nb = '", 1, "closing"),
    ("a = \"x\r\n\"", 1, "closing quote"), ("a = \"x\ry\"", 1, "control character"),
    ("a = \"\u{1}\"", 1, "control character"), ("a = \"\u{7f}\"", 1, "control character"),
    ("a = \"\\x\"", 1, "escape that doesn't exist"), ("a = \"\\ud800\"", 1, "no character"),
    ("a = \"\\u00\"", 1, "no character"), ("a = \"\\U-0000001\"", 1, "no character"),
    ("a = \"\\", 1, "closing quote"), ("a = \"\"\"x\"\"\"", 1, "something follows"),
    ("[]", 1, "a section is"), ("[a", 1, "a section is"), ("[a.b]", 1, "a section is"),
    ("[[a]]", 1, "a section is"), ("[a] b", 1, "something follows"), ("[ä]", 1, "a section is"),
    ("a = 1\n[s]\na = 2\na = 3", 4, "the key a is there twice"),
    ("[s]\n[t]\n[s]", 3, "the section [s] is there twice"), ("\u{0}", 1, "a key has"),
  ]) func `a mistake names its line`(text: String, line: Int, what: String) throws {
    let mistake = #expect(throws: ConfigurationReader.Mistake.self) {
      try ConfigurationReader.read(text)
    }
    #expect(mistake?.line == line)
    #expect(mistake?.what.contains(what) == true, "\(mistake?.what ?? "")")
    #expect(mistake?.description.hasPrefix("line \(line): ") == true)
  }

  @Test func `only the changed keys are written, and nothing else changes`() throws {
    var table = try ConfigurationReader.read("a = 1\n[s]\nb = 2.5\nc = 'x'\n[t]\nd = 3\n")
    table["s", "c"] = .text("é\"\u{1}")
    table["u", "e"] = .truth(false)
    table["v", "f"] = nil
    table[section: "t"] = nil
    #expect(
      table.text == "a = 1\n\n[s]\nb = 2.5\nc = \"é\\\"\\u0001\"\n\n[u]\ne = false\n")
  }
}
