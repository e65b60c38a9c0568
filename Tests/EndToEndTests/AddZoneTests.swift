import CairnControl
import Testing

extension EndToEnd {
  /// A new folder on this device for an existing zone.
  @Suite struct AddZoneTests {
    @Test func `a folder becomes the mirror of a zone of another device, and nothing is lost`()
      throws
    {
      try TwoPeople.play { people in
        let ana = people.ana
        try ana.folder.make("")
        for (name, text) in [("equal", "same"), ("other", "of the desk"), ("desk", "1")] {
          try ana.folder.write(text, to: Name(Array(name.utf8)))
        }
        try ana.cairn("add", ana.folder.path)
        try ana.wait()
        let zone = try #require(
          try ana.answer(Control.ZonesReply.self, "zones").zones.first?.zone)
        try people.withDevice(of: ana) { laptop in
          try laptop.awaitEvent(.mountAdded)
          try laptop.wait()
          let first = try #require(laptop.mount().path.text)
          let place = Folder(people.root.path + "/mine/A")
          try people.root.make("mine")
          try place.make("")
          for (name, text) in [("equal", "same"), ("other", "of the laptop"), ("laptop", "2")] {
            try place.write(text, to: Name(Array(name.utf8)))
          }
          try laptop.fails(.alreadyMirrored, "add", place.path, "--zone", zone)
          try laptop.cairn("remove", first)
          // Without a zone's name, it becomes another zone. The zone that may be meant is named.
          let added = try laptop.answer(Control.AddReply.self, "add", place.path)
          #expect(added.created && added.namesakes == [zone])
          try laptop.wait()
          try laptop.cairn("remove", place.path)
          try laptop.fails(.unknownItem, "add", place.path, "--zone", "0123456789")

          let inode = try place.inode("equal")
          let joined = try laptop.answer(
            Control.AddReply.self, "add", place.path, "--zone", String(zone.prefix(8)))
          #expect(joined.created && joined.mount?.zone == zone)
          let again = try laptop.answer(
            Control.AddReply.self, "add", place.path, "--zone", String(zone.prefix(8)))
          #expect(!again.created)
          for person in [laptop, ana, laptop] { try person.wait() }
          #expect(try place.inode("equal") == inode)
          let (here, there) = (try place.tree(), try ana.folder.tree())
          #expect(here == there && here.count == 5)
          let copies = here.keys.filter(\.isConflictCopy)
          #expect(copies.count == 1)
          let texts = try (copies + ["other"]).map { try place.text($0) }
          #expect(Set(texts) == ["of the desk", "of the laptop"])
        }
      }
    }

    @Test func `others' entries beside a share's folders are reported, and can have a folder`()
      throws
    {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        let folders = ["one", "two"].map { Folder(people.root.path + "/" + $0) }
        for folder in folders {
          try folder.make("")
          try folder.write("text", to: "file")
        }
        let reply = try ana.answer(
          Control.ShareReply.self, "share", "create", folders[0].path, folders[1].path)
        let link = try ana.cairn("share", "invite", reply.share.id, "bob").lastLine
        try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
        try people.settle()
        #expect(try problems(of: ana).isEmpty)
        try bob.folder.write("beside", to: "beside")
        try bob.folder.make("new")
        try bob.folder.write("deep", to: "new/deep")
        try people.settle()
        let told = try problems(of: ana)
        #expect(told.count == 1 && told.first?.message.contains("beside, new") == true, "\(told)")
        let id = reply.share.id.prefix(12)
        #expect(told.first?.remedy.contains("cairn add DIR --zone \(id)") == true)
        #expect(try problems(of: bob).isEmpty)

        let rest = Folder(people.root.path + "/rest")
        try ana.cairn("add", rest.path, "--zone", String(id))
        try people.settle()
        #expect(try rest.text("beside") == "beside" && rest.text("new/deep") == "deep")
        #expect(!rest.exists("one") && !rest.exists("two"))
        #expect(try problems(of: ana).isEmpty)
        try rest.write("of ana", to: "anas")
        try bob.folder.write("more", to: "one/more")
        try people.settle()
        #expect(try bob.folder.text("anas") == "of ana")
        #expect(try folders[0].text("more") == "more" && !rest.exists("one"))
      }
    }

    private func problems(of person: Person) throws -> [Control.Problem] {
      try person.answer(Control.StatusReply.self, "status").mounts.flatMap(\.problems)
    }
  }
}
