import CairnIdentity
import CairnZone

/// The rights of this person and of others by the last replayed entry; none reads the index, or
/// waits.
extension Zone {
  /// A Boolean value that indicates whether this person may change records from here on.
  public var mayWrite: Bool { !isReadOnly && header.mayWrite(account.user) }

  /// A Boolean value that indicates whether this person may read the zone, or its owner isn't known
  /// yet. A person with a link may read it as long as the share has the link.
  public var mayRead: Bool {
    let header = header
    if let link, header.genesis != nil { return header.share?.links[link] != nil }
    return header.genesis == nil || header.rights(of: account.user).contains(.read)
  }

  /// Refuses an act for which this person lacks the right. An act checks it first: before it finds
  /// that its arguments are wrong, or that there is nothing to do.
  /// - Parameters:
  ///   - right: The right.
  ///   - what: The act, as in "only the owner may …".
  /// - Throws: `CloudError` with `.permissionFailure`, and if the log can't be read.
  public func require(_ right: Right, to what: String) throws {
    guard try !holdsByNow({ $0.rights(of: account.user).contains(right) }) else { return }
    let who = right == .own ? "the owner" : "the owner or an administrator"
    throw CloudError(
      .permissionFailure, "only \(who) may \(what)", remedy: "ask the owner of the share")
  }

  /// Refuses to let somebody in with a permission that this person may not give.
  /// - Parameters:
  ///   - permission: The permission.
  ///   - isByName: Whether a person is invited by name, which the policy may allow to participants.
  /// - Throws: `CloudError` with `.permissionFailure`, and if the log can't be read.
  public func requireGiving(_ permission: Permission, isByName: Bool) throws {
    let mayHelp = try holdsByNow { header in
      isByName && header.rights(of: account.user).contains(.read)
        && header.share?.policy.allowsParticipantsToInvite == true
    }
    if !mayHelp { try require(.administer, to: "let somebody in") }
    guard permission == .readWrite, try !holdsByNow({ $0.mayWrite(account.user) }) else { return }
    throw CloudError(
      .permissionFailure, "who can only read can't give the permission to write",
      remedy: "give read-only, or ask the owner of the share")
  }

  /// Returns true if a condition holds for the known log, or for the log in the container.
  private func holdsByNow(_ condition: (ZoneHeader) -> Bool) throws -> Bool {
    if condition(header) { return true }
    try pull()
    return condition(header)
  }

  /// A Boolean value that indicates whether anybody but the owner could ever read the zone, by the
  /// replayed log.
  public var hadReaders: Bool {
    let header = header
    // A departed member left a due key change, or it was made.
    if header.epoch > 1 || header.isRekeyDue { return true }
    guard let share = header.share else { return false }
    return !share.participants.isEmpty || !share.links.isEmpty
  }
}
