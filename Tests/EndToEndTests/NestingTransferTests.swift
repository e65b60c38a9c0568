import CairnControl
import Testing

extension EndToEnd {
  /// Transfers of shares inside of a mirrored folder.
  @Suite struct NestingTransferTests {
    /// Plays with Ana's folder on both of her devices. Bob now owns the part that Ana had shared.
    private static func play(
      _ shared: [String],
      _ body: (TwoPeople, Person, Folder, () throws -> Void) throws -> Void
    ) throws {
      try TwoPeople.play { people in
        let (ana, bob, first) = (people.ana, people.bob, people.ana.folder)
        for name: Name in ["", "a", "a/trip", "a/trip/deep", "b"] { try first.make(name) }
        for name: Name in ["a/trip/one", "a/trip/deep/two", "a/plan", "mine"] {
          try first.write(name.bytes, to: name)
        }
        try ana.cairn("add", first.path)
        try ana.wait()
        try people.withDevice(of: ana) { laptop in
          try laptop.awaitEvent(.mountAdded)
          let second = Folder(laptop.folder.path + "/A")
          func settle() throws {
            for _ in 0..<2 { for person in [ana, laptop, bob] { try person.wait() } }
          }
          let paths = shared.map { "\(first.path)/\($0)" }
          try ana.cairn(["share", "create"] + paths)
          let id = try ana.share(at: paths[0])
          let link = try ana.cairn("share", "invite", id, "bob").lastLine
          try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
          try settle()
          let inodes = try [first, second].map { try $0.inode("a/trip/one") }
          try ana.cairn("share", "transfer", id, "bob")
          try settle()
          try bob.cairn("share", "transfer", bob.folder.path, "--accept")
          try settle()
          #expect(try [first, second].map { try $0.inode("a/trip/one") } == inodes)
          let share = try bob.answer(
            Control.ShareReply.self, "share", "show", bob.folder.path
          ).share
          #expect(share.me.role == .owner)
          try body(people, laptop, second, settle)
        }
      }
    }

    private static func mounts(_ person: Person) throws -> [Control.MountStatus] {
      try person.answer(Control.StatusReply.self, "status").mounts
    }

    @Test func `it stays in place, and a leaving person can keep its files`()
      throws
    {
      try Self.play(["a/trip"]) { people, laptop, second, settle in
        let (ana, bob, first) = (people.ana, people.bob, people.ana.folder)
        try ana.fails(
          .permissionFailure, "share", "stop", ana.share(at: first.path + "/a/trip"))
        try first.write("of ana", to: "a/trip/ana")
        try second.write("of laptop", to: "a/trip/deep/laptop")
        try bob.folder.write("of bob", to: "bob")
        try first.write("private", to: "a/near")
        try second.move("a/trip", to: "b/journey")
        try settle()
        for folder in [first, second] {
          #expect(try folder.text("b/journey/bob") == "of bob")
          #expect(try folder.text("b/journey/deep/laptop") == "of laptop")
          #expect(!folder.exists("a/trip"))
        }
        #expect(try bob.folder.text("ana") == "of ana" && !bob.folder.exists("near"))
        for person in [ana, laptop] {
          try person.stopDaemon()
          try person.startDaemon()
        }
        try first.write("again", to: "b/journey/again")
        try settle()
        #expect(try second.text("b/journey/again") == "again")
        #expect(try Self.mounts(laptop).map(\.scope) == [.private, .shared])

        try ana.cairn(
          "share", "leave", ana.share(at: first.path + "/b/journey"), "--keep-copy")
        try settle()
        let names: Set<String> = ["one", "deep", "ana", "bob", "again"]
        #expect(Set(try first.names("b/journey").map(\.text)) == names)
        #expect(Set(try second.names("b/journey").map(\.text)) == names)
        #expect(try bob.folder.text("deep/two") == "a/trip/deep/two")
        for person in [ana, laptop] {
          #expect(try Self.mounts(person).map(\.scope) == [.private])
          #expect(try Self.mounts(person).flatMap(\.problems).isEmpty)
        }
        try first.write("mine again", to: "b/journey/one")
        try settle()
        #expect(try second.text("b/journey/one") == "mine again")
        #expect(try bob.folder.text("one") == "a/trip/one")
        try ana.cairn("verify")
      }
    }

    @Test func `its folder goes with the part in it, and a single file stays`()
      throws
    {
      try Self.play(["a/trip", "a/plan"]) { people, laptop, second, settle in
        let (ana, bob, first) = (people.ana, people.bob, people.ana.folder)
        try bob.folder.write("of bob", to: "plan")
        try settle()
        #expect(try second.text("a/plan") == "of bob")
        // Given back, it is as before. Then it is transferred once more.
        try bob.cairn("share", "transfer", bob.folder.path, "ana")
        try settle()
        let part = first.path + "/a/plan"
        try ana.cairn("share", "transfer", ana.share(at: part), "--accept")
        try settle()
        #expect(try Self.mounts(ana).allSatisfy { $0.scope == .private })
        try ana.cairn("share", "transfer", ana.share(at: part), "bob")
        try settle()
        try bob.cairn("share", "transfer", bob.folder.path, "--accept")
        try settle()
        // The laptop learns it first, and takes the part out of the account's zone.
        try ana.stopDaemon()
        try bob.cairn("share", "remove", bob.folder.path, "ana")
        try laptop.awaitEvent(.shareRevoked)
        try laptop.wait()
        try ana.startDaemon()
        try ana.awaitEvent(.shareRevoked)
        try settle()
        for (person, folder) in [(ana, first), (laptop, second)] {
          #expect(try Set(folder.names("a").map(\.text)) == ["plan"])
          #expect(try folder.text("mine") == "mine" && folder.text("a/plan") == "of bob")
          #expect(try Self.mounts(person).count == 1)
          #expect(try Self.mounts(person).flatMap(\.problems).isEmpty)
          #expect(try person.answer(Control.ZonesReply.self, "zones").zones.count == 1)
        }
        #expect(try bob.folder.text("trip/deep/two") == "a/trip/deep/two")
        try first.make("a/trip")
        try first.write("new", to: "a/trip/new")
        try settle()
        #expect(try second.text("a/trip/new") == "new" && !bob.folder.exists("trip/new"))
        try ana.cairn("verify")
      }
    }
  }
}
