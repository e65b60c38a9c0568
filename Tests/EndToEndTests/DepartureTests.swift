import CairnControl
import Glibc
import Testing

extension EndToEnd {
  /// The folder of a share that has ended for its person.
  @Suite struct DepartureTests {
    @Test func `a removed person loses the folder, and none of their own bytes`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let mine = Folder(people.root.path + "/mine")
        try mine.make("")
        try mine.write("own", to: "own")
        try bob.cairn("add", mine.path)
        for name: Name in ["d", "d/e", "empty"] { try ana.folder.make(name) }
        for number in 0..<200 { try ana.folder.write("file \(number)", to: "d/\(number)") }
        for name: Name in ["plan", "d/e/open", "d/e/closed"] {
          try ana.folder.write("shared", to: name)
        }
        try ana.folder.link("link", to: "plan")
        try ana.folder.write("*.tmp\n", to: ".cairnignore")
        try people.settle()
        try bob.folder.write("ignored", to: "d/x.tmp")
        // A program that has a file open for writing keeps it.
        let path = bob.folder.path + "/d/e/open"
        let open = Glibc.open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
        try #require(open >= 0)
        defer { close(open) }
        // The daemon had no time to send this edit.
        try bob.stopDaemon()
        try bob.folder.write("unsent", to: "plan")
        try bob.folder.write("unsent too", to: "d/new")
        try ana.cairn("share", "remove", ana.folder.path, "bob")
        let zone = try ana.mount().zone
        try bob.startDaemon()
        try bob.awaits("share.revoked")

        #expect(!bob.folder.exists(""))
        #expect(Glibc.write(open, " and more", 9) == 9)
        let rescue = bob.home.path + "/rescue/A-" + zone.prefix(8)
        let rescued = Folder(rescue)
        #expect(Set(try rescued.files()) == ["plan", "d/new", "d/e/open", "d/x.tmp"])
        #expect(try rescued.text("plan") == "unsent")
        #expect(try rescued.text("d/new") == "unsent too")
        #expect(try rescued.text("d/e/open") == "shared and more")
        let status = try bob.answer(Control.StatusReply.self, "status")
        #expect(status.mounts.map(\.path.text) == [mine.path])
        #expect(
          Set(status.rescued.map(\.of.text))
            == Set(["plan", "d/new", "d/e/open", "d/x.tmp"].map { bob.folder.path + "/" + $0 }))
        #expect(status.rescued.allSatisfy { $0.reason.contains("removed") })
        #expect(try bob.run("status", "--verbose").text.contains(rescue + "/d/new"))
        try bob.fails(.zoneNotFound, "share", "show", zone)
        #expect(try bob.count(of: "rescued") == 4)

