// What whoever keeps a container does with all of it: `container copy`, `container policy`.

extension Control {
  /// Copies the container: what is missing at the other place, which becomes a container like it.
  public struct ContainerCopy: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ContainerCopyReply
    /// `POST /v1/containerCopy`.
    public static let name = "containerCopy"

    /// Where to, a directory, absolute, or a bucket.
    public var target: Control.Path
    /// How its bucket is asked; nil: as that of this home's container.
    public var bucket: Control.Bucket?
    /// Whether what is there already is read on both sides and compared.
    public var isChecked: Bool

    /// Joins the parts.
    public init(target: Control.Path, bucket: Control.Bucket? = nil, isChecked: Bool = false) {
      self.target = target
      self.bucket = bucket
      self.isChecked = isChecked
    }
  }

  /// Objects, counted.
  public struct ObjectCount: Codable, Hashable, Sendable {
    /// How many.
    public var objects: Int
    /// The bytes of all of them.
    public var bytes: Int64

    /// Joins the two.
    public init(objects: Int, bytes: Int64) {
      self.objects = objects
      self.bytes = bytes
    }
  }

  /// An object that isn't in the copy as it is in the container.
  public struct CopyProblem: Codable, Hashable, Sendable {
    /// Its key.
    public var object: String
    /// Whether something else stands in its place in the copy; otherwise the container's can't be
    /// read.
    public var differs: Bool
    /// What is wrong.
    public var message: String

    /// Joins the parts.
    public init(object: String, differs: Bool, message: String) {
      self.object = object
      self.differs = differs
      self.message = message
    }
  }

  /// What `containerCopy` answers. Single objects that are in trouble are an answer, not an error;
  /// the command turns them into exit status 2.
  public struct ContainerCopyReply: Codable, Hashable, Sendable {
    /// Where the copy is.
    public var target: Control.Path
    /// The container's id, which is the copy's.
    public var container: String
    /// Whether there was no copy before.
    public var isNew: Bool
    /// What was put into the copy.
    public var copied: Control.ObjectCount
    /// What stood there before.
    public var there: Control.ObjectCount
    /// Of these, what was read on both sides and is the same.
    public var compared: Control.ObjectCount
    /// What the copy has, and the container hasn't any more.
    public var kept: Control.ObjectCount
    /// How many objects went away while they were copied.
    public var gone: Int
    /// Folders of logs to which others wrote so fast that the copy may have a gap in them.
    public var unsettled: [String]
    /// How many objects are in trouble.
    public var problemCount: Int
    /// The objects that are in trouble; of very many the first thousand.
    public var problems: [Control.CopyProblem]

    /// Joins the parts.
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

  /// The least rights that a participant needs in the store of the container.
  public struct ContainerPolicy: ControlOperation {
    /// The answer.
    public typealias Reply = Control.ContainerPolicyReply
    /// `POST /v1/containerPolicy`.
    public static let name = "containerPolicy"
    /// It may have to look who is in the container.
    public static let mayWait = true
    /// It changes nothing.
    public static let mayBeRepeated = true

    /// Whose, by handle or id; nil: mine.
    public var person: String?
    /// Whom the engine knows that person as; nil: the policy is to be attached to them.
    public var principal: String?
    /// Whose rules of policies: `aws` or `ceph`.
    public var engine: String

    /// Joins the parts.
    public init(person: String? = nil, principal: String? = nil, engine: String) {
      self.person = person
      self.principal = principal
      self.engine = engine
    }
  }

  /// What `containerPolicy` answers.
  public struct ContainerPolicyReply: Codable, Hashable, Sendable {
    /// Whose rights they are.
    public var person: Control.Person
    /// The policy, as the engine takes it; nil for a container in a directory.
    public var document: String?
    /// What has to be known of it, a sentence each; for a directory what is to be done.
    public var notes: [String]

    /// Joins the parts.
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
  /// The objects that are in trouble.
  public var items: [Control.CopyProblem] {
    get { problems }
    set { problems = newValue }
  }
}
