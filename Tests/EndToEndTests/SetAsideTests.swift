import CairnControl
import Testing

extension EndToEnd {
  @Suite struct SetAsideTests {
    /// Makes a conflict about a file: Ana's version has the name, and Bob's is the copy. Returns
    /// the copy.
    private static func conflict(
      _ people: TwoPeople, about name: Name, ana: [UInt8], bob: [UInt8]
    ) throws -> String {
      try people.ana.folder.write("before", to: name)
      try people.settle()
      for person in [people.ana, people.bob] { try person.stopDaemon() }
      try people.ana.folder.write(ana, to: name)
      try people.bob.folder.write(bob, to: name)
      try people.ana.startDaemon()
      try people.ana.wait()
      try people.bob.startDaemon()
      try people.settle()
      let list = try people.bob.answer(Control.ConflictsReply.self, "conflicts")
      let conflict = try #require(list.conflicts.last)
      return try #require(conflict.copy.path.text)
    }

    @Test func `conflicts are listed, compared and ended, and nothing is lost`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let copy = try Self.conflict(
          people, about: "note.txt", ana: Array("one\nof ana\nend\n".utf8),
          bob: Array("one\nof bob\nend\n".utf8))
        let list = try bob.answer(
          Control.ConflictsReply.self, "conflicts", "list", bob.folder.path)
        let conflict = try #require(list.conflicts.first)
        #expect(list.conflicts.count == 1 && conflict.who == "bob" && conflict.isMine)
        #expect(conflict.host == (try people.hostName()))
        #expect(conflict.of.text == bob.folder.path + "/note.txt")
        #expect(conflict.copy.size == 15 && conflict.original?.size == 15)
        let anas = try ana.answer(Control.ConflictsReply.self, "conflicts", "list")
        #expect(anas.conflicts.map(\.isMine) == [false])
        let listed = try bob.cairn("conflicts", "list").text
        #expect(listed.contains("yours") && listed.contains("note.txt, 15 B"))

        let difference = try bob.cairn("conflicts", "diff", copy).text
        #expect(difference.contains("\n-of ana\n+of bob\n"))
        try bob.fails(.unknownItem, "conflicts", "diff", bob.folder.path + "/note.txt")
        try bob.fails(.unknownItem, "conflicts", "keep", "mine", bob.folder.path + "/note.txt")

        let merge = try bob.answer(
          Control.ConflictMergeReply.self, "conflicts", "merge", copy)
        #expect(merge.parts == 1 && merge.text.contains("of ana\n=======\nof bob\n>>>>>>> note"))
        try bob.cairn("conflicts", "keep", "mine", copy)
        try people.settle()
        #expect(try ana.folder.text("note.txt") == "one\nof bob\nend\n")
        #expect(try ana.folder.tree().count == 1)
        try people.expectSame()
        let rescued = try bob.answer(Control.RescueReply.self, "rescue", "list")
        let entry = try #require(rescued.entries.first)
        #expect(rescued.entries.count == 1 && entry.size == 15)
        #expect(entry.rescued.reason == "you kept the other version in a conflict")

        // The reason is still known when another daemon set it aside.
        try bob.stopDaemon()
        try bob.startDaemon()
        try bob.wait()
        #expect(try bob.answer(Control.RescueReply.self, "rescue").entries == rescued.entries)
        #expect(try bob.mount().rescued == rescued.entries.map(\.rescued))

