import CairnControl
import Testing

extension EndToEnd {
  /// Several entries of mirrored folders in one new share, or in an existing share.
  @Suite struct NestingPartsTests {
    /// Returns the tree without Cairn's own folders, and without the times of folders. The time of
    /// a folder at a reference concerns only its device.
    private static func tree(_ folder: Folder) throws -> [Name: Folder.Node] {
      try folder.tree().filter { name, _ in
        !String(decoding: name.bytes, as: UTF8.self).split(separator: "/")
          .contains { $0.hasPrefix(".cairn") }
      }.mapValues { node in
        var node = node
        if node.kind == .directory { node.modified = 0 }
        return node
      }
    }

    private static func problems(_ person: Person) throws -> [String] {
      try person.answer(Control.StatusReply.self, "status").mounts.flatMap(\.problems)
        .map(\.message)
    }

    private static func invite(_ people: TwoPeople, _ path: String) throws {
      let link = try people.ana.cairn("share", "invite", people.ana.share(at: path), "bob").lastLine
      try people.bob.cairn("share", "accept", link, "--at", people.bob.folder.path, "--wait")
    }

    /// Plays with Ana's folder on both of her devices, with the entries that will be shared.
    private static func play(
      _ body: (TwoPeople, Person, Folder, () throws -> Void) throws -> Void
    ) throws {
      try TwoPeople.play { people in
        let (ana, bob, first) = (people.ana, people.bob, people.ana.folder)
        for name: Name in ["", "photos", "photos/deep", "notes", "b"] { try first.make(name) }
        try first.write([UInt8](repeating: 7, count: 300_000), to: "photos/deep/large")
        for name: Name in ["photos/p", "notes/n", "b/plan", "mine"] {
          try first.write(name.bytes, to: name)
        }
        try ana.cairn("add", first.path)
        try ana.wait()
        try people.withDevice(of: ana) { laptop in
          try laptop.awaitEvent(.mountAdded)
          try laptop.wait()
          try body(people, laptop, Folder(laptop.folder.path + "/A")) {
            for _ in 0..<2 { for person in [ana, laptop, bob] { try person.wait() } }
          }
        }
      }
    }

    @Test func `parts of one folder become one share on all devices, and return`()
      throws
    {
      try Self.play { people, laptop, second, settle in
        let (ana, bob, first) = (people.ana, people.bob, people.ana.folder)
        let before = try Self.tree(first)
        let watched: [Name] = ["photos", "photos/p", "notes/n", "b/plan"]
        let inodes = try watched.map { try [first.inode($0), second.inode($0)] }
        let packs = try Set(people.container.files(below: "users").filter(\.isPack))
        let paths = ["photos", "notes", "b/plan"].map { "\(first.path)/\($0)" }

        let made = try ana.answer(
          Control.ShareReply.self, ["share", "create"] + paths + ["--title", "Both"])
        #expect(made.created && made.share.title == "Both")
        try Self.invite(people, paths[0])
        try settle()
        #expect(
          Set(try bob.folder.tree().keys) == [
            "photos", "photos/deep", "photos/deep/large", "photos/p", "notes", "notes/n", "plan",
          ])
        #expect(try watched.map { try [first.inode($0), second.inode($0)] } == inodes)
        #expect(try Set(people.container.files(below: "users").filter(\.isPack)) == packs)
        #expect(try Self.tree(first) == before && Self.tree(second) == before)
        let again = try ana.answer(
          Control.ShareReply.self, ["share", "create"] + paths.reversed())
        #expect(!again.created && again.share.id == made.share.id)
        try ana.fails(.alreadyShared, "share", "create", paths[0])
        #expect(try ana.answer(Control.ZonesReply.self, "zones").zones.count == 2)
        #expect(try laptop.answer(Control.StatusReply.self, "status").mounts.count == 4)

        // All go on, wherever something is changed, and so does the folder around them.
        try bob.folder.write("of bob", to: "photos/deep/new")
        try bob.folder.append(" and bob", to: "plan")
        try second.write("of laptop", to: "notes/new")
        try second.move("b", to: "c")
        try first.write("private", to: "mine")
        try settle()
        #expect(try first.text("photos/deep/new") == "of bob")
        #expect(try second.text("c/plan") == "b/plan and bob")
        #expect(try bob.folder.text("notes/new") == "of laptop")
        #expect(try Self.tree(first) == Self.tree(second))
        #expect(try Self.problems(ana) == [] && Self.problems(laptop) == [])
        try bob.folder.write("beside", to: "beside")
        try bob.folder.move("photos/p", to: "notes/p")
        try settle()
        #expect(try second.text("notes/p") == "photos/p" && !first.exists("photos/p"))
        #expect(try Self.problems(ana).count == 1)

        try Self.stop(people, laptop, second, inodes[2][0], settle)
      }
    }

