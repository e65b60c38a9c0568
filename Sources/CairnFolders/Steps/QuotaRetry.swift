import CairnIdentity
import CairnReplica
import CairnZone

/// Keeps refused changes waiting until the zone permits them.
///
/// It uses these parts of the state: `clock`, `read`, `report`, `retries`, `zone`.
struct QuotaRetry {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  private var allowance: Allowance { get throws { try state.zone.read { Allowance($0) } } }

  /// Tries refused changes again, if the zone permits more than before, or they were changed here
  /// since.
  func retryRefused() throws {
    guard state.retries.refusedUnder != nil else { return }
    if state.retries.mayShowOther {
      let changed = try state.read { tree in
        try state.retries.refused.filter { try tree.node($0.id)?.local != $0.shown }
      }
      for work in changed { state.retries.retry(work.id, in: state.report) }
    }
    state.retries.mayShowOther = false
    guard state.retries.allows(try allowance) else { return }
    for work in state.retries.refused { state.retries.retry(work.id, in: state.report) }
  }

  /// Lets one change wait until the zone permits it.
  func waitForAllowance(_ id: RecordID, _ error: CloudError) throws {
    let shown = try state.read { try $0.node(id)?.local }
    state.retries.refuse(id, under: try allowance, shown: shown, error.message, state.clock.now)
  }

  /// Returns whether the bytes of a changed file would exceed the owner's limit. Then they aren't
  /// even read, and the file waits.
  func exceedsAllowance(_ id: RecordID, size: UInt64, _ path: [FileNameBytes]) throws -> Bool {
    guard state.zone.header.quota != nil, let error = try state.zone.lackOfRoom(for: size, in: id)
    else {
      return false
    }
    ZoneCommits(state).refuse(id, error)
    return true
  }
}
