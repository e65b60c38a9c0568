import CairnDiagnostics
import CairnIdentity
import CairnIndex
import CairnStore
import CairnZone

/// Reading the log: one entry after another, without skipping. The next position is free, which is
/// the end; or it contains a valid entry; or it is held, and the reader stops before it and checks
/// again.
extension ZoneReplica {
  /// Replays new entries, up to the end of the log, of this person's access, or of the position
  /// `last`. A log that differs from earlier reads is reported, and nothing of it is replayed.
  public func pull(upTo last: UInt64 = .max) throws -> PulledEntries {
    if looks.owesTaken {
      if try SnapshotBootstrap(self).isLeftUnproven() { try forgetFold(keeping: keys) }
      looks.owesTaken = false
    }
    var (vain, first): (Set<ObjectKey>, CloudError?) = ([], nil)
    while true {
      do {
        let pulled = try read(upTo: last, except: vain)
        if pulled.applied > 0 {
          Diagnostics.log.debug(
            "entries applied",
            [
              .value("zone", zone), .value("entries", pulled.applied),
              .value("sequence", header.sequence),
            ])
        }
        // Without anything else, the problem with a log start is the problem.
        if header.sequence == 0, let first { throw first }
        return pulled
      } catch let error as CloudError {
        guard trouble != nil || !error.isWorthRetrying, try !SnapshotBootstrap(self).isProven(),
          let taken = looks.taken
        else { throw error }
        vain.insert(taken.object)
        first = first ?? error
        try SnapshotBootstrap(self).drop(taken)
      }
    }
  }

  /// Replays new entries, unless the log was seen to end here since the store's last notification:
  /// that one was about an entry of this replica.
  func pullIfHinted() throws {
    if !looks.hasSeen(header.sequence, after: hints.count) { _ = try pull() }
  }

  /// The same, without log starts that the log did not confirm.
  private func read(upTo last: UInt64, except vain: Set<ObjectKey>) throws -> PulledEntries {
    open?.look()
    looks.forgetEnd()
    looks.begin(after: hints.count)
    var reader = LogReader(self)
    defer { ahead.drop() }
    try reader.read(upTo: last, except: vain)
    if header.sequence < last, canReadOn { looks.see(header.sequence, at: WallClock.now) }
    if let found = try elsewhere() {
      trouble = found
      // Earlier entries hold, and come first.
      if reader.pulled.applied == 0, header.sequence < last { throw found.error }
    }
    return reader.pulled
  }

  /// A Boolean value that indicates whether the key of the epoch in force is known; without it the
  /// next position is unknown. A removed person stays here forever.
  var canReadOn: Bool { keys[max(header.epoch, 1)] != nil }
}
