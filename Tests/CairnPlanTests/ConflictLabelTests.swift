import CairnPlan
import CairnZone
import Testing

/// The label in a conflict copy's name can be read back.
@Suite struct ConflictLabelTests {
  @Test(arguments: [
    ("note.txt", "ana", "laptop", 1), ("archive.tar.gz", "bob", "pc-7", 2), ("plain", "c", "h", 1),
    ("on the way.txt", "a on b", "host", 1), (".hidden", "ana", "h, i", 12),
  ]) func `the label is read back`(name: String, who: String, host: String, attempt: Int) throws {
    let label = ConflictLabel(
      who: who, host: host, year: 2026, month: 11, day: 21, hour: 9, minute: 5)
    let copy = conflictName(of: fileName(name), label: label, attempt: attempt)
    let read = try #require(ConflictLabel.read(from: copy))
    #expect(read.who == who && read.host == host)
    #expect(read.when.hasPrefix("2026-11-21 09.05"))
  }

  @Test(arguments: [
    "note.txt", "note (conflict).txt", "note (conflict, ana).txt",
    "note (conflict, ana on pc, yesterday).txt", "(conflict, a on b, 2026-11-21 09.05)",
  ]) func `other names have no label`(name: String) {
    #expect(ConflictLabel.read(from: fileName(name)) == nil)
  }
}
