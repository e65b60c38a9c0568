// The end of a folder for everybody: `purge`, and its answer.

extension Control {
  /// Deletes a zone with everything in it: for everybody if it is mine; of somebody else's share
  /// only my part. The files on my devices go to the rescue folder.
  public struct Purge: ShareOperation {
    /// The answer.
    public typealias Reply = Control.PurgeReply
    /// `POST /v1/purge`.
    public static let name = "purge"
    /// The accepted targets.
    public static let targets = Control.Targets([.folder, .id], intention: .delete)
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The zone, by its folder or id.
    public var share: Control.ShareReference
    /// True to confirm the loss that the error of an unconfirmed request describes; nil: false.
    public var confirmed: Bool?
    /// True to confirm a folder that holds a home or secrets; nil: false.
    public var sensitive: Bool?

    /// Joins the parts.
    public init(
      share: Control.ShareReference, confirmed: Bool? = nil, sensitive: Bool? = nil
    ) {
      self.share = share
      self.confirmed = confirmed
      self.sensitive = sensitive
    }
  }

  /// The answer of `purge`.
  public struct PurgeReply: Codable, Hashable, Sendable {
    /// The zone's id.
    public var id: String
    /// The share's title, or the zone's name.
    public var title: String
    /// The folders and single files that mirrored it here, absolute.
    public var paths: [Control.Path]
    /// The amount of data in the zone.
    public var amount: Control.Amount
    /// The other people in the share, who lose it; none if it was somebody else's share.
    public var people: [Control.Person]
    /// The folder with the files that were in the mirrored folders; nil if there were none.
    public var rescued: Control.Path?

    /// Joins the parts.
    public init(
      id: String, title: String, paths: [Control.Path], amount: Control.Amount,
      people: [Control.Person], rescued: Control.Path? = nil
    ) {
      self.id = id
      self.title = title
      self.paths = paths
      self.amount = amount
      self.people = people
      self.rescued = rescued
    }
  }
}
