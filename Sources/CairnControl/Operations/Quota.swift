// The owner's limits: `quota`. The owner pays for what is shared, so somebody else's file can meet
// their limit.

extension Control {
  /// Shows what my zones take, and sets the limit of one.
  public struct Quota: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.QuotaReply
    /// `POST /v1/quota`.
    public static let name = "quota"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The zone; nil for all of mine.
    public var share: Control.ShareReference?
    /// The new limit in bytes; 0 takes it away; nil leaves it.
    public var limit: UInt64?

    /// Joins the parts.
    public init(share: Control.ShareReference? = nil, limit: UInt64? = nil) {
      self.share = share
      self.limit = limit
    }
  }

  /// The answer of `quota`.
  public struct QuotaReply: Codable, Hashable, Sendable {
    /// By title.
    public var zones: [Control.ZoneQuota]
    /// The bytes that all zones of mine take in the container: packs and logs, sealed and padded;
    /// nil while it can't be reached.
    public var stored: UInt64?
    /// The public database, which is nobody's and has no limit; nil if there is nothing in it, or
    /// one zone was asked about.
    public var publicFiles: Control.PublicQuota?

    /// Joins the parts.
    public init(
      zones: [Control.ZoneQuota], stored: UInt64?, publicFiles: Control.PublicQuota? = nil
    ) {
      self.publicFiles = publicFiles
      self.zones = zones
      self.stored = stored
    }
  }

  /// The size of the files in the public database.
  public struct PublicQuota: Codable, Hashable, Sendable {
    /// The sum of the sizes of the files that I put there, in bytes.
    public var used: UInt64
    /// The same of everybody's.
    public var everybody: UInt64

    /// Joins the parts.
    public init(used: UInt64, everybody: UInt64) {
      self.used = used
      self.everybody = everybody
    }
  }

  /// The size of one zone, and its limit.
  public struct ZoneQuota: Codable, Hashable, Sendable {
    /// The zone's id.
    public var id: String
    /// Its title.
    public var title: String
    /// The folder that mirrors it here, if one does.
    public var path: Control.Path?
    /// The sum of the sizes of all files that are in it now, in bytes.
    public var used: UInt64
    /// The owner's limit for that; nil: none.
    public var limit: UInt64?
    /// The bytes that are only in versions which were replaced or deleted, equal pieces once; no
    /// limit counts them.
    public var history: UInt64
    /// The part of the history that belongs to deleted files.
    public var deleted: UInt64
    /// The part of the history that the folder's policy no longer keeps: `gc` frees it.
    public var expired: UInt64
    /// A Boolean value that indicates whether the folder keeps every version.
    public var keepsAll: Bool
    /// The time until which everything is still kept after a change of the policy; nil: it is
    /// over.
    public var formerUntil: Control.Time?

    /// Joins the parts.
    public init(
      id: String, title: String, path: Control.Path? = nil, used: UInt64, limit: UInt64? = nil,
      history: UInt64, deleted: UInt64 = 0, expired: UInt64 = 0, keepsAll: Bool = true,
      formerUntil: Control.Time? = nil
    ) {
      self.deleted = deleted
      self.expired = expired
      self.keepsAll = keepsAll
      self.formerUntil = formerUntil
      self.history = history
      self.id = id
      self.title = title
      self.path = path
      self.used = used
      self.limit = limit
    }
  }
}
