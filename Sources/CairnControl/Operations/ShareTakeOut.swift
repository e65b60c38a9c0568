// Taking one part out of a share: `share take-out`.

extension Control {
  /// Takes one folder or file out of a share of mine that has several. The others in the share lose
  /// it; here it stays where it is.
  public struct ShareTakeOut: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.ShareTakeOutReply
    /// `POST /v1/shareTakeOut`.
    public static let name = "shareTakeOut"
    /// The accepted targets.
    public static let targets = Control.Targets([.part], intention: .unshare)
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The folder or file, absolute.
    public var path: Control.Path

    /// Joins the parts.
    public init(path: Control.Path) { self.path = path }
  }

  /// The answer of `share take-out`.
  public struct ShareTakeOutReply: Codable, Hashable, Sendable {
    /// The share that it was taken out of.
    public var share: Control.Share
    /// The folder or file, absolute.
    public var path: Control.Path
    /// True if it is still mirrored, in a zone that only I have; a file that isn't in a mirrored
    /// folder is an ordinary file from then on.
    public var mirrored: Bool

    /// Joins the parts.
    public init(share: Control.Share, path: Control.Path, mirrored: Bool) {
      self.share = share
      self.path = path
      self.mirrored = mirrored
    }
  }
}
