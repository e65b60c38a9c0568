import CairnZone

/// The dependencies between the steps of one side: the way of one tree, local or remote, to the
/// target, as far as names and directories are concerned. It has no step types; `FolderOrder` and
/// `ZoneOrder` make steps of it.
struct StepGraph {
  /// The tree that the steps start from.
  enum Side { case folder, zone }

  /// The step's effect on the tree.
  enum Act { case make, move, remove }

  /// Why a step needs another one first.
  enum Need {
    /// The other makes, or moves, a directory that this one's place is below.
    case parent
    /// The other frees this one's name.
    case name
    /// The other empties the directory that this one removes.
    case entry
  }

  struct Edge {
    let target: Int
    let need: Need
  }

  let side: Side
  /// The records with a step that can be done, in the order in which steps are to be tried.
  private(set) var ids: [RecordID] = []
  private(set) var acts: [Act] = []
  private(set) var edges: [[Edge]] = []
  /// The records whose step can't be done, and why.
  private(set) var deferred: [RecordID: Deferral] = [:]
  private var index: [RecordID: Int] = [:]
  /// For directories looked at: the next one upwards, itself included, that is made or moved.
  private var nearest: [RecordID: Int?] = [:]
  /// The lengths of the paths of directories in the target tree.
  private var lengths: [RecordID: Int] = [:]

  /// Collects the steps of the survey's records and what they need, and defers each one that needs
  /// what can't be had.
  init(_ side: Side, of survey: inout Survey<some Trees>) throws {
    self.side = side
    try collect(from: &survey)
    var blocked: [(node: Int, by: RecordID)] = []
    for node in ids.indices {
      let merge = try survey[ids[node]]
      let isTooLong = try merge.waits == nil && isTooLong(merge, in: &survey)
      if let waits = isTooLong ? .tooLong : merge.waits {
        deferred[merge.id] = waits
        blocked.append((node, merge.id))
      } else if let obstacle = try connect(node, merge, in: &survey) {
        deferred[merge.id] = .blocked(by: obstacle)
        blocked.append((node, merge.id))
      }
    }
    try spread(blocked.map(\.node))
  }

  /// Returns whether the node's step can be applied.
  func isPossible(_ node: Int) -> Bool { deferred[ids[node]] == nil }

  /// Removals come last, directories before what may go into them.
  private mutating func collect(from survey: inout Survey<some Trees>) throws {
    var ranked: [[(RecordID, Act)]] = [[], [], []]
    for id in survey.scope {
      let merge = try survey[id]
      let current = merge.current(side)
      guard let target = merge.goal(side) else {
        if current != nil { ranked[2].append((id, .remove)) }
        continue
      }
      let rank = target.kind == .directory ? 0 : 1
      if current == nil {
        ranked[rank].append((id, .make))
      } else if current?.place != target.place {
        ranked[rank].append((id, .move))
      }
    }
    for (id, act) in ranked.joined() {
      index[id] = ids.count
      ids.append(id)
      acts.append(act)
    }
    edges = Array(repeating: [], count: ids.count)
  }

  /// Finds what the step needs; gives the record that is in its way for good, if there is one.
  private mutating func connect(
    _ node: Int, _ merge: Merge, in survey: inout Survey<some Trees>
  ) throws -> RecordID? {
    guard let target = merge.goal(side) else {
      for entry in try survey.entries(of: merge.id, on: side) {
        guard let step = index[entry], acts[step] != .make else { return entry }
        edges[node].append(Edge(target: step, need: .entry))
      }
      return nil
    }
    let parent = target.place.parent
    if parent != .root {
      let directory = try survey[parent]
      let isThere = directory.current(side)?.kind == .directory
      if let step = index[parent], acts[step] != .remove {
        edges[node].append(Edge(target: step, need: .parent))
      } else if !isThere || directory.goal(side) == nil {
        return parent
      } else if target.kind == .directory, let step = try nearestStep(above: parent, in: &survey) {
        edges[node].append(Edge(target: step, need: .parent))
      }
    }
    if let occupant = try survey.occupant(of: target.place, on: side), occupant != merge.id {
      guard let step = index[occupant], acts[step] != .make else { return occupant }
      edges[node].append(Edge(target: step, need: .name))
    }
    return nil
  }

