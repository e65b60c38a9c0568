import Glibc
import Testing

extension EndToEnd {
  /// A daemon that ends, or whose call fails, at any one of its system calls, on either side of
  /// anything that people do. `make crash` tries every call; this suite alone, a few of them.
  @Suite struct CrashPointTests {
    /// What is to be tried: from the environment, as `make crash` sets it.
    private struct Selection {
      let isWhole = getenv("CRASH_ACTS") != nil
      let acts = Self.words("CRASH_ACTS")
      let sides = Self.words("CRASH_SIDES")
      let faults = Self.words("CRASH_FAULTS")
      let from = Self.number("CRASH_FROM") ?? 1
      let to = Self.number("CRASH_TO") ?? .max
      let step = Self.number("CRASH_STEP") ?? 1

      private static func words(_ name: String) -> Set<String> {
        let text = getenv(name).map { String(cString: $0) } ?? ""
        return Set(text.split(separator: " ").map(String.init))
      }

      private static func number(_ name: String) -> Int? {
        getenv(name).flatMap { Int(String(cString: $0)) }
      }

      func has(_ word: String, among words: Set<String>) -> Bool {
        words.isEmpty || words.contains("all") || words.contains(word)
      }
    }

    /// Some calls of some acts, each of which was once one too many.
    private static let sample: [(act: String, CrashSide, Faults.Act, (Int, Int, Int))] = [
      ("create", .sending, .kill, (9, 40, 150)),
      ("create", .receiving, .fail(errno: ENOSPC), (3, 40, 150)),
      ("edit", .sending, .fail(errno: EMFILE), (2, 15, 60)),
      ("edit-again", .sending, .kill, (38, 9, 70)),
      ("edit-again", .receiving, .kill, (35, 6, 60)),
      ("replace", .receiving, .kill, (45, 4, 53)),
      ("accept", .sending, .kill, (30, 45, 120)),
      ("revoke", .receiving, .kill, (10, 2, 15)),
    ]

    @Test(.enabled(if: !Selection().isWhole), arguments: sample.indices)
    func `a system call may be the last one, or fail`(number: Int) throws {
      let (name, side, fault, points) = Self.sample[number]
      let act = try #require(CrashAct.all.first { $0.name == name })
      let campaign = CrashCampaign(
        act: act, side: side, fault: fault,
        points: (first: points.0, step: points.1, last: points.2))
      let outcome = try campaign.run()
      for violation in outcome.violations { Issue.record("\(violation)") }
      #expect(outcome.points > 0)
    }

    @Test(.enabled(if: Selection().isWhole))
    func `every system call may be the last one, or fail`() throws {
      let selection = Selection()
      for act in CrashAct.all where selection.has(act.name, among: selection.acts) {
        for side in CrashSide.allCases where selection.has(side.rawValue, among: selection.sides) {
          for (name, fault) in Faults.Act.all where selection.has(name, among: selection.faults) {
            try Self.run(
              CrashCampaign(
                act: act, side: side, fault: fault,
                points: (selection.from, selection.step, selection.to)))
          }
        }
      }
    }

    private static func run(_ campaign: CrashCampaign) throws {
      let outcome = try campaign.run()
      for violation in outcome.violations { Issue.record("\(violation)") }
      CrashCampaign.tell(
        "\(campaign.act.name) \(campaign.side) \(campaign.fault): \(outcome.points) points, "
          + "\(outcome.violations.count) violations")
    }
  }
}
