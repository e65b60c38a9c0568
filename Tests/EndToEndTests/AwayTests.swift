import CairnControl
import Testing

/// Commands that only tell something, while the container is away: they tell what is known here.
extension EndToEnd {
  @Suite struct AwayTests {
    @Test func `what is known here is told while the container is away`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try people.root.write("published", to: "published")
        try bob.cairn("public", "put", people.root.path + "/published")
        let commands: [[String]] = [
          ["zones"], ["share", "requests"], ["share", "requests", ana.folder.path],
          ["share", "policy", ana.folder.path], ["public", "list"], ["public", "list", "bob"],
        ]
        // The list of zones has Bob's once it was read.
        for command in commands { try ana.cairn(command) }
        let before = try commands.map { try ana.cairn($0).text }
        #expect(before[0].contains("A") && before[5].contains("published"))
        // The container is away, or its file system isn't mounted.
        for isEmpty in [false, true] {
          try people.root.move("c", to: "away")
          if isEmpty { try people.root.make("c") }
          for (command, before) in zip(commands, before) {
            let outcome = try ana.run(command)
            #expect(outcome.status == 0, "\(command): \(outcome.errors)")
            #expect(outcome.text == before, "\(command)")
          }
          if isEmpty { try people.root.remove("c") }
          try people.root.move("away", to: "c")
        }
      }
    }

    @Test func `a folder is counted while the container is away`() throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        try ana.folder.write("first", to: "first")
        try people.settle()
        try people.root.move("c", to: "away")
        for number in 1...8 {
          try ana.folder.write("text", to: Name(Array("file \(number)".utf8)))
        }
        // The first of them tries the container. The others come afterwards.
        var pending = 0
        while pending < 8 { pending = try ana.mount().work.pendingLocal }
        let list = try ana.answer(Control.ListReply.self, "ls", ana.folder.path)
        #expect(list.entries.count == 9)
        try people.root.move("away", to: "c")
        try people.settle()
        try people.expectSame(count: 9)
        try people.expectNoConflicts()
      }
    }
  }
}
