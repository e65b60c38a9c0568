import CairnControl
import Testing

extension EndToEnd {
  /// Folders and files of one share that contain the same bytes. Each was put into the share on
  /// purpose, so each stays in its place, and reaches everybody.
  @Suite struct PartCopiesTests {
    /// Copies a file with its time, as `cp -p` does.
    private static func copy(_ from: Folder, _ old: Name, _ to: Folder, _ new: Name) throws {
      let node = try from.node(old)
      switch node.kind {
      case .symlink(let target): try to.link(new, to: Name(target))
      case .directory: try to.make(new)
      default:
        try to.write(try from.read(old), to: new)
        try to.touch(
          new, seconds: node.modified / 1_000_000_000, nanoseconds: node.modified % 1_000_000_000)
      }
    }

    /// Expects that a folder has no rescued files.
    private static func expectNothingRescued(_ folder: Folder) throws {
      for name: Name in [".cairn/rescue"] where folder.exists(name) {
        #expect(try folder.files(below: name) == [])
      }
    }

    private static func accept(_ people: TwoPeople, _ path: String) throws {
      let share = try people.ana.share(at: path)
      let link = try people.ana.cairn("share", "invite", share, "bob").lastLine
      try people.bob.cairn(
        "share", "accept", link, "--at", people.bob.folder.path, "--wait")
    }

    @Test(arguments: ["create", "add"], [false, true])
    func `a folder with copies of another folder's files keeps them`(
      command: String, isMirrored: Bool
    ) throws {
      try TwoPeople.play { people in
        let ana = people.ana
        let (a, b) = (ana.folder, Folder(people.root.path + "/copies"))
        try a.make("")
        try b.make("")
        let big = [UInt8](repeating: 0x33, count: 3_000_000)
        try a.write(big, to: "big")
        try Self.copy(a, "big", b, "the same under another name")
        for directory: Name in ["tree", "tree/deep", "tree/empty"] {
          try a.make(directory)
          try b.make(directory)
        }
        for number in 1...5 {
          for name: Name in ["\(number)", "tree/\(number)", "tree/deep/\(number)"] {
            try a.write("\(name) \(number)", to: name)
            try Self.copy(a, name, b, name)
          }
        }
        try a.link("tree/link", to: "1")
        try b.link("tree/link", to: "1")
        let before = try (a.tree(), b.tree())
        if isMirrored {
          for folder in [a, b] { try ana.cairn("add", folder.path) }
          try ana.wait()
        }
        if command == "create" {
          try ana.cairn("share", "create", a.path, b.path)
        } else {
          try ana.cairn("share", "create", a.path)
          try ana.wait()
          try ana.cairn("share", "add", a.path, b.path)
        }
        try ana.wait()
        #expect(try a.tree() == before.0)
        #expect(try b.tree() == before.1)
        try Self.expectNothingRescued(b)
        try Self.accept(people, a.path)
        let name: Name = command == "create" ? "A" : ""
        let files = try people.bob.folder.tree().filter { $0.value.kind != .directory }.map(\.key)
        #expect(Set(files).isSuperset(of: try b.files().filter { !$0.isOwn }.map { "copies" / $0 }))
        #expect(
          Set(files).isSuperset(
            of: try a.files().filter { !$0.isOwn }.map { name.bytes.isEmpty ? $0 : name / $0 }))
      }
    }

    @Test func `a copy of a shared file, and an older backup, are put into the share`()
      throws
    {
      try TwoPeople.play { people in
        let ana = people.ana
        let (a, backup) = (ana.folder, Folder(people.root.path + "/backup"))
        let loose = Folder(people.root.path + "/loose")
        for folder in [a, backup, loose] { try folder.make("") }
        for name: Name in ["1", "2", "3"] {
          try a.write("text of \(name)", to: name)
          try Self.copy(a, name, backup, name)
        }
        try loose.write("single", to: "file")
        try Self.copy(loose, "file", loose, "copy")
        try Self.copy(a, "1", loose, "first")
        try ana.cairn("share", "create", a.path, loose.path + "/file")
        try ana.wait()
        // The contents of the folder at that time are deleted by now.
        for name: Name in ["1", "2"] { try a.remove(name) }
        try a.write("new", to: "3")
        try ana.wait()
        for path in [backup.path, loose.path + "/copy", loose.path + "/first"] {
          try ana.cairn("share", "add", a.path, path)
          try ana.wait()
        }
        for name: Name in ["1", "2", "3"] { #expect(try backup.text(name) == "text of \(name)") }
        #expect(try loose.text("copy") == "single" && loose.text("first") == backup.text("1"))
        try Self.expectNothingRescued(backup)
        try Self.accept(people, a.path)
        let bobs = people.bob.folder
        for name: Name in ["1", "2", "3"] {
          #expect(try bobs.text("backup" / name) == "text of \(name)")
        }
        #expect(try bobs.text("file") == "single" && bobs.text("copy") == "single")
        #expect(try bobs.text("first") == backup.text("1"))
        #expect(try Set(bobs.names("A")) == ["3"])
      }
    }

    @Test func `a copy that is made while the index is lost stays`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        let (a, b) = (ana.folder, Folder(people.root.path + "/b"))
        for folder in [a, b] { try folder.make("") }
        try a.write("one", to: "1")
        try b.write("two", to: "2")
        try ana.cairn("share", "create", a.path, b.path)
        try ana.wait()
        try Self.accept(people, a.path)
        try ana.stopDaemon()
        try ana.home.remove("index")
        try Self.copy(a, "1", b, "1")
        try Self.copy(b, "2", a, "two")
        try ana.startDaemon()
        try people.settle()
        #expect(try a.text("two") == "two" && b.text("1") == "one")
        #expect(
          try Set(people.bob.folder.tree().keys) == ["A", "A/1", "A/two", "b", "b/1", "b/2"])
        for folder in [a, b] { try Self.expectNothingRescued(folder) }
        // A file that Bob deletes stays deleted, though the index is lost again.
        try ana.stopDaemon()
        try ana.home.remove("index")
        try people.bob.folder.remove("b/2")
        try people.bob.wait()
        try ana.startDaemon()
        try people.settle()
        #expect(!b.exists("2") && a.exists("two"))
      }
    }
  }
}

extension Name {
  /// A Boolean value that indicates whether the name is in Cairn's own folder.
  fileprivate var isOwn: Bool { bytes.starts(with: Array(".cairn".utf8)) }
}
