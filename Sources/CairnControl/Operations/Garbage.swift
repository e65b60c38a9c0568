// Garbage collection in the container: `gc`.

extension Control {
  /// Deletes this person's unreferenced objects in the container, or reports them.
  public struct CollectGarbage: ControlOperation {
    /// The answer.
    public typealias Reply = Control.GarbageReply
    /// `POST /v1/gc`.
    public static let name = "gc"
    /// True: the operation runs on a thread of its own.
    public static let mayWait = true

    /// A Boolean value that indicates whether to report only, without any change.
    public var isTrial: Bool

    /// Creates a value with these properties.
    public init(isTrial: Bool = false) { self.isTrial = isTrial }
  }

  /// A number of packs and their bytes.
  public struct PackCount: Codable, Hashable, Sendable {
    /// The number of packs.
    public var packs: Int
    /// The bytes of all of them.
    public var bytes: UInt64

    /// Creates a value with these properties.
    public init(packs: Int, bytes: UInt64) {
      self.packs = packs
      self.bytes = bytes
    }
  }

  /// A number of log entries and their bytes.
  public struct EntryCount: Codable, Hashable, Sendable {
    /// The number of entries.
    public var entries: Int
    /// The bytes of all of them.
    public var bytes: UInt64

    /// Creates a value with these properties.
    public init(entries: Int, bytes: UInt64) {
      self.entries = entries
      self.bytes = bytes
    }
  }

  /// The bytes that only replaced versions and deleted files need.
  public struct HistoryBytes: Codable, Hashable, Sendable {
    /// All of them.
    public var bytes: UInt64
    /// Those in folders that keep every version.
    public var forever: UInt64

    /// Creates a value with these properties.
    public init(bytes: UInt64 = 0, forever: UInt64 = 0) {
      self.bytes = bytes
      self.forever = forever
    }
  }

  /// The answer of `gc`.
  public struct GarbageReply: Codable, Hashable, Sendable {
    /// All packs of this person.
    public var all: Control.PackCount
    /// The bytes of replaced versions and deleted files of this person's folders.
    public let history: Control.HistoryBytes
    /// The packs that no entry named.
    public var unnamed: Control.PackCount
    /// The packs that only expired versions need.
    public var unneeded: Control.PackCount
    /// The packs whose grace period has not ended.
    public var waiting: Control.PackCount
    /// The time when the next of them may be deleted.
    public var next: Control.Time?
    /// The deleted packs.
    public var deleted: Control.PackCount
    /// The keys of packs that the container does not let this person delete.
    public var refused: [String]
    /// The packs that were less than half used, and were or would be repacked.
    public var repacked: Control.PackCount
    /// The number of zones in which older packs were closed.
    public var closed: Int
    /// The number of zones in which a snapshot was created, where newcomers start reading.
    public var floors: Int
    /// The entries below such snapshots that are not deleted yet; in a report, also those below
    /// snapshots that would be created.
    public var entries: Control.EntryCount
    /// The deleted entries.
    public var deletedEntries: Control.EntryCount

    /// Creates a value with these properties.
    public init(
      all: Control.PackCount, unnamed: Control.PackCount, unneeded: Control.PackCount,
      waiting: Control.PackCount, next: Control.Time?, deleted: Control.PackCount,
      refused: [String], repacked: Control.PackCount, closed: Int, floors: Int,
      entries: Control.EntryCount, deletedEntries: Control.EntryCount, history: Control.HistoryBytes
    ) {
      self.history = history
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
