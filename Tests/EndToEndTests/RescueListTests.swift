import CairnControl
import Testing

/// Rescue folders with many files: everything is listed, put back and cleared, directories too.
extension EndToEnd {
  @Suite struct RescueListTests {
    @Test func `thousands of rescued files are listed, put back and cleared`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        let share: Name = "rescue/Trip-01234567"
        for name: Name in ["rescue", share, share / "d", share / "e"] { try ana.home.make(name) }
        for number in 0..<1_200 {
          try ana.home.write("\(number)", to: share / "d" / Name(Array("\(number)".utf8)))
        }
        try ana.home.write("other", to: share / "e/other")
        let list = try ana.answer(Control.RescueReply.self, "rescue", "list")
        #expect(list.entries.count == 1_201)
        let status = try ana.run("status").text
        #expect(status.split(separator: "\n").count { $0.contains("recovered") } == 1)

        // A directory moves as a whole.
        let directory = ana.home.path + "/" + (share / "d").text
        try ana.cairn("rescue", "restore", directory, "--to", people.root.path + "/back")
        #expect(try people.root.names("back").count == 1_200)
        #expect(try people.root.text("back/1199") == "1199")
        #expect(try ana.answer(Control.RescueReply.self, "rescue", "list").entries.count == 1)

        for number in 0..<1_200 {
          try ana.home.write("\(number)", to: share / Name(Array("\(number)".utf8)))
        }
        let cleared = try ana.answer(
          Control.RescueReply.self, "rescue", "clear", "--all", "--yes")
        #expect(cleared.entries.count == 1_201)
        #expect(try ana.answer(Control.RescueReply.self, "rescue", "list").entries.isEmpty)
      }
    }

    @Test func `the files of a rescued directory return to their places`() throws {
      try TwoPeople.playSharing("read-only") { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("d")
        try ana.folder.write("hers", to: "d/file")
        try people.settle()
        // Bob may only read, so that his files go to the rescue folder.
        for name: Name in ["d/one", "d/two"] { try bob.folder.write("his", to: name) }
        try bob.awaits("rescued")
        try bob.wait()
        let rescued = bob.folder.path + "/.cairn/rescue/d"
        let target = people.root.path + "/mine"
        try people.root.make("mine")
        try bob.fails(.permissionFailure, "rescue", "restore", rescued)
        try bob.cairn("rescue", "restore", rescued, "--to", target)
        #expect(try people.root.text("mine/d/one") == "his")
        #expect(try people.root.text("mine/d/two") == "his")
        #expect(try bob.answer(Control.RescueReply.self, "rescue").entries.isEmpty)
      }
    }
  }
}
