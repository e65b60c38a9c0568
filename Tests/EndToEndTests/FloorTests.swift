import CairnControl
import Glibc
import Testing

extension EndToEnd {
  /// A log start that the owner's daemon raises, and the entries below it, with the built programs.
  @Suite struct FloorTests {
    private static let day = 86_400

    /// Ana writes a file twice and forgets its former content, which raises the log start.
    private func raise(_ people: TwoPeople, _ text: String) throws {
      for part in ["\(text), a password", text] {
        try people.ana.folder.write(part, to: "config")
        try people.settle()
      }
      let path = people.ana.folder.path + "/config"
      try people.ana.cairn("history", "forget", path, "--yes")
      try people.settle()
    }

    /// A week later everything below the log start is deleted.
    private func sweep(_ people: TwoPeople) throws {
      let faults = try #require(people.ana.faults)
      faults.seconds += 8 * Self.day
      let gone = try people.ana.answer(Control.GarbageReply.self, "gc")
      #expect(gone.deletedEntries.entries > 0 && gone.entries.entries == 0, "\(gone)")
    }

    private func loseIndex(_ person: Person) throws {
      try person.stopDaemon()
      try person.home.remove("index")
      try person.startDaemon()
    }

    @Test func `two devices of the owner collect garbage at once, and nothing is lost`() throws {
      try TwoPeople.playSharing(isFaulty: true) { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write(Samples.noise(300_000), to: "large")
        try people.settle()
        try people.withDevice(of: ana) { laptop in
          try laptop.awaitEvent(.mountAdded, "/A")
          for round in 1...3 {
            try ana.folder.write(Samples.noise(100_000 + round), to: "edited")
            try raise(people, "round \(round)")
            try laptop.wait()
            try ana.folder.remove("edited")
            try people.settle()
            let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
            defer { close(null) }
            let other = try Program.start(
              laptop.program, ["gc"], environment: laptop.environment, output: null)
            try sweep(people)
            var status: Int32 = 0
            while waitpid(other, &status, 0) < 0, errno == EINTR {}
            #expect(status == 0)
          }
          for person in [laptop, ana] { try person.cairn("gc") }
          try laptop.wait()
          try people.settle()
          try people.expectSame(count: 2)
          for person in [bob, laptop] { try loseIndex(person) }
          try people.settle()
          try laptop.wait()
          for person in [ana, bob, laptop] { try person.cairn("verify") }
          let files = try laptop.folder.files().filter { !$0.text.contains("/.cairn/") }
          #expect(Set(files.map(\.text)) == ["A/config", "A/large"])
        }
        try people.expectSame(count: 2)
        #expect(try bob.folder.read("large") == Samples.noise(300_000))
        try people.expectNoConflicts()
      }
    }

    @Test func `a person who was away while entries went goes on with their edits`() throws {
      try TwoPeople.playSharing(isFaulty: true) { people in
        let (ana, bob) = (people.ana, people.bob)
        for name: Name in ["edited", "gone", "renamed"] { try ana.folder.write("old", to: name) }
        try people.settle()
        try bob.stopDaemon()
        try bob.folder.write("by bob", to: "edited")
        try bob.folder.write("new", to: "new of bob")
        try ana.folder.remove("gone")
        try ana.folder.move("renamed", to: "name")
        for part in ["a password", "none"] {
          try ana.folder.write(part, to: "config")
          try ana.wait()
        }
        try ana.cairn("history", "forget", ana.folder.path + "/config", "--yes")
        try sweep(people)

        try bob.startDaemon()
        try people.settle()
        try people.expectSame(count: 4)
        #expect(try Set(ana.folder.tree().keys) == ["edited", "name", "config", "new of bob"])
        #expect(try ana.folder.text("edited") == "by bob")
        try people.expectNoConflicts()
        for person in [ana, bob] { try person.cairn("verify") }
      }
    }

    @Test func `a container restored to before a log start is named, and nothing is lost`()
      throws
    {
      try TwoPeople.playSharing(isFaulty: true) { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("text", to: "file")
        try people.settle()
        try people.root.copy("c", to: "backup")
        try raise(people, "config")
        try sweep(people)
        try bob.folder.write("edit", to: "file")
        try people.settle()
        let tree = try bob.folder.tree()

        try people.restore()
        for person in [bob, ana] {
          try people.expectState(.lostEnd, seenBy: person)
          #expect(try person.folder.tree() == tree)
        }
        // The entries between the two are gone everywhere, so there are two histories now.
        for person in [ana, bob] { try person.cairn("repair", "--yes") }
        try people.settle()
        #expect(try ana.folder.tree() == tree && bob.folder.tree() == tree)
        // A reader from the beginning comes to the same state, and forgotten versions stay
        // forgotten.
        try loseIndex(bob)
        try people.settle()
        try people.expectSame(count: 2)
        try people.expectNoConflicts()
        for person in [ana, bob] { try person.cairn("verify") }
      }
    }
  }
}