  /// The next directory from `directory` upwards in the target tree that is made or moved. When it
  /// and those above it have been done, all that are above the step's place stand where they shall
  /// be, so that the step can't put a directory into itself.
  private mutating func nearestStep(
    above directory: RecordID, in survey: inout Survey<some Trees>
  ) throws -> Int? {
    var path: [RecordID] = []
    var result: Int?
    var next = directory
    while next != .root {
      if let known = nearest[next] {
        result = known
        break
      }
      // Marks it as looked at, so that the walk ends on any trees.
      nearest[next] = .some(nil)
      path.append(next)
      if let step = index[next], acts[step] != .remove {
        result = step
        break
      }
      guard let target = try survey[next].goal(side) else { break }
      next = target.place.parent
    }
    for id in path { nearest[id] = .some(result) }
    return result
  }

  /// Returns whether a step of the folder would give a directory, or one in it, a path that the
  /// system can't open.
  private mutating func isTooLong(
    _ merge: Merge, in survey: inout Survey<some Trees>
  ) throws -> Bool {
    let longest = survey.trees.longestPath
    guard side == .folder, longest < .max, let target = merge.goal(.folder),
      target.kind == .directory
    else { return false }
    let length = try pathLength(of: target.place, in: &survey)
    guard length <= longest else {
      // What is in such a directory waits for that one.
      return length - target.place.name.bytes.count - 1 <= longest
    }
    guard let local = merge.local, local.kind == .directory else { return false }
    return try survey.trees.hasDirectory(below: merge.id, deeperThan: longest - length)
  }

  /// Returns the length of the path of a place in the target tree.
  private mutating func pathLength(
    of place: Place, in survey: inout Survey<some Trees>
  ) throws -> Int {
    var way: [(id: RecordID, length: Int)] = []
    var next = place.parent
    while next != .root, lengths[next] == nil {
      // Marks it as looked at, so that the walk ends on any trees.
      lengths[next] = 0
      guard let target = try survey[next].goal(side) else { break }
      way.append((next, target.place.name.bytes.count + 1))
      next = target.place.parent
    }
    var length = lengths[next] ?? 0
    for (id, own) in way.reversed() {
      length += own
      lengths[id] = length
    }
    return length + place.name.bytes.count + 1
  }

  /// Defers what needs a deferred step, and so on.
  private mutating func spread(_ blocked: [Int]) throws {
    guard !blocked.isEmpty else { return }
    var dependents: [Int: [Int]] = [:]
    for node in ids.indices {
      for edge in edges[node] { dependents[edge.target, default: []].append(node) }
    }
    var open = blocked
    while let node = open.popLast() {
      for dependent in dependents[node] ?? [] where isPossible(dependent) {
        deferred[ids[dependent]] = .blocked(by: ids[node])
        open.append(dependent)
      }
    }
  }
}

extension Merge {
  /// The record in the tree that the side's steps start from.
  func current(_ side: StepGraph.Side) -> Node? { side == .folder ? local : shown }

  /// Returns the target of the side's steps.
  func goal(_ side: StepGraph.Side) -> Node? {
    side == .folder && isUnwanted ? nil : target
  }
}

extension Survey {
  fileprivate func occupant(of place: Place, on side: StepGraph.Side) throws -> RecordID? {
    try side == .folder ? trees.localChild(place) : trees.remoteChild(place)
  }

  fileprivate func entries(
    of directory: RecordID, on side: StepGraph.Side
  ) throws -> [RecordID] {
    guard let node = try trees.node(directory, on: side), node.kind == .directory else {
      return []
    }
    return try side == .folder
      ? trees.localChildren(of: directory) : trees.remoteChildren(of: directory)
  }
}

extension Trees {
  /// Returns whether a directory of the folder has one in it whose path from there on is longer
  /// than `length`.
  fileprivate func hasDirectory(below top: RecordID, deeperThan length: Int) throws -> Bool {
    var open = [(id: top, length: 0)]
    var seen: Set<RecordID> = []
    while let (id, above) = open.popLast() {
      guard above <= length else { return true }
      guard seen.insert(id).inserted else { continue }
      open += try localDirectories(of: id).map { ($0.id, above + $0.name.count + 1) }
    }
    return false
  }

  fileprivate func node(_ id: RecordID, on side: StepGraph.Side) throws -> Node? {
    try side == .folder ? local(id) : remote(id).node
  }
}
