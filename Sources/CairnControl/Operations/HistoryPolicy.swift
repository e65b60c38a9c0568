// What is kept of the past of a folder: `history policy`.

extension Control {
  /// Shows, or says as the owner, what is kept of the past of a folder.
  public struct HistoryPolicy: ShareOperation {
    /// The answer.
    public typealias Reply = Control.HistoryPolicyReply
    /// `POST /v1/historyPolicy`.
    public static let name = "historyPolicy"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Which folder, or zone.
    public var share: Control.ShareReference
    /// What is kept from now on; nil leaves it.
    public var policy: Control.KeptHistory?

    /// Joins the parts.
    public init(share: Control.ShareReference, policy: Control.KeptHistory? = nil) {
      self.share = share
      self.policy = policy
    }
  }

  /// Which versions that were replaced, or deleted, are kept: those that one of its parts names.
  public struct KeptHistory: Codable, Hashable, Sendable {
    /// All of them; then none of the others is there.
    public var forever: Bool
    /// Each, for that many seconds after it was replaced.
    public var all: UInt64?
    /// The last one of each day, for that many seconds.
    public var daily: UInt64?
    /// That many of each file, the latest ones.
    public var versions: UInt32?

    /// Joins the parts.
    public init(
      forever: Bool = false, all: UInt64? = nil, daily: UInt64? = nil, versions: UInt32? = nil
    ) {
      self.forever = forever
      self.all = all
      self.daily = daily
      self.versions = versions
    }
  }

  /// What `history policy` answers.
  public struct HistoryPolicyReply: Codable, Hashable, Sendable {
    /// What is in force.
    public var policy: Control.KeptHistory
    /// Until then, what was kept before is kept as well; nil: nothing more, or somebody else's.
    public var formerUntil: Control.Time?

    /// Joins the parts.
    public init(policy: Control.KeptHistory, formerUntil: Control.Time? = nil) {
      self.policy = policy
      self.formerUntil = formerUntil
    }
  }
}
