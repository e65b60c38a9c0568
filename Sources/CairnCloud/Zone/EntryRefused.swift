import CairnZone

/// An entry that holds its place, on its way to the report.
struct EntryRefused: Error {
  let reason: String
  /// What it says, if it could be opened and its signature fits.
  let commit: Commit?
  /// What it is to who can't go on with it: rubbish, unless something else is said.
  let holder: LogTrouble.Holder
  /// By whom it says it is, if they, or their device, can't be seen in the container.
  var unseen: UserID?

  /// Whether it stays so, whatever else is read.
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
