import CairnControl
import Testing

extension EndToEnd {
  /// Refused changes wait alone, until there is room.
  @Suite struct LimitTests {
    @Test func `a file over the owner's limit waits, and is sent when there is room`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.cairn("quota", ana.folder.path, "--limit", "1k")
        try bob.wait()
        let big = [UInt8](repeating: 0x61, count: 5_000)
        try bob.folder.write(big, to: "big")
        try bob.folder.write("small", to: "small")
        let waited = try bob.fails(.timedOut, "wait", "--timeout", "2")
        #expect(waited.errors.contains("/big"))
        try ana.wait()
        #expect(Set(try ana.folder.tree().keys) == ["small"])
        let mount = try bob.mount()
        #expect(mount.work.pendingLocal == 1 && mount.work.pendingRemote == 0)
        let problem = try #require(mount.problems.first)
        #expect(problem.code == .quotaExceeded && problem.remedy.contains("ana"))
        // Another scan of the same bytes solves nothing, and the report stays.
        try bob.folder.change(mode: 0o600, of: "big")
        try bob.fails(.timedOut, "wait", "--timeout", "1")
        #expect(try bob.mount().problems.first?.code == .quotaExceeded)

        try bob.folder.change(mode: 0o644, of: "big")
        try ana.cairn("quota", ana.folder.path, "--limit", "10k")
        try people.settle()
        try people.expectSame(count: 2)
        #expect(try bob.mount().problems.isEmpty)

        try bob.folder.write([UInt8](repeating: 0x62, count: 8_000), to: "bigger")
        try bob.fails(.timedOut, "wait", "--timeout", "1")
        try bob.folder.remove("big")
        try people.settle()
        try people.expectSame(count: 2)
        #expect(ana.folder.exists("bigger"))
      }
    }
  }
}
