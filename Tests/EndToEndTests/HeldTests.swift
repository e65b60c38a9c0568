import CairnControl
import Testing

extension EndToEnd {
  @Suite struct HeldTests {
    /// Creates 240 files in four directories, in both people's folders.
    private static func prepare(_ people: TwoPeople) throws {
      for directory in 0..<4 {
        try people.ana.folder.make("d\(directory)")
        for file in 0..<60 {
          try people.ana.folder.write("\(directory) \(file)", to: "d\(directory)/f\(file)")
        }
      }
      try people.settle()
      try people.expectSame(count: 244)
    }

    private static func remove(_ directories: Range<Int>, from folder: Folder) throws {
      for directory in directories { try folder.remove("d\(directory)") }
    }

    @Test func `many deletions wait, other changes go on, and undo restores the files`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try Self.prepare(people)
        let before = try bob.folder.tree()
        try Self.remove(0..<3, from: ana.folder)
        try ana.awaits("deletions.held")
        try ana.folder.write("goes on", to: "d3/new")
        try ana.folder.write("edited", to: "d3/f0")
        let waited = try ana.fails(.partialFailure, "wait")
        #expect(waited.errors.contains("180 of 24"))
        try bob.wait()
        #expect(try bob.folder.text("d3/new") == "goes on")
        #expect(try bob.folder.text("d3/f0") == "edited")
        #expect(before.keys.allSatisfy { bob.folder.exists($0) })

        let mount = try ana.mount()
        #expect(mount.phase == .held)
        let held = try #require(mount.held)
        #expect(held.files == 180 && held.directories == 3 && held.of == 241)
        #expect(mount.problems.contains { $0.remedy.contains("cairn held undo") })
        let doctor = try ana.fails(.partialFailure, "doctor")
        #expect(doctor.text.contains("180 of 241 files"))
        let list = try ana.answer(Control.HeldReply.self, "held", ana.folder.path)
        #expect(list.mounts.first?.paths.count == 183)
        #expect(try ana.cairn("held").text.contains("d1/f33"))
        let why = try ana.answer(Control.WhyReply.self, "why", ana.folder.path + "/d1/f33")
        #expect(why.now.map(\.rule) == [.waiting])
        #expect(why.now.last?.remedy?.contains("cairn held confirm") == true)

        // The end of the daemon changes nothing.
        try ana.killDaemon()
        try ana.startDaemon()
        try ana.fails(.partialFailure, "wait")
        #expect(try ana.mount().held?.files == 180)

        let undone = try ana.answer(Control.HeldReply.self, "held", "undo", ana.folder.path)
        #expect(undone.mounts.first?.held.files == 180)
        try people.settle()
        try people.expectSame(count: 245)
        try people.expectInStep()
        #expect(try ana.folder.text("d1/f33") == "1 33")
        #expect(try ana.mount().phase == .idle)
        try ana.fails(.unknownItem, "held", "confirm", ana.folder.path)
        #expect(try ana.cairn("held").text == "There are no pending deletions.\n")
      }
    }

    @Test func `confirmed deletions go to everybody`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try Self.prepare(people)
        try ana.stopDaemon()
        try Self.remove(1..<4, from: ana.folder)
        try ana.startDaemon()
        try ana.fails(.partialFailure, "wait")
        try ana.cairn("held", "confirm", ana.folder.path)
        try people.settle()
        #expect(try bob.folder.tree().count == 61)
        try people.expectInStep()
      }
    }

    @Test func `a participant's deletions wait on their side`() throws {
      try TwoPeople.playSharing { people in
        try Self.prepare(people)
        try Self.remove(0..<4, from: people.bob.folder)
        try people.bob.awaits("deletions.held")
        try people.ana.wait()
        #expect(try people.ana.folder.tree().count == 244)
        try people.bob.cairn("held", "undo", people.bob.folder.path)
        try people.settle()
        try people.expectSame(count: 244)
      }
    }

    @Test func `a file that returns by itself, or was only moved, waits for nothing`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try Self.prepare(people)
        // A rename of everything is no deletion.
        try ana.folder.make("all")
        for directory in 0..<4 { try ana.folder.move("d\(directory)", to: "all/d\(directory)") }
        try people.settle()
        #expect(try bob.folder.text("all/d2/f7") == "2 7")
        #expect(try ana.count(of: "deletions.held") == 0)
        // Out of the folder, and in again.
        let away = Folder(people.root.path)
        try away.move("A/all", to: "away")
        try ana.awaits("deletions.held")
        try away.move("away", to: "A/all")
        try ana.awaits("deletions.released")
        try people.settle()
        try people.expectSame(count: 245)
        try people.expectInStep()
      }
    }

    @Test func `half of a folder, or a hundred files, is deleted without a question`() throws {
      try TwoPeople.playSharing { people in
        try Self.prepare(people)
        try Self.remove(0..<2, from: people.ana.folder)
        try people.settle()
        #expect(try people.bob.folder.tree().count == 122)
        try people.expectInStep()
      }
    }

    @Test func `entries that move to another mirrored folder aren't held`() throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        try Self.prepare(people)
        try people.root.make("A2")
        try ana.cairn("add", people.root.path + "/A2")
        try ana.wait()
        for directory in 0..<4 {
          try people.root.move("A/d\(directory)", to: "A2/d\(directory)")
        }
        try people.settle()
        #expect(try people.bob.folder.tree().isEmpty)
        #expect(try ana.answer(Control.HeldReply.self, "held").mounts.isEmpty)
      }
    }
  }
}
