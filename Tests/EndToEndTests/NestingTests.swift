import CairnControl
import Testing

extension EndToEnd {
  /// Shares of entries inside of a mirrored folder.
  @Suite struct NestingTests {
    /// Plays with a mirrored folder of Ana's, which has `a/trip` with files in it.
    private static func play(_ body: (TwoPeople) throws -> Void) throws {
      try TwoPeople.play { people in
        let folder = people.ana.folder
        for name: Name in ["", "a", "a/trip", "a/trip/deep", "a/trip/empty", "b"] {
          try folder.make(name)
        }
        try folder.write("1", to: "a/trip/one")
        try folder.write([UInt8](repeating: 7, count: 300_000), to: "a/trip/deep/large")
        try folder.write("private", to: "a/secret")
        try folder.link("a/trip/out", to: "../secret")
        try people.ana.cairn("add", folder.path)
        try people.ana.wait()
        try body(people)
      }
    }

    private static func share(_ people: TwoPeople, _ name: String) throws -> Control.Share {
      let path = "\(people.ana.folder.path)/\(name)"
      let share = try people.ana.answer(Control.ShareReply.self, "share", "create", path).share
      let link = try people.ana.cairn("share", "invite", path, "bob").lastLine
      try people.bob.cairn("share", "accept", link, "--at", people.bob.folder.path, "--wait")
      try people.settle()
      return share
    }

    private static func names(_ person: Person, _ path: String) throws -> Set<String> {
      let reply = try person.answer(Control.ListReply.self, "ls", path, "--recursive")
      return Set(reply.entries.map { $0.path.description })
    }

    @Test func `a folder in a mirrored folder is shared in place, without storing again`()
      throws
    {
      try Self.play { people in
        let (ana, bob) = (people.ana, people.bob)
        let folder = ana.folder
        let before = try folder.tree()
        let watched: [Name] = ["a/trip", "a/trip/one", "a/trip/deep/large"]
        let inodes = try watched.map { try folder.inode($0) }
        let packs = try Set(people.container.files(below: "users").filter(\.isPack))
        let share = try Self.share(people, "a/trip")
        #expect(share.title == "trip" && share.path?.description == folder.path + "/a/trip")

        // Bob has the folder and nothing around it.
        #expect(Set(try bob.folder.tree().keys) == ["one", "deep", "deep/large", "empty", "out"])
        #expect(try bob.folder.read("deep/large").count == 300_000)
        // Path, inode, times and content stay, and each record is in one zone.
        #expect(try watched.map { try folder.inode($0) } == inodes)
        let after = try folder.tree().filter { !$0.key.isOwn }
        #expect(after == before)
        #expect(try Set(people.container.files(below: "users").filter(\.isPack)) == packs)
        let outer = try Self.names(ana, folder.path)
        #expect(outer == Set(["/a", "/a/secret", "/b"].map { folder.path + $0 }))
        #expect(try Self.names(ana, folder.path + "/a/trip").count == 5)

        // Both zones go on.
        try bob.folder.write("from bob", to: "deep/new")
        try folder.write("more", to: "a/trip/two")
        try folder.write("still private", to: "b/mine")
        try people.settle()
        #expect(try folder.text("a/trip/deep/new") == "from bob")
        #expect(try bob.folder.text("two") == "more")
        #expect(!bob.folder.exists("mine"))
        try ana.stopDaemon()
        try bob.folder.write("meanwhile", to: "later")
        try folder.write("too", to: "a/trip/here")
        try ana.startDaemon()
        try people.settle()
        #expect(try folder.text("a/trip/later") == "meanwhile")
        #expect(try bob.folder.text("here") == "too")
        #expect(try ana.answer(Control.StatusReply.self, "status").mounts.count == 2)
        // The only problem is that a link leads out of the share.
        let problems = try ana.answer(Control.StatusReply.self, "status").mounts
          .flatMap(\.problems)
        #expect(problems.allSatisfy { $0.path?.description == folder.path + "/a/trip/out" })
      }
    }

    @Test func `a shared folder isn't shared again, and neither is one around or in it`() throws {
      try Self.play { people in
        let ana = people.ana
        let path = ana.folder.path
        let share = try Self.share(people, "a/trip")
        let objects = try people.container.files()
        for inner in ["/a/trip/deep", "/a/trip/one", "/a", ""] {
          try ana.fails(.alreadyShared, "share", "create", path + inner)
        }
        try ana.fails(.alreadyShared, "add", people.root.path)
        try ana.fails(.alreadyShared, "share", "add", path + "/a/trip", path + "/a")
        try people.bob.fails(.alreadyShared, "share", "create", people.bob.folder.path + "/deep")
        let again = try ana.answer(Control.ShareReply.self, "share", "create", path + "/a/trip")
        #expect(!again.created && again.share.id == share.id)
        #expect(try people.container.files() == objects)
      }
    }

