import CairnPlan
import CairnZone
import Testing

@Suite struct ConflictNameTests {
  private let label = ConflictLabel(
    who: "bob", host: "tux", year: 2026, month: 11, day: 2, hour: 4, minute: 3)
  private let mark = " (conflict, bob on tux, 2026-11-02 04.03)"

  private func name(_ text: String, attempt: Int = 1) -> String {
    conflictName(of: fileName(text), label: label, attempt: attempt).description
  }

  @Test(arguments: [
    ("a.txt", "a", ".txt"), ("a", "a", ""), (".bashrc", ".bashrc", ""),
    ("a.tar.gz", "a", ".tar.gz"),
    (".tar.gz", ".tar", ".gz"), ("a.", "a.", ""), ("v1. Final notes", "v1. Final notes", ""),
    ("a.averyveryverylongone", "a.averyveryverylongone", ""), ("x.y.z", "x.y", ".z"),
  ])
  func `the label is before the extension`(name text: String, stem: String, suffix: String) {
    #expect(name(text) == stem + mark + suffix)
  }

  @Test func `later attempts are numbered`() {
    #expect(name("a.c", attempt: 2) == "a (conflict, bob on tux, 2026-11-02 04.03 2).c")
  }

  @Test func `a copy of a copy has one label`() {
    #expect(name("a (conflict, eve on a, b, 2025-01-01 00.00).c") == "a\(mark).c")
    #expect(name("a (conflict, eve on x, 2025-01-01 00.00 12)") == "a\(mark)")
    #expect(name("a (conflict, not one).c") == "a (conflict, not one)\(mark).c")
    #expect(name(name("a.tar.gz")) == "a\(mark).tar.gz")
    #expect(name(name("a")) == "a\(mark)")
    #expect(name(name("a", attempt: 7)) == "a\(mark)")
  }

  @Test func `a copy's name contains the original name, and no other name does`() {
    for text in ["a.txt", "a", ".bashrc", "a.tar.gz", "a.", "v1. Final notes", "a (b)", "(x).c"] {
      let copy = conflictName(of: fileName(text), label: label, attempt: 1)
      #expect(nameBeforeConflict(copy)?.description == text)
      let third = conflictName(of: fileName(text), label: label, attempt: 3)
      #expect(nameBeforeConflict(third)?.description == text)
      #expect(nameBeforeConflict(fileName(text)) == nil)
    }
    #expect(nameBeforeConflict(fileName("a (conflict, not one).c")) == nil)
  }

  @Test func `names stay within 255 bytes and contain whole characters`() {
    for (text, width) in [("a", 1), ("é", 2), ("€", 3), ("😀", 4)] {
      for extra in 0..<4 {
        let stem =
          String(repeating: "x", count: extra) + String(repeating: text, count: 250 / width)
        let kept = String(decoding: stem.utf8.prefix(251), as: UTF8.self)
        let whole = fileName(kept.filter { $0 != "\u{FFFD}" } + ".txt")
        let result = conflictName(of: whole, label: label, attempt: 1)
        #expect(result.bytes.count <= 255 && result.bytes.count > 255 - 4)
        #expect(String(validating: result.bytes, as: UTF8.self)?.hasSuffix(mark + ".txt") == true)
      }
    }
  }

  @Test func `bytes that are no text are cut and kept`() {
    guard let whole = FileName(Array(repeating: 0x80, count: 255)) else {
      Issue.record("these bytes are a name")
      return
    }
    let result = conflictName(of: whole, label: label, attempt: 1)
    #expect(result.bytes.count == 255)
    #expect(result.bytes.suffix(mark.utf8.count).elementsEqual(mark.utf8))
  }

  @Test func `no person's name can do harm`() {
    let bad = ConflictLabel(
      who: "../\u{0}\n", host: String(repeating: "é", count: 300), year: 1, month: 1, day: 1,
      hour: 1, minute: 1)
    let result = conflictName(of: fileName("a"), label: bad, attempt: 123_456)
    #expect(
      result.description
        == "a (conflict, .. on \(String(repeating: "é", count: 16)), 0001-01-01 01.01 123456)")
  }
}
