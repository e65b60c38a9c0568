/// An entry that was opened, and has a valid signature.
public struct SignedEntry: Hashable, Sendable {
  /// The position.
  public var sequence: UInt64
  /// The digest that it names for the entry before it.
  public var previous: Bytes32
  /// The signer.
  public var author: Author
  /// A Boolean value that indicates whether the chain of its person revokes the device.
  public var isRevoked: Bool

  /// Creates a value.
  public init(sequence: UInt64, previous: Bytes32, author: Author, isRevoked: Bool) {
    self.sequence = sequence
    self.previous = previous
    self.author = author
    self.isRevoked = isRevoked
  }
}

/// The end-of-epoch record of an epoch, as a reader found it.
public enum EpochEndRecord: Hashable, Sendable {
  /// The entry that raised the epoch, in its position.
  public struct End: Hashable, Sendable {
    /// The signature of the entry, and its position.
    public var signed: SignedEntry
    /// The entry.
    public var entry: LogEntry

    /// Creates a value.
    public init(signed: SignedEntry, entry: LogEntry) {
      self.signed = signed
      self.entry = entry
    }
  }

  /// There is no record.
  case free
  /// An object that marks no end of the epoch.
  case garbage(LogObject)
  /// A record whose entry is not in its position, or was read already.
  case unproven
  /// A record that counts.
  case counts(End)

  /// The end, if the record counts.
  public var end: End? { if case .counts(let end) = self { end } else { nil } }
}
