// Throwing away what nobody needs in the container: `gc`.

extension Control {
  /// Deletes what nobody needs of this person's in the container, or says what that would be.
  public struct CollectGarbage: ControlOperation {
    /// The answer.
    public typealias Reply = Control.GarbageReply
    /// `POST /v1/gc`.
    public static let name = "gc"
    /// Has a thread of its own in the daemon.
    public static let mayWait = true

    /// Whether nothing is to be changed.
    public var isTrial: Bool

    /// Joins the parts.
    public init(isTrial: Bool = false) { self.isTrial = isTrial }
  }

  /// Packs, counted.
  public struct PackCount: Codable, Hashable, Sendable {
    /// How many.
    public var packs: Int
    /// The bytes of all of them.
    public var bytes: UInt64

    /// Joins the two.
    public init(packs: Int, bytes: UInt64) {
      self.packs = packs
      self.bytes = bytes
    }
  }

  /// Entries of logs, counted.
  public struct EntryCount: Codable, Hashable, Sendable {
    /// How many.
    public var entries: Int
    /// The bytes of all of them.
    public var bytes: UInt64

    /// Joins the two.
    public init(entries: Int, bytes: UInt64) {
      self.entries = entries
      self.bytes = bytes
    }
  }

  /// What `gc` answers.
  public struct GarbageReply: Codable, Hashable, Sendable {
    /// All packs of this person's.
    public var all: Control.PackCount
    /// Those that no entry named.
    public var unnamed: Control.PackCount
    /// Those that only versions need which aren't kept any more.
    public var unneeded: Control.PackCount
    /// Those that wait for the end of their time.
    public var waiting: Control.PackCount
    /// When the next of them may go.
    public var next: Control.Time?
    /// Those that were deleted.
    public var deleted: Control.PackCount
    /// The keys of those that the container doesn't let this person delete.
    public var refused: [String]
    /// Those of which less than half was needed, and whose rest was packed anew, or would be.
    public var repacked: Control.PackCount
    /// In how many zones older packs were closed.
    public var closed: Int
    /// In how many zones a snapshot was made, from which newcomers read on.
    public var floors: Int
    /// The entries below such snapshots that aren't deleted yet; of a trial, those below snapshots
    /// that would be made, too.
    public var entries: Control.EntryCount
    /// Those that were deleted.
    public var deletedEntries: Control.EntryCount

    /// Joins the parts.
    public init(
      all: Control.PackCount, unnamed: Control.PackCount, unneeded: Control.PackCount,
      waiting: Control.PackCount, next: Control.Time?, deleted: Control.PackCount,
      refused: [String], repacked: Control.PackCount, closed: Int, floors: Int,
      entries: Control.EntryCount, deletedEntries: Control.EntryCount
    ) {
      self.all = all
      self.unnamed = unnamed
      self.unneeded = unneeded
      self.waiting = waiting
      self.next = next
      self.deleted = deleted
      self.refused = refused
      self.repacked = repacked
      self.closed = closed
      self.floors = floors
      self.entries = entries
      self.deletedEntries = deletedEntries
    }
  }
}
