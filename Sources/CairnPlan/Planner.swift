public import CairnZone

/// Turns three trees into steps: a pure function, total, and proportional to what is dirty. From
/// any combination of the trees its plans lead to three equal trees, and nothing that was only on
/// one side is lost on the way.
///
/// First every record's target is merged (`Merge`), then what records do to each other is settled
/// (`Survival`, `Collisions`). Corrections of identity come first and alone, since they change the
/// ids and names that everything else is said in. Then the way from local to the target is put in
/// order for the folder (`FolderOrder`), and from remote to the target for the zone (`ZoneOrder`).
/// What the folder's steps would take away although it came back by a stop of the machine is
/// rescued before all of them.
public enum Planner {
  /// Plans the dirty records, and those not settled that they bump into. If the plan has no
  /// identity steps, then each of them is either deferred, or settled once the plan has been
  /// carried out. `mint` makes fresh ids. Throws only what `trees` throws.
  public static func plan(
    _ dirty: [RecordID], in trees: some Trees, mint: () -> RecordID
  ) throws -> Plan {
    var plan = Plan()
    var survey = try Survey(dirty, in: trees)
    plan.identity = try Adoption.steps(in: survey)
    guard plan.identity.isEmpty else { return plan }

    try survey.undoCycles()
    try survey.keepParents()
    try survey.keepWanted()
    try survey.separateNames()
    plan.identity = try corrections(in: &survey, mint: mint)
    for id in survey.scope { plan.deferred[id] = try survey[id].waits }
    guard plan.identity.isEmpty else { return plan }

    let folder = try StepGraph(.folder, of: &survey)
    plan.folder = try FolderOrder(folder).steps(in: &survey)
    plan.identity = try plan.folder.compactMap { try rescue(before: $0, in: trees) }
    guard plan.identity.isEmpty else {
      plan.folder = []
      return plan
    }
    let zone = try StepGraph(.zone, of: &survey)
    plan.zone = try ZoneOrder(zone).groups(in: &survey)
    for graph in [folder, zone] {
      plan.deferred.merge(graph.deferred) { first, _ in first }
    }
    plan.agreed = survey.scope.filter { plan.deferred[$0] == nil }
    for id in plan.agreed where try survey[id].isUnwanted { plan.unwanted.insert(id) }
    return plan
  }

  private static func corrections(
    in survey: inout Survey<some Trees>, mint: () -> RecordID
  ) throws -> [IdentityStep] {
    var steps: [IdentityStep] = []
    for id in survey.scope {
      let merge = try survey[id]
      guard merge.waits == nil else { continue }
      switch merge.correction {
      case nil: if merge.isBehind { steps.append(.giveWay(id)) }
      case .detach: steps.append(.detach(id, fresh: mint()))
      case .setAside:
        let isCopied = try survey.hasEqualConflictCopy(merge)
        steps.append(isCopied ? .giveWay(id) : .setAside(id, fresh: mint()))
      case .renameAside:
        if try !mayBecomeRival(merge, in: &survey) { steps.append(.renameAside(id)) }
      case .rescue(let cause): steps.append(.rescue(id, cause))
      }
    }
    return steps
  }

  /// Returns whether the node has the bytes of the zone's record with its name, whose file this
  /// plan removes from the folder: then it becomes that record, and isn't renamed before.
  private static func mayBecomeRival(
    _ merge: Merge, in survey: inout Survey<some Trees>
  ) throws -> Bool {
    guard merge.isUnrecorded, let local = merge.local, case .file(_?) = local.kind,
      let rival = try survey.trees.remoteChild(local.place), survey.scope.contains(rival)
    else { return false }
    let other = try survey[rival]
    guard other.waits == nil, other.shown?.kind == local.kind else { return false }
    switch other.correction {
    case .detach, .setAside, .rescue: return true
    case .renameAside, nil: return false
    }
  }

  /// Returns the nodes to rescue before a step removes their bytes.
  private static func rescue(
    before step: FolderStep, in trees: some Trees
  ) throws -> IdentityStep? {
    switch step {
    case .remove(let id, let node) where node.kind != .directory:
      try trees.cameBack(id, as: node) ? .rescue(id, .cameBack) : nil
    case .replace(let id, let node, let new) where node.kind != new.kind:
      try trees.cameBack(id, as: node) ? .rescue(id, .cameBack) : nil
    default: nil
    }
  }
}
