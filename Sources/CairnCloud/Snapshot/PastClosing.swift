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

extension Container {
  /// Closes the past of a zone to whoever is let in with what this returns; the owner only.
  /// - Parameter zone: which.
  /// - Returns: the first epoch whose key they are to have.
  /// - Throws: `CloudError`: `.permissionFailure` for everybody else, `.serverRejectedRequest` if
  ///   the zone had another owner before.
  func closePast(of zone: Zone) throws -> UInt64 {
    try zone.pull()
    guard zone.header.rights(of: account.user).contains(.own) else {
      throw CloudError(
        .permissionFailure, "only the owner of a share can show somebody the present only",
        remedy: "ask the owner to do it, or leave --from-now away")
    }
    guard zone.header.genesis?.owner == zone.header.owner else {
      throw CloudError(
        .serverRejectedRequest,
        "the share had another owner before: who sees no past of it couldn't tell whose it is",
        remedy: "share a copy of the folder anew, or leave --from-now away")
    }
    return try zone.exclusively { try PastClosing($0, at: WallClock.seconds).close() }
  }

  static let noFirstKey = CloudError(
    .permissionFailure,
    "the first key of the zone isn't known here: you see it from when you came in",
    remedy: "let the owner invite")

  /// Those who are to be let in are given what they need before anything of it stands in the log.
  func checkFirstKey(for users: [UserID], in zone: Zone) throws {
    let isIn = users.allSatisfy {
      zone.header.share?.participants[$0]?.acceptance == .accepted
    }
    guard !isIn else { return }
    // A zone that was opened just now knows no keys before its log was read.
    if zone.keyring()[1] == nil { try zone.pull() }
    guard zone.keyring()[1] != nil else { throw Self.noFirstKey }
  }

  /// Nobody can be shown less of the past than they can read already.
  func checkNew(_ users: [UserID], in zone: Zone) throws {
    let known = users.filter {
      zone.header.share?.participants[$0] != nil && zone.header.firstEpoch(of: $0) == 0
    }
    guard !known.isEmpty else { return }
    throw CloudError(
      .participantAlreadyInvited,
      "they are in the share, or invited to it, and have the keys of its past: "
        + known.map(\.description).joined(separator: ", "),
      remedy: "nobody was invited; leave --from-now away, or name others")
  }

  /// What made the zone's id, as its first entry says, wherever that stands.
  func nonce(of zone: Zone, _ keys: Keyring) throws -> Bytes16 {
    let entries = try Floors(folder: zone.folder, store: zone.store).firstEntries(keys)
    for entry in entries {
      if let nonce = EntryCodec.nonce(of: entry, zone: zone.id, keys: keys) { return nonce }
    }
    throw CloudError(
      .assetNotAvailable, "the first entry of the log of zone \(zone.id.digits) can't be read",
      remedy: "run `cairn verify`")
  }
}
