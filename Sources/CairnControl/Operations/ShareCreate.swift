// Making a share: `share create`.

extension Control {
  /// Shares a folder, a file, or several in one share: mirrors first what isn't mirrored.
  /// Idempotent: the second time answers the same share and link.
  public struct ShareCreate: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ShareReply
    /// `POST /v1/shareCreate`.
    public static let name = "shareCreate"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The folders or files, absolute; at least one.
    public var paths: [Control.Path]
    /// The title in invitations; nil for the name of the first path, or the present title.
    public var title: String?
    /// True to confirm a folder that holds a home or secrets; nil: false.
    public var sensitive: Bool?

    /// Joins the parts.
    public init(paths: [Control.Path], title: String? = nil, sensitive: Bool? = nil) {
      self.sensitive = sensitive
      self.paths = paths
      self.title = title
    }

    /// Shares one folder or file.
    public init(path: Control.Path, title: String? = nil) {
      self.init(paths: [path], title: title)
    }
  }
}
