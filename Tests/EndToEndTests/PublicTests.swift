import CairnControl
import Testing

extension EndToEnd {
  /// The public database: Ana and Bob, and somebody who has no account.
  @Suite struct PublicTests {
    private func play(_ body: (TwoPeople, Person) throws -> Void) throws {
      try TwoPeople.play { people in
        let reader = try Person("reader", in: people.root, folder: "R")
        try reader.cairn("init", "--container", people.container.path, "--anonymous")
        defer {
          do { try reader.stopDaemon() } catch { Issue.record("the reader's daemon: \(error)") }
        }
        try body(people, reader)
      }
    }

    /// All three have the same; who may not write a file sees it without write bits.
    private func expectSame(
      _ people: TwoPeople, count: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let trees = try [people.ana, people.bob].map { person in
        try person.folder.tree().mapValues { node in
          Folder.Node(kind: node.kind, mode: node.mode & ~0o222, modified: node.modified)
        }
      }
      #expect(trees[0] == trees[1] && trees[0].count == count, sourceLocation: sourceLocation)
    }

    @Test func `a mirror takes what one may change, and restores the rest`() throws {
      try play { people, reader in
        let (ana, bob) = (people.ana, people.bob)
        for person in [ana, bob] { try person.cairn("public", "mount", person.folder.path) }
        try ana.folder.make("d")
        for name: Name in ["plan", "kept", "moved", "d/gone"] {
          try ana.folder.write("ana's", to: name)
        }
        try people.settle()
        try reader.cairn("public", "mount", reader.folder.path, "--wait")
        #expect(try Set(reader.folder.tree().keys) == Set(ana.folder.tree().keys))
        #expect(try bob.mount().scope == .public && bob.mount().permission == .readWrite)
        #expect(try reader.mount().permission == .readOnly)
        // Files show whether one may write them.
        #expect(try ana.folder.node("plan").mode == 0o644)
        #expect(try bob.folder.node("plan").mode == 0o444)
        #expect(try reader.folder.node("plan").mode == 0o444)

        // Bob may create, and not change what is Ana's; neither stops the other.
        try bob.folder.change(mode: 0o644, of: "plan")
        try bob.folder.write("forced", to: "plan")
        try bob.folder.remove("kept")
        try bob.folder.move("moved", to: "elsewhere")
        try bob.folder.write("bob's", to: "d/new")
        try bob.folder.write("bob's", to: "note")
        try people.settle()
        try expectSame(people, count: 7)
        try people.expectNoConflicts()
        #expect(try ana.folder.text("plan") == "ana's")
        #expect(try ana.folder.text("d/new") == "bob's")
        let rescued = try bob.mount().rescued
        #expect(rescued.map(\.of.lastName) == [Array("plan".utf8)])
        #expect(rescued.first?.reason.contains("alone may change it") == true)

        // Real tombstones, and a creator's rename.
        try ana.folder.remove("plan")
        try bob.folder.move("note", to: "renamed")
        try people.settle()
        try expectSame(people, count: 6)
        try reader.wait()
        #expect(try Set(reader.folder.tree().keys) == Set(ana.folder.tree().keys))
        #expect(try ana.folder.text("renamed") == "bob's")

        // Ana deletes her directory: Bob's file in it keeps it.
        // Her daemon would have the file back before she removes the directory.
        try ana.stopDaemon()
        try ana.folder.remove("d/gone")
        try ana.folder.remove("d/new")
        try ana.folder.remove("d")
        try ana.startDaemon()
        try people.settle()
        try expectSame(people, count: 5)
        #expect(try ana.folder.text("d/new") == "bob's")
        try ana.fails(.badDatabase, "share", "create", ana.folder.path)
      }
    }

    @Test func `a home without an account reads, and leaves the container as it is`() throws {
      try play { people, reader in
        try people.ana.folder.make("")
        try people.ana.folder.write("hello", to: "f")
        let file = people.ana.folder.path + "/f"
        try people.ana.cairn("public", "put", file, "--as", "docs/f")
        try people.ana.stopDaemon()
        try people.bob.stopDaemon()
        let before = try people.container.tree()
        #expect(
          try reader.cairn("public", "get", "docs/f", "--output", "-").text == "hello")
        try reader.cairn("public", "mount", reader.folder.path, "--wait")
        try reader.folder.change(mode: 0o644, of: "docs/f")
        try reader.folder.write("forced", to: "docs/f")
        try reader.folder.write("mine", to: "new")
        try reader.wait()
        #expect(try reader.folder.text("docs/f") == "hello")
        #expect(!reader.folder.exists("new"))
        #expect(try reader.mount().rescued.count == 2)
        try reader.fails(.notAuthenticated, "public", "put", file)
        try reader.fails(.notAuthenticated, "public", "remove", "docs/f")
        try reader.fails(.notAuthenticated, "add", people.ana.folder.path)
        try reader.fails(.notAuthenticated, "share", "create", people.ana.folder.path)
        try reader.fails(.permissionFailure, "can", "modify", "--scope", "public")
        // It goes on where it stood, and still writes nothing.
        try reader.stopDaemon()
        try reader.wait()
        #expect(try reader.mount().files == 1)
        try reader.cairn("public", "unmount", reader.folder.path)
        #expect(try reader.folder.text("docs/f") == "hello")
        #expect(try people.container.tree() == before)
      }
    }

