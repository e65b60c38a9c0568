import CairnControl
import Testing

extension EndToEnd {
  /// The owner's second device sees the same tree, after acts on either device.
  @Suite struct NestingDeviceTests {
    /// Returns the tree without Cairn's own folders. The time of a zone's root folder concerns only
    /// its device.
    private static func texts(_ folder: Folder) throws -> [Name: Folder.Node] {
      try folder.tree().filter { name, _ in
        !String(decoding: name.bytes, as: UTF8.self).split(separator: "/")
          .contains { $0.hasPrefix(".cairn") }
      }.mapValues { node in
        var node = node
        if node.kind == .directory { node.modified = 0 }
        return node
      }
    }

    @Test func `a folder shared on one device stays in its place on the other`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        let first = ana.folder
        for name: Name in ["", "a", "a/trip", "a/trip/deep", "b"] { try first.make(name) }
        try first.write("1", to: "a/trip/one")
        try first.write("2", to: "a/trip/deep/two")
        try ana.cairn("add", first.path)
        try ana.wait()
        try people.withDevice(of: ana) { laptop in
          try laptop.awaitEvent(.mountAdded)
          try laptop.wait()
          let second = Folder(laptop.folder.path + "/A")
          func settle() throws {
            for _ in 0..<2 { for person in [ana, laptop, bob] { try person.wait() } }
          }
          try settle()
          let inode = try second.inode("a/trip/one")

          let path = first.path + "/a/trip"
          try ana.cairn("share", "create", path)
          let link = try ana.cairn("share", "invite", path, "bob").lastLine
          try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
          try settle()
          #expect(try second.inode("a/trip/one") == inode)
          #expect(try Self.texts(first) == Self.texts(second))
          try second.write("3", to: "a/trip/three")
          try first.write("4", to: "a/trip/four")
          try bob.folder.write("5", to: "deep/five")
          try second.write("6", to: "b/six")
          try settle()
          #expect(try Self.texts(first) == Self.texts(second))
          #expect(try bob.folder.tree().count == 6)

          try Self.move(first, second, bob, settle)
          try Self.shareWhileOff(people, laptop, first, second, settle)
        }
      }
    }

    private static func move(
      _ first: Folder, _ second: Folder, _ bob: Person, _ settle: () throws -> Void
    ) throws {
      // Moved on one device, then moved on the other.
      try second.move("a/trip", to: "b/journey")
      try settle()
      #expect(try first.text("b/journey/three") == "3")
      #expect(!first.exists("a/trip"))
      try first.move("b", to: "c")
      try first.write("7", to: "c/journey/seven")
      try settle()
      #expect(try second.text("c/journey/seven") == "7")
      #expect(try bob.folder.text("seven") == "7")
      #expect(try texts(first) == texts(second))
    }

    private static func shareWhileOff(
      _ people: TwoPeople, _ laptop: Person, _ first: Folder, _ second: Folder,
      _ settle: () throws -> Void
    ) throws {
      let ana = people.ana
      // Shared while the other device is off, with edits there that nobody has yet.
      try first.make("more")
      try first.write("1", to: "more/one")
      try settle()
      try laptop.stopDaemon()
      try second.write("edited", to: "more/one")
      try second.write("new", to: "more/new")
      try ana.cairn("share", "create", first.path + "/more")
      try ana.wait()
      try laptop.startDaemon()
      try settle()
      // The laptop may learn of the share only after it was up to date with the folder around it.
      try settle()
      #expect(try first.text("more/one") == "edited")
      #expect(try first.text("more/new") == "new")
      #expect(try texts(first) == texts(second))
    }
  }
}
