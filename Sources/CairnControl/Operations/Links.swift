// Links that let somebody in by themselves: `share link`, `share invite --link`, and `share
// uninvite`.

extension Control {
  /// The link for anyone to a share that anyone may join: the same again until access is narrowed
  /// or it expires.
  public struct ShareLink: ShareOperation {
    /// The answer.
    public typealias Reply = Control.LinkReply
    /// `POST /v1/shareLink`.
    public static let name = "shareLink"
    /// The accepted targets.
    public static let targets: Control.Targets = .shared
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The end; nil for the present one, or none. Another end makes another link.
    public var expires: Control.Time?
    /// Show who comes by it what is in the folder from now on, and nothing of its past; nil: as the
    /// living link does.
    public var fromNow: Bool?

    /// Joins the parts.
    public init(
      share: Control.ShareReference, expires: Control.Time? = nil, fromNow: Bool? = nil
    ) {
      self.fromNow = fromNow
      self.share = share
      self.expires = expires
    }
  }

  /// Makes a link for one person who needn't be in the container yet: the first person who uses it
  /// joins.
  public struct ShareInviteLink: ShareOperation {
    /// The answer.
    public typealias Reply = Control.LinkReply
    /// `POST /v1/shareInviteLink`.
    public static let name = "shareInviteLink"
    /// The accepted targets.
    public static let targets: Control.Targets = .shared
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person's permission.
    public var permission: Control.Permission
    /// The end; nil for none.
    public var expires: Control.Time?
    /// Show them what is in the folder from now on, and nothing of its past; nil: don't.
    public var fromNow: Bool?

    /// Joins the parts.
    public init(
      share: Control.ShareReference, permission: Control.Permission = .readWrite,
      expires: Control.Time? = nil, fromNow: Bool? = nil
    ) {
      self.fromNow = fromNow
      self.share = share
      self.permission = permission
      self.expires = expires
    }
  }

  /// Takes back an invitation that wasn't accepted yet, or a link.
  public struct ShareUninvite: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// `POST /v1/shareUninvite`.
    public static let name = "shareUninvite"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The person: a handle or an id; or a link's id. Beginnings of ids have six digits or more.
    public var invited: String

    /// Joins the parts.
    public init(share: Control.ShareReference, invited: String) {
      self.share = share
      self.invited = invited
    }
  }

  /// The answer of `share link` and `share invite --link`.
  public struct LinkReply: Codable, Hashable, Sendable {
    /// The share as it is now.
    public var share: Control.Share
    /// The link. Its fragment is secret: every person who has it can join.
    public var link: String
    /// The link's id in the share, hexadecimal; not secret.
    public var id: String
    /// The end; nil for none.
    public var expires: Control.Time?
    /// The kept past that people who join by it can read, too; nil if unknown.
    public var past: Control.PastAmount?
    /// The kept past that people who join by it cannot read; nil if they can read everything.
    public var hidden: Control.PastAmount?

    /// Joins the parts.
    public init(
      share: Control.Share, link: String, id: String, expires: Control.Time? = nil,
      past: Control.PastAmount? = nil, hidden: Control.PastAmount? = nil
    ) {
      self.hidden = hidden
      self.past = past
      self.share = share
      self.link = link
      self.id = id
      self.expires = expires
    }
  }

  /// A link that lets somebody in, as a share shows it; the secret isn't in it.
  public struct Link: Codable, Hashable, Sendable {
    /// The link's id, hexadecimal.
    public var id: String
    /// A Boolean value that indicates whether it is for one person only.
    public var oneTime: Bool
    /// The permission of people who join by it.
    public var permission: Control.Permission
    /// The end; nil for none.
    public var expires: Control.Time?

    /// Joins the parts.
    public init(
      id: String, oneTime: Bool, permission: Control.Permission, expires: Control.Time? = nil
    ) {
      self.id = id
      self.oneTime = oneTime
      self.permission = permission
      self.expires = expires
    }
  }
}
