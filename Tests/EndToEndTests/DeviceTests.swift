import CairnControl
import Testing

extension EndToEnd {
  /// One person on two machines.
  struct DeviceTests {
    @Test func `a second device has the same folders and shares, later ones too`() throws {
      try TwoPeople.playSharing { people in
        try people.ana.folder.write("from the first", to: "a.txt")
        try people.ana.wait()
        try people.withDevice(of: people.ana) { laptop in
          try laptop.awaitEvent(.mountAdded)
          try laptop.wait()
          let mirror = Folder(try #require(laptop.mount().path.text))
          #expect(mirror.path == laptop.folder.path + "/A")
          #expect(try mirror.text("a.txt") == "from the first")
          try mirror.write("from the second", to: "b.txt")
          try laptop.wait()
          try people.settle()
          #expect(try people.ana.folder.text("b.txt") == "from the second")
          #expect(try people.bob.folder.text("b.txt") == "from the second")
          let me = try laptop.answer(Control.WhoAmIReply.self, "status")
          #expect(me.account.handle == "ana")
        }
      }
    }

    @Test func `row 18: what one device accepts appears on the other without a command`() throws {
      try TwoPeople.play { people in
        try people.withDevice(of: people.bob) { laptop in
          try people.ana.folder.make("")
          try people.ana.folder.write("x", to: "a.txt")
          try people.share("read-write")
          try laptop.awaitEvent(.mountAdded)
          try laptop.wait()
          #expect(try Folder(laptop.folder.path + "/A").text("a.txt") == "x")
        }
      }
    }
  }
}
