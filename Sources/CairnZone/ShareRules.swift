/// The rules of share changes: who may make them, and what becomes of the share. It knows one
/// commit's author and nothing of records.
struct ShareRules {
  /// The zone's owner.
  let owner: UserID?
  /// The person who signed the commit.
  let author: UserID
  /// The author's rights before the commit.
  let rights: Set<Right>
  /// The place and the time of the commit.
  let stamp: Stamp
  /// The owner's history cutoffs before the commit.
  var closings: [ClosedPast] = []

  /// The share after all changes, in their order. Its stamp is set later, if anything changed.
  func share(after changes: [ShareChange], from before: Share?) throws(Refused) -> Share? {
    var share = before
    for change in changes {
      switch change {
      case .title(let title): try setTitle(title, of: &share)
      case .stop: share = try stopped(share)
      case .zone: break
      default:
        guard var known = share else {
          throw Refused(.zoneNotFound, nil, "The zone isn't shared, or its share was stopped.")
        }
        try apply(change, to: &known)
        share = known
      }
    }
    if let offered = share?.offered, share?.participants[offered]?.acceptance != .accepted {
      share?.offered = nil
    }
    if let participants = share?.participants {
      share?.succession?.keep { participants[$0]?.acceptance == .accepted }
      if share?.succession?.people.isEmpty == true { share?.succession = nil }
    }
    return share
  }

  private func apply(_ change: ShareChange, to share: inout Share) throws(Refused) {
    switch change {
    case .invite(let user, let permission, let first):
      try invite(user, permission, from: first, to: &share)
    case .accept: try accept(&share)
    case .remove(let user): try remove(user, from: &share)
    case .setPermission(let user, let permission): try set(permission, of: user, in: &share)
    case .setRole(let user, let role): try set(role, of: user, in: &share)
    case .setPublic(let permission): try setPublic(permission, of: &share)
    case .addLink(let link): try add(link, to: &share)
    case .removeLink(let id): try removeLink(id, from: &share)
    case .claim(let id, _): try claim(id, of: &share)
    case .setPolicy(let policy):
      guard rights.contains(.own) else {
        throw Refused(.permissionFailure, nil, "Only the owner may say how to share.")
      }
      share.policy = policy
    case .setAccessRequests(let isAllowed):
      try requireAdministration("allow or refuse requests for access")
      share.allowsAccessRequests = isAllowed
    case .block(let user): try block(user, in: &share)
    case .unblock(let user): try unblock(user, in: &share)
    case .title, .stop, .zone: break
    }
  }

  // MARK: Starting and ending

  private func setTitle(_ title: String, of share: inout Share?) throws(Refused) {
    guard let owner, rights.contains(.own) else {
      throw Refused(.permissionFailure, nil, "Only the owner may start or rename a share.")
    }
    guard !title.isEmpty else {
      throw Refused(.invalidArguments, nil, "A share needs a title.")
    }
    guard title.utf8.count <= Share.maximumTitleSize else {
      throw Refused(
        .invalidArguments, nil, "A title has at most \(Share.maximumTitleSize) bytes.")
    }
    if share == nil {
      share = Share(owner: owner, title: title, changed: stamp)
    } else {
      share?.title = title
    }
  }

  private func stopped(_ share: Share?) throws(Refused) -> Share? {
    guard rights.contains(.own) else {
      throw Refused(.permissionFailure, nil, "Only the owner may stop a share.")
    }
    guard share != nil else {
      throw Refused(.zoneNotFound, nil, "The zone isn't shared, or its share was stopped.")
    }
    return nil
  }

  // MARK: People

  private func invite(
    _ user: UserID, _ permission: Permission, from firstEpoch: UInt64, to share: inout Share
  ) throws(Refused) {
    try requireInviting(permission, in: share)
    try requireClosing(before: firstEpoch)
    guard user != owner else {
      throw Refused(.invalidArguments, nil, "The owner is in the share already.")
    }
    guard permission != .none else {
      throw Refused(
        .invalidArguments, nil,
        "Invite with read-only or read-write; to end access, remove the person.")
    }
    try requireNamedPeople(in: share)
    guard !share.blocked.contains(user) else {
      throw Refused(.invalidArguments, nil, "The person is blocked in this share; unblock first.")
    }
    try requirePolicy(permission, in: share)
    if share.participants[user] != nil {
      guard rights.contains(.administer) else {
        throw Refused(.permissionFailure, nil, "The person is in the share already.")
      }
      share.participants[user]?.permission = permission
      return
    }
    try requireRoom(in: share)
    share.participants[user] = Participant(
      user: user, role: .privateUser, permission: permission, acceptance: .pending,
      firstEpoch: firstEpoch)
  }

  private func accept(_ share: inout Share) throws(Refused) {
    guard share.participants[author] != nil else {
      throw Refused(
        .permissionFailure, nil, "Only an invited person may accept; ask for an invitation.")
    }
    share.participants[author]?.acceptance = .accepted
  }

