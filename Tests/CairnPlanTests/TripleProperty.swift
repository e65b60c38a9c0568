import CairnPlan
import CairnZone

/// A property of every small combination of three trees, possible or not. `PlannerProgram` checks
/// it.
struct TripleProperty: Sendable, CustomStringConvertible {
  /// The name of the property.
  let sentence: String
  /// A Boolean value that indicates whether the property names one of the contents, so that it can
  /// hold for a triple and not for its twin.
  let namesContent: Bool
  /// The least number of cases.
  let leastCases: Int
  /// The least number of hits.
  let leastHits: Int
  /// Changes a triple into the case to check; returns false if there is none.
  let prepare: @Sendable (inout ModelTrees) -> Bool
  /// Plays the case, throws a `Misstep` if the property doesn't hold, and returns the number of
  /// hits: a property that nothing touches is noticed.
  let check: @Sendable (ModelTrees) throws -> Int

  var description: String { sentence }

  private init(
    _ sentence: String, namesContent: Bool = false, leastCases: Int, leastHits: Int = 0,
    prepare: @escaping @Sendable (inout ModelTrees) -> Bool,
    check: @escaping @Sendable (ModelTrees, ModelEngine) throws -> Int
  ) {
    self.sentence = sentence
    self.namesContent = namesContent
    self.leastCases = leastCases
    self.leastHits = leastHits
    self.prepare = prepare
    self.check = { start in
      var engine = ModelEngine(start)
      try engine.run()
      return try check(start, engine)
    }
  }

  /// A property of records whose bytes are on their way.
  private init(fetched numbers: [Int]) {
    let fetched = Set(numbers.map(recordID))
    sentence = "what is being fetched, \(numbers), waits with all that needs it"
    namesContent = false
    (leastCases, leastHits) = (30_000, 1_000)
    prepare = { _ in true }
    check = { try FetchedRecords.check($0, fetched) }
  }

  /// Checks the cases. A triple and its twin differ by an exchange of both contents. The planner
  /// only compares contents with each other, so both are the same case.
  /// - Parameter withTwins: Checks the second triple of such a pair, too.
  /// - Returns: The numbers of cases and of hits.
  /// - Throws: A `Misstep`, with the case, if the property doesn't hold.
  func run(withTwins: Bool) throws -> (cases: Int, hits: Int) {
    var (cases, hits) = (0, 0)
    let trees = Self.trees.map { ($0, firstContent: Self.firstContent(of: $0)) }
    for (synced, first) in trees {
      for (local, second) in trees {
        for (remote, third) in trees {
          let isTwin = first ?? second ?? third == contentID(2)
          guard withTwins || namesContent || !isTwin else { continue }
          var start = ModelTrees(synced: synced, local: local, remote: remote)
          guard prepare(&start) else { continue }
          cases += 1
          do { hits += try check(start) } catch {
            throw Misstep("S \(text(synced)) L \(text(local)) R \(text(remote)): \(error)")
          }
        }
      }
    }
    return (cases, hits)
  }

  /// All properties.
  static let all: [TripleProperty] = [
    TripleProperty(
      "converges and loses nothing", leastCases: 30_000, leastHits: 1_000,
      prepare: { start in
        start.history = [:]
        return true
      }, check: checkNothingLost),
    TripleProperty(
      "bytes that came back by a stop never go without a copy", leastCases: 30_000,
      leastHits: 1_000,
      prepare: { start in
        start.back = [recordID(1), recordID(2)]
        return true
      },
      check: { start, engine in
        try checkEqual(engine)
        let kept = engine.trees.localTree.contents.union(engine.rescued)
        guard kept.isSuperset(of: start.localTree.contents) else { throw Misstep("lost") }
        return engine.rescued.count
      }),
    TripleProperty(
      "a damaged file is set aside, and the zone's version stands in its place", leastCases: 100,
      prepare: { start in
        let id = recordID(1)
        guard case .file = start.localTree[id]?.kind, case .file = start.syncedTree[id]?.kind,
          case .file = start.remoteTree[id]?.kind
        else { return false }
        start.localTree[id]?.kind = .file(nil)
        start.damaged = [id]
        return true
      }, check: checkDamaged),
    TripleProperty(
      "a conflict whose bytes stand in a copy makes no other one", namesContent: true,
      leastCases: 10_000, leastHits: 11, prepare: SettledConflicts.prepare,
      check: { start, engine in
        try checkEqual(engine)
        return try SettledConflicts.check(start, engine)
      }),
    TripleProperty(
      "with an index of an earlier time it comes to rest and loses nothing", leastCases: 30_000,
      prepare: { start in
        start.mayBeOlder = true
        return true
      },
      check: { start, engine in
        try Properties.checkEnd(engine, from: start)
        return 0
      }),
    elsewhere([1], leastCases: 6_000), elsewhere([2], leastCases: 6_000),
    elsewhere([1, 2], leastCases: 900), foreign(1), foreign(2), unwanted([1]), unwanted([1, 2]),
    TripleProperty(fetched: [1]), TripleProperty(fetched: [2]), TripleProperty(fetched: [1, 2]),
  ]

