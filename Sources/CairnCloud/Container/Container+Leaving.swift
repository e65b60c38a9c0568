import CairnIndex
public import CairnZone

/// Taking part no longer.
extension Container {
  /// Says in the log of a share that this person takes part no longer. Saying it twice, or after
  /// one was removed, changes nothing. Where nothing is left of the log nobody has to be told.
  /// - Throws: `CloudError`, with `.permissionFailure` for the owner, who can stop a share and
  ///   can't leave it.
  public func leave(_ zone: Zone) throws {
    guard try zone.isToBeRead() else { return }
    guard zone.header.owner != account.user else {
      throw CloudError(
        .permissionFailure, "the owner of a share can't leave it",
        remedy: "run `cairn share stop`, or `cairn share transfer` first")
    }
    guard zone.header.share?.participants[account.user] != nil else { return }
    do { try zone.changeShare([.remove(user: account.user)]) } catch let error as CloudError {
      // Whoever ends the epoch right behind the entry has it looked for a second time, by who
      // isn't in any more.
      guard zone.header.share?.participants[account.user] == nil else { throw error }
    }
  }

  /// A zone that isn't in the account any more, since another device of this person saw its end, as
  /// the index of this one has it; nil if it has nothing of it. The index has its keys.
  public func leftOver(_ id: ZoneID) throws -> Zone? {
    for scope in [DatabaseScope.shared, .private] {
      guard let index = indexes[scope] else { continue }
      let header = try index.read { try IndexedZone(reading: $0, zone: id).header }
      guard let founder = header.genesis?.owner else { continue }
      return try zone(
        id, founder: founder, owner: header.owner ?? founder, scope: scope, keys: Keyring())
    }
    return nil
  }

  /// Drops all that this account and this device hold of a zone: the folder that mirrors it, the
  /// zone with its keys, and its index. Whoever is invited again begins anew.
  public func forgetEverything(of zone: Zone) throws {
    try removeMount(zone.id)
    try forget(zone.id)
    try erase(zone.id, in: zone.scope)
  }
}

extension Zone {
  /// Folds everything that is new.
  /// - Returns: false if nothing is left of the log, since its owner may have ended the zone: what
  ///   is known of it must do.
  /// - Throws: `CloudError` if the container can't be read or the log is damaged otherwise.
  public func isToBeRead() throws -> Bool {
    do {
      try pull()
      return true
    } catch let error as CloudError {
      guard trouble?.mayBeEnded == true else { throw error }
      return false
    }
  }
}
