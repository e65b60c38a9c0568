import CairnZone

/// Puts the changes from remote to the target into groups. Each group leaves a valid zone: parents
/// before children, names freed before they are taken, removals last. Changes that need each other,
/// as in a swap of two names, are one group; and so are a removal and the change that takes its
/// name, so that nobody ever sees the name missing.
struct ZoneOrder {
  private let graph: StepGraph

  /// Orders the changes of a graph of the zone.
  init(_ graph: StepGraph) {
    precondition(graph.side == .zone, "the zone's changes start from the remote tree")
    self.graph = graph
  }

  /// All changes, those of bytes and attributes alone included.
  func groups(in survey: inout Survey<some Trees>) throws -> [[ZoneChange]] {
    var groups: [[ZoneChange]] = []
    for component in Components.of(graph.ids.indices.filter(graph.isPossible), needs: needs()) {
      groups.append(try component.map { try change(for: survey[graph.ids[$0]]) })
    }
    let removals = groups.reversed().prefix { $0.allSatisfy { $0.act == .delete } }
    groups.removeLast(removals.count)
    let moved = Set(graph.ids)
    for id in survey.scope where graph.deferred[id] == nil && !moved.contains(id) {
      let merge = try survey[id]
      if merge.waits == nil, merge.shown != nil, merge.shown != merge.target {
        groups.append([try change(for: merge)])
      }
    }
    return groups + removals.reversed()
  }

  private func needs() -> (Int) -> [Int] {
    var takers: [Int: [Int]] = [:]
    for node in graph.ids.indices where graph.isPossible(node) {
      for edge in graph.edges[node] where edge.need == .name && graph.acts[edge.target] == .remove {
        takers[edge.target, default: []].append(node)
      }
    }
    return { [graph] node in graph.edges[node].map(\.target) + (takers[node] ?? []) }
  }

  private func change(for merge: Merge) throws -> ZoneChange {
    guard let target = merge.target else {
      let place = merge.local == nil ? merge.synced?.place : nil
      return ZoneChange(id: merge.id, act: .delete, goneFrom: place)
    }
    var change = ZoneChange(id: merge.id, act: .update)
    let remote = merge.shown
    if remote == nil {
      guard merge.presence.isFree else {
        throw BrokenRule("\(merge.id) is created, and it exists outside of the mount")
      }
      change.act = .create(target.kind.recordType)
    }
    if remote?.place != target.place { change.place = target.place }
    if remote?.kind != target.kind {
      switch target.kind {
      case .file(let content): change.content = content
      case .symlink(let path): change.target = path
      case .directory: break
      }
    }
    if remote?.attributes != target.attributes { change.attributes = target.attributes }
    if let extended = remote?.attributes.extended, extended == target.attributes.extended {
      // They stay without being named.
      change.attributes?.extended = nil
    }
    if case .file = target.kind, let attributes = change.attributes {
      change.attributes?.mode = attributes.mode.map {
        Attributes.mode($0, isExecutable: attributes.isExecutable)
      }
    }
    return change
  }
}

extension Node.Kind {
  /// The type of a record that stands for this kind.
  fileprivate var recordType: RecordType {
    switch self {
    case .file: .file
    case .directory: .directory
    case .symlink: .symlink
    }
  }
}
