import Testing

extension EndToEnd {
  @Suite struct ConflictTests {
    @Test func `two edits of one file both stay, on both sides`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("d")
        try ana.folder.write("before", to: "d/note.tar.txt")
        try people.settle()
        for person in [ana, bob] { try person.stopDaemon() }
        try ana.folder.write("ana's words", to: "d/note.tar.txt")
        try bob.folder.write("bob's words", to: "d/note.tar.txt")
        try ana.startDaemon()
        try ana.wait()
        try bob.startDaemon()
        try people.settle()
        try people.expectSame(count: 3)
        let names = try ana.folder.names("d")
        #expect(names.count == 2)
        let copy = try #require(names.first { $0 != "note.tar.txt" })
        let text = String(decoding: copy.bytes, as: UTF8.self)
        let host = try people.hostName()
        let date = #/ \(conflict, (ana|bob) on (.+), \d{4}-\d\d-\d\d \d\d\.\d\d\)/#
        let match = try #require(try date.firstMatch(in: text), "\(text)")
        #expect(match.2 == host)
        #expect(text.hasPrefix("note") && text.hasSuffix(".txt"))
        let contents = Set(try names.map { try ana.folder.text("d" / $0) })
        #expect(contents == ["ana's words", "bob's words"])
        // The log decides. Ana's edit was first, so Bob's is the copy.
        #expect(try bob.folder.text("d/note.tar.txt") == "ana's words" && match.1 == "bob")
      }
    }

    @Test func `equal edits on both sides are no conflict`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("before", to: "note")
        try people.settle()
        for person in [ana, bob] { try person.stopDaemon() }
        for person in [ana, bob] {
          try person.folder.write("the same words", to: "note")
          try person.folder.make("new")
          try person.folder.write("the same file", to: "new/file")
          try person.startDaemon()
        }
        try people.settle()
        #expect(Set(try ana.folder.tree().keys) == ["note", "new", "new/file"])
        try people.expectSame(count: 3)
        try people.expectNoConflicts()
      }
    }

    @Test func `an edit beats a deletion on the other side`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("d")
        try ana.folder.write("before", to: "d/note")
        try ana.folder.write("before", to: "d/other")
        try people.settle()
        for person in [ana, bob] { try person.stopDaemon() }
        try ana.folder.remove("d")
        try bob.folder.write("bob needs this", to: "d/note")
        for person in [ana, bob] { try person.startDaemon() }
        try people.settle()
        try people.expectSame()
        let contents = try ana.folder.tree().values.map(\.kind)
        #expect(contents.contains(.file(Array("bob needs this".utf8))))
        #expect(!contents.contains(.file(Array("before".utf8))))
      }
    }
  }
}

extension TwoPeople {
  /// Returns the name of this machine, as it is in the names of conflict copies.
  func hostName() throws -> String {
    let name = try bob.run(program: "/usr/bin/uname", "-n")
    return name.lastLine
  }
}
