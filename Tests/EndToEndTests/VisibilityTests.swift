import Glibc
import Testing

extension EndToEnd {
  /// A program that reads a file while it is replaced.
  @Suite struct VisibilityTests {
    @Test func `a reader sees a complete old or new file, never a part, never none`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write(Self.content(0), to: "read")
        try people.settle()
        var reads = 0
        for number in 1...Self.replacements {
          let old = Self.content(number - 1)
          let new = Self.content(number)
          try ana.folder.write(new, to: "written")
          try ana.folder.move("written", to: "read")
          let limit = time(nil) + 60
          while true {
            // Throws if there is no file.
            let seen = try bob.folder.read("read")
            reads += 1
            if seen == new { break }
            try #require(seen == old, "replacement \(number): \(seen.count) bytes of neither")
            try #require(time(nil) < limit, "replacement \(number) doesn't come")
          }
        }
        #expect(reads > Self.replacements)
        try people.settle()
        try people.expectNoConflicts()
        try people.expectNoLeftovers()
      }
    }

    /// `make soak` lets it run longer.
    private static let replacements = getenv("SOAK_MINUTES") == nil ? 40 : 1_000

    /// Returns as many bytes as arrive in one piece, in a few, or in a pack.
    private static func content(_ number: Int) -> [UInt8] {
      CrashAct.bytes(number, [10, 5_000, 120_000][number % 3] + number)
    }
  }
}
