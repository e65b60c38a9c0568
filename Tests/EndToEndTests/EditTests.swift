import CairnControl
import Testing

extension EndToEnd {
  @Suite struct EditTests {
    @Test func `each person's changes reach the other`() throws {
      try TwoPeople.playSharing { people in
        try people.prepareEdits()
        try people.edit(people.ana.folder, "a")
        try people.settle()
        try people.expectEdited(people.bob.folder, "a")
        try people.edit(people.bob.folder, "b")
        try people.settle()
        try people.expectEdited(people.ana.folder, "b")
        try people.expectInStep()
      }
    }

    @Test func `changes by both while their daemons are stopped reach the other`() throws {
      try TwoPeople.playSharing { people in
        try people.prepareEdits()
        for person in [people.ana, people.bob] { try person.stopDaemon() }
        try people.edit(people.ana.folder, "a")
        try people.edit(people.bob.folder, "b")
        for person in [people.ana, people.bob] { try person.startDaemon() }
        try people.settle()
        try people.expectEdited(people.bob.folder, "a")
        try people.expectEdited(people.ana.folder, "b")
        try people.expectInStep()
      }
    }

    @Test func `a moved tree is moved, not sent again`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("tree")
        try ana.folder.make("tree/inner")
        try ana.folder.write([UInt8](repeating: 5, count: 400_000), to: "tree/inner/file")
        try ana.folder.make("other")
        try people.settle()
        let before = try (bob.folder.inode("tree"), bob.folder.inode("tree/inner/file"))
        let packs = try people.container.files(below: "users").filter(\.isPack).count
        try ana.folder.move("tree", to: "other/moved tree")
        try people.settle()
        let moved: Name = "other/moved tree"
        #expect(try bob.folder.inode(moved) == before.0)
        #expect(try bob.folder.inode(moved / "inner/file") == before.1)
        #expect(try people.container.files(below: "users").filter(\.isPack).count == packs)
        try people.expectInStep()
      }
    }

    @Test func `directories that swap names unseen keep their contents`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        for name in ["one", "two"] {
          try ana.folder.make("\(name)")
          try ana.folder.make("\(name)/deep")
          try ana.folder.write("of \(name)", to: "\(name)/deep/of \(name)")
        }
        try people.settle()
        try ana.stopDaemon()
        try ana.folder.move("one", to: "three")
        try ana.folder.move("two", to: "one")
        try ana.folder.move("three", to: "two")
        try ana.folder.write("new", to: "two/deep/new")
        try ana.startDaemon()
        try people.settle()
        #expect(try bob.folder.text("two/deep/of one") == "of one")
        #expect(try bob.folder.text("one/deep/of two") == "of two")
        #expect(try bob.folder.text("two/deep/new") == "new")
        try people.expectInStep()
      }
    }

    @Test func `a file that is written for long is sent in its final state`() throws {
      try TwoPeople.playSharing { people in
        for number in 0..<200 { try people.ana.folder.append("line \(number)\n", to: "log") }
        try people.settle()
        #expect(try people.bob.folder.text("log").hasSuffix("line 199\n"))
        try people.expectInStep()
      }
    }
  }
}

extension Name {
  /// A Boolean value that indicates whether the path in a container is that of a pack.
  var isPack: Bool { String(decoding: bytes, as: UTF8.self).contains("/packs/") }
}

extension TwoPeople {
  /// Creates the files and directories for `edit`, below each of "a" and "b".
  func prepareEdits() throws {
    let folder = ana.folder
    for who in ["a", "b"] {
      for name: Name in ["\(who)", "\(who)/from", "\(who)/to", "\(who)/from/tree", "\(who)/gone"] {
        try folder.make(name)
      }
      for name in ["place", "append", "shrink", "replace", "name", "run", "time", "delete"] {
        try folder.write("\(who) \(name) before", to: "\(who)/\(name)")
      }
      try folder.write("leaf", to: "\(who)/from/tree/leaf")
      try folder.write("leaf", to: "\(who)/gone/leaf")
    }
    try settle()
    try expectSame(count: 30)
  }

  /// Makes one edit of each kind.
  func edit(_ folder: Folder, _ who: String) throws {
    try folder.write("AFTER".utf8.map { $0 }, to: "\(who)/place", flags: 0)
    try folder.append(" and more", to: "\(who)/append")
    try folder.truncate("\(who)/shrink", to: 3)
    try folder.write("new content", to: "\(who)/.new")
    try folder.move("\(who)/.new", to: "\(who)/replace")
    try folder.move("\(who)/name", to: "\(who)/another name")
    try folder.move("\(who)/from/tree", to: "\(who)/to/tree")
    try folder.write("another", to: "\(who)/to/tree/leaf 2")
    try folder.remove("\(who)/delete")
    try folder.remove("\(who)/gone")
    try folder.change(mode: 0o755, of: "\(who)/run")
    try folder.touch("\(who)/time", seconds: 1_111_111_111, nanoseconds: 222_222_222)
  }

  func expectEdited(_ folder: Folder, _ who: String) throws {
    #expect(try folder.text("\(who)/place") == "AFTERce before")
    #expect(try folder.text("\(who)/append") == "\(who) append before and more")
    #expect(try folder.text("\(who)/shrink") == "\(who) s")
    #expect(try folder.text("\(who)/replace") == "new content")
    #expect(try folder.text("\(who)/another name") == "\(who) name before")
    #expect(try folder.text("\(who)/to/tree/leaf 2") == "another")
    #expect(try folder.text("\(who)/to/tree/leaf") == "leaf")
    for name in ["name", ".new", "delete", "gone", "from/tree"] {
      #expect(!folder.exists("\(who)/\(name)"), "\(who)/\(name)")
    }
    #expect(try folder.node("\(who)/run").mode & 0o111 == 0o111)
    #expect(try folder.node("\(who)/time").modified == 1_111_111_111_222_222_222)
  }

  func expectInStep() throws {
    try expectSame()
    try expectNoConflicts()
    try expectNoLeftovers()
    for person in [ana, bob] {
      let mount = try person.mount()
      #expect(mount.problems.isEmpty && mount.rescued.isEmpty && mount.conflicts.isEmpty)
    }
  }
}
