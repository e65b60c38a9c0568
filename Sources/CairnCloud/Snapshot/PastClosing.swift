import CairnIndex
import CairnZone

/// Closes the past of a zone of this person's to those who come from now on: an entry that raises
/// the epoch and takes what no record has out of the state, then a floor in the new epoch, from
/// whose snapshot they begin. An interruption leaves a closing that the next call goes on from. It
/// must not know who comes.
struct PastClosing {
  /// So often it is tried where others start epochs meanwhile.
  private static let tries = 8

  let replica: ZoneReplica
  /// Seconds since 1970.
  let clock: Int64

  init(_ replica: ZoneReplica, at clock: Int64) {
    self.replica = replica
    self.clock = clock
  }

  /// Closes it, unless nothing has happened since it was.
  /// - Returns: the first epoch whose key those may have who see the present only.
  /// - Throws: `CloudError`, with `.permissionFailure` for who isn't the owner.
  func close() throws -> UInt64 {
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

  /// The last closing, if nothing is in the zone that came or went since.
  private func stillClosed() throws -> ClosedPast? {
    guard let last = replica.header.closings.last else { return nil }
    let goesOn = try replica.index.read { db in
      try IndexedZone(db, zone: replica.zone, header: replica.header).hasPast(since: last.sequence)
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

  /// Whether a newcomer finds a floor above the closing, in an epoch whose key they are given.
  private func isFloored(_ closing: ClosedPast) throws -> Bool {
    guard let floor = replica.header.floor, floor.checkpoint > closing.sequence else {
      return false
    }
    return try Floors(folder: replica.folder, store: replica.store).stands(floor, replica.keys)
  }
}
