extension Control {
  /// The targets that an operation accepts, and the suggestion for one that it refuses.
  public struct Targets: Hashable, Sendable {
    /// The thing that a person probably meant who named a path inside a folder.
    public enum Intention: String, Hashable, Sendable {
      /// The person wants others to see, or no longer to see, that path alone.
      case share
      /// The person wants to delete that path alone.
      case delete
      /// The person wants to end the sharing of that path alone.
      case unshare
      /// No other command does it for a path inside a folder.
      case other
    }

    /// The accepted kinds.
    public var kinds: Set<TargetKind>
    /// The probable intention behind a path inside a folder.
    public var intention: Intention

    /// Creates a declaration.
    public init(_ kinds: Set<TargetKind>, intention: Intention = .other) {
      self.kinds = kinds
      self.intention = intention
    }

    /// A whole share or folder: by its root, or by its id.
    public static let whole = Targets([.folder, .id])
    /// A whole share that the operation gives to others, or takes from them.
    public static let shared = Targets([.folder, .id], intention: .share)
    /// A whole share that the operation ends.
    public static let ended = Targets([.folder, .id], intention: .unshare)
    /// A folder or file that this device mirrors: each part of a share is one.
    public static let mirrored = Targets([.folder, .part])
    /// Everything in a share as a whole; the operation only reads.
    public static let readWhole = Targets([.folder, .part, .id])
    /// Any path in a mirrored folder; the operation acts on that path, and on nothing else.
    public static let path = Targets([.folder, .part, .inside, .missing])
    /// Any path; the operation only reads.
    public static let anyPath = Targets(Set(TargetKind.allCases).subtracting([.id]))
  }
}

/// An operation on something that a person names by a path or an id.
public protocol TargetedOperation: ControlOperation {
  /// The targets that the operation accepts. The daemon refuses every other target, and changes
  /// nothing.
  static var targets: Control.Targets { get }
}
