public import CairnZone

/// What an invitation or a link lets into, as far as it can be told before it is accepted: who
/// invites, by what only they can have signed, and what the zone itself says.
public struct Offer: Hashable, Sendable {
  /// The zone that is shared.
  public var zone: ZoneID
  /// The share's title now.
  public var title: String
  /// Whose zone it is.
  public var owner: UserID
  /// Who invites, or made the link.
  public var inviter: UserID
  /// What whoever accepts may do.
  public var permission: Permission
  /// How much there is.
  public var summary: ZoneSummary

  init(_ zone: Zone, by invitation: Invitation, _ permission: Permission) throws {
    let header = zone.header
    self.zone = zone.id
    title = header.share?.title ?? invitation.title
    owner = header.owner ?? invitation.owner
    inviter = invitation.inviter.user
    self.permission = permission
    summary = try zone.read { try $0.summary() }
  }
}
