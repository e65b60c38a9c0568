import CairnIdentity
public import CairnReplica
public import CairnZone

/// The invitation preview: the facts about an invitation or a link before it is accepted. The
/// inviter is proven by a signature, and the zone itself has the rest.
public struct Offer: Sendable {
  /// The shared zone.
  public var zone: ZoneID
  /// The share's current title.
  public var title: String
  /// The zone's owner.
  public var owner: UserID
  /// The inviter, or the creator of the link.
  public var inviter: UserID
  /// The permission after accepting.
  public var permission: Permission
  /// The amount of data.
  public var summary: ZoneSummary
  /// The zone as it is now.
  public let contents: Zone

  init(_ zone: Zone, by invitation: Invitation, _ permission: Permission) throws {
    let header = zone.header
    contents = zone
    self.zone = zone.id
    title = header.share?.title ?? invitation.title
    owner = header.owner ?? invitation.owner
    inviter = invitation.inviter.user
    self.permission = permission
    summary = try zone.read { try $0.summary() }
  }
}
