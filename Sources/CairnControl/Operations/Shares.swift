// Sharing: `share invite` to `share participants`, and their answers.

extension Control {
  /// Invites people of the container, all or none; answers the locator for them. For those who
  /// take part already, changes the permission.
  public struct ShareInvite: ShareOperation {
    /// The answer.
    public typealias Reply = Control.InviteReply
    /// `POST /v1/shareInvite`.
    public static let name = "shareInvite"
    /// The accepted targets.
    public static let targets: Control.Targets = .shared
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The people: handles, ids, or beginnings of ids of six digits or more.
    public var people: [String]
    /// The permission.
    public var permission: Control.Permission
    /// Invite them also if something speaks against it: they have changed, others claim their
    /// handle, or they aren't verified and others are; nil: don't.
    public var unverified: Bool?
    /// Show them what is in the folder from now on, and nothing of its past; nil: don't.
    public var fromNow: Bool?

    /// Joins the parts.
    public init(
      share: Control.ShareReference, people: [String],
      permission: Control.Permission = .readWrite, unverified: Bool? = nil, fromNow: Bool? = nil
    ) {
      self.fromNow = fromNow
      self.unverified = unverified
      self.share = share
      self.people = people
      self.permission = permission
    }
  }

  /// The invitations that wait for me in this container.
  public struct ShareInvitations: ControlOperation {
    /// The answer.
    public typealias Reply = Control.InvitationsReply
    /// `POST /v1/shareInvitations`.
    public static let name = "shareInvitations"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Asks for nothing more.
    public init() {}
  }

  /// Accepts an invitation and mirrors the share. Works while the owner's daemon is off.
  public struct ShareAccept: ControlOperation {
    /// The answer.
    public typealias Reply = Control.AcceptReply
    /// `POST /v1/shareAccept`.
    public static let name = "shareAccept"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// A link, or the id of an invitation.
    public var invitation: String
    /// The folder to mirror it to, absolute: absent or empty; nil: named by the title, in the
    /// folder `Cairn` of the home folder.
    public var at: Control.Path?
    /// Answer only when the tree is complete.
    public var wait: Bool
    /// Accept it also if who invites has changed, or others claim their handle; nil: don't.
    public var unverified: Bool?

    /// Joins the parts.
    public init(
      invitation: String, at: Control.Path? = nil, wait: Bool = false, unverified: Bool? = nil
    ) {
      self.unverified = unverified
      self.invitation = invitation
      self.at = at
      self.wait = wait
    }
  }

  /// All shares that I own or take part in.
  public struct ShareList: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ShareListReply
    /// `POST /v1/shareList`.
    public static let name = "shareList"

