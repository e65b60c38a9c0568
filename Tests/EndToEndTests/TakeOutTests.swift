import CairnControl
import Testing

extension EndToEnd {
  /// `share take-out`: one part leaves a share of several, and the rest goes on.
  @Suite struct TakeOutTests {
    @Test func `a part of a mirrored folder returns to it, and others keep the rest`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        let lib = ana.folder
        for name: Name in ["", "letters"] { try lib.make(name) }
        for name: Name in ["p1", "p2", "letters/l", "mine"] { try lib.write("text", to: name) }
        try ana.cairn("add", lib.path)
        try ana.wait()
        let parts = ["p1", "p2", "letters"].map { "\(lib.path)/\($0)" }
        let share = try ana.answer(
          Control.ShareReply.self, ["share", "create"] + parts + ["--title", "Three"]
        ).share
        let link = try ana.cairn("share", "invite", share.id, "bob").lastLine
        try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
        try bob.folder.write("of bob", to: "p2")
        try people.settle()

        let inode = try lib.inode("p2")
        // A command that ends a share ends all of it, so it doesn't accept one of its parts.
        let refused = try ana.fails(.invalidArguments, "share", "stop", parts[1])
        #expect(refused.errors.contains("cairn share take-out \(parts[1])"), "\(refused.errors)")
        #expect(try bob.folder.text("p1") == "text")

        let reply = try ana.answer(
          Control.ShareTakeOutReply.self, "share", "take-out", parts[1])
        #expect(reply.mirrored && reply.share.id == share.id)
        #expect(reply.share.participants.map(\.handle) == ["ana", "bob"])
        try people.settle()
        #expect(!bob.folder.exists("p2"))
        #expect(try bob.folder.text("p1") == "text" && bob.folder.text("letters/l") == "text")
        #expect(try lib.text("p2") == "of bob" && lib.inode("p2") == inode)
        try lib.write("mine alone", to: "p2")
        try bob.folder.write("more of bob", to: "letters/l")
        try people.settle()
        #expect(try lib.text("letters/l") == "more of bob" && !bob.folder.exists("p2"))
        let stat = try ana.answer(Control.StatReply.self, "stat", parts[1], parts[0]).paths
        #expect(stat.map(\.shared) == [.no, .owner] && stat.map(\.target) == [.inside, .part])

        // Now it is inside of the mirrored folder, and the remaining part is the whole share.
        try ana.fails(.invalidArguments, "share", "take-out", parts[1])
        try ana.cairn("share", "take-out", parts[0])
        try people.settle()
        let all = try ana.fails(.invalidArguments, "share", "take-out", parts[2])
        #expect(all.errors.contains("is all of the share “Three”"), "\(all.errors)")
        try ana.cairn("share", "stop", parts[2])
        try ana.wait()
        let mounts = try ana.answer(Control.StatusReply.self, "status").mounts
        #expect(mounts.map(\.path) == [Control.Path(lib.path)])
        #expect(try lib.files().count == 5)
        try ana.cairn("verify")
      }
    }

    @Test func `a folder that is taken out alone is mirrored for its owner only`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        let folders = ["one", "two"].map { Folder(people.root.path + "/" + $0) }
        for folder in folders {
          try folder.make("")
          try folder.make("in")
          try folder.write("text", to: "in/file")
        }
        try people.root.write("note", to: "note")
        let (two, note) = (folders[1].path, people.root.path + "/note")
        let share = try ana.answer(
          Control.ShareReply.self, "share", "create", folders[0].path, two, note
        ).share
        let link = try ana.cairn("share", "invite", share.id, "bob").lastLine
        try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
        try bob.folder.write("of bob", to: "two/in/file")
        try people.settle()

        try bob.fails(.invalidArguments, "share", "take-out", bob.folder.path + "/two")
        let reply = try ana.answer(Control.ShareTakeOutReply.self, "share", "take-out", two)
        #expect(reply.mirrored)
        try people.settle()
        #expect(!bob.folder.exists("two") && bob.folder.exists("one/in/file"))
        #expect(try folders[1].text("in/file") == "of bob")
        try folders[1].write("mine alone", to: "in/file")
        let file = try ana.answer(Control.ShareTakeOutReply.self, "share", "take-out", note)
        #expect(!file.mirrored)
        try people.settle()
        #expect(!bob.folder.exists("note") && !bob.folder.exists("two"))
        #expect(try people.root.text("note") == "note")

        try ana.stopDaemon()
        try ana.startDaemon()
        try people.settle()
        let mounts = try ana.answer(Control.StatusReply.self, "status").mounts
        #expect(mounts.map(\.path) == folders.map { Control.Path($0.path) })
        #expect(mounts.flatMap(\.problems).isEmpty && mounts.map(\.scope) == [.private, .private])
        let zones = try ana.answer(Control.ZonesReply.self, "zones").zones
        #expect(zones.map(\.title) == ["one", nil])
        #expect(try folders[1].text("in/file") == "mine alone")
        try ana.cairn("verify")
      }
    }
  }
}
