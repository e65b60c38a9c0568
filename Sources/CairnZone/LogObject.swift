/// The object at a position of a log, as a reader found it.
public enum LogObject: Hashable, Sendable {
  /// The position is free.
  case nothing
  /// An object, with its bytes.
  case bytes([UInt8])
  /// A file that is no object, with the reason.
  case rubbish(String)

  /// The bytes, if there are any.
  public var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
}

/// The bytes of an entry, with their digest.
public struct LogEntry: Hashable, Sendable {
  /// The digest, which the next entry names.
  public var digest: Bytes32
  /// The bytes as stored.
  public var bytes: [UInt8]

  /// Creates an entry.
  public init(digest: Bytes32, bytes: [UInt8]) {
    self.digest = digest
    self.bytes = bytes
  }
}

/// Successive positions as found, and the object behind the last.
public struct LogBatch: Hashable, Sendable {
  /// An object with its position.
  public struct Placed: Hashable, Sendable {
    /// The position.
    public var sequence: UInt64
    /// The object.
    public var found: LogObject

    /// Creates a value.
    public init(sequence: UInt64, found: LogObject) {
      self.sequence = sequence
      self.found = found
    }
  }

  /// The objects, in order.
  public var entries: [Placed]
  /// The object behind the last of them.
  public var behind: LogObject

  /// Creates a batch.
  public init(entries: [Placed] = [], behind: LogObject = .nothing) {
    self.entries = entries
    self.behind = behind
  }
}
