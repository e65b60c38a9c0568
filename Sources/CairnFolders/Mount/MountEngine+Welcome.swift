import CairnCloud
import CairnPlan
import CairnZone

/// What the zone refused for want of a right or of room waits, and only that, until the zone gives
/// it: nothing asks again by the clock.
extension MountEngine {
  /// What a zone gives a person at a time.
  struct Welcome: Hashable {
    var rights: Set<Right>
    var revoked: Int
    var quota: UInt64?
    /// Bytes that still fit.
    var room: UInt64
  }

  private var welcome: Welcome {
    get throws {
      try zone.read { view in
        let header = view.header
        let quota = header.quota ?? .max
        return Welcome(
          rights: view.rights, revoked: header.revokedDevices.count, quota: header.quota,
          room: quota > header.bytes ? quota - header.bytes : 0)
      }
    }
  }

  /// Tries again what was refused, if the zone gives more than it did then, and what was changed
  /// here since then.
  func retryWelcome() throws {
    guard let refusedUnder else { return }
    if didLook { try releaseChanged() }
    didLook = false
    let now = try welcome
    guard now != refusedUnder else { return }
    let isMore =
      now.rights != refusedUnder.rights || now.revoked != refusedUnder.revoked
      || now.quota != refusedUnder.quota || now.room > refusedUnder.room
    guard isMore else { return self.refusedUnder = now }
    self.refusedUnder = nil
    for id in unwelcome.keys { release(id) }
  }

  private func releaseChanged() throws {
    let changed = try index.read(mount) { tree in
      try unwelcome.filter { id, local in try tree.node(id)?.local != local }
    }
    for id in changed.keys { release(id) }
  }

  private func release(_ id: RecordID) {
    unwelcome[id] = nil
    if deferrals[id]?.reason == .unwelcome { deferrals[id] = nil }
    solve(id)
  }

  /// Sets one change aside until the zone gives what it lacks.
  func waitForWelcome(_ id: RecordID, _ error: CloudError) throws {
    refusedUnder = try welcome
    unwelcome[id] = try index.read(mount) { try $0.node(id)?.local }
    postpone(id, .unwelcome, error.message)
  }

  /// Whether an error that the container gave for lack of room is about the owner's limit, and so
  /// about these changes alone.
  func isOverLimit(_ changes: [RecordChange]) throws -> Bool {
    guard let quota = zone.header.quota else { return false }
    var bytes = zone.header.bytes
    for change in changes { bytes += change.content?.size ?? 0 }
    return bytes > quota
  }

  /// Whether the bytes of a changed file would be over the owner's limit: then they aren't even
  /// read. The file waits.
  func isUnwelcome(_ id: RecordID, size: UInt64, _ path: [FileNameBytes]) throws -> Bool {
    guard zone.header.quota != nil, let error = try zone.lackOfRoom(for: size, in: id) else {
      return false
    }
    refuse(id, error)
    return true
  }
}