    @Test func `files are put, got, removed and exported without a mirror`() throws {
      try play { people, reader in
        let (ana, bob) = (people.ana, people.bob)
        for person in [ana, bob] {
          try person.folder.make("")
          try person.folder.write(person.handle, to: "f")
        }
        let (anas, bobs) = (ana.folder.path + "/f", bob.folder.path + "/f")
        let before = try ana.answer(Control.VerifyReply.self, "verify").zones
        #expect(
          try ana.cairn("public", "put", anas, "--as", "docs/a").lastLine == "docs/a")
        // It is read back like everything else, mirrored or not.
        for person in [ana, bob] {
          #expect(try person.answer(Control.VerifyReply.self, "verify").zones == before + 1)
        }
        try bob.fails(.permissionFailure, "public", "put", bobs, "--as", "docs/a")
        try bob.fails(.permissionFailure, "public", "remove", "docs/a")
        try bob.cairn("public", "put", bobs, "--as", "docs/b")
        let again = try bob.answer(
          Control.PublicFileReply.self, "public", "put", bobs, "--as", "docs/b")
        #expect(!again.changed)
        let list = try reader.answer(Control.PublicListReply.self, "public", "list", "docs")
        #expect(list.entries.map(\.author.handle) == ["ana", "bob"])
        #expect(list.entries.allSatisfy { !$0.isMine })

        let site = people.root.path + "/site"
        func export() throws -> Control.PublicExportReply {
          try reader.answer(Control.PublicExportReply.self, "public", "export", site)
        }
        #expect(try export().written == 2)
        let folder = Folder(site)
        #expect(try folder.text("docs/b") == "bob")
        let inode = try folder.inode("docs/b")
        try ana.folder.write("anew", to: "f")
        try ana.cairn("public", "put", anas, "--as", "docs/a")
        let second = try export()
        #expect(second.written == 1 && second.removed == 0)
        #expect(try folder.text("docs/a") == "anew" && folder.inode("docs/b") == inode)
        try ana.cairn("public", "remove", "docs/a")
        #expect(try export().removed == 1)
        #expect(Set(try folder.tree().keys) == ["docs", "docs/b", "index.json"])
        #expect(try export().written == 0)
        let index = try folder.text("index.json")
        #expect(index.contains("\"author\":\"bob\"") && !index.contains("docs/a"))
        // What isn't an export's isn't touched.
        try reader.fails(.invalidArguments, "public", "export", bob.folder.path)
        try reader.fails(.unknownItem, "public", "get", "docs/a")
      }
    }

    @Test func `a part of it can be mirrored alone`() throws {
      try play { people, reader in
        let ana = people.ana
        try ana.cairn("public", "mount", ana.folder.path)
        for directory: Name in ["d", "e", "d/in"] { try ana.folder.make(directory) }
        for name: Name in ["d/f", "e/g", "d/in/h"] { try ana.folder.write("text", to: name) }
        try ana.wait()
        try reader.cairn("public", "mount", reader.folder.path, "--prefix", "d", "--wait")
        #expect(Set(try reader.folder.tree().keys) == ["f", "in", "in/h"])
        try ana.folder.write("more", to: "d/more")
        try ana.folder.write("more", to: "e/more")
        try ana.wait()
        try reader.wait()
        #expect(Set(try reader.folder.tree().keys) == ["f", "in", "in/h", "more"])
        let other = people.root.path + "/other"
        try reader.fails(.alreadyMirrored, "public", "mount", other)
        try reader.fails(.alreadyMirrored, "public", "mount", other, "--prefix", "d/in")
        try reader.cairn("public", "mount", other, "--prefix", "e", "--wait")
        #expect(Set(try Folder(other).tree().keys) == ["g", "more"])
        try reader.fails(.unknownItem, "public", "mount", other + "2", "--prefix", "nothing")
      }
    }
  }
}