        // Everything else of theirs goes on, and they may return.
        try mine.write("more", to: "more")
        try bob.wait()
        try bob.stopDaemon()
        try bob.startDaemon()
        try bob.wait()
        #expect(try bob.answer(Control.StatusReply.self, "status").rescued.count == 4)
        let link = try ana.cairn("share", "invite", ana.folder.path, "bob").lastLine
        try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
        try people.expectSame(count: 207)
      }
    }

    @Test func `a person who is removed while the daemon runs loses the folder at once`() throws {
      try TwoPeople.playSharing("read-only") { people in
        let (ana, bob) = (people.ana, people.bob)
        for number in 0..<50 { try ana.folder.write("file \(number)", to: "\(number)") }
        try people.settle()
        try ana.cairn("share", "remove", ana.folder.path, "bob")
        try bob.awaits("share.revoked")
        #expect(!bob.folder.exists(""))
        #expect(try bob.answer(Control.StatusReply.self, "status").rescued.isEmpty)
        #expect(try bob.answer(Control.StatusReply.self, "status").mounts.isEmpty)
        // A later status shows why it is missing.
        let status = try bob.cairn("status").text
        #expect(status.contains("ended  \(bob.folder.path)  ") && status.contains("were removed"))
        #expect(try bob.answer(Control.ShareListReply.self, "share", "list").shares.isEmpty)
        try ana.folder.write("unseen", to: "unseen")
        try ana.wait()
        #expect(try ana.mount().problems.isEmpty)
      }
    }

    enum End: CaseIterable { case removed, stopped, purged, left }

    @Test(arguments: End.allCases)
    func `a device that was off when a share ended gives up its folder later`(
      _ end: End
    ) throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        for number in 0..<3 { try ana.folder.write("file \(number)", to: "\(number)") }
        try people.settle()
        try people.withDevice(of: bob) { laptop in
          try laptop.awaitEvent(.mountAdded, "/A")
          try laptop.wait()
          try laptop.stopDaemon()
          try laptop.folder.write("unsent", to: "A/edit")
          switch end {
          case .removed: try ana.cairn("share", "remove", ana.folder.path, "bob")
          case .stopped: try ana.cairn("share", "stop", ana.folder.path)
          case .purged: try ana.cairn("purge", ana.folder.path, "--yes")
          case .left: try bob.cairn("share", "leave", bob.folder.path)
          }
          let kind: Control.EventKind =
            switch end {
            case .removed: .shareRevoked
            case .stopped, .purged: .shareStopped
            case .left: .shareLeft
            }
          try bob.awaitEvent(kind)
          #expect(!bob.folder.exists(""))
          try laptop.startDaemon()
          try laptop.awaitEvent(kind)
          #expect(!laptop.folder.exists("A"))
          let status = try laptop.answer(Control.StatusReply.self, "status")
          #expect(status.mounts.isEmpty && status.problems.isEmpty)
          #expect(status.rescued.map(\.of.text) == [laptop.folder.path + "/A/edit"])
        }
      }
    }

    @Test func `a folder that its owner deleted leaves an owner's device that was off`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        try ana.folder.make("")
        try ana.folder.write("x", to: "file")
        try ana.cairn("add", ana.folder.path)
        try ana.wait()
        try people.withDevice(of: ana) { laptop in
          try laptop.awaitEvent(.mountAdded, "/A")
          try laptop.wait()
          try laptop.stopDaemon()
          try laptop.folder.write("unsent", to: "A/edit")
          try ana.cairn("purge", ana.folder.path, "--yes")
          try laptop.startDaemon()
          try laptop.awaitEvent(.shareStopped)
          #expect(!laptop.folder.exists("A"))
          let status = try laptop.answer(Control.StatusReply.self, "status")
          #expect(status.mounts.isEmpty)
          // On each device of the person who deleted it, the files can be restored.
          let rescued = ["edit", "file"].map { "\(laptop.folder.path)/A/\($0)" }
          #expect(status.rescued.map(\.of.text) == rescued)
        }
      }
    }

    @Test func `deleting the root of an accepted share leaves the share`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("d")
        for number in 0..<300 { try ana.folder.write("file \(number)", to: "d/\(number)") }
        try people.settle()
        let before = try ana.folder.tree()
        try people.root.remove("B")
        try bob.awaits("share.left")
        try ana.wait()
        #expect(try ana.folder.tree() == before)
        #expect(try bob.answer(Control.StatusReply.self, "status").mounts.isEmpty)
        let share = try ana.answer(
          Control.ShareReply.self, "share", "show", ana.folder.path
        ).share
        #expect(share.participants.map(\.handle) == ["ana"])
        let link = try ana.cairn("share", "invite", ana.folder.path, "bob").lastLine
        try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
        try people.expectSame(count: 301)
      }
    }

    @Test func `deleting a file in an accepted share deletes it for all`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("d")
        for name: Name in ["d/one", "d/two", "three"] { try ana.folder.write("x", to: name) }
        try people.settle()
        try bob.folder.remove("d")
        try people.settle()
        #expect(Set(try ana.folder.tree().keys) == ["three"])
        try people.expectSame()
      }
    }

    @Test func `a root that went unseen is detached, and status shows how to leave`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("x", to: "file")
        try people.settle()
        try bob.stopDaemon()
        try people.root.remove("B")
        try bob.startDaemon()
        _ = try bob.run("wait", "--timeout", "1")
        let mount = try bob.mount()
        #expect(mount.phase == .detached)
        #expect(mount.problems.contains { $0.message.contains("cairn share leave") })
        try ana.wait()
        #expect(try ana.folder.text("file") == "x")
      }
    }
  }
}
