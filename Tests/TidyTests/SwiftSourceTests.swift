import Testing

/// The reader of sources that the rules use.
struct SwiftSourceTests {
  @Test(arguments: [
    ("let a = 1 // try! {", "let a = 1          "),
    ("/* a /* try! */ { */ b", "                     b"),
    (#"f("try! { \" }")"#, #"f("           ")"#),
    (##"f(#"a " \" {"#)"##, ##"f(#"        "#)"##),
    (#"f("a \(g { try! h("}") }) b")"#, #"f("  \(g { try! h(" ") })  ")"#),
    ("func `a sentence {`() {}", "func `            `() {}"),
    ("let s = \"\"\"\n  { \" }\n  \"\"\"", "let s = \"\"\"\n       \n  \"\"\""),
    ("#if os(Linux)\n{", "#if os(Linux)\n{"),
  ])
  func `comments and literals are blanked, code stays`(text: String, code: String) {
    #expect(SwiftSource(text).code.joined(separator: "\n") == code)
  }

  @Test func `functions are measured from their first word to their closing brace`() {
    let source = SwiftSource(
      """
      protocol P {
        func required(a: Int) -> Int
        var plain: Int { get }
      }
      struct S: P {
        var stored: [String: Int] = [:]
        var plain: Int {
          1
        }
        init(
          _ closure: () -> Void = { }
        ) {
          self.init()
        }
        static func == (left: S, right: S) -> Bool {
          while true { if false { } }
        }
      }
      """)
    let found = source.functions.map { "\($0.name) \($0.line) \($0.lineCount)" }
    #expect(found == ["plain 3 1", "plain 7 3", "init 10 5", "= 15 3"])
  }

  @Test func `types and imports are found in whatever form they take`() {
    let source = SwiftSource(
      """
      import CSQLite
      public import struct Foundation.Data
      @testable import CairnZone
      public final class A { class func make() {} }
      enum B { indirect case c }
      actor C {}
      typealias D = Int
      """)
    #expect(source.imports.map(\.text) == ["CSQLite", "Foundation", "CairnZone"])
    #expect(source.typeNames.map(\.text) == ["A", "B", "C", "D"])
  }

  @Test func `a name falls into its words`() {
    #expect(Rules.humps(of: "HTTPResponseHandler") == ["HTTP", "Response", "Handler"])
    #expect(Rules.humps(of: "DatabaseScope") == ["Database", "Scope"])
    #expect(Rules.humps(of: "main") == ["main"])
  }
}
