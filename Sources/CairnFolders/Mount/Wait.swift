/// Until when a record waits, and why.
struct Wait: Hashable {
  enum Reason: Hashable {
    /// Somebody has the file open for writing, or it changed while it was read.
    case busy
    /// Another record's step comes first.
    case blocked
    /// The disk or the permissions don't let it.
    case failed
    /// The file can't be read.
    case unreadable
    /// Something that isn't mirrored stands in its place.
    case obstructed
    /// There is too little room on the disk.
    case room
    /// The container takes nothing now.
    case container
    /// The zone refused the change.
    case refused
    /// The zone refused the change until somebody gives a right or makes room.
    case notAllowed
    /// Perhaps the whole folder is being deleted: it was deleted here, or is to come into it.
    case held
  }

  var reason: Reason
  var explanation: String
  /// By the engine's clock, in nanoseconds.
  var until: Int64
  /// How often it was tried.
  var tries: Int
  /// Whether its time has come: it stays known, so that the next wait is a longer one.
  var isDue = false

  /// How long the next try waits: doubling from a tenth of a second, to a minute at most; files
  /// that are being written sooner, since their writer closes them any moment.
  static func delay(_ reason: Reason, tries: Int) -> Int64 {
    let first: Int64
    let most: Int64
    switch reason {
    case .busy: (first, most) = (.second / 5, 10 * .second)
    case .blocked: (first, most) = (.second / 10, 5 * .second)
    case .failed, .unreadable, .obstructed: (first, most) = (.second, 60 * .second)
    case .room: (first, most) = (2 * .second, 30 * .second)
    case .container: (first, most) = (.second, 30 * .second)
    case .refused: (first, most) = (60 * .second, 600 * .second)
    // Until the zone gives what it lacks, which `Agenda.retry` is told.
    case .notAllowed: (first, most) = (.max / 2, .max / 2)
    case .held: (first, most) = (.second / 3, .second / 3)
    }
    guard first < most else { return most }
    return min(most, first << Int64(min(tries, 12)))
  }
}
