import CairnControl
import Testing

extension EndToEnd {
  @Suite struct IgnoreTests {
    @Test func `ignored names stay where they are`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("*.log\nbuild/\n!keep.log\n/top\n", to: ".cairnignore")
        for name: Name in ["build", "sub", "sub/build"] { try ana.folder.make(name) }
        let ignored: [Name] = [
          "a.log", "build/out", "sub/build/out", "top", "note~", ".note.swp", "film.part", "~$doc",
        ]
        let mirrored: [Name] = ["keep.log", "sub/top", "sub/a.txt"]
        for name in ignored + mirrored { try ana.folder.write("x", to: name) }
        try people.settle()
        #expect(
          Set(try bob.folder.files()).subtracting([".cairn/zone"])
            == Set(mirrored + [".cairnignore"]))
        #expect(ignored.allSatisfy { ana.folder.exists($0) })

        // A rule in a subfolder. The rules apply to Bob's files, too.
        try bob.folder.write("a.txt.bak\n", to: "sub/.cairnignore")
        try bob.folder.write("y", to: "sub/a.txt.bak")
        try bob.folder.write("y", to: "b.log")
        try people.settle()
        #expect(ana.folder.exists("sub/.cairnignore"))
        #expect(!ana.folder.exists("sub/a.txt.bak") && !ana.folder.exists("b.log"))
        #expect(try bob.mount().problems.isEmpty)

        // Without the rule, the hidden file is mirrored.
        try ana.folder.remove(".cairnignore")
        try people.settle()
        #expect(try bob.folder.text("a.log") == "x" && bob.folder.text("build/out") == "x")
        #expect(try ana.folder.text("b.log") == "y" && !bob.folder.exists("note~"))
      }
    }

    @Test func `FIFOs and sockets are skipped with a message`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.pipe("pipe")
        try ana.folder.socket("socket")
        try ana.folder.write("x", to: "file")
        try people.settle()
        #expect(Set(try bob.folder.tree().keys) == ["file"])
        let problems = try ana.mount().problems
        #expect(problems.allSatisfy { $0.code == .invalidArguments })
        let paths = Set(problems.compactMap { $0.path?.text })
        #expect(paths == [ana.folder.path + "/pipe", ana.folder.path + "/socket"])
        #expect(try ana.cairn("status").text.contains(ana.folder.path + "/pipe"))
        try ana.folder.remove("pipe")
        try ana.wait()
        #expect(try ana.mount().problems.map(\.path) == [.init(ana.folder.path + "/socket")])
      }
    }
  }
}
