import CairnControl
import Testing

extension EndToEnd {
  /// `rm -rf` of a mirrored folder: nobody else loses a file.
  @Suite struct RootRemovalTests {
    /// The speed of the removal.
    enum Pace: CaseIterable {
      /// By rm(1), as fast as it can.
      case fast
      /// Entry by entry, with a command and an edit of another person in between.
      case slow
    }

    private static func fill(_ folder: Folder, _ count: Int) throws {
      for directory in 0..<5 { try folder.make("d\(directory)") }
      for number in 0..<count {
        let name: Name = number % 2 == 0 ? "\(number)" : "d\(number % 5)/\(number)"
        try folder.write("file \(number)", to: name)
      }
    }

    private static func remove(
      _ person: Person, _ pace: Pace, while other: Person?
    ) throws {
      if pace == .slow {
        // Half of it is removed one by one, and the rest at once, or it would take too long.
        for (number, name) in try person.folder.files().enumerated() where number < 15 {
          if name.bytes.starts(with: Array(".cairn".utf8)) { continue }
          try person.folder.remove(name)
          try other?.folder.write("edit \(number)", to: "meanwhile\(number % 3)")
          try person.cairn("status")
        }
      }
      let outcome = try person.run(program: "/bin/rm", "-rf", person.folder.path)
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(!person.folder.exists(""))
    }

    /// Expects that the only mount is detached once it has settled.
    private static func expectDetached(_ person: Person) throws {
      try person.fails(.partialFailure, "wait")
      #expect(try person.mount().phase == .detached)
    }

    @Test(arguments: [(Pace.fast, 5), (.slow, 40), (.fast, 90), (.slow, 500)])
    func `an owner who deletes a shared folder deletes nothing for others`(
      pace: Pace, count: Int
    ) throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try Self.fill(ana.folder, count)
        try people.settle()
        let before = try bob.folder.tree()
        try Self.remove(ana, pace, while: bob)
        try Self.expectDetached(ana)
        try bob.wait()
        let after = try bob.folder.tree()
        #expect(before.keys.allSatisfy { after[$0] != nil })
        #expect(try ana.mount().problems.contains { $0.remedy.contains("cairn remove") })
      }
    }

    @Test(arguments: [(Pace.fast, 40), (.slow, 5)])
    func `a person who deletes a folder of their own keeps it on their other device`(
      pace: Pace, count: Int
    ) throws {
      try TwoPeople.play { people in
        let ana = people.ana
        try ana.folder.make("")
        try Self.fill(ana.folder, count)
        try ana.cairn("add", ana.folder.path)
        try ana.wait()
        try people.withDevice(of: ana) { laptop in
          try laptop.awaitEvent(.mountAdded, "/A")
          try laptop.wait()
          let mirror = Folder(laptop.folder.path + "/A")
          let before = try mirror.tree()
          #expect(before.count == count + 5)
          try Self.remove(ana, pace, while: nil)
          try Self.expectDetached(ana)
          try laptop.wait()
          #expect(try mirror.tree() == before)
        }
      }
    }

    @Test(arguments: [
      (Pace.fast, "read-write", 500), (.slow, "read-write", 5), (.fast, "read-only", 40),
      (.slow, "read-only", 500),
    ])
    func `a participant who deletes the folder leaves the share`(
      pace: Pace, permission: String, count: Int
    ) throws {
      try TwoPeople.playSharing(permission) { people in
        let (ana, bob) = (people.ana, people.bob)
        try Self.fill(ana.folder, count)
        try people.settle()
        let before = try ana.folder.tree()
        try Self.remove(bob, pace, while: ana)
        try bob.awaits("share.left")
        try ana.wait()
        let after = try ana.folder.tree()
        #expect(before.keys.allSatisfy { after[$0] != nil })
        #expect(try bob.answer(Control.StatusReply.self, "status").mounts.isEmpty)
        let share = try ana.answer(
          Control.ShareReply.self, "share", "show", ana.folder.path
        ).share
        #expect(share.participants.map(\.handle) == ["ana"])
      }
    }

    @Test func `files of more than one batch are removed as five are`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try Self.fill(ana.folder, 1_500)
        try people.settle()
        let before = try bob.folder.tree()
        #expect(before.count == 1_505)
        try Self.remove(ana, .fast, while: bob)
        try Self.expectDetached(ana)
        try bob.wait()
        #expect(try bob.folder.tree() == before)
      }
    }

    @Test(arguments: Pace.allCases)
    func `deleting the mirror of a public directory ends the mirror`(pace: Pace) throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.cairn("public", "mount", ana.folder.path)
        try Self.fill(ana.folder, 40)
        try ana.wait()
        try bob.cairn("public", "mount", bob.folder.path, "--author", "ana", "--wait")
        #expect(try bob.folder.tree().count == 45)
        try Self.remove(bob, pace, while: ana)
        try bob.awaits("mount.removed")
        #expect(try bob.answer(Control.StatusReply.self, "status").mounts.isEmpty)
        // It can be mirrored again.
        try bob.cairn("public", "mount", bob.folder.path, "--author", "ana", "--wait")
        #expect(try bob.folder.tree().count >= 45)
      }
    }

    @Test func `a folder with a share in it is removed as a whole`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try Self.fill(ana.folder, 20)
        try ana.folder.make("s")
        for number in 0..<300 { try ana.folder.write("\(number)", to: "s/\(number)") }
        try ana.cairn("add", ana.folder.path)
        try ana.wait()
        let inner = ana.folder.path + "/s"
        try ana.cairn("share", "create", inner)
        let link = try ana.cairn("share", "invite", inner, "bob").lastLine
        try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
        try people.withDevice(of: ana) { laptop in
          try laptop.awaitEvent(.mountAdded, "/A/s")
          try laptop.wait()
          let mirror = Folder(laptop.folder.path + "/A")
          #expect(try mirror.names("s").filter { $0 != ".cairn" }.count == 300)
          let (before, bobs) = (try mirror.tree(), try bob.folder.tree())
          let outcome = try ana.run(program: "/bin/rm", "-rf", ana.folder.path)
          #expect(outcome.status == 0, "\(outcome.errors)")
          try ana.fails(.partialFailure, "wait")
          try bob.wait()
          try laptop.wait()
          let (after, bobsAfter) = (try mirror.tree(), try bob.folder.tree())
          #expect(Set(after.keys).symmetricDifference(before.keys).isEmpty)
          #expect(after == before)
          #expect(bobsAfter == bobs)
        }
      }
    }
  }
}
