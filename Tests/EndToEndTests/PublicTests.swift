import CairnControl
import Testing

extension EndToEnd {
  /// The public database: Ana and Bob, and a person without an account.
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

    @Test func `one's own mirror publishes, and another person's restores`() throws {
      try play { people, reader in
        let (ana, bob) = (people.ana, people.bob)
        try ana.cairn("public", "mount", ana.folder.path)
        try ana.folder.make("d")
        for name: Name in ["plan", "kept", "moved", "d/gone"] {
          try ana.folder.write("ana's", to: name)
        }
        try ana.wait()
        for person in [bob, reader] {
          try person.cairn("public", "mount", person.folder.path, "--author", "ana", "--wait")
          #expect(try Set(person.folder.tree().keys) == Set(ana.folder.tree().keys))
          #expect(try person.mount().scope == .public && person.mount().permission == .readOnly)
          // Files show whether their person may write them.
          #expect(try person.folder.node("plan").mode == 0o444)
        }
        #expect(try ana.mount().permission == .readWrite && ana.folder.node("plan").mode == 0o644)

        // Bob changes nothing of Ana's, and neither stops the other.
        try bob.folder.change(mode: 0o644, of: "plan")
        try bob.folder.write("forced", to: "plan")
        try bob.folder.remove("kept")
        try bob.folder.move("moved", to: "elsewhere")
        try bob.folder.write("bob's", to: "d/new")
        try people.settle()
        #expect(try Set(bob.folder.tree().keys) == ["d", "d/gone", "kept", "moved", "plan"])
        #expect(try bob.folder.text("plan") == "ana's")
        let rescued = try bob.mount().rescued
        #expect(Set(rescued.map(\.of.lastName)) == [Array("plan".utf8), Array("new".utf8)])
        #expect(rescued.first?.reason.contains("alone may change it") == true)

        // Real tombstones, and a rename by the creator.
        try ana.folder.remove("plan")
        try ana.folder.move("kept", to: "renamed")
        try people.settle()
        try reader.wait()
        for person in [bob, reader] {
          #expect(try Set(person.folder.tree().keys) == ["d", "d/gone", "moved", "renamed"])
        }
        try ana.fails(.badDatabase, "share", "create", ana.folder.path)
        // Bob's publications don't affect another person's directory.
        let mine = people.root.path + "/bob-publishes"
        try bob.cairn("public", "mount", mine)
        try Folder(mine).write("bob's", to: "renamed")
        try people.settle()
        #expect(try reader.cairn("public", "get", "bob/renamed", "--output", "-").text == "bob's")
        #expect(try ana.folder.text("renamed") == "ana's")
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
          try reader.cairn("public", "get", "ana/docs/f", "--output", "-").text == "hello")
        try reader.fails(.invalidArguments, "public", "mount", reader.folder.path)
        try reader.cairn("public", "mount", reader.folder.path, "--author", "ana", "--wait")
        try reader.folder.change(mode: 0o644, of: "docs/f")
        try reader.folder.write("forced", to: "docs/f")
        try reader.folder.write("mine", to: "new")
        try reader.wait()
        #expect(try reader.folder.text("docs/f") == "hello")
        #expect(!reader.folder.exists("new"))
        #expect(try reader.mount().rescued.count == 2)
        try reader.fails(.notAuthenticated, "public", "put", file)
        try reader.fails(.notAuthenticated, "public", "remove", "ana/docs/f")
        try reader.fails(.notAuthenticated, "add", people.ana.folder.path)
        try reader.fails(.notAuthenticated, "share", "create", people.ana.folder.path)
        try reader.fails(.permissionFailure, "can", "modify", "--scope", "public")
        // It continues from its position, and still writes nothing.
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
        let path = try ana.cairn("public", "put", anas, "--as", "docs/a").lastLine
        #expect(path.hasPrefix("ana-") && path.hasSuffix("/docs/a"))
        // It can be read like everything else, mirrored or not.
        for person in [ana, bob] {
          #expect(try person.answer(Control.VerifyReply.self, "verify").zones == before + 1)
        }
        for name in [path, "ana/docs/a"] {
          try bob.fails(.permissionFailure, "public", "remove", name)
          #expect(try bob.cairn("public", "get", name, "--output", "-").text == "ana")
        }
        try bob.fails(.unknownItem, "public", "get", "docs/a")
        // Each person's paths are their own.
        try bob.cairn("public", "put", bobs, "--as", "docs/a")
        let again = try bob.answer(
          Control.PublicFileReply.self, "public", "put", bobs, "--as", "docs/a")
        #expect(!again.changed && again.entry.isMine)
        let list = try reader.answer(Control.PublicListReply.self, "public", "list")
        #expect(list.entries.map(\.author.handle) == ["ana", "bob"])
        #expect(list.entries.allSatisfy { !$0.isMine && $0.kind == .directory })
        #expect(list.problems.isEmpty)
        let below = try reader.answer(Control.PublicListReply.self, "public", "list", "ana/docs")
        #expect(below.entries.map(\.path.printable) == [path])
        let all = try reader.answer(Control.PublicListReply.self, "public", "list", "--recursive")
        #expect(all.entries.count == 6 && all.entries.allSatisfy { $0.modified.seconds > 0 })

        let site = people.root.path + "/site"
        func export() throws -> Control.PublicExportReply {
          try reader.answer(Control.PublicExportReply.self, "public", "export", site)
        }
        #expect(try export().written == 2)
        let folder = Folder(site)
        let (first, second) = (Name("\(path)"), Name("\(again.entry.path.printable)"))
        #expect(try folder.text(second) == "bob")
        let inode = try folder.inode(second)
        try ana.folder.write("anew", to: "f")
        try ana.cairn("public", "put", anas, "--as", "docs/a")
        let third = try export()
        #expect(third.written == 1 && third.removed == 0)
        #expect(try folder.text(first) == "anew" && folder.inode(second) == inode)
        try ana.cairn("public", "remove", path)
        #expect(try export().removed == 1)
        #expect(!folder.exists(first) && folder.exists(second))
        #expect(try export().written == 0)
        let index = try folder.text("index.json")
        #expect(index.contains("\"author\":\"bob\"") && !index.contains(path))
        // Files that aren't an export's aren't touched.
        try reader.fails(.invalidArguments, "public", "export", bob.folder.path)
        try reader.fails(.unknownItem, "public", "get", "ana/docs/a")
      }
    }

    @Test func `verify reads publications, with all others and by the zone's id`() throws {
      try play { people, _ in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.write("ana's", to: "f")
        try ana.cairn("public", "put", ana.folder.path + "/f")
        let zone = try #require(
          try ana.answer(Control.ZonesReply.self, "zones").zones.first { $0.scope == .public }?.zone
        )
        for person in [ana, bob] { try person.cairn("public", "list") }
        for person in [ana, bob] {
          #expect(try person.cairn("verify", zone).text.contains("Read 1 zone,"))
        }
        let entries = try people.container.files(below: "users").filter {
          $0.text.contains("/public/")
        }
        let entry = try #require(entries.max { $0.text < $1.text })
        var bytes = try people.container.read(entry)
        bytes[bytes.count / 2] ^= 4
        try people.container.remove(entry)
        try people.container.write(bytes, to: entry)
        for arguments in [["verify"], ["verify", zone]] {
          let told = try bob.fails(.assetNotAvailable, arguments)
          #expect(told.text.contains(entry.text), "\(told.text)")
        }
      }
    }

    @Test func `nobody gets another's path by a handle that looks like it`() throws {
      try play { people, reader in
        let ana = people.ana
        try ana.folder.make("")
        try ana.folder.write("ana's", to: "f")
        let path = try ana.cairn("public", "put", ana.folder.path + "/f").lastLine
        let handle = try #require(path.split(separator: "/").first.map(String.init))
        let mel = try Person("mel", in: people.root, folder: "M")
        try mel.cairn(
          "init", "--container", people.container.path, "--name", "Mel", "--handle", handle)
        defer {
          do { try mel.stopDaemon() } catch { Issue.record("mel's daemon: \(error)") }
        }
        try mel.folder.make("")
        try mel.folder.write("mel's", to: "f")
        try mel.cairn("public", "put", mel.folder.path + "/f")
        #expect(try reader.cairn("public", "get", path, "--output", "-").text == "ana's")
        // For a person from whose container Ana is hidden, the path leads nowhere.
        try people.ana.stopDaemon()
        let users = Folder(people.container.path + "/users")
        let hers = try #require(
          try users.tree().keys.first {
            $0.bytes.count == 64 && $0.starts(with: String(handle.suffix(16)))
          })
        try users.move(hers, to: "hidden")
        let late = try Person("late", in: people.root, folder: "L")
        try late.cairn("init", "--container", people.container.path, "--anonymous")
        defer {
          do { try late.stopDaemon() } catch { Issue.record("the late daemon: \(error)") }
        }
        try late.fails(.unknownItem, "public", "get", path)
        try users.move("hidden", to: hers)
        #expect(try late.cairn("public", "get", path, "--output", "-").text == "ana's")
      }
    }

    @Test func `a part of it can be mirrored alone`() throws {
      try play { people, reader in
        let ana = people.ana
        try ana.cairn("public", "mount", ana.folder.path)
        for directory: Name in ["d", "e", "d/in"] { try ana.folder.make(directory) }
        for name: Name in ["d/f", "e/g", "d/in/h"] { try ana.folder.write("text", to: name) }
        try ana.wait()
        func mount(_ path: String, _ prefix: String) -> [String] {
          ["public", "mount", path, "--author", "ana", "--prefix", prefix, "--wait"]
        }
        try reader.cairn(mount(reader.folder.path, "d"))
        #expect(Set(try reader.folder.tree().keys) == ["f", "in", "in/h"])
        try ana.folder.write("more", to: "d/more")
        try ana.folder.write("more", to: "e/more")
        try ana.wait()
        try reader.wait()
        #expect(Set(try reader.folder.tree().keys) == ["f", "in", "in/h", "more"])
        let other = people.root.path + "/other"
        try reader.fails(.alreadyMirrored, "public", "mount", other, "--author", "ana")
        try reader.fails(.alreadyMirrored, mount(other, "d/in"))
        try reader.cairn(mount(other, "e"))
        #expect(Set(try Folder(other).tree().keys) == ["g", "more"])
        try reader.fails(.unknownItem, mount(other + "2", "nothing"))
        try reader.fails(.zoneNotFound, "public", "mount", other + "3", "--author", "bob")
      }
    }
  }
}