    @Test func `a shared folder may be moved and renamed, and the folders around it`() throws {
      try Self.play { people in
        let (ana, bob) = (people.ana, people.bob)
        let folder = ana.folder
        _ = try Self.share(people, "a/trip")
        for (old, new): (Name, Name) in [
          ("a/trip", "b/trip"), ("b", "c"), ("c/trip", "a/other"), ("a/other", "trip"),
        ] {
          try folder.move(old, to: new)
          try people.settle()
          let name: Name = "from \(new.bytes.count)\(old.bytes.count)"
          try bob.folder.write("x", to: name)
          try people.settle()
          let place = try #require(
            try folder.files().first { $0.bytes.suffix(name.bytes.count) == name.bytes[...] })
          #expect(place.bytes.count > 0)
        }
        #expect(try folder.text("trip/one") == "1")
        #expect(try bob.folder.tree().count == 9)
        #expect(Set(try folder.names("")).isSuperset(of: ["a", "c", "trip"]))
        // The same is true while no daemon runs.
        try ana.stopDaemon()
        try folder.move("trip", to: "c/last")
        try ana.startDaemon()
        try people.settle()
        try folder.write("y", to: "c/last/late")
        try people.settle()
        #expect(try bob.folder.text("late") == "y")
        // A copy is an ordinary, private folder.
        _ = try ana.run(program: "/bin/cp", "-a", folder.path + "/c/last", folder.path + "/copy")
        try people.settle()
        try folder.write("z", to: "copy/only here")
        try people.settle()
        #expect(!bob.folder.exists("only here"))
        #expect(try Self.names(ana, folder.path).contains(folder.path + "/copy/only here"))
      }
    }

    @Test func `a stopped share returns to its place, and can be shared again at once`() throws {
      try Self.play { people in
        let (ana, bob) = (people.ana, people.bob)
        let folder = ana.folder
        let path = folder.path + "/a/trip"
        let share = try Self.share(people, "a/trip")
        try bob.folder.write("of bob", to: "deep/new")
        try people.settle()
        let before = try folder.tree().filter { !$0.key.isOwn }
        let inode = try folder.inode("a/trip/one")
        let packs = try Set(people.container.files(below: "users").filter(\.isPack))
        try ana.cairn("share", "stop", path)
        try ana.wait()
        #expect(try folder.tree().filter { !$0.key.isOwn } == before)
        #expect(try folder.inode("a/trip/one") == inode)
        #expect(!folder.exists("a/trip/.cairn"))
        #expect(try Set(people.container.files(below: "users").filter(\.isPack)) == packs)
        try bob.wait()
        #expect(!bob.folder.exists("one"))
        #expect(try Self.names(ana, folder.path).count == 10)
        #expect(try ana.answer(Control.ShareListReply.self, "share", "list").shares.isEmpty)
        #expect(try ana.answer(Control.StatusReply.self, "status").mounts.count == 1)
        try folder.write("later", to: "a/trip/later")
        try ana.wait()
        let again = try ana.answer(Control.ShareReply.self, "share", "create", path)
        #expect(again.created && again.share.id != share.id)
        try ana.wait()
        #expect(try Self.names(ana, path).count == 7)
        #expect(try folder.tree().filter { !$0.key.isOwn }.count == before.count + 1)
        // Nobody else was in this one, so nothing at all is left of it.
        try ana.cairn("share", "stop", path)
        try ana.wait()
        #expect(try people.zones().contains { $0 == again.share.id } == false)
        #expect(try Self.names(ana, folder.path).count == 11)
      }
    }

    @Test func `killed in the middle, each record is in one zone`() throws {
      try Self.play { people in
        let ana = people.ana
        let path = ana.folder.path
        let moments = ["0.005", "0.02", "0.04", "0.06", "0.1"]
        for number in moments.indices {
          try ana.folder.make("d\(number)")
          for file in 0..<100 { try ana.folder.write("\(file)", to: "d\(number)/\(file)") }
        }
        try ana.wait()
        let before = try ana.folder.tree()
        let program = try Program.built("cairn")
        for (number, moment) in moments.enumerated() {
          _ = try ana.run(
            program: "/usr/bin/timeout", moment, program, "share", "create", "\(path)/d\(number)")
          try ana.killDaemon()
          try ana.startDaemon()
          try ana.wait()
          let nested = try ana.answer(Control.StatusReply.self, "status").mounts
            .contains { $0.path.description == "\(path)/d\(number)" }
          let outer = try Self.names(ana, path).filter { $0.hasPrefix("\(path)/d\(number)/") }
          #expect(outer.count == (nested ? 0 : 100), "\(moment)")
          let share = try ana.answer(
            Control.ShareReply.self, "share", "create", "\(path)/d\(number)")
          #expect(share.created || nested)
          #expect(try Self.names(ana, "\(path)/d\(number)").count == 100)
        }
        try ana.wait()
        #expect(try ana.folder.tree().filter { !$0.key.isOwn } == before)
        let shares = try ana.answer(Control.ShareListReply.self, "share", "list").shares
        #expect(shares.count == moments.count)
        #expect(try people.zones().count == moments.count + 2)
      }
    }

