import Testing

/// Each rule finds a source that breaks it, and accepts sources that don't.
struct RulesTests {
  @Test(arguments: [
    ("let a = try! f()", "`try!`"),
    ("let a = b as! C", "`as!`"),
    ("nonisolated(unsafe) var a = 1", "`nonisolated(unsafe)`"),
    ("final class A: @unchecked Sendable {}", "`@unchecked Sendable`"),
    ("let a = try? f()", "`try?`"),
    ("Thread.sleep(forTimeInterval: 1)", "`Thread.sleep`"),
    ("package func f() {}", "`package func`"),
    ("print(1)", "`print(`"),
    ("FileManager.default", "`FileManager`"),
    ("let now = Date()", "`Date(`"),
    ("ContinuousClock().now", "`ContinuousClock`"),
    ("Int.random(in: 0...1)", "`.random(`"),
    ("func f() async {}", "` async `"),
    ("// TO" + "DO: later", "`TO" + "DO`"),
    ("fatalError(\"" + "not written\")", "`fatalError"),
    ("import Foundation", "must not import `Foundation`"),
    ("import CairnFolders", "must not import `CairnFolders`"),
    ("struct ZoneManager {}", "`ZoneManager`: `Manager`"),
    ("struct RowHTTPHandler {}", "`RowHTTPHandler`: `Handler`"),
  ])
  func `a rule that is broken is named`(text: String, message: String) {
    let messages = Rules.violations(in: SwiftSource(text)).map(\.message)
    #expect(messages.count == 1, "\(messages)")
    #expect(messages.first?.contains(message) == true)
  }

  @Test(arguments: [
    "/// It waits for `try!` and Date() and import Foundation.",
    "let text = \"try! print( FileManager\"",
    "let a = try? f()  // There may be none, and that is an answer.",
    "// Proof: it never changes.\nfinal class A: @unchecked Sendable {}",
    "struct DatabaseScope {}",
    "blueprint(1); Update(); description.printed()",
    "import CairnZone",
  ])
  func `what keeps the rules is let through`(text: String) {
    #expect(Rules.violations(in: SwiftSource(text)) == [])
  }

  @Test(arguments: [
    ("Sources/CairnStore/A.swift", "import CairnSystem\nimport Glibc", 0),
    ("Sources/CairnStore/A.swift", "import CZstd", 1),
    ("Sources/CairnReplica/A.swift", "import CSodium\nimport CairnIndex", 0),
    ("Sources/CairnContainer/A.swift", "import CSQLite", 1),
    ("Sources/CairnIndex/A.swift", "import CSQLite", 0),
    ("Sources/CairnContainer/A.swift", "import Foundation", 1),
    ("Sources/CairnReplica/A.swift", "import SwiftProtobuf\nimport Foundation", 0),
    ("Sources/CairnContainer/A.swift", "import CairnPlan", 1),
    ("Sources/CairnFolders/A.swift", "import CInotifyTools", 1),
    ("Sources/CairnDaemon/A.swift", "import CInotifyTools", 1),
    ("Sources/CairnControl/A.swift", "import CairnZone", 1),
    ("Sources/cairn/A.swift", "import CairnDaemon", 1),
    ("Sources/cairn/A.swift", "import CairnControl\nimport ArgumentParser", 0),
    ("Sources/cairnd/A.swift", "import CairnFolders", 1),
    ("Sources/cairn-watch/A.swift", "import CInotifyTools", 0),
    ("Sources/cairn-watch/A.swift", "import CairnFolders", 1),
    ("Sources/CairnNew/A.swift", "let a = 1", 1),
    ("Tests/CairnContainerTests/A.swift", "import Foundation", 0),
  ])
  func `a layer imports only what its line in the table allows`(
    path: String, text: String, count: Int
  ) {
    #expect(Layers.violations(in: SwiftSource(path: path, text)).count == count)
  }

  @Test(arguments: [
    ("Zone", "struct A { let codec: EntryCodec }", 0),
    ("Log", "struct A { let zone: Zone }", 1),
    ("Log", "// Zone\nlet a = \"Zone\"\nlet b = Other.Zone()\nstruct A { enum Zone {} }", 0),
    ("Log", "extension Zone {}\nfunc f(_: Zone) {}", 1),
    ("Cellar", "let a = 1", 1),
  ])
  func `a folder uses only those before it`(room: String, text: String, count: Int) {
    let sources = [
      SwiftSource(path: "Sources/CairnReplica/Log/EntryCodec.swift", "enum EntryCodec {}"),
      SwiftSource(path: "Sources/CairnReplica/Zone/Zone.swift", "class Zone { let a: EntryCodec }"),
      SwiftSource(path: "Sources/CairnReplica/\(room)/A.swift", text),
    ]
    #expect(Rooms.violations(in: sources).count == count)
  }

  @Test(arguments: [("A", 1_000, 0), ("A", 1_001, 1), ("B", 2_000, 0)])
  func `a type that is too large over all its files is named`(
    name: String, lines: Int, count: Int
  ) {
    func body(_ lines: Int) -> String { String(repeating: "\n", count: lines - 1) + "}" }
    let sources = [
      SwiftSource(path: "Sources/CairnZone/A.swift", "struct A {}\nenum B {}"),
      SwiftSource(path: "Sources/CairnZone/A+B.swift", "extension \(name) {" + body(400)),
      SwiftSource(path: "Sources/CairnZone/A+C.swift", "extension \(name) {" + body(lines - 401)),
      SwiftSource(path: "Sources/CairnPlan/A.swift", "struct A {" + body(900)),
    ]
    #expect(TypeSizes.violations(in: sources).count == count)
  }

