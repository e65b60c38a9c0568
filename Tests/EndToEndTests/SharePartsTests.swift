import CairnControl
import Testing

extension EndToEnd {
  @Suite struct SharePartsTests {
    @Test func `two folders are one share, accepted once, and a third is added later`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        let other = Folder(people.root.path + "/other")
        let third = Folder(people.root.path + "/deep/other")
        try people.root.make("deep")
        for folder in [ana.folder, other, third] { try folder.make("") }
        try ana.folder.write("1", to: "one")
        try other.write("2", to: "two")
        let paths = [ana.folder.path, other.path]
        let reply = try ana.answer(
          Control.ShareReply.self, "share", "create", paths[0], paths[1], "--title", "Both")
        #expect(reply.created && reply.share.title == "Both")
        let again = try ana.answer(
          Control.ShareReply.self, "share", "create", paths[1], paths[0])
        #expect(!again.created && again.share == reply.share)

        let link = try ana.cairn("share", "invite", reply.share.id, "bob").lastLine
        try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
        try people.settle()
        #expect(try bob.folder.text("A/one") == "1")
        #expect(try bob.folder.text("other/two") == "2")
        try bob.folder.write("3", to: "other/three")
        try bob.folder.make("A/inner")
        try bob.folder.write("4", to: "A/inner/four")
        try people.settle()
        #expect(try other.text("three") == "3")
        #expect(try ana.folder.text("inner/four") == "4")
        #expect(!other.exists("inner"))

        try third.write("5", to: "five")
        let added = try ana.answer(
          Control.ShareAddReply.self, "share", "add", other.path, third.path)
        #expect(added.name == "other 2")
        try people.settle()
        #expect(try bob.folder.text("other 2/five") == "5")
        try bob.folder.move("other 2/five", to: "A/five")
        try bob.folder.move("A/inner", to: "other 2/inner")
        try people.settle()
        #expect(try ana.folder.text("five") == "5")
        #expect(!third.exists("five"))
        #expect(!ana.folder.exists("inner"))
        #expect(try third.text("inner/four") == "4")

        try ana.fails(.alreadyShared, "share", "add", other.path, third.path)
        try ana.fails(.alreadyShared, "share", "create", third.path, ana.folder.path)
        try ana.fails(.alreadyShared, "share", "create", people.root.path)
        try ana.fails(.alreadyShared, "share", "add", other.path, third.path + "/inner")
        try ana.stopDaemon()
        try third.write("6", to: "six")
        try ana.startDaemon()
        try people.settle()
        #expect(try bob.folder.text("other 2/six") == "6")
        #expect(try ana.answer(Control.ShareListReply.self, "share", "list").shares.count == 1)
      }
    }

    @Test func `mirrored folders become one share, or part of one`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        let folders = ["one", "two", "three"].map { Folder(people.root.path + "/" + $0) }
        for (number, folder) in folders.enumerated() {
          try folder.make("")
          try folder.make("in")
          try folder.write("\(number)", to: "in/file")
          try ana.cairn("add", folder.path)
        }
        let big = String(repeating: "0123456789abcdef", count: 1 << 16)
        try folders[0].write(big, to: "big")
        try ana.wait()
        let inode = try folders[0].inode("in/file")
        let stored = try people.packs()

        let (one, two, three) = (folders[0].path, folders[1].path, folders[2].path)
        try ana.fails(.invalidArguments, "share", "create", two, two + "/in")
        try ana.cairn("share", "create", one, two, "--title", "Both")
        let link = try ana.cairn("share", "invite", ana.share(at: one), "bob").lastLine
        try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
        try ana.cairn("share", "add", one, three)
        try people.settle()
        for (number, name) in ["one", "two", "three"].enumerated() {
          let file: Name = "\(name)/in/file"
          #expect(try bob.folder.text(file) == "\(number)")
        }
        #expect(try bob.folder.text("one/big") == big)
        #expect(try folders[0].inode("in/file") == inode)
        #expect(try people.packs() == stored)
        let status = try ana.answer(Control.StatusReply.self, "status")
        #expect(status.mounts.count == 3 && status.mounts.flatMap(\.conflicts).isEmpty)
        #expect(try ana.answer(Control.ZonesReply.self, "zones").zones.count == 1)
        try bob.folder.write("bob", to: "two/in/file")
        try folders[2].write("new", to: "new")
        try ana.stopDaemon()
        try ana.startDaemon()
        try people.settle()
        #expect(try folders[1].text("in/file") == "bob")
        #expect(try bob.folder.text("three/new") == "new")
        try ana.cairn("verify")
      }
    }

    @Test func `a folder that is added to a mirrored share isn't doubled in its folder`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let other = Folder(people.root.path + "/other")
        try other.make("")
        try other.write("2", to: "two")
        try ana.cairn("share", "add", ana.folder.path, other.path)
        try people.settle()
        #expect(try bob.folder.text("other/two") == "2")
        #expect(!ana.folder.exists("other"))
        try bob.folder.move("other", to: "renamed")
        try bob.folder.write("3", to: "renamed/three")
        try people.settle()
        #expect(try other.text("three") == "3")
        #expect(!ana.folder.exists("renamed") && !ana.folder.exists("other"))
        // Removed from this device, it is an ordinary directory of the share again.
        try ana.cairn("remove", other.path)
        try people.settle()
        #expect(try ana.folder.text("renamed/two") == "2")
        #expect(try other.text("three") == "3")
        // Somebody deletes a directory that is a mount elsewhere. That mount ends, and nothing has
        // a problem.
        try ana.cairn("share", "add", ana.folder.path, other.path)
        try people.settle()
        try bob.folder.remove("other")
        try bob.wait()
        try ana.awaitEvent(.mountRemoved, "it was deleted from “A” by Bob")
        #expect(try other.names("").isEmpty)
        let mounts = try ana.answer(Control.StatusReply.self, "status").mounts
        #expect(mounts.map(\.path.description) == [ana.folder.path])
        #expect(mounts.flatMap(\.problems).isEmpty)
        try ana.folder.write("x", to: "still")
        let outcome = try ana.run("wait", ana.folder.path, "--timeout", "60")
        #expect(outcome.status == 0, "\(outcome.errors)")
        try bob.wait()
        #expect(try bob.folder.text("still") == "x")
      }
    }
  }
}

extension TwoPeople {
  /// Returns the packs of content in the container.
  func packs() throws -> Set<[UInt8]> {
    try Set(
      container.files().map(\.bytes).filter {
        String(decoding: $0, as: UTF8.self).contains("/packs/")
      })
  }
}
