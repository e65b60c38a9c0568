/// What is copied from one store to another, and in which order, so that the copy is sound at any
/// moment, wherever it is cut off and whatever others write meanwhile: what is named by others is
/// put before them, and was listed after them. It says nothing of what the objects mean.
public struct CopyOrder: Sendable {
  /// When an object is copied.
  public enum Stage: Int, Hashable, Sendable, CaseIterable {
    /// Names nothing that has to be there before it.
    case content
    /// Belongs to a row, a folder of objects of which each stands on those put there before.
    case row
    /// Belongs to a row that stands on rows of the stage before.
    case laterRow
    /// Names what stands in rows, and nothing names it.
    case reference
    /// Says that there is something: the last of all.
    case mark

    /// Whether each object of it stands on others of it.
    var isInRows: Bool { self == .row || self == .laterRow }
  }

  /// When an object is copied; nil: never.
  public let stage: @Sendable (ObjectKey) -> Stage?
  /// Brings objects of one row into the order in which they were put there, as far as that can be
  /// told; what can't be told comes last. It is asked where the copy is in use already.
  public let arrange: @Sendable ([ObjectKey]) -> [ObjectKey]
  /// Whether the copy is in use already, though nothing that is copied says so.
  public let isInUse: Bool

  /// Joins the parts.
  public init(
    stage: @escaping @Sendable (ObjectKey) -> Stage?,
    arrange: @escaping @Sendable ([ObjectKey]) -> [ObjectKey] = { $0 }, isInUse: Bool = false
  ) {
    self.stage = stage
    self.arrange = arrange
    self.isInUse = isInUse
  }
}

/// What a copy came to.
public struct CopyReport: Hashable, Sendable {
  /// Objects, counted.
  public struct Count: Hashable, Sendable {
    /// How many.
    public var objects = 0
    /// The bytes of all of them.
    public var bytes: Int64 = 0

    /// None.
    public init() {}

    mutating func add(_ size: Int) {
      objects += 1
      bytes = bytes.adding(saturating: Int64(size))
    }
  }

  /// An object that isn't in the copy as it is in the store.
  public struct Problem: Hashable, Sendable {
    /// What is wrong.
    public enum Kind: String, Hashable, Sendable {
      /// Other bytes stand in its place in the copy.
      case differs
      /// It can't be read where it is copied from.
      case unreadable
    }

    /// Where it stands.
    public let key: ObjectKey
    /// What is wrong.
    public let kind: Kind
    /// A sentence on it.
    public let cause: String
  }

  /// What was put into the copy.
  public var copied = Count()
  /// What stood there before.
  public var there = Count()
  /// Of these, what was read on both sides and is the same.
  public var compared = Count()
  /// What went away while it was copied.
  public var gone = 0
  /// What the copy has, and the store hasn't any more.
  public var kept = Count()
  /// What isn't as it should be; of very many the first thousand.
  public var problems: [Problem] = []
  /// How many there are.
  public var problemCount = 0
  /// Rows to which others wrote so fast that it can't be told whether the copy has a gap in them.
  public var unsettled: [String] = []
  /// Whether there was no copy before.
  public var isNew = false
  /// Whether it was given up on request, before the end.
  public var isCut = false

  /// How many problems are told one by one.
  static let mostProblems = 1_000

  mutating func add(_ kind: Problem.Kind, _ key: ObjectKey, _ cause: String) {
    problemCount += 1
    guard problems.count < Self.mostProblems else { return }
    problems.append(Problem(key: key, kind: kind, cause: cause))
  }
}
