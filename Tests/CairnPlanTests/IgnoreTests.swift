import CairnPlan
import CairnZone
import Testing

/// gitignore(5) line by line.
@Suite struct IgnoreTests {
  private func ignores(_ rules: String, _ path: String, in directory: String = "") -> Bool {
    let isDirectory = path.hasSuffix("/")
    let names = path.split(separator: "/").map { fileName(String($0)) }
    let depth = directory.split(separator: "/").count
    var list: [IgnoreRules?] = Array(repeating: nil, count: depth)
    list.append(IgnoreRules(parsing: rules.utf8))
    return IgnoreMatcher().ignores(names, isDirectory: isDirectory, rules: list)
  }

  @Test(arguments: [
    ("*.o", "a.o"), ("*.o", "d/e/a.o"), ("/a", "a"), ("d/a", "d/a"), ("d/", "x/d/"), ("d", "x/d/y"),
    ("d/", "x/d/y"), ("\\#a", "#a"), ("\\!a", "!a"), ("a\\ ", "a "), ("a  ", "a"), ("a?c", "abc"),
    ("[a-c]x", "bx"), ("[!a-c]x", "dx"), ("[^a-c]x", "dx"), ("[]]x", "]x"), ("[a-]x", "-x"),
    ("[\\]]x", "]x"), ("[[:digit:]]x", "7x"), ("\\*", "*"), ("**/f", "f"), ("**/f", "d/e/f"),
    ("d/**", "d/e/f"), ("d/**", "d/e"), ("d/**/f", "d/f"), ("d/**/f", "d/a/b/f"), ("**", "a/b"),
    ("a**c", "abbc"), ("*a*b*c", "xaybzc"), ("d/*", "d/e"), ("a\r\nb\r\n", "a"), ("!a\na", "a"),
    ("\u{FEFF}a", "a"), ("*/f", "d/f"), ("/**/x/**/y", "a/x/b/y"), ("d/*/f/", "d/e/f/"),
  ])
  func `a pattern ignores the paths that it describes`(rules: String, path: String) {
    #expect(ignores(rules, path))
  }

  @Test(arguments: [
    ("*.o", "a.c"), ("/a", "d/a"), ("d/a", "x/d/a"), ("d/", "x/d"), ("#a", "#a"), ("", "a"),
    ("a?c", "a/c"), ("[a-c]x", "dx"), ("[a", "[a"), ("a\\", "a"), ("d/**", "d/"), ("d/*", "d/"),
    ("d/**/f", "df"), ("a*", "ba"), ("*", ""), ("a\n!a", "a"), ("*.c\n!keep.c", "keep.c"),
    ("d/*/f", "d/a/b/f"), ("a//b", "a/b"), ("/", "a"), ("d/*", "x/d/e"), ("[z-a]", "m"),
    ("a/**/b", "a/bb"), ("[[:nonsense:]]", "a"), ("\\!a", "a"),
  ])
  func `a pattern ignores no other path`(rules: String, path: String) {
    #expect(!ignores(rules, path))
  }

  @Test func `a name that an editor tries with is ignored only as an empty file`() {
    func ignores(_ isDirectory: Bool, _ isEmpty: Bool, _ rules: String = "") -> Bool {
      IgnoreMatcher().ignores(
        [fileName("d"), fileName("4913")], isDirectory: isDirectory, isEmpty: isEmpty,
        rules: [IgnoreRules(parsing: rules.utf8)])
    }
    #expect(ignores(false, true))
    #expect(!ignores(false, false) && !ignores(true, false))
    #expect(ignores(false, false, "4913") && !ignores(false, true, "!4913"))
  }

  @Test func `no entry of an ignored directory can be included again`() {
    #expect(ignores("d/\n!d/f", "d/f"))
    #expect(!ignores("d/*\n!d/f", "d/f"))
  }

