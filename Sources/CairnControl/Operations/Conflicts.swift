// Conflict copies: which there are, and what becomes of them.

extension Control {
  /// The conflict copies in the mounts.
  public struct ConflictList: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.ConflictsReply
    /// `POST /v1/conflictList`.
    public static let name = "conflictList"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// An absolute path: a conflict copy, or a directory in a mount with all below it; nil: all.
    public var path: Control.Path?

    /// Joins the parts.
    public init(path: Control.Path? = nil) { self.path = path }
  }

  /// One of two versions.
  public struct ConflictVersion: Codable, Hashable, Sendable {
    /// The absolute path.
    public var path: Control.Path
    /// Bytes.
    public var size: Int64
    /// The modification time.
    public var modified: Control.Time
    /// A Boolean value that indicates whether it is a regular file.
    public var isFile: Bool

    /// Joins the parts.
    public init(path: Control.Path, size: Int64, modified: Control.Time, isFile: Bool) {
      self.path = path
      self.size = size
      self.modified = modified
      self.isFile = isFile
    }
  }

  /// A conflict copy, and the file that it is a version of.
  public struct Conflict: Codable, Hashable, Sendable {
    /// The copy.
    public var copy: Control.ConflictVersion
    /// The file under the conflicting name; nil if there is none.
    public var original: Control.ConflictVersion?
    /// The name that the conflict was about, absolute.
    public var of: Control.Path
    /// The handle of who made the copy's version, by the copy's name.
    public var who: String
    /// On which host.
    public var host: String
    /// The time in the copy's name.
    public var when: String
    /// A Boolean value that indicates whether the copy's version is mine; if not, the one under the
    /// name counts as mine.
    public var isMine: Bool

    /// Joins the parts.
    public init(
      copy: Control.ConflictVersion, original: Control.ConflictVersion?, of: Control.Path,
      who: String, host: String, when: String, isMine: Bool
    ) {
      self.copy = copy
      self.original = original
      self.of = of
      self.who = who
      self.host = host
      self.when = when
      self.isMine = isMine
    }
  }

  /// The answer of `conflictList`.
  public struct ConflictsReply: Codable, Hashable, Sendable {
    /// The conflicts, by the paths of their copies.
    public var conflicts: [Control.Conflict]

    /// Joins the parts.
    public init(conflicts: [Control.Conflict]) { self.conflicts = conflicts }
  }

  /// The version of a conflict that keeps the name.
  public enum ConflictChoice: String, Codable, Hashable, Sendable, CaseIterable {
    /// Mine: the copy if its name names me, else the one under the name.
    case mine
    /// The other one.
    case theirs
    /// Both; the copy gets an ordinary name.
    case both
  }

  /// Ends a conflict.
  public struct ConflictKeep: TargetedOperation {
    /// The answer.
    public typealias Reply = Control.ConflictKeepReply
    /// `POST /v1/conflictKeep`.
    public static let name = "conflictKeep"
    /// The accepted targets.
    public static let targets: Control.Targets = .path
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// The conflict copy, absolute.
    public var path: Control.Path
    /// The version that stays.
    public var choice: Control.ConflictChoice

    /// Joins the parts.
    public init(path: Control.Path, choice: Control.ConflictChoice) {
      self.path = path
      self.choice = choice
    }
  }

  /// The answer of `conflictKeep`.
  public struct ConflictKeepReply: Codable, Hashable, Sendable {
    /// The absolute path of the version that was kept, or that got a name of its own.
    public var path: Control.Path
    /// The other version, in the rescue folder; nil if both stay, or there was no other.
    public var aside: Control.Rescued?

    /// Joins the parts.
    public init(path: Control.Path, aside: Control.Rescued? = nil) {
      self.path = path
      self.aside = aside
    }
  }
}