        let aside = try #require(entry.rescued.path.text)
        try bob.cairn("rescue", "restore", aside)
        try people.settle()
        #expect(try ana.folder.text("note (rescued).txt") == "one\nof ana\nend\n")
        #expect(try bob.cairn("rescue", "list").text == "There are no recovered files.\n")
        try bob.fails(.unknownItem, "rescue", "restore", aside)
        #expect(try bob.folder.files(below: ".cairn") == [".cairn/zone"])
      }
    }

    @Test func `the other version and both are kept, even of binary files`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let first = try Self.conflict(people, about: "a.bin", ana: [1, 0, 2], bob: [1, 0, 3, 4])
        let difference = try bob.cairn("conflicts", "diff", first).text
        #expect(difference.contains("4 bytes: ") && difference.contains("from byte 3 on"))
        try bob.cairn("conflicts", "keep", "theirs", first)
        try people.settle()
        #expect(try bob.folder.read("a.bin") == [1, 0, 2])
        #expect(try bob.folder.tree().count == 1)

        let second = try Self.conflict(people, about: "b.txt", ana: [65], bob: [66])
        // Ana names Bob's copy in her own folder.
        let name = second.dropFirst(bob.folder.path.count)
        try ana.cairn("conflicts", "keep", "both", ana.folder.path + name)
        try people.settle()
        #expect(try bob.folder.text("b.txt") == "A" && bob.folder.text("b (bob).txt") == "B")
        #expect(try bob.cairn("conflicts").text == "There are no conflicts.\n")
        try people.expectSame(count: 3)
      }
    }

    @Test func `the same conflict again makes no second copy`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        for round in ["first", "second"] {
          let copy = try Self.conflict(
            people, about: "plan", ana: Array("\(round) of ana".utf8), bob: Array("of bob".utf8))
          #expect(copy.contains("plan (conflict, bob on "))
          #expect(try ana.folder.text("plan") == "\(round) of ana")
          #expect(try ana.folder.tree().count == 2, "\(round)")
        }
        try people.expectSame(count: 2)
        try people.expectNoLeftovers()
        // Other bytes are another conflict.
        _ = try Self.conflict(people, about: "plan", ana: [65], bob: [66])
        #expect(try bob.folder.tree().count == 3)
      }
    }

    @Test func `a file that was set aside is moved or deleted by its person`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        for name: Name in ["plan", "other", "third"] { try ana.folder.write("shared", to: name) }
        try people.share("read-only")
        for name: Name in ["plan", "other", "third"] { try bob.folder.write("forced", to: name) }
        try bob.wait()
        let rescue = bob.folder.path + "/.cairn/rescue/"
        try bob.fails(.permissionFailure, "rescue", "restore", rescue + "plan")
        try bob.cairn("rescue", "restore", rescue + "plan", "--to", people.root.path + "/mine")
        #expect(try people.root.text("mine") == "forced")
        try bob.fails(
          .constraintViolation, "rescue", "restore", rescue + "other", "--to",
          people.root.path + "/mine")
        try bob.cairn("rescue", "restore", rescue + "other", "--to", people.root.path)
        #expect(try people.root.text("other") == "forced")

        try bob.fails(.operationCancelled, "rescue", "clear", "--all")
        let none = try bob.answer(
          Control.RescueReply.self, "rescue", "clear", "--all", "--older-than", "1d", "--yes")
        #expect(none.entries.isEmpty)
        let cleared = try bob.answer(
          Control.RescueReply.self, "rescue", "clear", rescue + "third", "--yes")
        #expect(cleared.entries.map(\.size) == [6])
        #expect(try bob.folder.files(below: ".cairn") == [".cairn/zone"])
        #expect(try bob.mount().rescued.isEmpty)
      }
    }

    @Test func `an ended share's files in the home are restored and cleared`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("shared", to: "plan")
        try ana.folder.write("*.log\n", to: ".cairnignore")
        try people.settle()
        for name: Name in ["a.log", "b.log"] { try bob.folder.write("only bob's", to: name) }
        try bob.wait()
        try bob.cairn("share", "leave", bob.folder.path)
        let list = try bob.answer(Control.RescueReply.self, "rescue", "list")
        #expect(list.entries.count == 2 && list.entries.allSatisfy { $0.mount == nil })
        let path = try #require(list.entries.first?.rescued.path.text)
        try bob.fails(.unknownItem, "rescue", "restore", path)
        try bob.cairn("rescue", "restore", path, "--to", people.root.path)
        #expect(try people.root.text("a.log") == "only bob's")
        try bob.cairn("rescue", "clear", "--all", "--yes")
        #expect(try bob.home.files(below: "rescue").isEmpty)
      }
    }
  }
}
