import CairnIdentity
import CairnReplica
public import CairnZone

/// Changes permissions in a share, and ends it. The zone's log decides whether a change is allowed.
/// A change that removes readers raises the key epoch in the same commit.
///
/// It uses these parts of the container: `account`, `accountZone`, `groups`, `links`, `requests`,
/// `sharing`, `zones`.
public struct Access: Sendable {
  let container: Container

  /// Creates a value for a container.
  public init(_ container: Container) { self.container = container }

  /// Changes the permission of an invited person, from this commit on. They need not accept again.
  /// An invitation that still waits is replaced by one with the new permission.
  /// - Throws: `CloudError`, like all calls here: `.permissionFailure` for a person without the
  ///   right, `.unknownItem` for a person outside of the share.
  public func setPermission(_ permission: Permission, of user: UserID, in zone: Zone) throws {
    try change(zone, .setPermission(user: user, permission: permission))
    try container.sharing.renewInvitation(of: user, to: zone)
  }

  /// Makes an invited person an administrator, or reverts that; the owner only.
  public func setRole(_ role: Role, of user: UserID, in zone: Zone) throws {
    try change(zone, .setRole(user: user, role: role))
  }

  /// Sets the permission of anyone with the link. A change from named people to anyone, or back,
  /// removes people: see `loss(settingPublic:of:)`.
  public func setPublic(_ permission: Permission, of zone: Zone) throws {
    try zone.require(.administer, to: "change link sharing")
    guard zone.header.share?.publicPermission != permission else { return }
    try change(zone, .setPublic(permission), rekey: true)
  }

  /// Removes a person, whether they had accepted or not. They can't read later entries. Data that
  /// they have read can't be taken back.
  public func remove(_ user: UserID, from zone: Zone) throws {
    try change(zone, .remove(user: user), rekey: true)
  }

  /// Ends the share. The owner keeps its contents, and can share them again at once.
  public func stopSharing(_ zone: Zone) throws {
    try change(zone, .stop, rekey: true)
  }

  /// Sets the allowed ways of sharing from now on; the owner only.
  public func setPolicy(_ policy: SharePolicy, of zone: Zone) throws {
    try zone.require(.own, to: "say how to share")
    guard zone.header.share?.policy != policy else { return }
    try change(zone, .setPolicy(policy))
  }

  /// Raises the key epoch if a former reader has the key in force, and this person may raise it.
  /// Raising it twice does no harm.
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

  /// Makes a change, and deletes the objects that nobody can use any more after it.
  func change(_ zone: Zone, _ change: ShareChange, rekey: Bool = false) throws {
    let before = zone.header.share
    try zone.changeShare([change], rekey: rekey)
    try tidy(zone, after: before)
  }

  /// Deletes the objects that nobody can use any more: invitations of people who aren't invited
  /// now, and the objects of removed links.
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
