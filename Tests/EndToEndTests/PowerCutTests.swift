import CairnControl
import Testing

extension EndToEnd {
  @Suite struct PowerCutTests {
    @Test(.enabled(if: Mounts.arePossible, Mounts.comment))
    func `the rest of a file after a power cut isn't sent, and nothing is lost`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let text = String(repeating: "good ", count: 100)
        for name: Name in ["zeros", "empty", "short", "edited", "cut", "untouched"] {
          try ana.folder.write(text, to: name)
        }
        try people.settle()
        let old = try bob.folder.node("short").modified
        try bob.killDaemon()
        try bob.folder.write([UInt8](repeating: 0, count: 500), to: "zeros")
        try bob.folder.truncate("empty", to: 0)
        try bob.folder.truncate("short", to: 123)
        try bob.folder.touch(
          "short", seconds: old / 1_000_000_000, nanoseconds: old % 1_000_000_000)
        try bob.folder.write("an edit", to: "edited")
        try bob.folder.truncate("cut", to: 200)

        // For the daemon, this is another boot of the machine.
        try people.root.write("00000000-1111-2222-3333-444444444444\n", to: "boot")
        try bob.startDaemon(
          after: "mount --bind '\(people.root.path)/boot' /proc/sys/kernel/random/boot_id")
        try people.settle()
        for name: Name in ["zeros", "empty", "short", "untouched"] {
          #expect(try bob.folder.text(name) == text, "\(name)")
          #expect(try ana.folder.text(name) == text, "\(name)")
        }
        #expect(try ana.folder.text("edited") == "an edit")
        #expect(try ana.folder.text("cut").utf8.count == 200)
        try people.expectSame(count: 6)

        let list = try bob.answer(Control.RescueReply.self, "rescue", "list")
        #expect(list.entries.map(\.size).sorted() == [0, 123, 500])
        #expect(
          list.entries.allSatisfy { $0.rescued.reason.contains("after the machine had stopped") })

        // From here on a truncation is an edit again.
        try bob.folder.truncate("zeros", to: 0)
        try people.settle()
        #expect(try ana.folder.text("zeros").isEmpty)
      }
    }

    /// A moved file may look deleted for a moment. A cut that undoes the move would delete it.
    @Test(.enabled(if: Mounts.arePossible, Mounts.comment))
    func `a deleted or replaced file that a power cut restored is set aside`()
      throws
    {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        for name: Name in ["here", "elsewhere", "replaced"] {
          try ana.folder.write("words \(name)", to: name)
        }
        try people.settle()
        try bob.killDaemon()
        let index = try bob.home.names("index").filter { $0.starts(with: "folders") }
          .map { ("index" / $0, try bob.home.read("index" / $0)) }
        try bob.startDaemon()
        try people.root.move("B/here", to: "aside")
        try people.root.move("B/replaced", to: "former")
        try bob.folder.write("other words", to: "replaced")
        try people.settle()
        try bob.killDaemon()
        try ana.folder.remove("elsewhere")
        try ana.wait()

        // The folder and its index are in an earlier state.
        try people.root.move("aside", to: "B/here")
        try bob.folder.remove("replaced")
        try people.root.move("former", to: "B/replaced")
        for name in try bob.home.names("index") where name.starts(with: "folders") {
          try bob.home.remove("index" / name)
        }
        for (name, bytes) in index { try bob.home.write(bytes, to: name) }
        try people.root.write("00000000-1111-2222-3333-444444444444\n", to: "boot")
        try bob.startDaemon(
          after: "mount --bind '\(people.root.path)/boot' /proc/sys/kernel/random/boot_id")
        try people.settle()
        try people.expectSame(count: 1)
        #expect(try bob.folder.text("replaced") == "other words")
        let list = try bob.answer(Control.RescueReply.self, "rescue", "list")
        let files = list.entries.map { "\($0.rescued.of)".split(separator: "/").last }.sorted {
          ($0 ?? "") < ($1 ?? "")
        }
        #expect(files == ["here", "replaced"])
        #expect(list.entries.allSatisfy { $0.rescued.reason.contains("right before the machine") })
      }
    }

    /// A disk that is pulled out, or stops after an error, loses as much as in a power cut.
    @Test(.enabled(if: Mounts.ofImagesArePossible, Mounts.comment))
    func `the rest of a file on a disk that was mounted again isn't sent`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try bob.folder.make("")
        let (image, place) = (people.root.path + "/image", bob.folder.path)
        let mount = "mount -o loop '\(image)' '\(place)'"
        try bob.stopDaemon()
        try bob.startDaemon(
          after: "truncate -s 256M '\(image)' && /usr/sbin/mkfs.ext4 -q -F '\(image)' && \(mount) "
            + "&& rmdir '\(place)/lost+found'")
        let text = String(repeating: "good ", count: 100)
        try ana.folder.write(text, to: "note")
        try people.share("read-write")
        try people.settle()
        try bob.inDaemonsMounts("grep -q good '\(place)/note'")
        // The mounts of the daemon end some time after it, and the machine goes on.
        try bob.killDaemon()
        let gone = "while /usr/sbin/losetup -j '\(image)' | grep -q .; do :; done"
        try bob.startDaemon(after: "\(gone); \(mount) && : > '\(place)/note'")
        try people.settle()
        #expect(try ana.folder.text("note") == text)
        try bob.inDaemonsMounts("grep -q good '\(place)/note'")
        let list = try bob.answer(Control.RescueReply.self, "rescue", "list")
        #expect(list.entries.map(\.size) == [0])
      }
    }

    @Test func `a file that is emptied while only the daemon is away is an edit`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("words", to: "note")
        try people.settle()
        try bob.killDaemon()
        try bob.folder.truncate("note", to: 0)
        try bob.startDaemon()
        try people.settle()
        #expect(try ana.folder.text("note").isEmpty)
        #expect(try bob.mount().rescued.isEmpty)
      }
    }
  }
}
