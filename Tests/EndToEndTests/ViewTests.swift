import CairnControl
import CairnFuse
import Glibc
import Testing

extension EndToEnd {
  /// `cairn mount`, with built programs and the kernel.
  @Suite struct ViewTests {
    private static let isPossible =
      access("/dev/fuse", R_OK | W_OK) == 0 && access("/usr/bin/fusermount3", X_OK) == 0
      && cairn_fuse_missing() == nil
    private static let reason: Comment =
      "Cairn was built without libfuse3-dev, or /dev/fuse or fusermount3 isn't there"

    /// Bytes that can't be compressed, the same each time.
    private static func film(_ count: Int) -> [UInt8] {
      var number: UInt64 = 1
      return (0..<count).map { _ in
        number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: number >> 56)
      }
    }

    /// Lets Bob stop mirroring Ana's folder, and look at it.
    private static func play(_ body: (TwoPeople, _ view: Folder) throws -> Void) throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("docs")
        try ana.folder.write("one", to: "docs/a")
        try ana.folder.write("left", to: "docs/b")
        try ana.folder.link("docs/link", to: "a")
        try ana.folder.write(film(6 << 20), to: "film")
        try people.settle()
        let share = try bob.share(at: bob.folder.path)
        try bob.cairn("remove", bob.folder.path)
        let view = Folder(people.root.path + "/view")
        #expect(
          try bob.answer(Control.MountedViewsReply.self, "mount", share, view.path).views
            == [Control.Path(view.path)])
        var isShown = true
        defer {
          if isShown { kill(bob) }
        }
        try body(people, view)
        #expect(try bob.cairn("mount").text.contains(view.path + "\n"))
        try bob.cairn("mount", "--end", view.path)
        isShown = false
        #expect(try view.names("").isEmpty)
        try bob.fails(.unknownItem, "mount", "--end", view.path)

        /// Ends the view of a test that failed.
        func kill(_ person: Person) {
          do { _ = try person.run(program: "/usr/bin/fusermount3", "-uz", view.path) } catch {
            Issue.record("\(view.path) is left: \(error)")
          }
        }
      }
    }

    /// The status of a file, without its bytes.
    private static func status(_ path: String) throws -> stat {
      var status = stat()
      try #require(lstat(path, &status) == 0, "\(path): \(String(cString: strerror(errno)))")
      return status
    }

    /// The number of bytes in the caches of a person's views.
    private static func cached(_ person: Person) throws -> Int {
      try person.home.files(below: "views").reduce(0) { sum, name in
        let path = person.home.path + "/" + String(decoding: name.bytes, as: UTF8.self)
        return try sum + Int(status(path).st_blocks) * 512
      }
    }

    @Test(.enabled(if: isPossible, reason))
    func `a share that isn't mirrored is listed, and only what is read is fetched`() throws {
      try Self.play { people, view in
        let (ana, bob) = (people.ana, people.bob)
        #expect(
          try view.tree().keys.sorted { "\($0)" < "\($1)" }.count == ana.folder.tree().count)
        #expect(try view.node("docs/link").kind == .symlink(Array("a".utf8)))
        let before = try Self.cached(bob)
        // `tree` reads all; so this view begins again with nothing.
        #expect(before > 6 << 20)
        try bob.cairn("mount", "--end", view.path)
        try bob.home.remove("views")
        let share = try ana.share(at: ana.folder.path)
        try bob.cairn("mount", share, view.path, "--limit", "1G")
        #expect(try view.names("").count == 2)
        #expect(try Self.status(view.path + "/film").st_size == 6 << 20)
        #expect(try Self.cached(bob) == 0)
        let file = open(view.path + "/film", O_RDONLY | O_CLOEXEC)
        try #require(file >= 0)
        var bytes = [UInt8](repeating: 0, count: 10)
        #expect(pread(file, &bytes, 10, 5 << 20) == 10)
        close(file)
        #expect(bytes == Array(Self.film(6 << 20)[(5 << 20)..<(5 << 20) + 10]))
        #expect(try (1..<(5 << 20)).contains(Self.cached(bob)))
      }
    }

    @Test(.enabled(if: isPossible, reason))
    func `a view shows changes of others, and what is cached while the container is away`() throws {
      try Self.play { people, view in
        let (ana, bob) = (people.ana, people.bob)
        #expect(try view.text("docs/a") == "one")
        let old = open(view.path + "/docs/a", O_RDONLY | O_CLOEXEC)
        try #require(old >= 0)
        try ana.folder.write("another text", to: "docs/a")
        try ana.folder.write("new", to: "docs/c")
        try ana.wait()
        while try view.text("docs/a") != "another text" || !view.exists("docs/c") {}
        var bytes = [UInt8](repeating: 0, count: 100)
        #expect(pread(old, &bytes, 100, 0) == 3 && bytes.starts(with: "one".utf8))
        close(old)

        try people.root.move("c", to: "away")
        #expect(try view.names("docs").count == 4)
        #expect(try view.text("docs/a") == "another text")
        #expect(open(view.path + "/film", O_RDONLY | O_CLOEXEC) < 0 && errno == ENETUNREACH)
        #expect(try bob.home.text("log/mount.log").contains("[network"))
        try people.root.move("away", to: "c")
        #expect(try Self.status(view.path + "/film").st_size == 6 << 20)
        var film: CInt = -1
        while film < 0 { film = open(view.path + "/film", O_RDONLY | O_CLOEXEC) }
        close(film)
      }
    }

    @Test(.enabled(if: isPossible, reason))
    func `changes in a view are commits, and overwrite nobody's`() throws {
      try Self.play { people, view in
        let (ana, bob) = (people.ana, people.bob)
        let script = """
          set -e
          echo new > new && echo more >> new && chmod +x new
          echo changed > docs/a && printf X | dd of=docs/b bs=1 seek=1 conv=notrunc
          echo saved > docs/tmp && mv docs/tmp docs/a
          mkdir -p one/two && ln -s ../new one/link && mv one/two one/three
          rm film && touch -d '2001-02-03 04:05:06 UTC' docs/b && truncate -s 5 new
          ! rmdir one
          cat docs/a new
          """
        let outcome = try bob.run(
          program: "/bin/bash", "-c", "cd '\(view.path)' && { \(script)\n}")
        #expect(outcome.status == 0 && outcome.text == "saved\nnew\nm", "\(outcome.errors)")
        try people.settle()
        let names = try ana.folder.tree().keys.map { String(decoding: $0.bytes, as: UTF8.self) }
        #expect(
          names.sorted() == [
            "docs", "docs/a", "docs/b", "docs/link", "new", "one", "one/link", "one/three",
          ])
        #expect(try ana.folder.text("docs/a") == "saved\n" && ana.folder.text("docs/b") == "lXft")
        #expect(try ana.folder.text("new") == "new\nm" && ana.folder.node("new").mode & 0o100 != 0)
        #expect(try ana.folder.node("docs/b").modified == 981_173_106_000_000_000)
        // A file that is saved by replacing it stays the same file.
        let past = try ana.answer(Control.HistoryReply.self, "history", ana.folder.path + "/docs/a")
        #expect(Set(past.entries.map(\.record)).count == 1 && past.entries.count >= 3)

        // Ana changes the file that Bob has open.
        let file = open(view.path + "/docs/b", O_WRONLY | O_TRUNC | O_CLOEXEC)
        try #require(file >= 0)
        #expect(write(file, "mine", 4) == 4)
        try ana.folder.write("hers", to: "docs/b")
        try ana.wait()
        #expect(close(file) == 0)
        try people.settle()
        let texts = try ana.folder.names("docs").filter { $0 != "link" && $0 != "a" }.map {
          try ana.folder.text("docs" / $0)
        }
        #expect(texts.sorted() == ["hers", "mine"])
        #expect(try bob.home.text("log/mount.log").contains("[serverRecordChanged]"))
      }
    }

    @Test(.enabled(if: isPossible, reason))
    func `a share that may only be viewed can't be changed, and its folder receives the rest`()
      throws
    {
      try TwoPeople.playSharing("read-only") { people in
        let (ana, bob) = (people.ana, people.bob)
        let (anas, bobs) = (Folder(people.root.path + "/va"), Folder(people.root.path + "/vb"))
        try ana.cairn("mount", ana.folder.path, anas.path)
        try bob.cairn("mount", bob.folder.path, bobs.path)
        defer {
          for (person, view) in [(ana, anas), (bob, bobs)] {
            do { try person.cairn("mount", "--end", view.path) } catch {
              Issue.record("\(view.path) is left: \(error)")
            }
          }
        }
        try anas.write("text", to: "a")
        try people.settle()
        // The mirrors of both have it, too.
        #expect(try ana.folder.text("a") == "text" && bob.folder.text("a") == "text")
        #expect(try bobs.text("a") == "text")
        #expect(open(bobs.path + "/a", O_RDWR | O_CLOEXEC) < 0 && errno == EROFS)
        #expect(open(bobs.path + "/x", O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) < 0 && errno == EROFS)
      }
    }

    @Test(.enabled(if: isPossible, reason))
    func `a view is refused in a mirrored folder, and where something is`() throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        let inside = try ana.fails(
          .invalidArguments, "mount", ana.folder.path, ana.folder.path + "/view")
        #expect(inside.errors.contains("is in a mirrored folder"))
        try people.root.make("full")
        try people.root.write("x", to: "full/x")
        try ana.fails(.invalidArguments, "mount", ana.folder.path, people.root.path + "/full")
        try ana.fails(.unknownItem, "mount", ana.folder.path + "/no", people.root.path + "/v")
        // Other tests of the same user may show views at the same time.
        #expect(try !ana.cairn("mount").text.contains(people.root.path))

        // A request writes into the caches of views, and nowhere else.
        let client = ControlClient(home: try Home(environment: ["CAIRN_HOME": ana.home.path]))
        let share = try ana.share(at: ana.folder.path)
        for file in ["../cairn.conf", "a/../../cairn.conf", "view", "/etc/x", "a/.b", "a/b/c"] {
          let request = Control.ViewRead(
            zone: share, content: String(repeating: "0", count: 64), file: file, offset: 0,
            length: 1)
          #expect("\(file)") { try client.call(request) } throws: { error in
            (error as? ControlError)?.code == .invalidArguments
          }
        }
      }
    }
  }
}
