/// The reason why a position is not replayed.
public struct LogStop: Hashable, Sendable {
  /// The position.
  public var sequence: UInt64
  /// The reason as a sentence.
  public var reason: String
  /// The object.
  public var found: LogObject
  /// The kind of the object, as far as known.
  public var holder: LogTrouble.Holder
  /// The claimed author, if they are not visible.
  public var unseen: UserID?
  /// The commit, if it could be opened and its signature is valid.
  public var commit: Commit?
  /// The signer of the entry behind it that names another one, though it is valid.
  public var contradictor: UserID?
  /// The digest of the object, if another entry contradicts it.
  public var digest: Bytes32?
  /// A Boolean value that indicates whether the chain of its author revokes the device, if another
  /// entry contradicts it.
  public var isRevoked = false

  /// Creates a reason.
  public init(
    sequence: UInt64, reason: String, found: LogObject = .nothing,
    holder: LogTrouble.Holder = .entry, unseen: UserID? = nil, commit: Commit? = nil,
    contradictor: UserID? = nil
  ) {
    self.sequence = sequence
    self.reason = reason
    self.found = found
    self.holder = holder
    self.unseen = unseen
    self.commit = commit
    self.contradictor = contradictor
  }
}
