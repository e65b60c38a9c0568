import CairnControl
import Glibc
import Testing

extension EndToEnd {
  /// Moves between mounts, and links out of them.
  @Suite struct MoveTests {
    @Test func `changes in a directory that replaced another one are noticed`() throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        for name: Name in ["old", "old/e", "new", "new/e", "new/f"] {
          try ana.folder.make(name)
        }
        for name: Name in ["old/a", "old/e/a", "new/a", "new/e/a", "new/f/a"] {
          try ana.folder.write("before", to: name)
        }
        try people.settle()
        // The notifications arrive together, while the index knows nothing about it.
        let daemon = try #require(try ana.daemon())
        #expect(kill(daemon, SIGSTOP) == 0)
        try ana.folder.remove("old")
        try ana.folder.move("new", to: "old")
        for name: Name in ["old/a", "old/e/a", "old/f/a"] {
          try ana.folder.write("after, and longer", to: name)
        }
        #expect(kill(daemon, SIGCONT) == 0)
        try people.settle()
        try people.expectSame(count: 6)
        for name: Name in ["old/a", "old/e/a", "old/f/a"] {
          #expect(try people.bob.folder.text(name) == "after, and longer")
        }
      }
    }

    @Test func `a move into a share without the right is undone, and both go on`() throws {
      try TwoPeople.playSharing("read-only") { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("d")
        try ana.folder.write("shared", to: "plan")
        let mine = Folder(people.root.path + "/mine")
        try mine.make("")
        try mine.make("tree")
        try mine.make("empty")
        for name: Name in ["file", "over", "tree/a", "tree/b"] { try mine.write("own", to: name) }
        try bob.cairn("add", mine.path)
        try people.settle()
        let before = (ana: try ana.folder.tree(), mine: try mine.tree())
        let inode = try mine.inode("tree/a")

        try people.root.move("mine/file", to: "B/file")
        try people.root.move("mine/over", to: "B/plan")
        try people.root.move("mine/tree", to: "B/d/tree")
        try people.root.move("mine/empty", to: "B/empty")
        try people.settle()
        #expect(Set(try mine.tree().keys) == Set(before.mine.keys))
        #expect(try mine.inode("tree/a") == inode)
        for name: Name in ["file", "over", "tree/a", "tree/b"] {
          #expect(try mine.text(name) == "own")
        }
        #expect(try ana.folder.tree() == before.ana)
        try people.expectSame(count: 2, writable: false)
        let status = try mount(of: bob, at: bob.folder)
        #expect(status.rescued.isEmpty)
        let undone = status.problems.filter { $0.code == .permissionFailure }
        #expect(
          Set(undone.map { $0.path?.text })
            == Set(["file", "plan", "d/tree", "empty"].map { bob.folder.path + "/" + $0 }))
        #expect(undone.allSatisfy { $0.message.contains(mine.path) })
        try mine.write("more", to: "more")
        try ana.folder.write("more", to: "more")
        try people.settle()
        try people.expectSame(count: 3, writable: false)
      }
    }

    @Test func `a move out of a share without the right is a copy`() throws {
      try TwoPeople.playSharing("read-only") { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("shared", to: "plan")
        let mine = Folder(people.root.path + "/mine")
        try mine.make("")
        try bob.cairn("add", mine.path)
        try people.settle()
        try people.root.move("B/plan", to: "mine/plan")
        try people.settle()
        #expect(try mine.text("plan") == "shared")
        try people.expectSame(writable: false)
        // The copy has the same record id, so its history continues.
        #expect(try record("plan", of: bob, in: mine) == record("plan", of: bob, in: bob.folder))
      }
    }

    @Test func `a move between two shares keeps the record ids, and their history`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let (second, bobs) = (
          Folder(people.root.path + "/A2"), Folder(people.root.path + "/B2")
        )
        try second.make("")
        try ana.cairn("share", "create", second.path)
        let link = try ana.cairn("share", "invite", second.path, "bob").lastLine
        try bob.cairn("share", "accept", link, "--at", bobs.path, "--wait")
        try ana.folder.make("d")
        for name: Name in ["d/file", "plan"] { try ana.folder.write("moved", to: name) }
        try people.settle()
        let id = try record("plan", of: bob, in: bob.folder)
        try people.root.move("B/plan", to: "B2/plan")
        try people.root.move("B/d", to: "B2/d")
        try people.settle()
        #expect(try ana.folder.tree().isEmpty)
        #expect(Set(try second.tree().keys) == ["plan", "d", "d/file"])
        #expect(try second.text("d/file") == "moved")
        #expect(try record("plan", of: ana, in: second) == id)
        let exports = try bob.cairn("events", "--json").text.split(separator: "\n")
          .filter { $0.contains("\"export.end\"") }
        for folder in [bob.folder, bobs] {
          #expect(exports.contains { $0.contains("\"\(folder.path)\"") })
        }
      }
    }

    @Test func `links that lead out are shared as links, and reported`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.make("d")
        try ana.folder.write("x", to: "plan")
        try ana.folder.link("d/in", to: "../plan")
        try ana.folder.link("d/out", to: "../../elsewhere")
        try ana.folder.link("hosts", to: "/etc/hosts")
        try ana.cairn("add", ana.folder.path)
        try ana.wait()
        #expect(try ana.mount().problems.isEmpty)
        let created = try ana.run("share", "create", ana.folder.path)
        #expect(created.errors.split(separator: "\n").count == 2)
        #expect(created.errors.contains("/d/out") && created.errors.contains("/hosts"))
        let link = try ana.cairn("share", "invite", ana.folder.path, "bob").lastLine
        try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
        try people.settle()
        try people.expectSame(count: 5)
        let told = try ana.mount().problems.compactMap { $0.path?.text }
        #expect(Set(told) == Set(["d/out", "hosts"].map { ana.folder.path + "/" + $0 }))
        try ana.folder.remove("hosts")
        try people.settle()
        #expect(try ana.mount().problems.count == 1)
      }
    }

    private func mount(of person: Person, at folder: Folder) throws -> Control.MountStatus {
      let reply = try person.answer(Control.StatusReply.self, "status", folder.path)
      return try #require(reply.mounts.first)
    }

    private func record(_ name: String, of person: Person, in folder: Folder) throws -> String {
      let reply = try person.answer(Control.ListReply.self, "ls", folder.path)
      return try #require(reply.entries.first { $0.path.text?.hasSuffix(name) == true }?.record)
    }
  }
}
