import CairnIdentity
import CairnIndex
import CairnZone

/// Adds a history cutoff to an own zone for future participants: an entry that raises the epoch and
/// removes everything without a record from the state, then a log start in the new epoch, with
/// whose snapshot they begin. An interruption leaves a cutoff that the next call continues. It must
/// not know the participants.
public struct PastClosing {
  /// The maximum number of attempts while others start epochs.
  private static let tries = 8

  let replica: ZoneReplica
  /// The current time in seconds since 1970.
  let clock: Int64

  /// Creates a value for a replica; `clock` is the current time in seconds since 1970.
  public init(_ replica: ZoneReplica, at clock: Int64) {
    self.replica = replica
    self.clock = clock
  }

  /// Adds a cutoff, unless nothing happened since the last one.
  /// - Returns: the first epoch whose key people without history may have.
  /// - Throws: `CloudError`, with `.permissionFailure` for anybody but the owner.
  public func close() throws -> UInt64 {
    _ = try replica.pull()
    let closing = try stillClosed() ?? whileOvertaken { try commit() }
    for _ in 0..<Self.tries {
      if try isFloored(closing) { return closing.epoch + 1 }
      _ = try FloorRaise(replica, at: clock).raise()
    }
    throw CloudError(
      .serviceUnavailable, "others change who takes part in the share all the time",
      remedy: "try again; nobody was invited")
  }

  /// The last cutoff, if nothing in the zone was added or removed since.
  private func stillClosed() throws -> ClosedPast? {
    guard let last = replica.header.closings.last else { return nil }
    let goesOn = try replica.index.read { db in
      try IndexedZone(db, zone: replica.zone, header: replica.header).history.hasChanged(
        since: last.sequence)
    }
    return goesOn ? nil : last
  }

  private func commit() throws -> ClosedPast {
    _ = try replica.pull()
    let header = try replica.commit(
      records: [], share: [.zone(.closePast)], expecting: replica.header.sequence, rekey: true)
    guard let closing = header.closings.last else {
      preconditionFailure("a past that isn't closed after it was: \(header)")
    }
    return closing
  }

  /// Returns whether a newcomer finds a log start above the cutoff, in an epoch whose key they get.
  private func isFloored(_ closing: ClosedPast) throws -> Bool {
    guard let floor = replica.header.floor, floor.checkpoint > closing.sequence else {
      return false
    }
    return try Floors(folder: replica.folder, store: replica.store).stands(floor, replica.keys)
  }
}
