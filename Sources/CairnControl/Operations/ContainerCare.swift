// The care for a whole container: `container copy`, `container policy`.

extension Control {
  /// Copies the container: puts the missing objects at the other place, which becomes an equal
  /// container.
  public struct ContainerCopy: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ContainerCopyReply
    /// `POST /v1/containerCopy`.
    public static let name = "containerCopy"

    /// The target: an absolute directory, or a bucket.
    public var target: Control.Path
    /// The settings of its bucket; nil: those of this home's container.
    public var bucket: Control.Bucket?
    /// A Boolean value that indicates whether existing objects are read on both sides and compared.
    public var isChecked: Bool

    /// Creates a value with these properties.
    public init(target: Control.Path, bucket: Control.Bucket? = nil, isChecked: Bool = false) {
      self.target = target
      self.bucket = bucket
      self.isChecked = isChecked
    }
  }

  /// A number of objects and their bytes.
  public struct ObjectCount: Codable, Hashable, Sendable {
    /// The number of objects.
    public var objects: Int
    /// The bytes of all of them.
    public var bytes: Int64

    /// Creates a value with these properties.
    public init(objects: Int, bytes: Int64) {
      self.objects = objects
      self.bytes = bytes
    }
  }

  /// An object whose copy differs from the container.
  public struct CopyProblem: Codable, Hashable, Sendable {
    /// The key of the object.
    public var object: String
    /// True if the copy has other bytes in its place; false if the container's object cannot be
    /// read.
    public var differs: Bool
    /// The problem.
    public var message: String

    /// Creates a value with these properties.
    public init(object: String, differs: Bool, message: String) {
      self.object = object
      self.differs = differs
      self.message = message
    }
  }

  /// The answer of `containerCopy`. Problems with single objects are an answer, not an error; the
  /// command turns them into exit status 2.
  public struct ContainerCopyReply: Codable, Hashable, Sendable {
    /// The location of the copy.
    public var target: Control.Path
    /// The id of the container and of its copy.
    public var container: String
    /// True if there was no copy before.
    public var isNew: Bool
    /// The objects that were put into the copy.
    public var copied: Control.ObjectCount
    /// The objects that were there before.
    public var there: Control.ObjectCount
    /// Of these, the objects that were read on both sides and are equal.
    public var compared: Control.ObjectCount
    /// The objects of the copy that the container no longer has.
    public var kept: Control.ObjectCount
    /// The number of objects that were deleted during the copy.
    public var gone: Int
    /// Folders of logs that changed so fast that the copy may have a gap.
    public var unsettled: [String]
    /// The number of objects with problems.
    public var problemCount: Int
    /// The objects with problems; at most the first thousand.
    public var problems: [Control.CopyProblem]

    /// Creates a value with these properties.
    public init(
      target: Control.Path, container: String, isNew: Bool, copied: Control.ObjectCount,
      there: Control.ObjectCount, compared: Control.ObjectCount, kept: Control.ObjectCount,
      gone: Int, unsettled: [String], problemCount: Int, problems: [Control.CopyProblem]
    ) {
      self.target = target
      self.container = container
      self.isNew = isNew
      self.copied = copied
      self.there = there
      self.compared = compared
      self.kept = kept
      self.gone = gone
      self.unsettled = unsettled
      self.problemCount = problemCount
      self.problems = problems
    }
  }

  /// Returns the minimal rights of a participant in the container's store.
  public struct ContainerPolicy: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ContainerPolicyReply
    /// `POST /v1/containerPolicy`.
    public static let name = "containerPolicy"
    /// True: the operation may have to read the people of the container.
    public static let mayWait = true
    /// True: the operation changes nothing.
    public static let mayBeRepeated = true

    /// The person, by handle or id; nil: this person.
    public var person: String?
    /// The engine's name for that person; nil: the policy will be attached to them.
    public var principal: String?
    /// The engine whose policy language is used: `aws` or `ceph`.
    public var engine: String

    /// Creates a value with these properties.
    public init(person: String? = nil, principal: String? = nil, engine: String) {
      self.person = person
      self.principal = principal
      self.engine = engine
    }
  }

  /// The answer of `containerPolicy`.
  public struct ContainerPolicyReply: Codable, Hashable, Sendable {
    /// The person with the rights.
    public var person: Control.Person
    /// The policy in the engine's form; nil for a container in a directory.
    public var document: String?
    /// Notes on it, a sentence each; for a directory, the actions to take.
    public var notes: [String]

    /// Creates a value with these properties.
    public init(person: Control.Person, document: String? = nil, notes: [String]) {
      self.person = person
      self.document = document
      self.notes = notes
    }
  }
}

extension Control.ContainerCopyReply: ControlListReply {
  /// The member `problems`.
  public static let listName = "problems"
  /// The objects with problems.
  public var items: [Control.CopyProblem] {
    get { problems }
    set { problems = newValue }
  }
}
