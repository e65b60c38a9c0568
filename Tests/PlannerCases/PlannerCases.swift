import Glibc

/// Checks the planner's properties on many cases, in a program that is built with optimisation:
///
///     planner-cases exhaustive MOST PART PARTS
///     planner-cases random FIRST LAST
///     planner-cases property SENTENCE COUNT
///     planner-cases triples SENTENCE
///     planner-cases all-triples SENTENCE
///
/// The first tries each pair of changes of each tree of up to MOST nodes, the second correlated
/// triples from the seeds FIRST to LAST - 1. The others check a `RandomProperty` on COUNT cases,
/// and a `TripleProperty` on all small triples, without twins or with them. It prints one line:
/// cases, conflicts or hits, most rounds; or it ends with 1 at the first case that breaks a
/// promise, and says which it is.
@main struct PlannerCases {
  private var properties = Properties()

  static func main() {
    let arguments = CommandLine.arguments
    let numbers = arguments.dropFirst(2).compactMap { Int($0) }
    if let sentence = arguments.dropFirst(2).first {
      let random = RandomProperty.all.first { $0.sentence == sentence }
      if let random, let count = numbers.first { return check(random, count) }
      let triple = TripleProperty.all.first { $0.sentence == sentence }
      if let triple { return check(triple, withTwins: arguments[1] == "all-triples") }
    }
    var cases = PlannerCases()
    switch (arguments.dropFirst().first, numbers.count) {
    case ("exhaustive", 3): cases.exhaust(numbers[0], part: numbers[1], of: numbers[2])
    case ("random", 2): cases.roll(numbers[0]..<numbers[1])
    default:
      print(
        """
        usage: planner-cases exhaustive MOST PART PARTS | random FIRST LAST
               planner-cases property SENTENCE COUNT | [all-]triples SENTENCE
        """)
      exit(64)
    }
    let done = cases.properties
    print("\(done.cases) \(done.conflicts) \(done.rounds)")
  }

  private static func check(_ property: RandomProperty, _ count: Int) {
    for seed in 0..<UInt64(count) {
      var gardener = Gardener(seed: seed)
      do { try property.check(&gardener) } catch {
        print("seed \(seed): \(error)")
        exit(1)
      }
    }
    print("\(count) 0 0")
  }

  private static func check(_ property: TripleProperty, withTwins: Bool) {
    do {
      let (cases, hits) = try property.run(withTwins: withTwins)
      print("\(cases) \(hits) 0")
    } catch {
      print("\(error)")
      exit(1)
    }
  }

  private mutating func check(
    _ trees: ModelTrees, _ dice: inout Dice, _ name: @autoclosure () -> String
  ) {
    do {
      try properties.check(trees, &dice)
    } catch {
      print("\(name()): \(error)")
      exit(1)
    }
  }

  private mutating func exhaust(_ most: Int, part: Int, of parts: Int) {
    var dice = Dice(seed: 1)
    for (index, tree) in SmallTrees.all(upTo: most).enumerated() where index % parts == part {
      let remotes = SmallTrees.changed(tree, side: 2, isLocal: false)
      for local in SmallTrees.changed(tree, side: 1, isLocal: true) {
        for remote in remotes {
          let start = ModelTrees(synced: tree, local: local, remote: remote)
          check(start, &dice, "\(start)")
        }
      }
    }
  }

  private mutating func roll(_ seeds: Range<Int>) {
    for seed in seeds {
      var gardener = Gardener(seed: UInt64(seed))
      // One side alone, one change each, and more of them.
      let (local, remote) = [(3, 0), (0, 3), (1, 1), (3, 3), (6, 6)][seed % 5]
      let trees = gardener.correlatedTrees(
        localSteps: gardener.dice.below(local + 1), remoteSteps: gardener.dice.below(remote + 1))
      check(trees, &gardener.dice, "seed \(seed)")
    }
  }
}
