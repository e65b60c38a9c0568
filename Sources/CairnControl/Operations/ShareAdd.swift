// Putting more into a share that exists: `share add`.

extension Control {
  /// Adds a folder or a file to a share that exists; nobody has to accept again.
  public struct ShareAdd: ShareOperation {
    /// The answer.
    public typealias Reply = Control.ShareAddReply
    /// `POST /v1/shareAdd`.
    public static let name = "shareAdd"
    /// The accepted targets: the share to which something is added.
    public static let targets = Control.Targets([.folder, .part, .id])
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The share.
    public var share: Control.ShareReference
    /// The folder or file to add, absolute.
    public var path: Control.Path
    /// True to confirm a folder that holds a home or secrets; nil: false.
    public var sensitive: Bool?

    /// Joins the parts.
    public init(
      share: Control.ShareReference, path: Control.Path, sensitive: Bool? = nil
    ) {
      self.sensitive = sensitive
      self.share = share
      self.path = path
    }
  }

  /// The answer of `share add`.
  public struct ShareAddReply: Codable, Hashable, Sendable {
    /// The share.
    public var share: Control.Share
    /// The mount of the added folder or file.
    public var mount: Control.MountStatus
    /// The name under which it stands in the share.
    public var name: Control.Path

    /// Joins the parts.
    public init(share: Control.Share, mount: Control.MountStatus, name: Control.Path) {
      self.share = share
      self.mount = mount
      self.name = name
    }
  }
}
