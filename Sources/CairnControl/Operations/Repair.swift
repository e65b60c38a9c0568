// What a container has lost, and how it is put back: `repair`.

extension Control {
  /// A difference between a container, or the log of a zone in it, and the data that this device
  /// has read of it.
  public enum LogState: String, Codable, Hashable, Sendable, CaseIterable {
    /// The log is shorter than what was read here.
    case lostEnd = "lost end"
    /// An older copy of the container stands in its place.
    case restored
    /// Another entry stands where this device has read one.
    case twoHistories = "two histories"
    /// An object is missing or altered, though later ones are there.
    case damaged
    /// Something that is no entry stands at the next place of a log.
    case held
    /// The container shows another chain of a person than that person has spoken of.
    case disputed
    /// The zone is kept at another place, where its owner has moved it; or isn't here yet.
    case elsewhere
    /// Objects that are nothing to anybody.
    case rubbish
    /// The container can't be reached.
    case offline
  }

  /// Puts back what the container has lost, from what this device has.
  public struct Repair: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.RepairReply
    /// `POST /v1/repair`.
    public static let name = "repair"
    /// The accepted targets.
    public static let targets: Control.Targets = .whole
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Only this zone; nil: everything that I can open.
    public var share: Control.ShareReference?
    /// A Boolean value that indicates whether only the steps are returned.
    public var dryRun: Bool
    /// A Boolean value that indicates whether an unreadable object at a place is deleted although
    /// others may find a valid entry in it: with a newer Cairn, or with a view of more people.
    public var unread: Bool

    /// Joins the parts.
    public init(share: Control.ShareReference? = nil, dryRun: Bool, unread: Bool = false) {
      self.share = share
      self.unread = unread
      self.dryRun = dryRun
    }
  }

  /// One thing that a repair does, did, or leaves to somebody.
  public struct RepairStep: Codable, Hashable, Sendable {
    /// The zone that it is about; nil: everybody's identities.
    public var zone: String?
    /// The zone's title.
    public var title: String
    /// The folder that mirrors it here.
    public var path: Control.Path?
    /// The state of the log in the container.
    public var state: Control.LogState
    /// The step as a sentence.
    public var what: String
    /// A Boolean value that indicates whether this device can do it.
    public var possible: Bool
    /// The rest, which the person or somebody else must do.
    public var remedy: String
    /// Files that it is about.
    public var paths: [Control.Path]

    /// Joins the parts.
    public init(
      zone: String? = nil, title: String, path: Control.Path? = nil, state: Control.LogState,
      what: String, possible: Bool, remedy: String = "", paths: [Control.Path] = []
    ) {
      self.zone = zone
      self.title = title
      self.path = path
      self.state = state
      self.what = what
      self.possible = possible
      self.remedy = remedy
      self.paths = paths
    }
  }

  /// The answer of `repair`.
  public struct RepairReply: Codable, Hashable, Sendable {
    /// The performed or planned steps; empty if nothing is wrong.
    public var steps: [Control.RepairStep]
    /// A Boolean value that indicates whether they were performed.
    public var done: Bool

    /// Joins the parts.
    public init(steps: [Control.RepairStep], done: Bool) {
      self.steps = steps
      self.done = done
    }
  }
}
