import CairnFolders
import Testing

@testable import Simulator

/// The simulator at work, and its checkers: each has to find what it is for.
@Suite(.serialized) struct SimulatorTests {
  @Test func `stories of fixed seeds keep the rules, and the same seed is the same story`()
    throws
  {
    let first = try simulate(["--seed", "2010", "--seeds", "12", "--hashes"])
    #expect(first.status == 0, "\(first.text)")
    let again = try simulate(["--seed", "2010", "--seeds", "3", "--hashes"])
    let (hashes, repeated) = (Self.hashes(first.text), Self.hashes(again.text))
    #expect(hashes.count == 12 && Set(hashes.values).count == 12)
    #expect(repeated.count == 3 && repeated.allSatisfy { hashes[$0.key] == $0.value })
  }

  @Test func `no line is lost when people write in the same texts`() throws {
    var campaign = try #require(Campaign(kind: "text"))
    var summary = Campaign.Summary()
    for seed in UInt64(5_100)..<5_108 { try campaign.play(seed: seed, into: &summary) }
    #expect(summary.failures.map { "\($0.seed) \($0.message)" } == [])
    #expect(summary.faults["texts merged", default: 0] > 50, "\(summary.faults)")
  }

  @Test func `a shortened script fails as the whole one does`() {
    // Fails if steps 3 and 7 are in it.
    var tries = 0
    let shrinker = Shrinker { steps in
      tries += 1
      return steps.contains(3) && steps.contains(7)
    }
    #expect(shrinker.shrink(Array(0..<100), budget: 500) == [3, 7])
    #expect(tries < 200)
  }

  @Test(arguments: Sabotage.allCases)
  func `a guarantee that is broken on purpose is noticed`(_ sabotage: Sabotage) throws {
    var campaign = Campaign()
    var found: Violation?
    for steps in sabotage.steps where found == nil {
      var script = Script(seed: 1, people: 2, traits: [.init(), .init()], steps: steps)
      let (sound, _) = try campaign.play(script)
      #expect(sound == nil, "\(steps)")
      script.sabotage = sabotage
      found = try campaign.play(script).violation
    }
    let violation = try #require(found, "nothing noticed \(sabotage)")
    #expect(sabotage.rules.contains(violation.rule), "\(violation)")
  }

  @Test(arguments: Step.IndexLoss.allCases)
  func `a lost index makes no conflict copy of a file whose name is another's by now`(
    loss: Step.IndexLoss
  ) throws {
    func create(_ name: UInt32) -> Step {
      .operation(person: 0, .create(place: 0, name: name, size: 50))
    }
    let work = (0..<2).map { Step.work(person: $0, turns: 20, hints: .delivered) }
    // One is deleted and one moved, each with time to be told, and both names are given again.
    let steps =
      [create(0), create(1)] + work
      + [
        .operation(person: 0, .delete(file: 0)),
        .operation(person: 0, .rename(entry: 0, place: 0, name: 2)), work[0], .wait(5_000),
        work[0], create(0), create(1), work[0], .deleteIndex(person: 1, loss),
      ]
    var campaign = Campaign()
    let (violation, story) = try campaign.play(
      Script(seed: 1, people: 2, traits: [.init(), .init()], steps: steps))
    #expect(violation == nil)
    let tree = Tree(below: story.devices[1].disk.folder)
    #expect(tree.entries.count == 3 && tree.conflictCopies == 0, "\(tree.entries.keys.map(text))")
  }

  /// The renames are seen while nothing can be sent. By the name alone, the last file would be one
  /// that was deleted long ago.
  @Test func `a file that once was another, and gets a name that others gave, too, stays`() throws {
    func create(_ person: Int, _ name: UInt32) -> Step {
      .operation(person: person, .create(place: 0, name: name, size: 50))
    }
    let work = (0..<2).map { Step.work(person: $0, turns: 20, hints: .delivered) }
    let steps =
      [create(0, 0), create(0, 1)] + work
      + [.operation(person: 0, .rename(entry: 0, place: 0, name: 1)), work[0], .wait(5_000)] + work
      + [
        .offline(person: 1), create(1, 2), work[1],
        .operation(person: 1, .rename(entry: 0, place: 0, name: 2)), work[1],
        create(0, 2), work[0], .online(person: 1), work[1],
      ]
    var campaign = Campaign()
    let (violation, story) = try campaign.play(
      Script(seed: 1, people: 2, traits: [.init(), .init()], steps: steps))
    #expect(violation == nil)
    let tree = Tree(below: story.devices[0].disk.folder)
    #expect(tree.entries.count == 2 && tree.conflictCopies == 1, "\(tree.entries.keys.map(text))")
  }

