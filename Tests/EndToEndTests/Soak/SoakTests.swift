import Glibc
import Testing

extension EndToEnd {
  /// Three people work in each other's way while their daemons are killed, paused and lose their
  /// index. Then it is quiet, and everything must be somewhere. `make soak MINUTES=n` runs for that
  /// long. This suite alone runs two scripts.
  @Suite struct SoakTests {
    @Test(arguments: [1, 2] as [UInt64])
    func `three people in each other's way lose nothing and come to agree`(seed: UInt64) throws {
      let outcome = try SoakWorld.play(seed: seed, steps: 60, isLonely: seed.isMultiple(of: 2))
      #expect(outcome.violations.isEmpty)
    }

    @Test(.enabled(if: getenv("SOAK_MINUTES") != nil))
    func `they go on for minutes`() throws {
      let minutes = Self.number("SOAK_MINUTES") ?? 10
      let steps = Self.number("SOAK_STEPS") ?? 150
      var seed = UInt64(Self.number("SOAK_SEED") ?? 1)
      let end = time(nil) + minutes * 60
      repeat {
        let isLonely = seed.isMultiple(of: 4)
        let outcome = try SoakWorld.play(seed: seed, steps: steps, isLonely: isLonely)
        CrashCampaign.tell(
          "seed \(seed): \(steps) steps, \(outcome.contents) contents, "
            + "\(outcome.conflicts) conflict copies, \(outcome.rescued) rescued, "
            + "\(outcome.violations.count) violations")
        for violation in outcome.violations { CrashCampaign.tell("  \(violation)") }
        #expect(
          outcome.violations.isEmpty,
          "make soak SEED=\(seed) STEPS=\(steps) MINUTES=0 plays it again")
        seed += 1
      } while time(nil) < end
    }

    private static func number(_ name: String) -> Int? {
      getenv(name).flatMap { Int(String(cString: $0)) }
    }
  }
}
