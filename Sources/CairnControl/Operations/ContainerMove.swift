// Moving to another location of the container: `container move`.

extension Control {
  /// Moves everything of this person to another location, where it continues, and this home with
  /// it.
  public struct ContainerMove: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ContainerMoveReply
    /// `POST /v1/containerMove`.
    public static let name = "containerMove"

    /// The target: an absolute directory, or a bucket.
    public var target: Control.Path
    /// The settings of its bucket; nil: those of this home's container.
    public var bucket: Control.Bucket?
    /// A Boolean value that indicates whether to report only, without any change.
    public var dryRun: Bool

    /// Creates a value with these properties.
    public init(target: Control.Path, bucket: Control.Bucket? = nil, dryRun: Bool = false) {
      self.target = target
      self.bucket = bucket
      self.dryRun = dryRun
    }
  }

  /// A zone that is affected by a move.
  public struct MovingZone: Codable, Hashable, Sendable {
    /// The id of the zone.
    public var zone: String
    /// Its title.
    public var title: String
    /// The owner or publisher; nil if the container does not show them.
    public var owner: Control.Person?

    /// Creates a value with these properties.
    public init(zone: String, title: String, owner: Control.Person? = nil) {
      self.zone = zone
      self.title = title
      self.owner = owner
    }
  }

  /// The answer of `containerMove`. Objects of this person that cannot be copied are an answer, not
  /// an error: then nothing is moved, and the command turns them into exit status 2.
  public struct ContainerMoveReply: Codable, Hashable, Sendable {
    /// The target.
    public var target: Control.Path
    /// The container's id, which stays the same.
    public var container: String
    /// A Boolean value that indicates whether this was only a report.
    public var dryRun: Bool
    /// True if no person was at the target before.
    public var isNew: Bool
    /// True if this home uses the container at the target from now on.
    public var isDone: Bool
    /// This person's zones, which continue there.
    public var own: [Control.MovingZone]
    /// Zones of others that are already there.
    public var there: [Control.MovingZone]
    /// Zones of others that are not there. Here they are read-only, and writable again when their
    /// owners move.
    public var staying: [Control.MovingZone]
    /// The objects that were put there.
    public var copied: Control.ObjectCount
    /// The number of objects with problems, of any person.
    public var problemCount: Int
    /// The objects with problems; at most the first thousand.
    public var problems: [Control.CopyProblem]

    /// Creates a value with these properties.
    public init(
      target: Control.Path, container: String, dryRun: Bool, isNew: Bool, isDone: Bool,
      own: [Control.MovingZone], there: [Control.MovingZone], staying: [Control.MovingZone],
      copied: Control.ObjectCount, problemCount: Int = 0, problems: [Control.CopyProblem] = []
    ) {
      self.target = target
      self.container = container
      self.dryRun = dryRun
      self.isNew = isNew
      self.isDone = isDone
      self.own = own
      self.there = there
      self.staying = staying
      self.copied = copied
      self.problemCount = problemCount
      self.problems = problems
    }
  }
}

extension Control.ContainerMoveReply: ControlListReply {
  /// The member `problems`.
  public static let listName = "problems"
  /// The objects with problems.
  public var items: [Control.CopyProblem] {
    get { problems }
    set { problems = newValue }
  }
}
