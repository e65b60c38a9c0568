// The offer of a share: `share accept --dry-run`.

extension Control {
  /// Shows the contents, the sender and the future path of an invitation or a link. Nothing is
  /// accepted, and nothing is created.
  public struct ShareOffer: ControlOperation {
    /// The answer.
    public typealias Reply = Control.OfferReply
    /// `POST /v1/shareOffer`.
    public static let name = "shareOffer"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// A link, or the id of an invitation.
    public var invitation: String
    /// The path, as for `shareAccept`.
    public var at: Control.Path?

    /// Creates a request.
    public init(invitation: String, at: Control.Path? = nil) {
      self.invitation = invitation
      self.at = at
    }
  }

  /// The contents of a share.
  public struct Amount: Codable, Hashable, Sendable {
    /// The number of files and symbolic links.
    public var files: Int
    /// The number of directories.
    public var directories: Int
    /// The sum of the files' sizes.
    public var bytes: Int64

    /// Creates a value.
    public init(files: Int, directories: Int, bytes: Int64) {
      self.files = files
      self.directories = directories
      self.bytes = bytes
    }
  }

  /// The answer of `share accept --dry-run`.
  public struct OfferReply: Codable, Hashable, Sendable {
    /// The share's id.
    public var id: String
    /// The share's title.
    public var title: String
    /// The owner of the share.
    public var owner: Control.Person
    /// The person who invites, or made the link; the owner of an accepted share.
    public var from: Control.Person
    /// The permission that it gives.
    public var permission: Control.Permission
    /// The contents of the share.
    public var amount: Control.Amount
    /// The future or present folder.
    public var at: Control.Path
    /// A Boolean value that indicates whether it is accepted already.
    public var isAccepted: Bool
    /// The reason against the person who invites; then accepting is refused without `unverified`.
    public var warning: String?

    /// Creates an answer.
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
