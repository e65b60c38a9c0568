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

    /// Which share.
    public var share: Control.ShareReference
    /// When it ends; nil: as it does already, or never. Another time than it has makes another
    /// link.
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

  /// Makes a link for one person who needn't be in the container yet: whoever uses it first is in.
  public struct ShareInviteLink: ShareOperation {
    /// The answer.
    public typealias Reply = Control.LinkReply
    /// `POST /v1/shareInviteLink`.
    public static let name = "shareInviteLink"
    /// The accepted targets.
    public static let targets: Control.Targets = .shared
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Which share.
    public var share: Control.ShareReference
    /// What the person may do.
    public var permission: Control.Permission
    /// When it ends; nil: never.
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

    /// Which share.
    public var share: Control.ShareReference
    /// Who: a handle or an id; or a link's id. Beginnings of ids have six digits or more.
    public var invited: String

    /// Joins the parts.
    public init(share: Control.ShareReference, invited: String) {
      self.share = share
      self.invited = invited
    }
  }

  /// What `share link` and `share invite --link` answer.
  public struct LinkReply: Codable, Hashable, Sendable {
    /// The share as it is now.
    public var share: Control.Share
    /// The link. Its fragment is secret: it lets in whoever has it.
    public var link: String
    /// The link's id in the share, hexadecimal; not secret.
    public var id: String
    /// When it ends; nil: never.
    public var expires: Control.Time?
    /// What is kept of the past, which who comes by it can read, too; nil if that isn't known.
    public var past: Control.PastAmount?
    /// What is kept of the past, and isn't shown to who comes by it; nil if they see all.
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
    /// Whether it is for one person only.
    public var oneTime: Bool
    /// What whoever comes by it may do.
    public var permission: Control.Permission
    /// When it ends; nil: never.
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
