import CairnControl
import Testing

extension EndToEnd {
  /// A person who left a share by accident returns by one command, and nobody has to invite them.
  @Suite struct RejoinTests {
    @Test func `a person who left by accident returns by one command`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("text", to: "file")
        try people.settle()
        try bob.cairn("share", "leave", bob.folder.path)
        let told = try bob.fails(.zoneNotFound, "share", "show", bob.folder.path)
        #expect(told.errors.contains("cairn share accept"), "\(told.errors)")
        try bob.cairn("share", "accept", bob.folder.path, "--at", bob.folder.path, "--wait")
        try people.settle()
        try people.expectSame()
        try bob.folder.write("edited", to: "file")
        try people.settle()
        #expect(try ana.folder.text("file") == "edited")
        // Who owns a share has nothing to accept.
        let link = try ana.cairn("share", "invite", "--link", ana.folder.path).lastLine
        let own = try ana.fails(.invalidArguments, "share", "accept", link)
        #expect(own.errors.contains("You own"), "\(own.errors)")
        // Being removed is no accident.
        try ana.cairn("share", "remove", ana.folder.path, "bob")
        try bob.awaits("share.revoked")
        try bob.fails(.invalidArguments, "share", "accept", bob.folder.path)
      }
    }
  }
}