    /// Asks for nothing more.
    public init() {}
  }

  /// One share, with everybody in it.
  public struct ShareShow: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// `POST /v1/shareShow`.
    public static let name = "shareShow"
    /// The accepted targets.
    public static let targets = Control.Targets([.folder, .part, .inside, .missing, .id])

    /// The share.
    public var share: Control.ShareReference

    /// Joins the parts.
    public init(share: Control.ShareReference) {
      self.share = share
    }
  }

  /// The people in one share, the owner first.
  public struct ShareParticipants: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ParticipantsReply
    /// `POST /v1/shareParticipants`.
    public static let name = "shareParticipants"
    /// The accepted targets.
    public static let targets: Control.Targets = .readWhole

    /// The share.
    public var share: Control.ShareReference

    /// Joins the parts.
    public init(share: Control.ShareReference) {
      self.share = share
    }
  }

  /// A person in a share.
  public struct Participant: Codable, Hashable, Sendable {
    /// The person's id, hexadecimal; nil if it isn't known yet.
    public var user: String?
    /// The name that others invite them by.
    public var handle: String?
    /// The name to show.
    public var name: String?
    /// The role in the share.
    public var role: Control.Role
    /// The permission.
    public var permission: Control.Permission
    /// The acceptance of the invitation.
    public var acceptance: Control.Acceptance
    /// The entry of the log before which they cannot read ended versions; nil if they can read
    /// everything that is kept.
    public var begins: UInt64?
    /// For somebody who isn't known yet: the id of the link that lets them in.
    public var link: String?
    /// The verification of the person, in the answer to an invitation.
    public var verification: Control.Verification?

    /// Joins the parts.
    public init(
      user: String? = nil, handle: String? = nil, name: String? = nil, role: Control.Role,
      permission: Control.Permission, acceptance: Control.Acceptance, link: String? = nil,
      verification: Control.Verification? = nil, begins: UInt64? = nil
    ) {
      self.begins = begins
      self.verification = verification
      self.link = link
      self.user = user
      self.handle = handle
      self.name = name
      self.role = role
      self.permission = permission
      self.acceptance = acceptance
    }
  }

  /// My own part in a share.
  public struct Membership: Codable, Hashable, Sendable {
    /// My role in the share.
    public var role: Control.Role
    /// My permission.
    public var permission: Control.Permission
    /// The acceptance of my invitation.
    public var acceptance: Control.Acceptance

    /// Joins the parts.
    public init(
      role: Control.Role, permission: Control.Permission, acceptance: Control.Acceptance
    ) {
      self.role = role
      self.permission = permission
      self.acceptance = acceptance
    }
  }

  /// A share: one zone and the people in it.
  public struct Share: Codable, Hashable, Sendable {
    /// The share's id, which is its zone's: hexadecimal.
    public var id: String
    /// The title in invitations.
    public var title: String
    /// The owner of the zone.
    public var owner: Control.Person
    /// My own part.
    public var me: Control.Membership
    /// The permission of anybody with the public link.
    public var publicPermission: Control.Permission
    /// The locator: says where the share is, and opens nothing.
    public var link: String
    /// Everybody, the owner first.
    public var participants: [Control.Participant]
    /// The folder that mirrors it here, absolute, if one does.
    public var path: Control.Path?
    /// The database: private if I own it, otherwise shared.
    public var scope: Control.Scope
    /// The links that let somebody in.
    public var links: [Control.Link]
    /// A Boolean value that indicates whether a person without an invitation may request access.
    public var takesRequests: Bool
    /// The people who may neither take part nor request access.
    public var blocked: [Control.Person]

    /// Joins the parts.
    public init(
      id: String, title: String, owner: Control.Person, me: Control.Membership,
      publicPermission: Control.Permission, link: String, participants: [Control.Participant],
      path: Control.Path? = nil, scope: Control.Scope, links: [Control.Link] = [],
      takesRequests: Bool = false, blocked: [Control.Person] = []
    ) {
      self.links = links
      self.takesRequests = takesRequests
      self.blocked = blocked
      self.id = id
      self.title = title
      self.owner = owner
      self.me = me
      self.publicPermission = publicPermission
      self.link = link
      self.participants = participants
      self.path = path
      self.scope = scope
    }
  }

  /// An invitation that waits for me.
  public struct Invitation: Codable, Hashable, Sendable {
    /// The argument of `share accept`, hexadecimal.
    public var id: String
    /// The share's title.
    public var title: String
    /// The person who invites.
    public var from: Control.Person
    /// My future permission.
    public var permission: Control.Permission
    /// The share's zone.
    public var zone: String
    /// The time when it was sent, by the sender's clock.
    public var time: Control.Time

    /// Joins the parts.
    public init(
      id: String, title: String, from: Control.Person, permission: Control.Permission, zone: String,
      time: Control.Time
    ) {
      self.id = id
      self.title = title
      self.from = from
      self.permission = permission
      self.zone = zone
      self.time = time
    }
  }

  /// The answer of `share create` and `share show`.
  public struct ShareReply: Codable, Hashable, Sendable {
    /// The share.
    public var share: Control.Share
    /// A Boolean value that indicates whether this request created it.
    public var created: Bool
    /// The entries that others get in another form: links that lead out of the share.
    public var warnings: [Control.Problem]

    /// Joins the parts.
    public init(
      share: Control.Share, created: Bool = false, warnings: [Control.Problem] = []
    ) {
      self.share = share
      self.created = created
      self.warnings = warnings
    }
  }

  /// The answer of `share invite`.
  public struct InviteReply: Codable, Hashable, Sendable {
    /// The share as it is now.
    public var share: Control.Share
    /// The people who are invited, in the order of the request.
    public var invited: [Control.Participant]
    /// The locator for them; it opens nothing for anybody else.
    public var link: String
    /// A Boolean value that indicates whether the invitations are also in their inboxes in this
    /// container.
    public var delivered: Bool
    /// The reason against these people, if there is one: it was reported before, or requested.
    public var warning: String?
    /// The kept past that they can read, too; nil if unknown.
    public var past: Control.PastAmount?
    /// The kept past that they cannot read; nil if they can read everything.
    public var hidden: Control.PastAmount?

    /// Joins the parts.
    public init(
      share: Control.Share, invited: [Control.Participant], link: String, delivered: Bool,
      warning: String? = nil, past: Control.PastAmount? = nil, hidden: Control.PastAmount? = nil
    ) {
      self.hidden = hidden
      self.past = past
      self.share = share
      self.invited = invited
      self.link = link
      self.delivered = delivered
      self.warning = warning
    }
  }

  /// The answer of `share invitations`.
  public struct InvitationsReply: Codable, Hashable, Sendable {
    /// The oldest first.
    public var invitations: [Control.Invitation]

    /// Joins the parts.
    public init(invitations: [Control.Invitation]) {
      self.invitations = invitations
    }
  }

  /// The answer of `share accept`.
  public struct AcceptReply: Codable, Hashable, Sendable {
    /// The share that I take part in now.
    public var share: Control.Share
    /// The folder that mirrors it.
    public var mount: Control.MountStatus
    /// A Boolean value that indicates whether the tree is complete.
    public var complete: Bool
    /// The person who invited; nil if it was accepted before.
    public var from: Control.Person?

    /// Joins the parts.
    public init(
      share: Control.Share, mount: Control.MountStatus, complete: Bool,
      from: Control.Person? = nil
    ) {
      self.from = from
      self.share = share
      self.mount = mount
      self.complete = complete
    }
  }

  /// The answer of `share list`.
  public struct ShareListReply: Codable, Hashable, Sendable {
    /// By title.
    public var shares: [Control.Share]

    /// Joins the parts.
    public init(shares: [Control.Share]) {
      self.shares = shares
    }
  }

  /// The answer of `share participants`.
  public struct ParticipantsReply: Codable, Hashable, Sendable {
    /// The share's id.
    public var id: String
    /// The owner first.
    public var participants: [Control.Participant]

    /// Joins the parts.
    public init(id: String, participants: [Control.Participant]) {
      self.id = id
      self.participants = participants
    }
  }
}