  @Test func `a file that got shorter while it was read ends there`() throws {
    let clock = SimulatedClock(SimulatedClock.Source())
    let disk = SimulatedDisk(traits: .init(), clock: clock, trace: Trace(isKept: false))
    let inode = disk.make(.file, Array("a".utf8), in: disk.folder, mode: 0o644)
    inode.bytes = [UInt8](repeating: 7, count: 200)
    let file = disk.open(inode, writing: false)
    var buffer = [UInt8](repeating: 0, count: 150)
    let first = buffer.withUnsafeMutableBytes { disk.read(file, into: $0) }
    #expect(first == 100)
    inode.bytes = [1]
    let second = buffer.withUnsafeMutableBytes { disk.read(file, into: $0) }
    #expect(second == 0)
  }

  // MARK: The program

  private static func hashes(_ text: String) -> [Substring: Substring] {
    var found: [Substring: Substring] = [:]
    for line in text.split(separator: "\n") {
      let words = line.split(separator: " ")
      if words.count == 2, UInt64(words[0]) != nil { found[words[0]] = words[1] }
    }
    return found
  }
}

extension Sabotage {
  /// Scripts; the guarantee matters in one of them.
  var steps: [[Step]] {
    let work = (0..<2).map { Step.work(person: $0, turns: 20, hints: .delivered) }
    func create(_ name: UInt32) -> Step {
      .operation(person: 0, .create(place: 0, name: name, size: 200))
    }
    let edit = Step.operation(person: 0, .edit(file: 0, size: 90))
    let begun = [create(0)] + work
    return switch self {
    case .tornWrite, .noSync, .restlessTimes, .alteredFile: [begun]
    case .shortListing:
      (0...6).map { extra in
        (0..<4).map { create($0) } + work
          + (0..<extra).map { _ in edit }
          + Array(repeating: .work(person: 0, turns: 20, hints: .overflow), count: 3)
      }
    case .moveCopies: [begun + [.operation(person: 0, .delete(file: 0))] + work]
    case .twoWinners:
      (1...8).map { call in
        begun + [
          create(1), .operation(person: 1, .create(place: 0, name: 2, size: 50)),
          .interruptStore(person: 1, call: call, .race(with: 0)), work[1],
        ]
      }
    case .swapDestroys:
      (1...200).map { call in
        begun + [
          edit, work[0],
          .interruptDisk(person: 1, call: call, .writer(.edit(file: 0, size: 90))), work[1],
        ]
      }
    case .disguisedRoot:
      [
        begun + [
          .hideRoot(person: 1, .empty), work[1], .wait(10_000), work[1], .wait(10_000), work[1],
        ]
      ]
    case .secretLinks:
      [begun + [.operation(person: 0, .link(file: 0, place: 0, name: 1))] + work + [edit] + work]
    case .credulousReader: [begun + [.intrude(.rubbish(number: 3, size: 60))] + work]
    case .unrevokedThief: [begun + [.steal(person: 1), .forge(person: 1, number: 0)] + work]
    case .hastyGarbage:
      [
        [.operation(person: 1, .create(place: 0, name: 2, size: 130_000))] + work.reversed()
          + [.collectGarbage(days: 0, versions: nil)]
      ]
    case .hollowFloor: [begun + [edit, edit] + work + Self.weeks(keeping: 0)]
    case .stingyOwner: [begun + [edit] + work + [edit] + work + Self.weeks(keeping: nil)]
    case .staleReads:
      [
        begun + [
          create(1), work[0], .rollBack(entries: 1),
          .operation(person: 1, .create(place: 0, name: 2, size: 50)), work[1], work[0],
        ]
      ]
    }
  }

  /// The owner throws garbage away week after week.
  private static func weeks(keeping versions: Int?) -> [Step] {
    Array(repeating: .collectGarbage(days: 8, versions: versions), count: 4)
  }

  /// The checkers that are for it.
  var rules: Set<String> {
    switch self {
    case .swapDestroys: ["nothing is lost", "convergence"]
    case .tornWrite: ["atomic visibility", "convergence"]
    case .noSync: ["durable before done"]
    case .shortListing: ["nothing is lost", "convergence", "no resurrection"]
    case .twoWinners: ["log safety", "convergence", "livelock", "nothing is lost"]
    case .moveCopies: ["no resurrection", "no phantom conflict"]
    case .restlessTimes: ["livelock", "the index is a cache"]
    case .disguisedRoot: ["guards"]
    case .staleReads: ["convergence"]
    case .alteredFile: ["atomic visibility", "convergence"]
    case .secretLinks: ["convergence"]
    case .credulousReader: ["atomic visibility", "nothing is believed"]
    case .unrevokedThief: ["atomic visibility", "nothing is believed"]
    case .hastyGarbage: ["nothing needed goes"]
    case .hollowFloor: ["log safety", "the index is a cache"]
    case .stingyOwner: ["what is kept can be had"]
    }
  }
}
