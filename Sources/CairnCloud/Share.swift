import CairnContainer
import CairnIdentity
import CairnZone

/// A share of a zone as of one moment (CKShare): a value.
public struct Share: Hashable, Sendable {
  /// The rights of a participant (CKShare.ParticipantPermission).
  public enum Permission: Hashable, Sendable, CaseIterable {
    /// Can view.
    case readOnly
    /// Can edit.
    case readWrite

    init(_ inner: CairnZone.Permission) { self = inner == .readWrite ? .readWrite : .readOnly }

    var inner: CairnZone.Permission { self == .readWrite ? .readWrite : .readOnly }
  }

  /// A person in a share (CKShare.Participant).
  public struct Participant: Hashable, Sendable {
    /// The person.
    public let person: PersonID
    /// The rights.
    public let permission: Permission
    /// A Boolean value that indicates whether the person has accepted the invitation.
    public let hasAccepted: Bool
  }

  /// The title that invitations show.
  public let title: String
  /// The owner of the zone.
  public let owner: PersonID
  /// The permission of everybody who has the link to the share; nil if only invited people may join
  /// (CKShare.publicPermission).
  public let publicPermission: Permission?
  /// Everybody except the owner.
  public let participants: [Participant]

  init(
    title: String, owner: PersonID, publicPermission: Permission?, participants: [Participant]
  ) {
    (self.title, self.owner, self.participants) = (title, owner, participants)
    self.publicPermission = publicPermission
  }

  init(_ share: CairnZone.Share) {
    (title, owner) = (share.title, PersonID(share.owner))
    publicPermission =
      share.publicPermission == .none ? nil : Permission(share.publicPermission)
    participants = share.participants.values.sorted { $0.user < $1.user }.map {
      Participant(
        person: PersonID($0.user), permission: Permission($0.permission),
        hasAccepted: $0.acceptance == .accepted)
    }
  }
}

/// An invitation to a share (CKShare.Metadata). Nothing is accepted yet.
public struct ShareInvitation: Hashable, Sendable {
  /// The zone of the share.
  public let zone: ZoneID
  /// The title of the share.
  public let title: String
  /// The person who invites.
  public let inviter: PersonID
  /// The rights that the invitation gives.
  public let permission: Share.Permission

  init(zone: ZoneID, title: String, inviter: PersonID, permission: Share.Permission) {
    (self.zone, self.title) = (zone, title)
    (self.inviter, self.permission) = (inviter, permission)
  }

  init(_ invitation: PendingInvitation) {
    (zone, title) = (ZoneID(invitation.zone), invitation.title)
    (inviter, permission) = (PersonID(invitation.inviter), .init(invitation.permission))
  }

  init(_ offer: Offer) {
    (zone, title) = (ZoneID(offer.zone), offer.title)
    (inviter, permission) = (PersonID(offer.inviter), .init(offer.permission))
  }
}

extension CloudZone {
  /// Returns the share of the zone; nil if it isn't shared.
  public func share() async throws(CloudError) -> Share? { try await perform(.show) }

  /// Shares everything in the zone, or changes the title of its share.
  @discardableResult
  public func share(title: String) async throws(CloudError) -> Share {
    try await changed(.share(title: title))
  }

  /// Invites people of the container, all or none. Without a permission, people in the share keep
  /// theirs, and others may write. Another invitation changes a permission only if it names one.
  @discardableResult
  public func invite(
    _ people: [PersonID], _ permission: Share.Permission? = nil
  ) async throws(CloudError) -> Share {
    try await changed(.invite(people, permission))
  }

  /// Changes the rights of a participant. The change holds from its entry in the log on.
  public func setPermission(
    _ permission: Share.Permission, of person: PersonID
  ) async throws(CloudError) {
    _ = try await perform(.setPermission(permission, person))
  }

  /// Sets the permission of everybody who has the link to the share; nil if only invited people may
  /// join (CKShare.publicPermission). With a permission nobody is invited by name: participants
  /// stay and get it, and waiting invitations and one-time links end. Without one, all participants
  /// are removed, because they came by the link.
  public func setPublicPermission(_ permission: Share.Permission?) async throws(CloudError) {
    _ = try await perform(.setPublic(permission))
  }

  /// Returns the link to the share (CKShare.url). With a public permission, everybody with the link
  /// can join, so that it is a secret, and only the owner and administrators get it. Otherwise it
  /// leads people to their invitation.
  public func link() async throws(CloudError) -> String {
    try await work.run { [engine] in try engine.link() }
  }

  /// Makes a link for one person, who need not be known: the first person who accepts it becomes a
  /// participant.
  public func oneTimeLink(
    _ permission: Share.Permission = .readWrite
  ) async throws(CloudError) -> String {
    try await work.run { [engine] in try engine.oneTimeLink(permission, secret: .random()) }
  }

  /// Removes a participant, who can't read later changes.
  public func remove(_ person: PersonID) async throws(CloudError) {
    _ = try await perform(.remove(person))
  }

  /// Removes all participants. The records stay with the owner.
  public func stopSharing() async throws(CloudError) { _ = try await perform(.stop) }

  /// Leaves the share of another person.
  public func leave() async throws(CloudError) { _ = try await perform(.leave) }

  private func perform(_ act: ShareAct) async throws(CloudError) -> Share? {
    try await work.run { [engine] in try engine.perform(act) }
  }

  private func changed(_ act: ShareAct) async throws(CloudError) -> Share {
    guard let share = try await perform(act) else {
      throw CloudError(.unknownItem, "the share was stopped meanwhile")
    }
    return share
  }
}
