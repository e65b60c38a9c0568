// What would be accepted: `share accept --dry-run`.

extension Control {
  /// Says what an invitation or a link lets into, from whom, and where it would go. Nothing is
  /// accepted, and nothing made.
  public struct ShareOffer: ControlOperation {
    /// The answer.
    public typealias Reply = Control.OfferReply
    /// `POST /v1/shareOffer`.
    public static let name = "shareOffer"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// A link, or the id of an invitation.
    public var invitation: String
    /// As for `shareAccept`.
    public var at: Control.Path?

    /// Joins the parts.
    public init(invitation: String, at: Control.Path? = nil) {
      self.invitation = invitation
      self.at = at
    }
  }

  /// How much is in a share.
  public struct Amount: Codable, Hashable, Sendable {
    /// Files and symbolic links.
    public var files: Int
    /// Directories.
    public var directories: Int
    /// The sum of the files' sizes.
    public var bytes: Int64

    /// Joins the parts.
    public init(files: Int, directories: Int, bytes: Int64) {
      self.files = files
      self.directories = directories
      self.bytes = bytes
    }
  }

  /// What `share accept --dry-run` answers.
  public struct OfferReply: Codable, Hashable, Sendable {
    /// The share's id.
    public var id: String
    /// The share's title.
    public var title: String
    /// Whose share it is.
    public var owner: Control.Person
    /// Who invites, or made the link; the owner where it is accepted already.
    public var from: Control.Person
    /// What I would be allowed.
    public var permission: Control.Permission
    /// How much would come.
    public var amount: Control.Amount
    /// The folder that it would go to, or is in.
    public var at: Control.Path
    /// Whether it is accepted already.
    public var isAccepted: Bool
    /// What speaks against who invites; then accepting is refused without `unverified`.
    public var warning: String?

    /// Joins the parts.
    public init(
      id: String, title: String, owner: Control.Person, from: Control.Person,
      permission: Control.Permission, amount: Control.Amount, at: Control.Path, isAccepted: Bool,
      warning: String? = nil
    ) {
      self.id = id
      self.title = title
      self.owner = owner
      self.from = from
      self.permission = permission
      self.amount = amount
      self.at = at
      self.isAccepted = isAccepted
      self.warning = warning
    }
  }
}
