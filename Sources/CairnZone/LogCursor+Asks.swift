extension LogCursor {
  /// A question of the cursor, or an act that it wants. The shell answers it, and throws if it
  /// cannot.
  public enum Ask: Hashable, Sendable {
    /// Replay these entries, while they are valid: `.stop`.
    case apply(LogBatch)
    /// Fetch the next entries, and the object behind them: `.batch`.
    case entries
    /// Fetch the object that counts at a position: `.object`.
    case object(UInt64)
    /// Fetch the object of a position of the epoch in force, whatever is known of it: `.object`.
    case raw(UInt64)
    /// Fetch the entry with that digest from its position or from a spare copy: `.entry`.
    case entry(Bytes32, at: UInt64)
    /// Fetch the last known entry, or another one that was read: `.bool`, whether it is there.
    case isThere(Bytes32, at: UInt64)
    /// Fetch the entries at the `lookAhead` positions behind one, under all keys from the epoch in
    /// force on: `.signed`, the valid ones in order, the newest epoch first.
    case signed(behind: UInt64)
    /// Fetch the object at a position of an epoch: `.signer`.
    case signer(at: UInt64, epoch: UInt64)
    /// Fetch the object under the name of the end-of-epoch record: `.object`.
    case mark
    /// Fetch the end-of-epoch record of the epoch in force, and its entry: `.end`.
    case endRecord
    /// Fetch a person's chain: `.bool`, whether it revokes the device.
    case isRevoked(Author)
    /// Put an entry into its position, if that is free: `.bool`, whether it no longer is.
    case fill(UInt64, with: LogEntry)
    /// Find the key of the epoch in force: `.bool`, whether it is known now.
    case findKey
    /// Find out whether the zone continues in this container at that location: `.bool`.
    case passes(Site)
    /// Find out whether the zone is kept elsewhere: `.bool`.
    case isElsewhere
    /// Continue from the highest log start above the replayed state: `.bool`, whether there is one.
    case start
    /// Check that the log confirmed the log start: `.bool`.
    case confirmStart
    /// Find out whether a log start is above the last known entry: `.bool`.
    case isBelowStart
    /// Find out whether this person's access may have ended, if the container agrees up to that
    /// position: `.bool`.
    case mayBeEnded(UInt64)
    /// Fetch an entry, and look up what it names: `.digest` of the entry before it.
    case previous(at: UInt64)
    /// Look up the digest of a known entry: `.digest`.
    case digest(UInt64)
  }

  /// The answer to a question.
  public enum Answer: Hashable, Sendable {
    /// Yes or no. To a request without a result, true means that it was done.
    case bool(Bool)
    /// The reason for stopping, if replay did.
    case stop(LogStop?)
    /// Entries.
    case batch(LogBatch)
    /// An object.
    case object(LogObject)
    /// An entry by its digest; nil if it is missing.
    case entry(Found?)
    /// Entries with valid signatures.
    case signed([SignedEntry])
    /// The signer of an object; nil if nobody signed it.
    case signer(Signer?)
    /// The end-of-epoch record.
    case end(EpochEndRecord)
    /// A digest; nil if it is unknown, or nobody signed the entry.
    case digest(Bytes32?)
  }

  /// An entry that was found by its digest.
  public struct Found: Hashable, Sendable {
    /// The content of the entry, as far as needed. Nobody has checked the signature.
    public enum Content: Hashable, Sendable {
      /// The digest of the entry before it, its author, and the epoch that it is sealed under.
      case signed(previous: Bytes32, by: Author, epoch: UInt64)
      /// A newer Cairn wrote it.
      case newer
      /// It is no entry.
      case invalid
    }

    /// The entry.
    public var entry: LogEntry
    /// A Boolean value that indicates whether it was found as a spare copy.
    public var isCopy: Bool
    /// The content.
    public var content: Content

    /// Creates a value.
    public init(entry: LogEntry, isCopy: Bool, content: Content) {
      self.entry = entry
      self.isCopy = isCopy
      self.content = content
    }
  }

  /// The signer of an object at a position.
  public struct Signer: Hashable, Sendable {
    /// The digest of the object.
    public var digest: Bytes32
    /// The signer.
    public var author: Author

    /// Creates a value.
    public init(digest: Bytes32, author: Author) {
      self.digest = digest
      self.author = author
    }
  }

  /// The replayed state that the cursor decides from.
  public struct Context: Hashable, Sendable {
    /// The header of the zone.
    public var header: ZoneHeader
    /// A Boolean value that indicates whether the key of the epoch in force is known; without it
    /// the next position is unknown. A removed person stays here forever.
    public var canReadOn: Bool
    /// The founder of the zone.
    public var founder: UserID
    /// The person of this device.
    public var user: UserID

    /// Creates a value.
    public init(header: ZoneHeader, canReadOn: Bool, founder: UserID, user: UserID) {
      self.header = header
      self.canReadOn = canReadOn
      self.founder = founder
      self.user = user
    }
  }

  /// A position, and the digest that its entry must have.
  public struct Proof: Hashable, Sendable {
    var sequence: UInt64
    var digest: Bytes32
    /// A Boolean value that indicates whether any object gives way to the entries that lead there.
    var isTrusted = false
  }
}
