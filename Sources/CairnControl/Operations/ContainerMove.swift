// Going on with the container at another place: `container move`.

extension Control {
  /// Takes all that is mine to another place, where it goes on from then on, and this home with it.
  public struct ContainerMove: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ContainerMoveReply
    /// `POST /v1/containerMove`.
    public static let name = "containerMove"

    /// Where to, a directory, absolute, or a bucket.
    public var target: Control.Path
    /// How its bucket is asked; nil: as that of this home's container.
    public var bucket: Control.Bucket?
    /// Whether it is only said what would be done.
    public var dryRun: Bool

    /// Joins the parts.
    public init(target: Control.Path, bucket: Control.Bucket? = nil, dryRun: Bool = false) {
      self.target = target
      self.bucket = bucket
      self.dryRun = dryRun
    }
  }

  /// A zone, and what becomes of it when somebody goes to another place.
  public struct MovingZone: Codable, Hashable, Sendable {
    /// Its id.
    public var zone: String
    /// What it is called.
    public var title: String
    /// Who owns it, or publishes it; nil: the container doesn't show them.
    public var owner: Control.Person?

    /// Joins the parts.
    public init(zone: String, title: String, owner: Control.Person? = nil) {
      self.zone = zone
      self.title = title
      self.owner = owner
    }
  }

  /// What `containerMove` answers. Objects of mine that can't be taken along are an answer, not an
  /// error: then nothing is moved, and the command turns them into exit status 2.
  public struct ContainerMoveReply: Codable, Hashable, Sendable {
    /// Where to.
    public var target: Control.Path
    /// The container's id, which stays the same.
    public var container: String
    /// Whether it was only said what would be done.
    public var dryRun: Bool
    /// Whether nobody was there before.
    public var isNew: Bool
    /// Whether this home uses the container there from now on.
    public var isDone: Bool
    /// My zones, which go on there.
    public var own: [Control.MovingZone]
    /// Zones of others that are there already.
    public var there: [Control.MovingZone]
    /// Zones of others that aren't: here they can be read, and are written again when their owners
    /// come.
    public var staying: [Control.MovingZone]
    /// What was put there.
    public var copied: Control.ObjectCount
    /// How many objects are in trouble, of whomever they are.
    public var problemCount: Int
    /// The objects that are in trouble; of very many the first thousand.
    public var problems: [Control.CopyProblem]

    /// Joins the parts.
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
  /// The objects that are in trouble.
  public var items: [Control.CopyProblem] {
    get { problems }
    set { problems = newValue }
  }
}
