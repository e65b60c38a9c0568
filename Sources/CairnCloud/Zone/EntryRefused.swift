import CairnZone

/// An entry that has no effect, on its way to the report.
struct EntryRefused: Error {
  let code: String
  let reason: String
  /// What it says, if it could be opened and its signature fits.
  let commit: Commit?
  /// Whether it stays so, whatever else is read.
  let isFinal: Bool

  init(_ code: String, _ reason: String, _ commit: Commit? = nil, isFinal: Bool = true) {
    self.isFinal = isFinal
    self.code = code
    self.reason = reason
    self.commit = commit
  }
}
