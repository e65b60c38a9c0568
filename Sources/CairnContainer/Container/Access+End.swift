import CairnIdentity
import CairnReplica
public import CairnZone

/// Access with an end. The log of the share doesn't know it: no clock decides there. A device of
/// the person who set the end removes the other one when the time has come, as `remove` does.
extension Access {
  /// Returns the ends of access to a share that this person has set.
  /// - Throws: `CloudError` if the account's index can't be read.
  public func ends(in zone: Zone) throws -> [UserID: Int64] {
    try AccountZone.ends(in: zone.id, account: container.accountZone)
  }

  /// Sets the end of some people's access, or removes it. The end is stored before this returns.
  /// - Parameters:
  ///   - time: Nanoseconds since 1970; nil for no end.
  ///   - users: The people.
  ///   - zone: The zone of the share.
  /// - Throws: `CloudError`: `.permissionFailure` for a person who can't remove others from the
  ///   share, `.invalidArguments` for a time that has passed.
  public func setEnd(_ time: Int64?, of users: [UserID], in zone: Zone) throws {
    guard let time else {
      return try AccountZone.removeEnds(of: users, in: zone.id, from: container.accountZone)
    }
    try zone.require(.administer, to: "set the end of somebody's access")
    guard time > WallClock.now else {
      throw CloudError(
        .invalidArguments, "the access would have ended already", remedy: "give a time to come")
    }
    try AccountZone.add(
      users.map { AccessEnd(zone: zone.id, user: $0, time: time) }, to: container.accountZone)
  }

  /// Invites people, or changes their permission, with an end of their access. The end is stored
  /// first: nobody gets access without it if this is interrupted. Without a time, people who are in
  /// the share keep their end, and others have none.
  /// - Parameters:
  ///   - end: Nanoseconds since 1970; nil for none.
  ///   - users: The people.
  ///   - zone: The zone of the share.
  ///   - invite: The function that invites them.
  /// - Returns: The result of `invite`.
  /// - Throws: `CloudError`, and any error of `invite`; then the ends are as before.
  public func inviting<Result>(
    until end: Int64?, _ users: [UserID], to zone: Zone, _ invite: () throws -> Result
  ) throws -> Result {
    let before = try ends(in: zone)
    let changed = users.filter { user in
      end != nil || before[user] != nil && zone.header.share?.participants[user] == nil
    }
    try setEnd(end, of: changed, in: zone)
    do { return try invite() } catch {
      try setEnd(nil, of: changed.filter { before[$0] == nil }, in: zone)
      try AccountZone.add(
        changed.compactMap { user in
          before[user].map { AccessEnd(zone: zone.id, user: user, time: $0) }
        }, to: container.accountZone)
      throw error
    }
  }

  /// Returns the next end of access in each share.
  /// - Throws: `CloudError` if the account's index can't be read.
  public func nextEnds() throws -> [ZoneID: Int64] {
    let all = try AccountZone.ends(account: container.accountZone)
    return Dictionary(all.map { ($0.zone, $0.time) }) { min($0, $1) }
  }

  /// Removes the people whose access has ended. A second call changes nothing.
  /// - Parameters:
  ///   - zone: The zone of the share.
  ///   - now: Nanoseconds since 1970.
  /// - Returns: The removed people.
  /// - Throws: `CloudError` if the share or the account can't be written now.
  public func removeEnded(from zone: Zone, at now: Int64) throws -> [UserID] {
    let ended = try ends(in: zone).filter { $0.value <= now }.keys.sorted()
    guard !ended.isEmpty else { return [] }
    // A share that wasn't read yet seems to have nobody in it.
    try zone.pull()
    var removed: [UserID] = []
    for user in ended where zone.header.share?.participants[user] != nil {
      do {
        try remove(user, from: zone)
        removed.append(user)
      } catch let error as CloudError {
        // Another device was faster, or they left.
        guard error.code == .unknownItem else { throw error }
      }
    }
    // Last: until then the next call continues.
    try AccountZone.removeEnds(of: ended, in: zone.id, from: container.accountZone)
    return removed
  }
}
