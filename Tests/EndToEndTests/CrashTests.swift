import CairnControl
import Testing

extension EndToEnd {
  @Suite struct CrashTests {
    @Test func `killed daemons go on, and lose and leave nothing`() throws {
      try TwoPeople.playSharing { people in
        try Self.copy(to: people.ana.folder)
        try Self.killOften(people)
        try people.settle()
        try Self.expectWhole(people)
      }
    }

    @Test func `lost index files are created again, and nothing is stored again`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try Self.copy(to: ana.folder)
        try ana.folder.write([UInt8](repeating: 9, count: 2_000_000), to: "large")
        try Self.killOften(people)
        try people.settle()
        let before = try Set(people.container.files(below: "users"))
        let log = try people.log()
        let entries = try Set(people.container.names(log))

        for person in [ana, bob] {
          try person.killDaemon()
          try person.home.remove("index")
        }
        for person in [ana, bob] { try person.startDaemon() }
        try people.settle()
        try Self.expectWhole(people, more: 1)
        #expect(try Set(people.container.names(log)) == entries)
        let new = try Set(people.container.files(below: "users")).subtracting(before)
        #expect(new.filter(\.isPack).isEmpty)

        try bob.folder.write("still alive", to: "later")
        try people.settle()
        #expect(try ana.folder.text("later") == "still alive")
      }
    }

    @Test func `lost index files and edits meanwhile: the edits arrive, nothing comes back`() throws
    {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        for name: Name in ["edited", "deleted", "kept"] { try ana.folder.write("old", to: name) }
        try people.settle()
        try ana.stopDaemon()
        try ana.home.remove("index")
        try bob.folder.write("new", to: "edited")
        try bob.folder.write("new", to: "of bob")
        try bob.wait()
        try ana.folder.write("new", to: "of ana")
        try ana.startDaemon()
        try people.settle()
        try people.expectSame(count: 5)
        let contents = try ana.folder.tree().values.map(\.kind)
        #expect(contents.filter { $0 == .file(Array("new".utf8)) }.count == 3)
      }
    }

    @Test func `a lost index and deleted directories: a new file in one stays`()
      throws
    {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        for name: Name in ["gone", "gone/inner", "empty", "mixed"] { try ana.folder.make(name) }
        for name: Name in ["gone/inner/old", "mixed/old"] { try ana.folder.write("old", to: name) }
        try people.settle()
        try ana.stopDaemon()
        try ana.home.remove("index")
        for name: Name in ["gone", "empty", "mixed"] { try bob.folder.remove(name) }
        try bob.wait()
        try ana.folder.write("new", to: "mixed/new")
        try ana.startDaemon()
        try people.settle()
        #expect(try Set(ana.folder.tree().keys) == ["mixed", "mixed/new"])
        try people.expectSame(count: 2)
      }
    }

    /// Makes a copy of 1 000 files in 25 directories.
    private static func copy(to folder: Folder) throws {
      for directory in 0..<25 {
        try folder.make("d\(directory)")
        for file in 0..<40 {
          let text = String(repeating: "\(directory)/\(file) ", count: 1 + directory * file)
          try folder.write(text, to: "d\(directory)/f\(file)")
        }
      }
    }

    /// Kills both daemons, again and again, after each has worked for a moment.
    private static func killOften(_ people: TwoPeople) throws {
      for moment in ["0", "0.05", "0.1", "0.2", "0.3"] {
        for person in [people.ana, people.bob] {
          _ = try person.run("wait", "--timeout", moment)
          try person.killDaemon()
          try person.startDaemon()
        }
      }
    }

    private static func expectWhole(_ people: TwoPeople, more: Int = 0) throws {
      try people.expectSame(count: 1025 + more)
      try people.expectNoConflicts()
      try people.expectNoLeftovers()
      for person in [people.ana, people.bob] {
        #expect(try person.folder.tree().count == 1025 + more)
      }
    }
  }
}