  @Test(arguments: [
    ("", 1), ("/// It uses these parts of the state: `clock`,\n/// `zone`.\n", 0),
    ("/// It uses these parts of the state: `zone`.\n", 1),
  ])
  func `a type with a whole state is a part of it, unless it names what it uses`(
    comment: String, count: Int
  ) {
    let lines = String(repeating: "\n", count: 350)
    let sources = [
      SwiftSource(path: "Sources/CairnFolders/State.swift", "class MountState {" + lines + "}"),
      SwiftSource(
        path: "Sources/CairnFolders/A.swift",
        comment + "struct A { let state: MountState; let mine = other.state.size" + lines + "}"),
      SwiftSource(
        path: "Sources/CairnFolders/A+B.swift",
        "extension A { func f() { self.state.zone.pull(); state.clock }" + lines + "}"),
    ]
    #expect(TypeSizes.violations(in: sources).count == count)
  }

  @Test(arguments: [
    ("A+More", "DELETE FROM a", 0), ("B", "DELETE FROM b", 0), ("B", "INSERT INTO a (x)", 2),
  ])
  func `two types that write a table are named`(file: String, text: String, count: Int) {
    let sources = [
      SwiftSource(path: "Sources/CairnReplica/Index/A.swift", "f(\"UPDATE a SET x = 1\")"),
      SwiftSource(path: "Sources/CairnReplica/Index/\(file).swift", "f(\"\(text)\")"),
    ]
    #expect(TableWriters.violations(in: sources).count == count)
  }

  @Test func `a test that expects nothing is named, a support file isn't`() {
    let path = "Tests/CairnPlanTests/PlanTests.swift"
    let idle = SwiftSource(path: path, "@Test func f() {}")
    #expect(Rules.expectations(in: idle).count == 1)
    #expect(Rules.expectations(in: SwiftSource(path: path, "@Test func f() { #expect(a) }")) == [])
    let support = SwiftSource(path: "Tests/CairnPlanTests/Tree.swift", "let a = 1")
    #expect(Rules.expectations(in: support) == [])
  }

  @Test(arguments: [
    ("Sources/CairnPlan/Tree.swift", 400),
    ("Tests/CairnPlanTests/Tree.swift", 500),
  ])
  func `a file that is too long is named`(path: String, limit: Int) {
    let longest = SwiftSource(path: path, String(repeating: "a\n", count: limit))
    #expect(Rules.violations(in: longest) == [])
    let longer = SwiftSource(path: path, String(repeating: "a\n", count: limit + 1))
    #expect(Rules.violations(in: longer).map(\.line) == [limit + 1])
  }

  @Test func `a function or a line that is too long is named`() {
    func function(lines: Int) -> SwiftSource {
      SwiftSource("func f() {" + String(repeating: "\n", count: lines - 1) + "}")
    }
    #expect(Rules.violations(in: function(lines: 60)) == [])
    #expect(Rules.violations(in: function(lines: 61)).count == 1)
    #expect(Rules.violations(in: SwiftSource(String(repeating: "é", count: 100))) == [])
    #expect(Rules.violations(in: SwiftSource(String(repeating: "é", count: 101))).count == 1)
  }

  @Test(arguments: [
    ("struct A { var a = 1; let b = 2 }", ["a"]),
    ("class A {\n var a: Int\n var b: Int { 1 }\n private(set) var c = f { 1 }\n}", ["a", "c"]),
    ("class A {\n static var a = 1\n func f() { var b = 1 }\n}", []),
    ("class A {\n var a = 1 { didSet { f() } }\n var b: Int { didSet { f() } }\n}", ["a", "b"]),
    ("class A {\n var a: Int {\n  get { 1 }\n  set { f() }\n }\n struct B { var c = 1 }\n}", []),
  ])
  func `what may change in a type is found`(text: String, properties: [String]) {
    #expect(SwiftSource(text).states.first?.properties == properties)
  }

  @Test func `a type with too much that may change is named`() {
    func type(_ count: Int) -> SwiftSource {
      SwiftSource("class A {\n" + (0..<count).map { "var a\($0) = 1\n" }.joined() + "}")
    }
    #expect(Rules.violations(in: type(12)) == [])
    #expect(Rules.violations(in: type(13)).count == 1)
  }

  @Test func `paths are found in links and in quotes, addresses are not`() {
    let text = """
      See [a](b/c.md), [d](https://example.org/e), `make run`, `Sources/F/G.swift`, `examples/`,
      `man ./man/h.1`.
      """
    #expect(Links.named(in: text, folder: "") == ["b/c.md", "Sources/F/G.swift", "examples/"])
    #expect(Links.named(in: "[a](b.md)", folder: "examples/") == ["examples/b.md"])
  }

  @Test func `documents are found by their names`() {
    // Spelled apart, so that this file mentions none.
    let (plan, notes) = ("PLAN" + ".md", "OLD-NOTES" + ".md")
    #expect(Links.documents(in: "(\(plan) §3; a/\(notes), notes.md)") == [plan, notes])
  }

  @Test func `a test may not sleep`() {
    let path = "Tests/CairnPlanTests/Tree.swift"
    #expect(Rules.violations(in: SwiftSource(path: path, "usleep(1)")).count == 1)
  }

  @Test func `a file named by an empty word is named`() {
    let source = SwiftSource(path: "Sources/CairnZone/Helpers.swift", "let a = 1")
    #expect(Rules.names(in: source).count == 1)
    let aspect = SwiftSource(path: "Sources/CairnZone/Zone+Folding.swift", "let a = 1")
    #expect(Rules.names(in: aspect) == [])
  }
}
