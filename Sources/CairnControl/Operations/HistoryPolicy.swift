// The history policy of a folder: `history policy`.

extension Control {
  /// Shows the history policy of a folder, or sets it as the owner.
  public struct HistoryPolicy: ShareOperation {
    /// The answer.
    public typealias Reply = Control.HistoryPolicyReply
    /// `POST /v1/historyPolicy`.
    public static let name = "historyPolicy"
    /// True: the operation runs on a thread of its own.
    public static let mayWait = true

    /// The folder or zone.
    public var share: Control.ShareReference
    /// The new policy; nil leaves it.
    public var policy: Control.KeptHistory?

    /// Creates a value with these properties.
    public init(share: Control.ShareReference, policy: Control.KeptHistory? = nil) {
      self.share = share
      self.policy = policy
    }
  }

  /// The replaced or deleted versions that are kept: each version that one of the parts selects.
  public struct KeptHistory: Codable, Hashable, Sendable {
    /// All versions; then no other part is present.
    public var forever: Bool
    /// Each version, for this number of seconds after it was replaced.
    public var all: UInt64?
    /// The last version of each day, for this number of seconds.
    public var daily: UInt64?
    /// The latest versions of each file, this many.
    public var versions: UInt32?

    /// Creates a value with these properties.
    public init(
      forever: Bool = false, all: UInt64? = nil, daily: UInt64? = nil, versions: UInt32? = nil
    ) {
      self.forever = forever
      self.all = all
      self.daily = daily
      self.versions = versions
    }
  }

  /// The answer of `history policy`.
  public struct HistoryPolicyReply: Codable, Hashable, Sendable {
    /// The policy in force.
    public var policy: Control.KeptHistory
    /// The time until which previously kept versions stay; nil: no such time, or another person's
    /// folder.
    public var formerUntil: Control.Time?

    /// Creates a value with these properties.
    public init(policy: Control.KeptHistory, formerUntil: Control.Time? = nil) {
      self.policy = policy
      self.formerUntil = formerUntil
    }
  }
}
