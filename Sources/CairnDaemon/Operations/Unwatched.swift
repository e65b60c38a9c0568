import CairnControl

/// The sentence for people about a mount that is not watched completely.
enum Unwatched {
  /// Returns the sentence; nil if everything is watched, or if the folder isn't there, which is a
  /// problem of its own.
  static func sentence(_ snapshot: MountSnapshot, at path: [UInt8]) -> String? {
    let watching = snapshot.watching
    guard !watching.isWhole, snapshot.phase != .detached else { return nil }
    let what =
      watching.unwatched > 0
      ? "\(Control.Path(path)): \(watching.unwatched) directories aren't watched"
      : "\(Control.Path(path)) isn't watched"
    let reason = watching.note.map { ": \($0)" } ?? " at this moment"
    let scans = watching.scanEvery.map {
      " Changes there are found by a scan every \($0 / 1_000_000_000) seconds."
    }
    return what + reason + "." + (scans ?? "")
  }
}
