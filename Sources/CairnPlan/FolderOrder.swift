import CairnZone

/// Orders the steps from local to the target so that each one can be applied: a step that frees a
/// name or creates a directory before those that need it, bytes and attributes after moves,
/// removals last. Where steps need each other, as in a swap of two names, some nodes are parked.
struct FolderOrder {
  private let graph: StepGraph

  /// Creates the order for a graph of the folder.
  init(_ graph: StepGraph) {
    precondition(graph.side == .folder, "the folder's steps start from the local tree")
    self.graph = graph
  }

  /// Returns all steps, including those for bytes and attributes.
  func steps(in survey: inout Survey<some Trees>) throws -> [FolderStep] {
    var steps: [FolderStep] = []
    let possible = graph.ids.indices.filter(graph.isPossible)
    for component in Components.of(possible, needs: { graph.edges[$0].map(\.target) }) {
      let parked = component.count > 1 ? nodesToPark(in: component) : []
      for node in parked.sorted() {
        if let local = try survey[graph.ids[node]].local {
          steps.append(.park(graph.ids[node], from: local.place))
        }
      }
      for node in order(component, parked: parked) {
        let merge = try survey[graph.ids[node]]
        if let step = step(for: merge, isParked: parked.contains(node)) { steps.append(step) }
      }
    }
    let removals = steps.reversed().prefix { if case .remove = $0 { true } else { false } }
    steps.removeLast(removals.count)
    for id in survey.scope where graph.deferred[id] == nil {
      if let step = contentStep(for: try survey[id]) { steps.append(step) }
    }
    return steps + removals.reversed()
  }

  private func step(for merge: Merge, isParked: Bool) -> FolderStep? {
    guard let target = merge.goal(.folder) else {
      return merge.local.map { .remove(merge.id, expected: $0) }
    }
    guard let local = merge.local else {
      return target.kind == .directory
        ? .makeDirectory(merge.id, target.place) : .install(merge.id, target)
    }
    var from = local.place
    if isParked { from.parent = .parked }
    return .move(merge.id, from: from, to: target.place)
  }

  private func contentStep(for merge: Merge) -> FolderStep? {
    guard merge.waits == nil, let local = merge.local, let target = merge.goal(.folder)
    else { return nil }
    var expected = local
    expected.place = target.place
    if local.kind != target.kind { return .replace(merge.id, expected: expected, with: target) }
    if local.attributes != target.attributes {
      return .setAttributes(merge.id, expected: expected, target.attributes)
    }
    return nil
  }
}

extension FolderOrder {
  /// The largest knot for which the minimal set of parked nodes is computed.
  private static let carefulLimit = 32

  /// Returns nodes whose parking unties the knot. Every circle of needs has a step that needs a
  /// name or an empty directory of a moved node, because the needs by parents alone are a tree. So
  /// parking all of those is always enough.
  private func nodesToPark(in component: [Int]) -> Set<Int> {
    let members = Set(component)
    var parked: Set<Int> = []
    for edge in component.flatMap({ graph.edges[$0] })
    where edge.need != .parent && members.contains(edge.target) && graph.acts[edge.target] == .move
    {
      parked.insert(edge.target)
    }
    guard component.count <= Self.carefulLimit else { return parked }
    for node in parked.sorted() {
      let fewer = parked.subtracting([node])
      if components(of: component, parked: fewer).allSatisfy({ $0.count == 1 }) { parked = fewer }
    }
    return parked
  }

  private func order(_ component: [Int], parked: Set<Int>) -> [Int] {
    guard component.count > 1 else { return component }
    return components(of: component, parked: parked).flatMap(\.self)
  }

  /// Returns the rest of a component without the needs that parking satisfies.
  private func components(of component: [Int], parked: Set<Int>) -> [[Int]] {
    let members = Set(component)
    return Components.of(component.sorted()) { node in
      graph.edges[node].filter { edge in
        members.contains(edge.target) && (edge.need == .parent || !parked.contains(edge.target))
      }.map(\.target)
    }
  }
}