    private static func zones(of person: Person) throws -> Int {
      try person.answer(Control.ZonesReply.self, "zones").zones.count
    }

    /// Ana's second device stops the share of three parts, and the first one shares two of them
    /// again.
    private static func stop(
      _ people: TwoPeople, _ laptop: Person, _ second: Folder, _ inode: UInt,
      _ settle: () throws -> Void
    ) throws {
      let (ana, bob, first) = (people.ana, people.bob, people.ana.folder)
      let shared = try Self.tree(first)
      try laptop.cairn("share", "stop", laptop.share(at: second.path + "/notes"))
      try settle()
      #expect(try Self.tree(first).filter { !$0.key.isBeside } == shared)
      #expect(try Self.tree(first) == Self.tree(second))
      #expect(try first.files().filter(\.isBeside).count == 1)
      #expect(!bob.folder.exists("notes"))
      for person in [ana, laptop] {
        #expect(try person.answer(Control.StatusReply.self, "status").mounts.count == 1)
        #expect(try Self.problems(person) == [])
        // Both devices end the zone. The one that comes second does so with its next check.
        var rounds = 50
        while rounds > 0, try zones(of: person) != 1 {
          rounds -= 1
          try settle()
        }
        #expect(rounds > 0, "an ended zone stays")
      }
      #expect(try first.inode("notes/n") == inode)
      try ana.cairn("verify")
      // It can be shared again at once, even by another device.
      try second.write("later", to: "notes/later")
      try settle()
      let anew = try ana.answer(
        Control.ShareReply.self, "share", "create", first.path + "/photos", first.path + "/c/plan")
      #expect(anew.created)
      try settle()
      #expect(try Self.tree(first) == Self.tree(second))
    }

