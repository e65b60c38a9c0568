import Glibc
import Testing

extension EndToEnd {
  /// A daemon that ends, or whose call fails, at any one of its system calls, on either side of any
  /// act. `make crash` tries every call. This suite alone tries a few.
  @Suite struct CrashPointTests {
    /// The selected cases, from the environment, as `make crash` sets it.
    private struct Selection {
      let isWhole = getenv("CRASH_ACTS") != nil
      let acts = Self.words("CRASH_ACTS")
      let sides = Self.words("CRASH_SIDES")
      let faults = Self.words("CRASH_FAULTS")
      let calls = Self.words("CRASH_CALLS")
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

    /// Some calls of some acts. Each of them failed once.
    private struct Sample: Sendable {
      let act: String
      let side: CrashSide
      let fault: Faults.Act
      let calls: Faults.Calls
      let points: (first: Int, step: Int, last: Int)

      init(
        _ act: String, _ side: CrashSide, _ fault: Faults.Act, _ calls: Faults.Calls,
        _ points: (Int, Int, Int)
      ) {
        (self.act, self.side, self.fault, self.calls) = (act, side, fault, calls)
        self.points = points
      }
    }

    private static let samples = [
      Sample("create", .sending, .kill, .index, (20, 25, 100)),
      Sample("create", .receiving, .fail(errno: ENOSPC), .contents, (2, 7, 30)),
      Sample("create-tree", .receiving, .kill, .names, (1, 1, 12)),
      Sample("edit", .sending, .fail(errno: EMFILE), .opening, (2, 15, 60)),
      Sample("edit-again", .sending, .kill, .index, (16, 9, 60)),
      Sample("edit-again", .receiving, .kill, .index, (10, 8, 40)),
      Sample("replace", .receiving, .kill, .index, (20, 7, 40)),
      Sample("accept", .sending, .kill, .names, (3, 3, 12)),
      Sample("revoke", .receiving, .kill, .names, (2, 2, 9)),
      Sample("revoke", .receiving, .kill, .contents, (1, 1, 1)),
      Sample("revoke", .receiving, .fail(errno: EIO), .names, (6, 1, 9)),
      Sample("stop", .sending, .kill, .names, (16, 6, 22)),
      Sample("take-out-part", .sending, .kill, .names, (9, 8, 25)),
      Sample("create-two", .sending, .kill, .names, (14, 24, 62)),
    ]

    @Test(.enabled(if: !Selection().isWhole), arguments: samples.indices)
    func `a system call may be the last one, or fail`(number: Int) throws {
      let sample = Self.samples[number]
      let act = try #require(CrashAct.all.first { $0.name == sample.act })
      let campaign = CrashCampaign(
        act: act, side: sample.side, fault: sample.fault, calls: sample.calls,
        points: sample.points)
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
            for calls in Faults.Calls.allCases
            where calls.has(fault) && selection.has(calls.rawValue, among: selection.calls) {
              try Self.run(
                CrashCampaign(
                  act: act, side: side, fault: fault, calls: calls,
                  points: (selection.from, selection.step, selection.to)))
            }
          }
        }
      }
    }

    private static func run(_ campaign: CrashCampaign) throws {
      let outcome = try campaign.run()
      for violation in outcome.violations { Issue.record("\(violation)") }
      CrashCampaign.tell(
        "\(campaign.act.name) \(campaign.side) \(campaign.fault) \(campaign.calls): "
          + "\(outcome.points) points, \(outcome.violations.count) violations")
    }
  }
}
