import CairnControl
import Testing

extension EndToEnd {
  @Suite struct DetachedTests {
    @Test func `a missing folder deletes nothing elsewhere, and returns by itself`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("d")
        for name: Name in ["one", "d/two"] { try ana.folder.write("x", to: name) }
        try people.settle()
        let before = try ana.folder.tree()

        try people.root.move("B", to: "away")
        try expectDetached(people, "isn't there")
        #expect(try ana.folder.tree() == before)
        // Doctor names it once, and not as a limit of watches.
        let checks = try ControlJSON.decode(
          Control.DoctorReply.self, from: bob.run("doctor", "--json").output)
        #expect(checks.checks.filter { $0.code != nil }.map(\.name) == ["folders"])

        // An empty folder in its place is not the folder.
        try people.root.make("B")
        try expectDetached(people, "is empty and without its mark")
        #expect(try ana.folder.tree() == before)
        #expect(try bob.folder.names("").isEmpty)

        // A folder with other contents isn't either.
        try bob.folder.write("mine", to: "other")
        try expectDetached(people, "isn't the one that was mirrored")
        #expect(try bob.folder.text("other") == "mine")

        try ana.folder.write("meanwhile", to: "three")
        try ana.wait()
        try people.root.remove("B")
        try Folder(people.root.path + "/away").write("away", to: "four")
        try people.root.move("away", to: "B")
        try people.settle()
        try people.expectSame(count: 5)
        #expect(Set(try ana.folder.tree().keys) == ["one", "d", "d/two", "three", "four"])
        try people.expectNoConflicts()
        // It is watched again, too.
        try bob.folder.write("watched", to: "d/five")
        try people.settle()
        #expect(try ana.folder.text("d/five") == "watched")
      }
    }

    @Test func `a folder emptied with its mark, or with another's mark, deletes nothing`() throws {
      try TwoPeople.playSharing { people in
        try people.prepareFiles()
        let before = try people.ana.folder.tree()
        for name in try people.bob.folder.names("") { try people.bob.folder.remove(name) }
        try expectDetached(people, "is empty and without its mark")
        #expect(try people.ana.folder.tree() == before)
        try people.bob.folder.make(".cairn")
        try people.bob.folder.write("00000000000000000000000000000000\n", to: ".cairn/zone")
        try expectDetached(people, "mirrors something else now")
        #expect(try people.ana.folder.tree() == before)
        try people.ana.fails(.unknownItem, "held", "confirm", people.ana.folder.path)
      }
    }

    @Test func `an incomplete copy of the folder deletes nothing`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try people.prepareFiles()
        try bob.stopDaemon()
        let copied = try bob.run(
          program: "/bin/cp", "-a", bob.folder.path, people.root.path + "/copy")
        #expect(copied.status == 0)
        let copy = Folder(people.root.path + "/copy")
        try copy.remove("d")
        try copy.write("edited in the copy", to: "one")
        try people.root.move("B", to: "away")
        try people.root.move("copy", to: "B")
        try bob.startDaemon()
        try people.settle()
        #expect(try ana.folder.text("d/two") == "x")
        #expect(try bob.folder.text("d/two") == "x")
        #expect(try ana.folder.text("one") == "edited in the copy")
        try people.expectSame(count: 4)
        try people.expectNoConflicts()
      }
    }

    @Test func `an older copy of the folder undoes no later change`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try people.prepareFiles()
        try ana.folder.write("3", to: "three")
        try people.settle()
        try bob.stopDaemon()
        let copied = try bob.run(
          program: "/bin/cp", "-a", bob.folder.path, people.root.path + "/copy")
        #expect(copied.status == 0)
        try bob.startDaemon()
        try ana.folder.write("one, later", to: "one")
        try ana.folder.move("d/two", to: "moved")
        try people.settle()
        try bob.folder.write("by bob", to: "one more")
        try bob.folder.remove("three")
        try people.settle()
        let before = try ana.folder.tree()
        try bob.stopDaemon()
        let copy = Folder(people.root.path + "/copy")
        try copy.write("edited in the copy", to: "d/new")
        try people.root.move("B", to: "away")
        try people.root.move("copy", to: "B")
        try bob.startDaemon()
        try people.settle()
        #expect(try ana.folder.text("one") == "one, later")
        #expect(try ana.folder.text("moved") == "x")
        #expect(try ana.folder.text("one more") == "by bob")
        #expect(try ana.folder.text("d/new") == "edited in the copy")
        try people.expectSame(count: before.count + 1)
        try people.expectNoConflicts()
        let rescued = try bob.answer(Control.RescueReply.self, "rescue", "list").entries
        #expect(rescued.map { $0.rescued.of.text } == [bob.folder.path + "/three"])
      }
    }

    @Test(.enabled(if: Mounts.arePossible, Mounts.comment))
    func `a file system mounted over the folder detaches it until it is gone`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try people.prepareFiles()
        try bob.stopDaemon()
        try bob.startDaemon(after: "true")
        try bob.wait()
        try bob.inDaemonsMounts("mount -t tmpfs none '\(bob.folder.path)'")
        try expectDetached(people, "file system is mounted at this path", restarts: false)
        #expect(try ana.folder.tree().count == 4)
        try bob.inDaemonsMounts("umount '\(bob.folder.path)'")
        try bob.folder.write("after", to: "four")
        try people.settle()
        #expect(try ana.folder.text("four") == "after")
        try people.expectSame(count: 5)
      }
    }

    @Test(
      .enabled(if: Mounts.arePossible, Mounts.comment),
      arguments: [
        "mount -t tmpfs none", "mount --bind /var/empty",
      ]) func `a mount over a directory empties nothing`(mount: String) throws
    {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try people.prepareFiles()
        try people.root.make("empty")
        let command = mount.replacing("/var/empty", with: "'\(people.root.path)/empty'")
        try bob.stopDaemon()
        try bob.startDaemon(after: "true")
        try bob.wait()
        try bob.inDaemonsMounts("\(command) '\(bob.folder.path)/d'")
        try bob.folder.write("goes on", to: "four")
        try bob.stopDaemon()
        // At the start everything is scanned.
        try bob.startDaemon(after: "\(command) '\(bob.folder.path)/d'")
        try people.settle()
        #expect(try ana.folder.text("d/two") == "x")
        #expect(try ana.folder.text("four") == "goes on")
        #expect(try bob.mount().problems.contains { $0.message.contains("mounted here") })
        try bob.inDaemonsMounts("umount '\(bob.folder.path)/d'")
        try bob.folder.write("again", to: "d/two")
        try bob.stopDaemon()
        try bob.startDaemon()
        try people.settle()
        #expect(try ana.folder.text("d/two") == "again")
        try people.expectSame(count: 5)
      }
    }

    private func expectDetached(
      _ people: TwoPeople, _ reason: String, restarts: Bool = true,
      sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      for round in 0..<(restarts ? 2 : 1) {
        if round == 1 {
          try people.bob.stopDaemon()
          try people.bob.startDaemon()
        }
        // `wait` ends, because nothing that it could wait for brings the folder back.
        try people.bob.fails(.partialFailure, "wait", sourceLocation: sourceLocation)
        let mount = try people.bob.mount()
        #expect(mount.phase == .detached, sourceLocation: sourceLocation)
        #expect(
          mount.problems.contains { $0.message.contains(reason) }, "\(mount.problems)",
          sourceLocation: sourceLocation)
        try people.ana.wait()
      }
    }
  }
}

extension TwoPeople {
  /// Creates three files, one of them in a directory, in both people's folders.
  fileprivate func prepareFiles() throws {
    try ana.folder.make("d")
    for name: Name in ["one", "d/two", "three"] { try ana.folder.write("x", to: name) }
    try settle()
  }
}
