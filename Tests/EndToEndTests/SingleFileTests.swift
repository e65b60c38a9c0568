import CairnControl
import Testing

extension EndToEnd {
  /// Files inside of a mirrored folder that are shared by themselves. They keep their identity
  /// wherever their owner moves them, and are deleted when their owner deletes them.
  @Suite struct SingleFileTests {
    /// Plays with Ana's mirrored folder with these files. Bob has each of them in a folder of its
    /// own.
    private static func play(
      _ names: [Name], _ body: (TwoPeople, [Folder]) throws -> Void
    ) throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        for name in names { try ana.folder.write(name.bytes, to: name) }
        try ana.cairn("add", ana.folder.path)
        try ana.wait()
        var folders: [Folder] = []
        for (number, name) in names.enumerated() {
          let path = ana.path(of: name)
          try ana.cairn("share", "create", path)
          let link = try ana.cairn("share", "invite", path, "bob").lastLine
          let folder = Folder(people.root.path + "/bob-\(number)")
          try bob.cairn("share", "accept", link, "--at", folder.path, "--wait")
          folders.append(folder)
        }
        try people.settle()
        try body(people, folders)
      }
    }

    private static func problems(_ person: Person) throws -> [String] {
      try person.answer(Control.StatusReply.self, "status").mounts.flatMap(\.problems)
        .map(\.message)
    }

    private static func mounts(_ person: Person) throws -> Set<String> {
      try Set(person.answer(Control.StatusReply.self, "status").mounts.map(\.path.description))
    }

    @Test func `files that move into new directories stay in their shares`() throws {
      let names = (1...8).map { Name("p\($0)") }
      try Self.play(names) { people, bobs in
        let (ana, folder) = (people.ana, people.ana.folder)
        for round in ["x", "y/deep/er"] {
          for (number, name) in names.enumerated() {
            let old = round == "x" ? name : Name("x\(number)") / name
            var directory = Name("")
            for part in "\(round)\(number)".split(separator: "/") {
              directory = directory.bytes.isEmpty ? Name("\(part)") : directory / Name("\(part)")
              if !folder.exists(directory) { try folder.make(directory) }
            }
            try folder.move(old, to: directory / name)
          }
          try people.settle()
          for (number, name) in names.enumerated() {
            try folder.write("\(round) \(number)", to: Name("\(round)\(number)") / name)
          }
          try people.settle()
          for (number, name) in names.enumerated() {
            #expect(try bobs[number].text(name) == "\(round) \(number)")
          }
          let expected = names.enumerated().map { number, name in
            ana.path(of: Name("\(round)\(number)") / name)
          }
          #expect(try Self.mounts(ana) == Set(expected + [folder.path]))
        }
        #expect(try Self.problems(ana) == [])
      }
    }

    @Test func `a file that an editor saves stays in its share, and so do swapped ones`()
      throws
    {
      try Self.play(["a", "b"]) { people, bobs in
        let folder = people.ana.folder
        // As vim saves with backupcopy=no, with and without a backup that stays.
        for keepsBackup in [false, true] {
          try folder.move("a", to: "a~")
          try folder.write("saved \(keepsBackup)", to: "a")
          if !keepsBackup { try folder.remove("a~") }
          try people.settle()
          #expect(try bobs[0].text("a") == "saved \(keepsBackup)")
          #expect(try bobs[0].names("").filter { $0 != ".cairn" } == ["a"])
        }
        #expect(try folder.text("a~") == "saved false")
        // As most editors save.
        try folder.write("renamed over", to: ".a.tmp")
        try folder.move(".a.tmp", to: "a")
        try people.settle()
        #expect(try bobs[0].text("a") == "renamed over")
        // The two exchange their names.
        try folder.move("a", to: "t")
        try folder.move("b", to: "a")
        try folder.move("t", to: "b")
        try people.settle()
        try folder.write("first", to: "b")
        try folder.write("second", to: "a")
        try people.settle()
        #expect(try bobs[0].text("a") == "first" && bobs[1].text("b") == "second")
        // One exchanges its name with a file that isn't shared.
        try folder.write("private", to: "p")
        try people.ana.wait()
        try folder.move("b", to: "t")
        try folder.move("p", to: "b")
        try folder.move("t", to: "p")
        try people.settle()
        try folder.write("still first", to: "p")
        try people.settle()
        let texts = try ["p", "b"].map { try folder.text($0) } + [bobs[0].text("a")]
        #expect(texts == ["still first", "private", "still first"])
        #expect(try Self.problems(people.ana) == [])
      }
    }

    @Test func `the removal of the folder around shared files deletes none of them`() throws {
      try Self.play(["a", "b"]) { people, bobs in
        let ana = people.ana
        let outcome = try ana.run(program: "/bin/rm", "-rf", ana.folder.path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        try ana.fails(.partialFailure, "wait")
        try people.bob.wait()
        #expect(try bobs[0].text("a") == "a" && bobs[1].text("b") == "b")
      }
    }

    @Test func `a shared file is deleted by owner or participant, and nothing is left`()
      throws
    {
      try Self.play(["a", "b", "c"]) { people, bobs in
        let (ana, bob, folder) = (people.ana, people.bob, people.ana.folder)
        try folder.remove("a")
        try bobs[1].remove("b")
        try people.settle()
        #expect(!bobs[0].exists("a") && !folder.exists("b"))
        #expect(try bobs[2].text("c") == "c")
        #expect(try Self.problems(ana) == [] && Self.problems(bob) == [])
        #expect(try Self.mounts(ana) == [folder.path, ana.path(of: "c")])
        // A new file there belongs only to its maker.
        try folder.write("mine", to: "a")
        try folder.write("mine", to: "b")
        try people.settle()
        #expect(!bobs[0].exists("a") && !bobs[1].exists("b"))
        #expect(try folder.names("").filter { $0.isOwnFolder }.count == 2)
        // It is deleted with its directory.
        try folder.make("d")
        try folder.move("c", to: "d/c")
        try people.settle()
        try folder.remove("d/c")
        for name in try folder.names("d") { try folder.remove("d" / name) }
        try folder.remove("d")
        try people.settle()
        #expect(!bobs[2].exists("c"))
        #expect(try Self.mounts(ana) == [folder.path])
        #expect(try Self.problems(ana) == [])
        try ana.stopDaemon()
        try ana.startDaemon()
        try people.settle()
        #expect(try folder.text("a") == "mine" && folder.text("b") == "mine")
        #expect(try Self.problems(ana) == [])
        try ana.cairn("verify")
      }
    }

    @Test func `one of several files that are shared together can be deleted by its owner`() throws
    {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        let folder = ana.folder
        try folder.make("")
        for name: Name in ["a", "b", "c"] { try folder.write(name.bytes, to: name) }
        try ana.cairn("share", "create", ana.path(of: "a"), ana.path(of: "b"), ana.path(of: "c"))
        let share = try ana.share(at: ana.path(of: "a"))
        let link = try ana.cairn("share", "invite", share, "bob").lastLine
        try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
        try people.settle()
        try folder.remove("a")
        try bob.folder.remove("b")
        try people.settle()
        #expect(try Set(bob.folder.tree().keys) == ["c"])
        #expect(!folder.exists("b"))
        #expect(try Self.problems(ana) == [])
        try bob.folder.write("of bob", to: "c")
        try people.settle()
        #expect(try folder.text("c") == "of bob")
        // With another name in its directory it isn't deleted.
        try folder.move("c", to: "aside")
        try people.settle()
        #expect(bob.folder.exists("c"))
        try folder.remove("aside")
        try ana.stopDaemon()
        try ana.startDaemon()
        try people.settle()
        #expect(!bob.folder.exists("c"))
        #expect(try Self.problems(ana) == [])
      }
    }
  }
}

extension Person {
  fileprivate func path(of name: Name) -> String { "\(folder.path)/\(name.text)" }
}

extension Name {
  /// A Boolean value that indicates whether the name is that of a folder of Cairn's own.
  fileprivate var isOwnFolder: Bool { text.hasPrefix(".cairn") }
}
