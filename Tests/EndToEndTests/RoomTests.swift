import CairnControl
import Testing

extension EndToEnd {
  @Suite struct RoomTests {
    @Test func `without room others' files wait, and one's own are sent`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let configuration = try bob.home.text("cairn.conf")
        try bob.stopDaemon()
        try bob.home.write(
          configuration + "\n[disk]\nkeep-free-mib = 1000000000\n", to: "cairn.conf")
        try bob.startDaemon()
        try ana.folder.write("waits", to: "of ana")
        try ana.wait()
        try bob.awaits("problem")
        try bob.folder.write("goes", to: "of bob")
        let waited = try bob.run("wait", "--timeout", "2")
        #expect(waited.status == Control.ErrorCode.timedOut.exitStatus)
        let lines = waited.errors.split(separator: "\n").filter { $0.contains("still waiting") }
        #expect(lines.count == 1, "\(waited.errors)")
        #expect(lines.allSatisfy { $0.contains("wait for room") && $0.hasSuffix(".") })
        try ana.wait()
        #expect(try ana.folder.text("of bob") == "goes")
        #expect(!bob.folder.exists("of ana"))
        let problem = try #require(try bob.mount().problems.first)
        #expect(problem.code == .quotaExceeded && problem.message.contains("wait for room, 1 at"))
        #expect(try bob.fails(.quotaExceeded, "doctor").text.contains("wait for room"))

        try bob.stopDaemon()
        try bob.home.write(configuration, to: "cairn.conf")
        try bob.startDaemon()
        try people.settle()
        try people.expectSame(count: 2)
        #expect(try bob.mount().problems.isEmpty)
      }
    }

    @Test(.enabled(if: Mounts.arePossible, Mounts.comment))
    func `files that wait for room arrive by themselves when there is some`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let configuration = try bob.home.text("cairn.conf")
        try bob.stopDaemon()
        try bob.home.write(configuration + "\n[disk]\nkeep-free-mib = 1\n", to: "cairn.conf")
        try people.root.move("B", to: "before")
        try people.root.make("B")
        // The folder is on a disk of three megabytes with one and a half used.
        try bob.startDaemon(
          after: """
            mount -t tmpfs -o size=3m none '\(bob.folder.path)' \
            && cp -a '\(people.root.path)/before/.' '\(bob.folder.path)' \
            && head -c 1500000 /dev/zero > '\(bob.folder.path)/.cairn/ballast'
            """)
        try bob.wait()
        try ana.folder.write([UInt8](repeating: 1, count: 1_000_000), to: "large")
        try ana.folder.write("small", to: "small")
        try ana.wait()
        try bob.awaits("problem")
        try bob.inDaemonsMounts("test ! -e '\(bob.folder.path)/large'")
        try bob.inDaemonsMounts("rm '\(bob.folder.path)/.cairn/ballast'")
        try bob.awaits("problem.solved")
        try bob.inDaemonsMounts("test -s '\(bob.folder.path)/large'")
        try bob.inDaemonsMounts("test -s '\(bob.folder.path)/small'")
      }
    }
  }
}
