/// The selection and order of objects to copy from one store to another. The copy must be sound at
/// any moment, wherever it stops and whatever others write meanwhile. So an object is put before
/// the objects that name it, and was listed after them. It says nothing of the objects' meaning.
public struct CopyOrder: Sendable {
  /// The stage at which an object is copied.
  public enum Stage: Int, Hashable, Sendable, CaseIterable {
    /// An object that names nothing.
    case content
    /// An object in a row: a folder whose objects each depend on earlier objects there.
    case row
    /// An object in a row that depends on rows of the stage before.
    case laterRow
    /// An object that names objects in rows, and that nothing names.
    case reference
    /// The object that marks the container: copied last.
    case mark

    /// A Boolean value that indicates whether each object of this stage depends on others of it.
    var isInRows: Bool { self == .row || self == .laterRow }
  }

  /// The stage of an object; nil: it is never copied.
  public let stage: @Sendable (ObjectKey) -> Stage?
  /// Sorts objects of one row in the order of their puts, as far as it is known. Unknown ones come
  /// last. It is called for a copy that is already in use.
  public let arrange: @Sendable ([ObjectKey]) -> [ObjectKey]
  /// A Boolean value that indicates whether the copy is already in use, though no copied object
  /// says so.
  public let isInUse: Bool

  /// Creates an order.
  public init(
    stage: @escaping @Sendable (ObjectKey) -> Stage?,
    arrange: @escaping @Sendable ([ObjectKey]) -> [ObjectKey] = { $0 }, isInUse: Bool = false
  ) {
    self.stage = stage
    self.arrange = arrange
    self.isInUse = isInUse
  }
}

/// The result of a copy.
public struct CopyReport: Hashable, Sendable {
  /// A number of objects and their bytes.
  public struct Count: Hashable, Sendable {
    /// The number of objects.
    public var objects = 0
    /// The bytes of all of them.
    public var bytes: Int64 = 0

    /// Creates a count of zero.
    public init() {}

    mutating func add(_ size: Int) {
      objects += 1
      bytes = bytes.adding(saturating: Int64(size))
    }
  }

  /// An object whose copy differs from the original, or whose original cannot be read.
  public struct Mismatch: Hashable, Sendable {
    /// The kind of a mismatch.
    public enum Kind: String, Hashable, Sendable {
      /// The copy has other bytes under this key.
      case differs
      /// The original cannot be read.
      case unreadable
    }

    /// The key of the object.
    public let key: ObjectKey
    /// The kind of the mismatch.
    public let kind: Kind
    /// A sentence about it.
    public let cause: String
  }

  /// The objects that were put into the copy.
  public var copied = Count()
  /// The objects that were there before.
  public var there = Count()
  /// Of these, the objects that were read on both sides and are equal.
  public var compared = Count()
  /// The number of objects that were deleted during the copy.
  public var gone = 0
  /// The objects of the copy that the store no longer has.
  public var kept = Count()
  /// The problems; at most the first thousand.
  public var problems: [Mismatch] = []
  /// The number of problems.
  public var problemCount = 0
  /// Rows that changed so fast that their copy may have a gap.
  public var unsettled: [String] = []
  /// A Boolean value that indicates whether there was no copy before.
  public var isNew = false
  /// A Boolean value that indicates whether the copy was cancelled before its end.
  public var isCut = false

  /// The maximum number of listed problems.
  static let mostProblems = 1_000

  mutating func add(_ kind: Mismatch.Kind, _ key: ObjectKey, _ cause: String) {
    problemCount += 1
    guard problems.count < Self.mostProblems else { return }
    problems.append(Mismatch(key: key, kind: kind, cause: cause))
  }
}
