import CairnControl
import Testing

extension EndToEnd {
  @Suite struct DetachedTests {
    @Test func `a folder that is gone deletes nothing elsewhere`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("d")
        for name: Name in ["one", "d/two"] { try ana.folder.write("x", to: name) }
        try people.settle()
        let before = try ana.folder.tree()

        try people.root.move("B", to: "away")
        try expectDetached(people)
        #expect(try ana.folder.tree() == before)

        // An empty folder in its place is not the folder.
        try people.root.make("B")
        try expectDetached(people)
        #expect(try ana.folder.tree() == before)
        #expect(try bob.folder.names("").isEmpty)

        try ana.folder.write("meanwhile", to: "three")
        try ana.wait()
        try people.root.remove("B")
        try Folder(people.root.path + "/away").write("away", to: "four")
        try people.root.move("away", to: "B")
        try bob.stopDaemon()
        try bob.startDaemon()
        try people.settle()
        try people.expectSame(count: 5)
        #expect(Set(try ana.folder.tree().keys) == ["one", "d", "d/two", "three", "four"])
        try people.expectNoConflicts()
      }
    }

    private func expectDetached(_ people: TwoPeople) throws {
      let waited = try people.bob.run("wait", "--timeout", "1")
      #expect(waited.status == Control.ErrorCode.timedOut.exitStatus, "\(waited.errors)")
      #expect(try people.bob.mount().phase == .detached)
      try people.ana.wait()
      try people.bob.stopDaemon()
      try people.bob.startDaemon()
      let again = try people.bob.run("wait", "--timeout", "1")
      #expect(again.status == Control.ErrorCode.timedOut.exitStatus, "\(again.errors)")
      #expect(try people.bob.mount().phase == .detached)
      try people.ana.wait()
    }
  }
}