  private static func checkEqual(_ engine: ModelEngine) throws {
    let end = engine.trees
    guard end.localTree.nodes == end.remoteTree.nodes, end.localTree.nodes == end.syncedTree.nodes
    else { throw Misstep("not equal") }
  }

  private static func checkNothingLost(_ start: ModelTrees, _ engine: ModelEngine) throws -> Int {
    try checkEqual(engine)
    let kept = engine.trees.localTree.contents
    for tree in [start.localTree, start.remoteTree] {
      for (id, node) in tree.nodes {
        guard case .file(let content?) = node.kind, !kept.contains(content) else { continue }
        guard start.syncedTree[id]?.kind == node.kind else { throw Misstep("lost \(content)") }
      }
    }
    return engine.conflicts
  }

  private static func checkDamaged(_ start: ModelTrees, _ engine: ModelEngine) throws -> Int {
    try checkEqual(engine)
    let id = recordID(1)
    guard !engine.trees.remoteTree.contents.contains(ModelEngine.read(id)) else {
      throw Misstep("what was damaged reached the zone")
    }
    guard start.localTree[recordID(2)] == nil else { return 0 }
    guard engine.trees.remoteTree[id] == start.remoteTree[id], engine.conflicts == 0 else {
      throw Misstep("it isn't what the zone has")
    }
    return 1
  }

  private static func unwanted(_ numbers: [Int]) -> TripleProperty {
    let unwanted = Set(numbers.map(recordID))
    return TripleProperty(
      "what isn't wanted, \(numbers), goes from the folder and from nowhere else",
      leastCases: 30_000, leastHits: 1_000,
      prepare: { start in
        start.history = [:]
        start.unwanted = unwanted
        return true
      }, check: UnwantedRecords.check)
  }

  private static func elsewhere(_ numbers: [Int], leastCases: Int) -> TripleProperty {
    let hidden = Set(numbers.map(recordID))
    return TripleProperty(
      "with \(numbers) elsewhere it comes to rest and loses nothing", leastCases: leastCases,
      prepare: { start in
        // Each remote tree once: a tree with hidden records is another tree without them.
        guard
          start.remoteTree.nodes.keys.allSatisfy({ id in
            !hidden.contains { start.remoteTree.isInside(id, $0) }
          })
        else { return false }
        start.elsewhere = hidden
        return true
      },
      check: { start, engine in
        try Properties.checkEnd(engine, from: start)
        guard start.elsewhere.isDisjoint(with: engine.trees.remoteTree.nodes.keys) else {
          throw Misstep("created once more")
        }
        return 0
      })
  }

  private static func foreign(_ number: Int) -> TripleProperty {
    TripleProperty(
      "converges if only others may change \(number), whatever was agreed on",
      leastCases: 10_000,
      prepare: { start in
        // Without a foreign record the triple is one of the first property's.
        guard start.remoteTree[recordID(number)] != nil else { return false }
        start.history = [:]
        start.foreign = [recordID(number)]
        return true
      },
      check: { start, engine in
        try MixedRights.checkEnd(engine, from: start)
        return 0
      })
  }

  /// The possible states of one id: nothing, two versions of a file, a directory; each at one of
  /// two places.
  private static let kinds: [Node.Kind?] = [
    nil, .file(contentID(1)), .file(contentID(2)), .directory,
  ]

  /// All trees of the ids 1 and 2 under the names a and b, in the root or in each other.
  static let trees: [ModelTree] = {
    var result: [ModelTree] = []
    for first in nodes(of: 1) {
      for second in nodes(of: 2) {
        var tree = ModelTree()
        tree[recordID(1)] = first
        tree[recordID(2)] = second
        if isTree(tree, first, second) { result.append(tree) }
      }
    }
    return result
  }()

  private static func firstContent(of tree: ModelTree) -> ContentID? {
    for number in 1...2 {
      if case .file(let content) = tree[recordID(number)]?.kind { return content }
    }
    return nil
  }

  private static func nodes(of number: Int) -> [Node?] {
    let other = recordID(3 - number)
    let places = [
      Place(parent: .root, name: fileName("a")), Place(parent: .root, name: fileName("b")),
      Place(parent: other, name: fileName("a")),
    ]
    let none = Attributes(isExecutable: false, modified: 0)
    return [nil]
      + kinds.compactMap { $0 }.flatMap { kind in
        places.map { Node(place: $0, kind: kind, attributes: none) }
      }
  }

  private static func isTree(_ tree: ModelTree, _ first: Node?, _ second: Node?) -> Bool {
    guard first?.place != second?.place || first == nil else { return false }
    let isFirstInside = first?.place.parent == recordID(2)
    let isSecondInside = second?.place.parent == recordID(1)
    if isFirstInside && isSecondInside { return false }
    if isFirstInside { return second?.kind == .directory }
    return !isSecondInside || first?.kind == .directory
  }
}
