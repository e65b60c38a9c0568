import CairnCloud
import CairnZone

/// What a zone gives a person at a time. What it refused for want of a right or of room waits until
/// it gives more: nothing asks again by the clock.
struct Allowance: Hashable {
  var rights: Set<Right>
  var revoked: Int
  var quota: UInt64?
  /// Bytes that still fit.
  var room: UInt64

  /// Whether this may let in what was refused under the other.
  func isMore(than other: Allowance) -> Bool {
    rights != other.rights || revoked != other.revoked || quota != other.quota || room > other.room
  }
}

extension Allowance {
  /// What the zone gives now.
  init(_ view: ZoneView) {
    let header = view.header
    let quota = header.quota ?? .max
    self.init(
      rights: view.rights, revoked: header.revokedDevices.count, quota: header.quota,
      room: quota > header.bytes ? quota - header.bytes : 0)
  }
}

/// Has what the zone refused wait until it gives what that lacks.
struct AllowanceKeeper {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  private var allowance: Allowance { get throws { try state.zone.read { Allowance($0) } } }

  /// Tries again what was refused, if the zone gives more than it did then, and what was changed
  /// here since then.
  func retryRefused() throws {
    guard state.agenda.refusedUnder != nil else { return }
    if state.agenda.mayShowOther {
      let changed = try state.read { tree in
        try state.agenda.refused.filter { try tree.node($0.id)?.local != $0.shown }
      }
      for work in changed { state.agenda.retry(work.id, in: state.report) }
    }
    state.agenda.mayShowOther = false
    guard state.agenda.allows(try allowance) else { return }
    for work in state.agenda.refused { state.agenda.retry(work.id, in: state.report) }
  }

  /// Lets one change wait until the zone gives what it lacks.
  func waitForAllowance(_ id: RecordID, _ error: CloudError) throws {
    let shown = try state.read { try $0.node(id)?.local }
    state.agenda.refuse(id, under: try allowance, shown: shown, error.message, state.clock.now)
  }

  /// Whether an error that the container gave for lack of room is about the owner's limit, and so
  /// about these changes alone.
  func isOverLimit(_ changes: [RecordChange]) throws -> Bool {
    guard let quota = state.zone.header.quota else { return false }
    var bytes = state.zone.header.bytes
    for change in changes { bytes += change.content?.size ?? 0 }
    return bytes > quota
  }

  /// Whether the bytes of a changed file would be over the owner's limit: then they aren't even
  /// read. The file waits.
  func exceedsAllowance(_ id: RecordID, size: UInt64, _ path: [FileNameBytes]) throws -> Bool {
    guard state.zone.header.quota != nil, let error = try state.zone.lackOfRoom(for: size, in: id)
    else {
      return false
    }
    ZoneCommits(state).refuse(id, error)
    return true
  }
}
