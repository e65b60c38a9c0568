import CairnZone

/// The error for an entry that holds its position.
struct EntryRefused: Error {
  let reason: String
  /// The commit, if it could be opened and its signature is valid.
  let commit: Commit?
  /// The kind of the holder for a reader that cannot continue: garbage by default.
  let holder: LogTrouble.Holder
  /// The claimed author, if the container does not show them or their device.
  var unseen: UserID?

  /// A Boolean value that indicates whether the problem is permanent.
  var isFinal: Bool { holder == .rubbish }

  init(
    _ reason: String, _ commit: Commit? = nil,
    holder: LogTrouble.Holder = .rubbish
  ) {
    self.holder = holder
    self.reason = reason
    self.commit = commit
  }
}
