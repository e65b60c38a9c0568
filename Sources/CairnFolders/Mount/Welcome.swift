import CairnCloud
import CairnZone

/// What a zone gives a person at a time. What it refused for want of a right or of room waits until
/// it gives more: nothing asks again by the clock.
struct Welcome: Hashable {
  var rights: Set<Right>
  var revoked: Int
  var quota: UInt64?
  /// Bytes that still fit.
  var room: UInt64

  /// Whether this may let in what was refused under the other.
  func isMore(than other: Welcome) -> Bool {
    rights != other.rights || revoked != other.revoked || quota != other.quota || room > other.room
  }
}

extension Welcome {
  /// What the zone gives now.
  init(_ view: ZoneView) {
    let header = view.header
    let quota = header.quota ?? .max
    self.init(
      rights: view.rights, revoked: header.revokedDevices.count, quota: header.quota,
      room: quota > header.bytes ? quota - header.bytes : 0)
  }
}

extension MountEngine {
  private var welcome: Welcome { get throws { try zone.read { Welcome($0) } } }

  /// Tries again what was refused, if the zone gives more than it did then, and what was changed
  /// here since then.
  func retryWelcome() throws {
    guard agenda.refusedUnder != nil else { return }
    if agenda.mayShowOther {
      let changed = try index.read(mount) { tree in
        try agenda.refused.filter { try tree.node($0.id)?.local != $0.shown }
      }
      for work in changed { agenda.retry(work.id, in: report) }
    }
    agenda.mayShowOther = false
    guard agenda.welcomes(try welcome) else { return }
    for work in agenda.refused { agenda.retry(work.id, in: report) }
  }

  /// Sets one change aside until the zone gives what it lacks.
  func waitForWelcome(_ id: RecordID, _ error: CloudError) throws {
    let shown = try index.read(mount) { try $0.node(id)?.local }
    agenda.refuse(id, under: try welcome, shown: shown, error.message, clock.now)
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
