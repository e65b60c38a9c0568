// Who may do what in a share, and its end: `share set-permission` to `share transfer`.

extension Control {
  /// Changes what a participant may do, in force at once.
  public struct ShareSetPermission: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// `POST /v1/shareSetPermission`.
    public static let name = "shareSetPermission"
    /// The accepted targets.
    public static let targets: Control.Targets = .shared
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person: a handle, or the beginning of an id.
    public var person: String
    /// The permission from now on.
    public var permission: Control.Permission

    /// Joins the parts.
    public init(
      share: Control.ShareReference, person: String, permission: Control.Permission
    ) {
      self.share = share
      self.person = person
      self.permission = permission
    }
  }

  /// Makes a participant an administrator, or takes that back.
  public struct ShareSetRole: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// `POST /v1/shareSetRole`.
    public static let name = "shareSetRole"
    /// The accepted targets.
    public static let targets: Control.Targets = .shared
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person: a handle, or the beginning of an id.
    public var person: String
    /// `administrator` or `participant`.
    public var role: Control.Role

    /// Joins the parts.
    public init(share: Control.ShareReference, person: String, role: Control.Role) {
      self.share = share
      self.person = person
      self.role = role
    }
  }

  /// Says what anybody with the link may do. If somebody loses something by it, nothing is done
  /// unless that was confirmed.
  public struct ShareSetPublic: ShareOperation {
    /// The answer.
    public typealias Reply = Control.SetPublicReply
    /// `POST /v1/shareSetPublic`.
    public static let name = "shareSetPublic"
    /// The accepted targets.
    public static let targets: Control.Targets = .shared
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The permission of anybody with the link.
    public var permission: Control.Permission
    /// A Boolean value that indicates whether people may lose the access that the answer of an
    /// unconfirmed request names.
    public var confirmed: Bool

    /// Joins the parts.
    public init(
      share: Control.ShareReference, permission: Control.Permission, confirmed: Bool = false
    ) {
      self.share = share
      self.permission = permission
      self.confirmed = confirmed
    }
  }

  /// The answer of `share set-public`.
  public struct SetPublicReply: Codable, Hashable, Sendable {
    /// The share as it is now.
    public var share: Control.Share
    /// The losses of people, one sentence each.
    public var losses: [String]

    /// Joins the parts.
    public init(share: Control.Share, losses: [String]) {
      self.share = share
      self.losses = losses
    }
  }

  /// Takes a person out of a share.
  public struct ShareRemove: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// `POST /v1/shareRemove`.
    public static let name = "shareRemove"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person: a handle, or the beginning of an id.
    public var person: String

    /// Joins the parts.
    public init(share: Control.ShareReference, person: String) {
      self.share = share
      self.person = person
    }
  }

  /// Ends my part in somebody else's share.
  public struct ShareLeave: ShareOperation {
    /// The answer.
    public typealias Reply = Control.LeaveReply
    /// `POST /v1/shareLeave`.
    public static let name = "shareLeave"
    /// The accepted targets.
    public static let targets: Control.Targets = .ended
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// A Boolean value that indicates whether the files stay, as a folder of my own.
    public var keepCopy: Bool

    /// Joins the parts.
    public init(share: Control.ShareReference, keepCopy: Bool = false) {
      self.share = share
      self.keepCopy = keepCopy
    }
  }

  /// The answer of `share leave` and `share stop`.
  public struct LeaveReply: Codable, Hashable, Sendable {
    /// The share's id.
    public var id: String
    /// Its title.
    public var title: String
    /// The folder that mirrored it, or that has the copy.
    public var path: Control.Path?
    /// A Boolean value that indicates whether the files stayed there.
    public var kept: Bool

    /// Joins the parts.
    public init(id: String, title: String, path: Control.Path? = nil, kept: Bool) {
      self.id = id
      self.title = title
      self.path = path
      self.kept = kept
    }
  }

  /// Ends a share of mine: everybody else loses it, and I keep everything.
  public struct ShareStop: ShareOperation {
    /// The answer.
    public typealias Reply = Control.LeaveReply
    /// `POST /v1/shareStop`.
    public static let name = "shareStop"
    /// The accepted targets.
    public static let targets: Control.Targets = .ended
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference

    /// Joins the parts.
    public init(share: Control.ShareReference) {
      self.share = share
    }
  }

  /// Hands a share of mine to a participant, who owns it from then on.
  public struct ShareTransfer: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// `POST /v1/shareTransfer`.
    public static let name = "shareTransfer"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person: a handle, or the beginning of an id.
    public var person: String

    /// Joins the parts.
    public init(share: Control.ShareReference, person: String) {
      self.share = share
      self.person = person
    }
  }

  /// Shows or changes which ways of sharing the owner allows.
  public struct SharePolicy: ShareOperation {
    /// The answer.
    public typealias Reply = Control.SharePolicyReply
    /// `POST /v1/sharePolicy`.
    public static let name = "sharePolicy"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// `any`, `anyone` or `named`; nil leaves it.
    public var access: String?
    /// The only permission that may be given; `none`: either; nil leaves it.
    public var permission: Control.Permission?
    /// A Boolean value that indicates whether participants may invite; nil to leave it.
    public var participantsInvite: Bool?

    /// Joins the parts.
    public init(
      share: Control.ShareReference, access: String? = nil,
      permission: Control.Permission? = nil, participantsInvite: Bool? = nil
    ) {
      self.share = share
      self.access = access
      self.permission = permission
      self.participantsInvite = participantsInvite
    }
  }

  /// The answer of `share policy`.
  public struct SharePolicyReply: Codable, Hashable, Sendable {
    /// The people that may join: `any`, `anyone` with the link, or `named` people.
    public var access: String
    /// The only permission that may be given; nil: either.
    public var permission: Control.Permission?
    /// A Boolean value that indicates whether participants may invite.
    public var participantsInvite: Bool

    /// Joins the parts.
    public init(access: String, permission: Control.Permission?, participantsInvite: Bool) {
      self.access = access
      self.permission = permission
      self.participantsInvite = participantsInvite
    }
  }
}