  private func remove(_ user: UserID, from share: inout Share) throws(Refused) {
    // Leaving needs nothing but acceptance before the commit: a pending person may accept, no more.
    let leaves = user == author && rights.contains(.read)
    guard leaves || rights.contains(.administer) else {
      if user == author, share.participants[user] == nil {
        throw Refused(.unknownItem, nil, "The person isn't in the share.")
      }
      throw Refused(
        .permissionFailure, nil, "Only the owner or an administrator can remove people.")
    }
    try requireOther(user, "The owner can't be removed; stop the share instead.")
    guard share.participants.removeValue(forKey: user) != nil else {
      throw Refused(.unknownItem, nil, "The person isn't in the share.")
    }
    // A blocked person with the link for anyone would be back at once.
    if !leaves { share.removePublicLinks() }
  }

  private func set(
    _ permission: Permission, of user: UserID, in share: inout Share
  ) throws(Refused) {
    try requireAdministration("change permissions")
    try requireGiving(permission)
    try requireOther(user, "The owner can always read and write.")
    guard permission != .none else {
      throw Refused(.invalidArguments, nil, "To take all access away, remove the person.")
    }
    guard let participant = share.participants[user] else {
      throw Refused(.unknownItem, nil, "The person isn't a participant of the share.")
    }
    try requirePolicy(permission, in: share)
    guard participant.role != .publicUser else {
      throw Refused(
        .invalidArguments, nil,
        "Who joined by the link for anyone has the permission that everybody has.")
    }
    share.participants[user]?.permission = permission
  }

  private func set(_ role: Role, of user: UserID, in share: inout Share) throws(Refused) {
    guard rights.contains(.own) else {
      throw Refused(.permissionFailure, nil, "Only the owner may make administrators.")
    }
    try requireOther(user, "The owner has every right already.")
    guard role == .administrator || role == .privateUser else {
      throw Refused(
        .invalidArguments, nil, "A participant is an administrator or an invited person.")
    }
    guard let participant = share.participants[user], participant.role != .publicUser else {
      throw Refused(.unknownItem, nil, "The person isn't an invited participant of the share.")
    }
    share.participants[user]?.role = role
  }

  // MARK: Preconditions

  func requireAdministration(_ what: String) throws(Refused) {
    guard rights.contains(.administer) else {
      throw Refused(
        .permissionFailure, nil, "Only the owner or an administrator may \(what).")
    }
  }

  /// Participants may invite too where the policy lets them.
  private func requireInviting(
    _ permission: Permission, in share: Share
  ) throws(Refused) {
    if !share.policy.allowsParticipantsToInvite || !rights.contains(.read) {
      try requireAdministration("invite")
    }
    try requireGiving(permission)
  }

  /// Refuses to give a permission that the author doesn't have: otherwise a read-only administrator
  /// could write by what they give to themself, to everybody, or to a second identity.
  func requireGiving(_ permission: Permission) throws(Refused) {
    guard permission != .readWrite || rights.contains(.write) else {
      throw Refused(
        .permissionFailure, nil, "Who can only read can't give the permission to write.")
    }
  }

  /// Refuses a change of the owner's part: nobody else may make it, and for the owner it makes no
  /// sense.
  func requireOther(_ user: UserID, _ reason: String) throws(Refused) {
    guard user == owner else { return }
    throw Refused(rights.contains(.own) ? .invalidArguments : .permissionFailure, nil, reason)
  }

  func requirePolicy(_ permission: Permission, in share: Share) throws(Refused) {
    guard share.policy.allows(permission) else {
      throw Refused(
        .managedAccountRestricted, nil, "The share's policy doesn't allow that permission.")
    }
  }

  /// Requires that a member's view begins where the past was closed: otherwise the past would be in
  /// it.
  func requireClosing(before firstEpoch: UInt64) throws(Refused) {
    guard firstEpoch == 0 || closings.contains(where: { $0.epoch == firstEpoch - 1 }) else {
      throw Refused(
        .invalidArguments, nil, "The past wasn't closed before epoch \(firstEpoch) of the zone.")
    }
  }

  func requireNamedPeople(in share: Share) throws(Refused) {
    guard share.publicPermission == .none else {
      throw Refused(
        .invalidArguments, nil, "No one is invited by name while link sharing is on.")
    }
    guard share.policy.access != .anyone else {
      throw Refused(
        .managedAccountRestricted, nil, "The share's policy allows no invitations by name.")
    }
  }

  func requireRoom(in share: Share) throws(Refused) {
    let waiting = share.links.values.count { $0.isOneTime }
    guard share.participants.count + waiting < Share.maximumParticipantCount else {
      throw Refused(
        .tooManyParticipants, nil,
        "The share has \(Share.maximumParticipantCount) participants already; remove one first.")
    }
  }
}

extension Share {
  /// Takes the links for anyone away: access became narrower.
  mutating func removePublicLinks() { links = links.filter { $0.value.isOneTime } }
}
