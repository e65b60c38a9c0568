import CairnControl
import Testing

extension EndToEnd {
  /// `can` and `stat`: permissions before acts, even without the container.
  @Suite struct RightsTests {
    /// Returns the four answers as letters: r, u, d, s for yes, and a dash for no.
    private func can(_ person: Person, _ path: String) throws -> String {
      let reply = try person.answer(Control.CanReply.self, "can", path)
      #expect(reply.permits.map(\.verb) == [.read, .update, .delete, .share])
      #expect(reply.permits.allSatisfy { !$0.reason.isEmpty })
      return reply.permits.map { $0.allowed ? String($0.verb.rawValue.prefix(1)) : "-" }.joined()
    }

    @Test func `permissions follow role, share permission and place`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.write("f", to: "f")
        #expect(try can(ana, ana.folder.path) == "ruds")
        try people.share("read-only")
        try people.settle()
        let (mine, theirs) = (ana.folder.path + "/f", bob.folder.path + "/f")
        #expect(try can(ana, mine) == "ruds")
        #expect(try can(bob, theirs) == "r---")
        try bob.fails(.permissionFailure, "can", "update", theirs)
        try bob.cairn("can", "read", theirs)
        try ana.cairn("share", "set-permission", ana.folder.path, "bob", "read-write")
        try people.settle()
        #expect(try can(bob, theirs) == "rud-")
        // The share's folder itself: deleting it means leaving.
        #expect(try can(bob, bob.folder.path) == "ru--")
        let delete = try bob.run("can", "delete", bob.folder.path)
        #expect(delete.text.contains("leaving") && delete.status == 10)
        try ana.cairn("share", "set-role", ana.folder.path, "bob", "administrator")
        try people.settle()
        #expect(try can(bob, theirs) == "ruds")

        // An unmirrored file, and a missing one.
        let loose: Name = "loose"
        try people.root.write("x", to: loose)
        #expect(try can(bob, people.root.path + "/loose") == "ruds")
        try bob.fails(.unknownItem, "can", people.root.path + "/nothing")
        for scope in ["private", "shared", "public"] {
          try bob.cairn("can", "modify", "--scope", scope)
        }

        // The same without the container, and for a file that isn't sent yet.
        try people.root.move("c", to: "away")
        defer {
          do { try people.root.move("away", to: "c") } catch { Issue.record("\(error)") }
        }
        #expect(try can(bob, theirs) == "ruds")
        try bob.folder.write("young", to: "young")
        #expect(try can(bob, bob.folder.path + "/young") == "ruds")
      }
    }

    @Test func `in the public database only the creator changes and deletes`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.cairn("public", "mount", ana.folder.path)
        try ana.folder.make("d")
        try ana.folder.write("f", to: "f")
        try ana.wait()
        try bob.cairn("public", "mount", bob.folder.path, "--author", "ana", "--wait")
        #expect(try can(ana, ana.folder.path + "/f") == "rud-")
        #expect(try can(ana, ana.folder.path) == "ru--")
        for path in ["/f", "/d", ""] { #expect(try can(bob, bob.folder.path + path) == "r---") }
        let reply = try bob.answer(Control.StatReply.self, "stat", bob.folder.path + "/f")
        let stat = try #require(reply.paths.first)
        #expect(stat.shared == .public && stat.scope == .public)
        #expect(stat.createdBy?.handle == "ana" && stat.owner == nil)
      }
    }

    @Test func `any act on a missing share is refused in one way`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        let path = ana.folder.path
        try ana.folder.make("")
        try ana.cairn("add", path)
        for command in [
          ["show"], ["participants"], ["policy"], ["stop"], ["leave"], ["link"], ["requests"],
          ["set-permission", "bob", "read-only"], ["set-role", "bob", "administrator"],
          ["set-public", "read-only"], ["set-requests", "on"], ["remove", "bob"],
          ["transfer", "bob"], ["successor", "bob"], ["successor"], ["approve", "bob"],
          ["deny", "bob"], ["block", "bob"],
          ["unblock", "bob"], ["invite", "bob"], ["invite", "--link"], ["uninvite", "bob"],
        ] {
          let outcome = try ana.run(["share", command[0], path] + command.dropFirst())
          #expect(outcome.status == Control.ErrorCode.unknownItem.exitStatus, "\(command)")
          let told =
            "cairn: \(path) isn't shared. [unknownItem]\n  Run `cairn share create \(path)` first."
          #expect(outcome.errors.hasPrefix(told), "\(command): \(outcome.errors)")
        }
      }
    }

    @Test func `stat describes the share, and every change has another tag`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.write("f", to: "f")
        try ana.cairn("add", ana.folder.path)
        try ana.wait()
        let path = ana.folder.path + "/f"
        func stat(_ person: Person, _ path: String) throws -> Control.PathStatus {
          try #require(person.answer(Control.StatReply.self, "stat", path).paths.first)
        }
        let before = try stat(ana, path)
        #expect(before.shared == .no && before.scope == .private && before.share == nil)
        try people.share("read-write")
        try people.settle()
        let (anas, bobs) = (try stat(ana, path), try stat(bob, bob.folder.path + "/f"))
        #expect(anas.shared == .owner && bobs.shared == .participant && bobs.scope == .shared)
        #expect(anas.record == bobs.record && anas.changeTag == bobs.changeTag)
        #expect(bobs.owner?.handle == "ana" && bobs.share == anas.share)
        try bob.folder.write("changed", to: "f")
        try people.settle()
        let after = try stat(ana, path)
        #expect(after.changeTag != anas.changeTag && after.changedBy?.handle == "bob")
        #expect(try stat(bob, bob.folder.path + "/f").changeTag == after.changeTag)

        // Each scope lists its own folders.
        func names(_ person: Person, _ scope: String) throws -> [[UInt8]] {
          try person.answer(Control.ListReply.self, "ls", "--scope", scope).entries
            .map(\.path.bytes)
        }
        #expect(try names(ana, "private") == [Array(path.utf8)])
        #expect(try names(ana, "shared").isEmpty)
        #expect(try names(bob, "shared") == [Array((bob.folder.path + "/f").utf8)])
        #expect(try names(bob, "private").isEmpty)
      }
    }
  }
}
