/// The time until which a record waits, and the reason.
struct Wait: Hashable {
  enum Reason: Hashable {
    /// The file is open for writing, or changed while it was read.
    case busy
    /// Other files are transferred first.
    case transfer
    /// Another record's step comes first.
    case blocked
    /// The disk or the permissions prevent it.
    case failed
    /// The file is unreadable.
    case unreadable
    /// An unmirrored entry is in its place.
    case obstructed
    /// The disk has too little space.
    case room
    /// The container accepts nothing now.
    case container
    /// The zone refused the change.
    case refused
    /// The zone refuses the change until somebody gives a permission or frees space.
    case notAllowed
    /// Perhaps the whole folder is being deleted: it was deleted here, or is to come into it.
    case held
  }

  var reason: Reason
  var explanation: String
  /// The time by the engine's clock, in nanoseconds.
  var until: Int64
  /// The number of attempts.
  var tries: Int
  /// A Boolean value that indicates whether its time has come: it stays known, so that the next
  /// wait is longer.
  var isDue = false

  /// Returns the time until the next attempt: doubled from a tenth of a second up to a minute; less
  /// for files that are being written, because their writer may close them at any moment.
  static func delay(_ reason: Reason, tries: Int) -> Int64 {
    let first: Int64
    let most: Int64
    switch reason {
    case .busy, .transfer: (first, most) = (.second / 5, 10 * .second)
    case .blocked: (first, most) = (.second / 10, 5 * .second)
    case .failed, .unreadable, .obstructed: (first, most) = (.second, 60 * .second)
    case .room: (first, most) = (2 * .second, 30 * .second)
    case .container: (first, most) = (.second, 30 * .second)
    case .refused: (first, most) = (60 * .second, 600 * .second)
    // Until the zone permits it, as `RetryQueue.retry` is told.
    case .notAllowed: (first, most) = (.max / 2, .max / 2)
    case .held: (first, most) = (.second / 3, .second / 3)
    }
    guard first < most else { return most }
    return min(most, first << Int64(min(tries, 12)))
  }
}
