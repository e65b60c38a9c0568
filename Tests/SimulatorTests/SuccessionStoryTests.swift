import CairnZone
import Testing

@testable import Simulator

/// Steps on the way to another owner in stories, and the check of the owners in a log.
@Suite(.serialized) struct SuccessionStoryTests {
  /// Plays steps of Bob and Cleo towards the ownership, with work in between.
  private func play(_ steps: [String]) throws -> [String: Int] {
    let work = "\nana's daemon works\nbob's daemon works\ncleo's daemon works\n"
    let script = try ScriptParser.parse(
      "seed: 1\npeople: ana, bob, cleo\n\nana creates a, 10 bytes" + work
        + steps.joined(separator: work) + work + "cleo creates b, 10 bytes" + work)
    #expect(script.steps.map(\.text).filter { $0.contains("zone") } == steps)
    var campaign = Campaign()
    let (violation, story) = try campaign.play(script)
    #expect(violation == nil)
    return story.faults
  }

  private func bob(_ numbers: Int...) -> [String] {
    numbers.map { "bob wants the zone, number \($0)" }
  }

  @Test func `a successor takes the zone over, and gives it back`() throws {
    // The owner names Bob, who claims and takes it.
    #expect(try play(bob(0, 3, 6))["another owner"] == 1)
    // A modified program doesn't get it without a claim, and gets it without waiting.
    let grabbed = try play(bob(24, 7, 3, 7))
    #expect(grabbed["another owner"] == 1 && grabbed["ownership grabbed"] == 2)
    // She refuses.
    #expect(try play(bob(0, 3, 2, 7))["another owner"] == nil)
  }

  @Test func `of two successors both must agree`() throws {
    #expect(try play(bob(9, 3, 6))["another owner"] == nil)
    let both = bob(9, 3) + ["cleo wants the zone, number 4"] + bob(6)
    #expect(try play(both)["another owner"] == 1)
  }

  @Test func `the check of the owners finds a takeover without a right`() throws {
    let people = try (1...3).map { try #require(UserID(bytes: [UInt8](repeating: $0, count: 32))) }
    let (ana, bob, cleo) = (people[0], people[1], people[2])
    func broken(_ entries: [(UserID, [ShareChange])]) -> Bool {
      var watch = SuccessionWatch()
      return entries.contains { watch.read($0.1, by: $0.0) != nil }
    }
    func named(_ people: Set<UserID>, _ needed: UInt32? = nil) -> (UserID, [ShareChange]) {
      (ana, [.zone(.succession(Succession(people: people, needed: needed)))])
    }
    func confirm(_ user: UserID, _ claimant: UserID?) -> (UserID, [ShareChange]) {
      (user, [.zone(.confirm(claimant))])
    }
    let takes: (UserID, [ShareChange]) = (bob, [.takeOver])
    #expect(broken([takes]) && broken([named([bob]), takes]))
    #expect(!broken([(ana, [.offer(to: bob)]), takes]))
    #expect(!broken([named([bob]), confirm(bob, bob), takes]))
    #expect(broken([named([bob]), confirm(bob, bob), named([bob]), takes]))
    #expect(broken([named([bob]), (bob, [.zone(.confirm(bob)), .takeOver])]))
    #expect(broken([named([bob, cleo]), confirm(bob, bob), takes]))
    #expect(broken([named([bob, cleo], 1)]))
    let both = [named([bob, cleo]), confirm(bob, bob), confirm(cleo, bob)]
    #expect(!broken(both + [takes]))
    #expect(broken(both + [confirm(bob, nil), confirm(bob, bob), takes]))
    #expect(broken(both + [(ana, [.remove(user: cleo)]), takes]))
    #expect(broken(both + [takes, takes]))
  }
}
