/// The state of a file that is open for writing, and the time since which it looks so.
struct OpenFileState: Sendable {
  var size: UInt64
  var modified: Int64
  var since: Int64
  /// The time since which it has been open.
  var open: Int64

  /// Creates the state at another look; `before` is the state at the last one.
  init(_ before: OpenFileState?, size: UInt64, modified: Int64, _ now: Int64) {
    let isSame = before?.size == size && before?.modified == modified
    (self.size, self.modified) = (size, modified)
    since = isSame ? before?.since ?? now : now
    open = before?.open ?? now
  }

  /// Returns whether a file that is open for writing has looked the same, or been open, for so
  /// long that it is read anyway: a log or a database must not stay behind forever. Changes
  /// during the reading aren't taken.
  func isLongEnough(_ now: Int64) -> Bool {
    now - since >= 10 * .second || now - open >= 30 * .second
  }
}