    @Test func `part of a mirrored folder moves into an existing share, and isn't doubled`()
      throws
    {
      try Self.play { people, laptop, second, settle in
        let (ana, bob, first) = (people.ana, people.bob, people.ana.folder)
        let album = Folder(people.root.path + "/album")
        try album.make("")
        try album.write("own", to: "own")
        try album.write("other", to: "plan")
        try ana.cairn("share", "create", album.path)
        try Self.invite(people, album.path)
        try settle()
        let laptops = Folder(laptop.folder.path + "/album")
        #expect(try laptops.text("own") == "own")
        let (inode, photo) = try (first.inode("b/plan"), first.inode("photos/p"))
        for (name, expected) in [("b/plan", "plan 2"), ("photos", "photos")] {
          let added = try ana.answer(
            Control.ShareAddReply.self, "share", "add", album.path, "\(first.path)/\(name)")
          #expect(added.name.description == expected)
          #expect(added.mount.path.description == "\(first.path)/\(name)")
        }
        try settle()
        #expect(try bob.folder.text("plan 2") == "b/plan" && bob.folder.text("plan") == "other")
        #expect(try bob.folder.text("photos/p") == "photos/p")
        #expect(try first.inode("b/plan") == inode)
        for folder in [album, laptops] {
          #expect(Set(try Self.tree(folder).keys) == ["own", "plan"])
        }
        try bob.folder.write("of bob", to: "plan 2")
        try second.write("of laptop", to: "photos/new")
        try laptops.write("of laptop", to: "own")
        try settle()
        #expect(try first.text("b/plan") == "of bob" && album.text("own") == "of laptop")
        #expect(try bob.folder.text("photos/new") == "of laptop")
        try ana.fails(.alreadyShared, "share", "add", album.path, first.path + "/photos/deep")
        // Another person's share is no place for entries that stay in one's own folder.
        try bob.folder.make("own folder")
        let bobs = Folder(people.root.path + "/B2")
        for name: Name in ["", "x"] { try bobs.make(name) }
        try bob.cairn("add", bobs.path)
        try bob.wait()
        try bob.fails(.serverRejectedRequest, "share", "add", bob.folder.path, bobs.path + "/x")

        try ana.stopDaemon()
        try ana.startDaemon()
        try settle()
        try ana.cairn("share", "stop", album.path)
        try settle()
        #expect(try first.text("b/plan") == "of bob" && second.text("b/plan") == "of bob")
        #expect(try Self.tree(first) == Self.tree(second))
        #expect(try first.inode("photos/p") == photo)
        #expect(try Self.tree(album) == Self.tree(laptops))
        #expect(Set(try Self.tree(album).keys) == ["own", "plan", "own folder"])
        for person in [ana, laptop] { #expect(try Self.problems(person) == []) }
        try ana.cairn("verify")
      }
    }

    @Test func `parts of several mirrored folders, and others, are one share`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        let folders = ["one", "two", "three", "four"].map { Folder(people.root.path + "/" + $0) }
        for folder in folders {
          for name: Name in ["", "in", "in/deep"] { try folder.make(name) }
          try folder.write(folder.path, to: "in/deep/file")
        }
        for folder in folders.prefix(3) { try ana.cairn("add", folder.path) }
        try ana.wait()
        let before = try folders.map { try Self.tree($0) }
        // Two parts, a mirrored folder, and an unmirrored one.
        let paths = [
          folders[0].path + "/in", folders[1].path + "/in/deep", folders[2].path, folders[3].path,
        ]
        try ana.fails(.invalidArguments, "share", "create", folders[0].path + "/in/deep", paths[0])
        // A refusal of the last path changes nothing in the others.
        try folders[3].make("in/hidden")
        try ana.cairn("add", folders[3].path + "/in/hidden")
        try ana.fails(.alreadyMirrored, ["share", "create"] + paths)
        try ana.cairn("remove", folders[3].path + "/in/hidden")
        try folders[3].remove("in/hidden")
        #expect(try ana.answer(Control.ZonesReply.self, "zones").zones.count <= 4)

        try ana.cairn(["share", "create"] + paths + ["--title", "All"])
        try Self.invite(people, paths[3])
        try people.settle()
        let file: [Name] = ["in/deep/file", "deep/file", "three/in/deep/file", "four/in/deep/file"]
        for (name, folder) in zip(file, folders) {
          #expect(try bob.folder.text(name) == folder.path)
        }
        try bob.folder.write("of bob", to: "deep/file")
        try people.settle()
        #expect(try folders[1].text("in/deep/file") == "of bob")
        try ana.cairn("share", "stop", ana.share(at: paths[0]))
        try ana.wait()
        #expect(try folders.map { try Self.tree($0).keys.count } == before.map(\.keys.count))
        let mounts = try ana.answer(Control.StatusReply.self, "status").mounts
        #expect(Set(mounts.map(\.path.description)) == Set(folders.map(\.path)))
        try ana.cairn("verify")
      }
    }

    @Test func `a part that a participant deletes belongs to the folder around it again`() throws {
      try Self.play { people, laptop, second, settle in
        let (ana, bob, first) = (people.ana, people.bob, people.ana.folder)
        try ana.cairn("share", "create", first.path + "/photos", first.path + "/b")
        try Self.invite(people, first.path + "/b")
        try settle()
        try bob.folder.remove("photos")
        try settle()
        try settle()
        for (person, folder) in [(ana, first), (laptop, second)] {
          #expect(try Self.problems(person) == [])
          #expect(try folder.names("photos").isEmpty)
          let mounts = try person.answer(Control.StatusReply.self, "status").mounts
          #expect(!mounts.contains { $0.path.description.hasSuffix("/photos") })
        }
        // It is private from then on, and its past is Ana's.
        try first.write("mine", to: "photos/mine")
        try first.write("for all", to: "b/plan")
        try settle()
        #expect(try second.text("photos/mine") == "mine")
        #expect(try !bob.folder.exists("photos") && bob.folder.text("b/plan") == "for all")
        try ana.cairn("restore", first.path + "/photos/p")
        try settle()
        #expect(try second.text("photos/p") == "photos/p")
        try ana.cairn("verify")
      }
    }
  }
}

extension Name {
  fileprivate var isBeside: Bool {
    String(decoding: bytes, as: UTF8.self).split(separator: "/").last == "beside"
  }
}