  @Test func `the nearest rules win`() {
    let far = IgnoreRules(parsing: "*.log\n!b.log".utf8)
    let near = IgnoreRules(parsing: "!a.log\nb.log".utf8)
    let matcher = IgnoreMatcher()
    for (name, expected) in [("a.log", false), ("b.log", true), ("c.log", true)] {
      let path = [fileName("d"), fileName(name)]
      #expect(matcher.ignores(path, isDirectory: false, rules: [far, near]) == expected)
    }
    #expect(ignores("/a", "d/a", in: "d"))
    #expect(!ignores("/a", "a", in: "d"))
  }

  @Test(arguments: [
    "f~", ".f.swp", ".#f", "#f#", ".~lock.a.odt#", "~$a.docx", "a.part", "a.crdownload",
    "a.partial", ".goutputstream-X", ".nfs0001", ".fuse_hidden01", ".cairn/", ".cairn/staging/f",
  ])
  func `temporary files are ignored`(path: String) {
    #expect(ignores("", path))
  }

  @Test func `built-in rules can be overridden, except for lock files and the engine's folder`() {
    #expect(!ignores("!*.part", "a.part"))
    #expect(ignores("!*", "~$a.docx") && ignores("!.~lock.a.odt#", "d/.~lock.a.odt#"))
    #expect(!ignores("!*", "~$folder/"))
    #expect(ignores("!.cairn", ".cairn/"))
    #expect(ignores("", "d/.cairn/"))
    #expect(ignores("!.cairn\n!d/.cairn", "d/.cairn/zone"))
    #expect(!ignores("", ".cairnignore"))
  }

  @Test func `names are bytes`() {
    let rules = IgnoreRules(parsing: [0xFF, 0x2A])
    guard let name = FileName([0xFF, 0x0A, 0xFE]) else {
      Issue.record("these bytes are a name")
      return
    }
    #expect(IgnoreMatcher().ignores([name], isDirectory: false, rules: [rules]))
  }

  @Test(arguments: [
    ("x*b", "xb", true), ("*b", "ab", true), ("*b", "ba", false), ("a*b*c", "abc", true),
    ("a*b*c", "acb", false), ("*a*", "bab", true), ("*a*", "b", false), ("a*a", "a", false),
    ("**", "a", true), ("*aab", "aaab", true), ("*[ab]?", "xbz", true), ("*[ab]?", "xzz", false),
  ])
  func `the text behind the last star is at the end`(rule: String, name: String, hit: Bool) {
    #expect(ignores(rule, name) == hit)
  }

  @Test func `the cost of rules is limited by their text`() {
    func cost(_ line: String, times: Int = 1) -> Int {
      IgnoreRules(parsing: String(repeating: line + "\n", count: times).utf8).cost
    }
    // Rules that people have: thousands of names, some with several stars, or in any directory.
    #expect(cost("build-directory-1234.tmp*", times: 2_000) < IgnoreRules.mostCost)
    #expect(cost("*.py[cod]*", times: 1_000) < IgnoreRules.mostCost)
    #expect(cost("**/node_modules/", times: 4_000) < IgnoreRules.mostCost)
    #expect(cost("# a comment", times: 5_000) == 0)
    // Rules that are made to be slow, in a file of the largest allowed size.
    let room = IgnoreRules.mostBytes - 1
    #expect(cost(String(repeating: "*a", count: room / 2)) > IgnoreRules.mostCost)
    #expect(cost("*" + String(repeating: "a", count: room - 2) + "*") > IgnoreRules.mostCost)
    #expect(cost("**/*aaaaaaaaaaaaaaaaaaaaaaaaaaa*/b", times: 1_500) > IgnoreRules.mostCost)
  }

  @Test func `no pattern takes for ever`() {
    let stars = String(repeating: "a*", count: 100) + "b"
    #expect(!ignores(stars, String(repeating: "a", count: 255)))
    let deep = String(repeating: "**/a/", count: 50) + "b"
    #expect(!ignores(deep, String(repeating: "a/", count: 1000) + "c"))
  }
}
