import CairnControl
import Testing

extension EndToEnd {
  /// The lock files of office programs, which tell others who has a file open.
  @Suite struct PresenceTests {
    @Test func `others see who has a file open, and get no lock file`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("x", to: "report.odt")
        try people.settle()
        try bob.folder.write("Bob,his,machine,now;", to: ".~lock.report.odt#")
        try ana.awaits("file.opened")
        let path = ana.folder.path + "/report.odt"
        let stat = try ana.answer(Control.StatReply.self, "stat", path)
        let opener = try #require(stat.paths.first?.openBy?.first)
        #expect(opener.person.handle == "bob" && opener.since <= opener.seen)
        let line = "report.odt: open by Bob (bob) on \(opener.device) since "
        #expect(try ana.cairn("stat", path).text.contains(line))
        #expect(
          try ana.cairn("ls", ana.folder.path).text.contains("report.odt  (open by Bob (bob)"))
        #expect(
          try bob.answer(Control.StatReply.self, "stat", bob.folder.path + "/report.odt")
            .paths.first?.openBy == nil)
        try bob.folder.remove(".~lock.report.odt#")
        try ana.awaits("file.closed")
        #expect(try ana.answer(Control.StatReply.self, "stat", path).paths.first?.openBy == nil)
        try people.settle()
        #expect(try ana.folder.tree().keys.map(\.bytes) == [Array("report.odt".utf8)])
      }
    }
  }
}