    @Test func `a shared file inside of a mirrored folder may be renamed and moved`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.make("d")
        try ana.folder.write("1", to: "plan")
        try ana.cairn("add", ana.folder.path)
        try ana.wait()
        try ana.cairn("share", "create", ana.folder.path + "/plan")
        let link = try ana.cairn("share", "invite", ana.folder.path + "/plan", "bob").lastLine
        try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
        var place: Name = "plan"
        for name: Name in ["plan 2", "d/plan 3", "plan 4", "plan"] {
          try ana.folder.move(place, to: name)
          place = name
          try ana.folder.append("2", to: name)
          try people.settle()
          #expect(try bob.folder.text("plan") == ana.folder.text(name))
          #expect(try bob.folder.tree().count == 1)
        }
        // Others' changes arrive at its present place, and it is in one zone only.
        try ana.folder.move("plan", to: "d/last")
        try people.settle()
        try bob.folder.write("of bob", to: "plan")
        try people.settle()
        #expect(try ana.folder.text("d/last") == "of bob")
        #expect(try ana.folder.tree().filter { !$0.key.isOwn }.count == 2)
        let status = try ana.answer(Control.StatusReply.self, "status")
        #expect(status.mounts.flatMap(\.problems).isEmpty, "\(status.mounts)")
        let stat = try ana.answer(Control.StatReply.self, "stat", ana.folder.path + "/d/last")
        #expect(stat.paths.first?.shared == .owner)
        try ana.stopDaemon()
        try ana.folder.move("d/last", to: "again")
        try ana.startDaemon()
        try ana.folder.append(" and ana", to: "again")
        try people.settle()
        #expect(try bob.folder.text("plan") == "of bob and ana")
      }
    }

    @Test(arguments: [false, true]) func `one file is shared, and nothing beside it`(
      isMirrored: Bool
    ) throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.write("1", to: "report.txt")
        try ana.folder.write("no", to: "other")
        if isMirrored {
          try ana.cairn("add", ana.folder.path)
          try ana.wait()
        }
        let inode = try ana.folder.inode("report.txt")
        let path = ana.folder.path + "/report.txt"
        let share = try ana.answer(Control.ShareReply.self, "share", "create", path)
        #expect(share.share.title == "report.txt")
        let again = try ana.answer(Control.ShareReply.self, "share", "create", path)
        #expect(!again.created && again.share == share.share)
        let link = try ana.cairn("share", "invite", path, "bob").lastLine
        try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
        try people.settle()
        #expect(try bob.folder.tree().keys.map { $0 } == ["report.txt"])
        #expect(try ana.folder.inode("report.txt") == inode)
        try bob.folder.write("2", to: "report.txt")
        try people.settle()
        #expect(try ana.folder.text("report.txt") == "2")
        // An editor replaces the file.
        try ana.folder.write("3", to: "report.new~")
        try ana.folder.move("report.new~", to: "report.txt")
        try ana.folder.write("neither", to: "third")
        try people.settle()
        #expect(try bob.folder.text("report.txt") == "3")
        #expect(try bob.folder.tree().count == 1)
        // Both change it, and both versions are there.
        for person in [ana, bob] { try person.stopDaemon() }
        try ana.folder.write("of ana", to: "report.txt")
        try bob.folder.write("of bob", to: "report.txt")
        for person in [ana, bob] { try person.startDaemon() }
        try people.settle()
        let texts = try [ana, bob].flatMap { person in
          try person.folder.tree().filter { !$0.key.isOwn }.values.map(\.kind)
        }
        for text in ["of ana", "of bob"] { #expect(texts.contains(.file(Array(text.utf8)))) }
        // A file that is missing for a moment isn't deleted.
        try ana.folder.move("report.txt", to: "aside")
        try people.settle()
        #expect(bob.folder.exists("report.txt"))
        try ana.folder.move("aside", to: "report.txt")
        try ana.folder.write("4", to: "report.txt")
        try people.settle()
        #expect(try bob.folder.text("report.txt") == "4")
      }
    }
  }
}

extension Name {
  /// A Boolean value that indicates whether this is in a folder of Cairn's own.
  fileprivate var isOwn: Bool {
    String(decoding: bytes, as: UTF8.self).split(separator: "/").contains { $0.hasPrefix(".cairn") }
  }
}

extension TwoPeople {
  /// Returns the ids of all zones with objects in the container.
  func zones() throws -> [String] {
    try container.names("users").flatMap { user -> [String] in
      let zones = "users" / user / "zones"
      return container.exists(zones) ? try container.names(zones).map(\.text) : []
    }
  }
}
