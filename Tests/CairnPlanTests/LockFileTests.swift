import CairnPlan
import CairnZone
import Testing

/// The names of office programs' lock files, and the files that they belong to.
struct LockFileTests {
  private func file(_ lock: String, among names: String...) -> String? {
    guard let name = FileName(lock), let lock = LockFile(name) else { return nil }
    return lock.file(among: names.compactMap { FileName($0) })?.description
  }

  @Test func `LibreOffice's lock file has the whole name`() {
    #expect(file(".~lock.a.odt#", among: "a.odt", "xxa.odt") == "a.odt")
    #expect(file(".~lock.a.odt#", among: "xxa.odt") == nil)
    #expect(file(".~lock.#.odt#", among: "#.odt") == "#.odt")
  }

  @Test func `Word replaces the first characters of a long name`() {
    #expect(file("~$a.docx", among: "a.docx", "xxa.docx") == "a.docx")
    #expect(file("~$book.xlsx", among: "book.xlsx") == "book.xlsx")
    #expect(file("~$cument.docx", among: "document.docx", "other.docx") == "document.docx")
    #expect(file("~$eport1.docx", among: "report1.docx") == "report1.docx")
    #expect(file("~$port1.docx", among: "report1.docx") == nil)
    #expect(file("~$eport12.docx", among: "report12.docx") == nil)
    #expect(file("~$eports.docx", among: "Üeports.docx") == "Üeports.docx")
    #expect(file("~$fenster.docx", among: "Öbfenster.docx") == "Öbfenster.docx")
    #expect(file("~$fenster.docx", among: "äöüßfenster.docx") == nil)
    #expect(file("~$fenster.docx", among: "Obfenster.docx", "Abfenster.docx") == nil)
  }

  @Test func `other names are no lock files`() {
    for name in ["a.odt", ".~lock.#", ".~lock.a.odt", "~$", "~a", "lock.a#"] {
      #expect(FileName(name).flatMap { LockFile($0) } == nil, "\(name)")
    }
  }
}
