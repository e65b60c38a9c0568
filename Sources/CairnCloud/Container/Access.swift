public import CairnZone

/// Changing who may do what in a share, and ending it. Whether the change is allowed, the zone's
/// log decides; what narrows who may read raises the key epoch in the same commit.
public struct Access: Sendable {
  let container: Container

  /// In that container.
  public init(_ container: Container) { self.container = container }

  /// Changes what an invited person may do, from this commit on; they need not accept again.
  /// - Throws: `CloudError`, as every call here: `.permissionFailure` for who may not,
  ///   `.unknownItem` for somebody who isn't in the share.
  public func setPermission(_ permission: Permission, of user: UserID, in zone: Zone) throws {
    try change(zone, .setPermission(user: user, permission: permission))
  }

  /// Makes an invited person an administrator, or takes that back; the owner only.
  public func setRole(_ role: Role, of user: UserID, in zone: Zone) throws {
    try change(zone, .setRole(user: user, role: role))
  }

  /// Says what anybody with the link may do. Going from named people to anyone, or back, loses
  /// people: see `loss(settingPublic:of:)`.
  public func setPublic(_ permission: Permission, of zone: Zone) throws {
    try zone.require(.administer, to: "say what anybody with the link may do")
    guard zone.header.share?.publicPermission != permission else { return }
    try change(zone, .setPublic(permission), rekey: true)
  }

  /// Takes a person out, whether they had accepted or not. What is written from then on they can't
  /// read; what they read before can't be taken back.
  public func remove(_ user: UserID, from zone: Zone) throws {
    try change(zone, .remove(user: user), rekey: true)
  }

  /// Ends the share; its contents stay with the owner, and can be shared anew at once.
  public func stopSharing(_ zone: Zone) throws {
    try change(zone, .stop, rekey: true)
  }

  /// Says which ways of sharing are allowed from now on; the owner only.
  public func setPolicy(_ policy: SharePolicy, of zone: Zone) throws {
    try zone.require(.own, to: "say how to share")
    guard zone.header.share?.policy != policy else { return }
    try change(zone, .setPolicy(policy))
  }

  /// Raises the key epoch if somebody who can't read any more has the key in force, and this
  /// person may do it. Raising it twice harms nobody.
  public func rekeyIfDue(_ zone: Zone) throws {
    try zone.pull()
    guard zone.header.isRekeyDue,
      zone.header.rights(of: container.account.user).contains(.administer)
    else { return }
    try zone.changeShare([], rekey: true)
  }

  /// Returns the people who would lose access with another public permission, and their losses.
  public func loss(settingPublic permission: Permission, of zone: Zone) -> [AccessLoss] {
    guard let share = zone.header.share, share.publicPermission != permission else { return [] }
    let people = share.participants.values.sorted { $0.user < $1.user }
    if permission == .none { return people.map { AccessLoss(user: $0.user, kind: .access) } }
    guard share.publicPermission == .none else {
      guard permission == .readOnly else { return [] }
      return people.map { AccessLoss(user: $0.user, kind: .writing) }
    }
    return people.map { participant in
      if participant.acceptance == .pending {
        return AccessLoss(user: participant.user, kind: .invitation)
      }
      let losesWriting = participant.permission == .readWrite && permission == .readOnly
      return AccessLoss(user: participant.user, kind: losesWriting ? .nameAndWriting : .name)
    }
  }

  /// Makes a change, and takes away what nobody can use any more by it.
  func change(_ zone: Zone, _ change: ShareChange, rekey: Bool = false) throws {
    let before = zone.header.share
    try zone.changeShare([change], rekey: rekey)
    try tidy(zone, after: before)
  }

  /// Takes away what nobody can use any more: invitations of people who aren't invited now, and
  /// what lies behind links that are gone.
  private func tidy(_ zone: Zone, after before: Share?) throws {
    let now = zone.header.share
    for participant in before?.participants.values ?? [:].values
    where participant.acceptance == .pending && now?.participants[participant.user] == nil {
      try container.sharing.withdrawInvitations(of: participant.user, to: zone)
    }
    if before?.allowsAccessRequests == true, now == nil {
      try container.requests.tendDoor(of: zone)
    }
    for link in before?.links.keys ?? [:].keys where now?.links[link] == nil {
      try container.links.deleteObject(of: link, in: zone.folder)
    }
  }
}

/// A person's loss when access changes from named people to anyone, or back.
public struct AccessLoss: Hashable, Sendable {
  /// The kind of loss.
  public enum Kind: Hashable, Sendable {
    /// All access.
    case access
    /// An invitation that wasn't accepted yet.
    case invitation
    /// The permission to write.
    case writing
    /// The entry of their own; they stay as one of those who have the link.
    case name
    /// The entry of their own, and the permission to write.
    case nameAndWriting
  }

  /// The person.
  public var user: UserID
  /// The kind of loss.
  public var kind: Kind
}
