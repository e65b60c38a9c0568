import CairnContainer
import CairnFolders
import CairnReplica
import CairnZone

extension Device {
  /// A Boolean value that indicates whether the container differs from what was read here, and a
  /// person must decide.
  var isInTrouble: Bool {
    get throws { try zone?.trouble != nil || engine?.lostToken() != nil }
  }

  /// Runs `cairn repair`: identities first, then the account, then the folder.
  func repair() {
    remembered = nil
    ask { container, zone, engine in
      _ = try container.acquaintances.lookAtPeople()
      _ = try container.upkeep.putBackPeople()
      for other in try container.upkeep.zonesToVerify() where other.id != zone.id {
        let plan = try other.planRepair()
        if let trouble = plan.trouble, plan.follows {
          _ = try other.follow(other.common(upTo: trouble.agreed))
        } else {
          try other.putBack(plan.kept)
        }
      }
      try repair(zone, engine)
      hintZone()
    }
  }

  private func repair(_ zone: Zone, _ engine: MountEngine) throws {
    var plan = try zone.planRepair()
    if let held = plan.held {
      trace.note("      takes away what holds place \(held.seen)")
      try zone.takeAway(held)
      plan = try zone.planRepair()
    }
    if let trouble = plan.trouble, plan.follows {
      trace.note("      follows the container's history from entry \(trouble.agreed)")
      if !plan.kept.isEmpty { try zone.putBack(plan.kept) }
      let common = try zone.common(upTo: trouble.agreed)
      try engine.compareAnew(since: common)
      _ = try zone.follow(common)
    } else {
      trace.note("      puts back \(plan.kept), hasn't \(plan.lost)")
      if !plan.kept.isEmpty { try zone.putBack(plan.kept) }
      if zone.trouble == nil, try engine.lostToken() != nil { try engine.compareAnew(since: nil) }
    }
    let broken = try zone.brokenChunks()
    guard !broken.isEmpty else { return }
    let left = try zone.mend(broken, isDryRun: false) { try engine.lend($0, $1) }
    trace.note("      puts back \(broken.count - left.count) of \(broken.count) pieces")
  }
}
