import CairnZone

/// A record that has to wait, until when, and why.
struct Deferred {
  enum Reason: Hashable {
    /// Somebody has the file open for writing, or it changed while it was read.
    case busy
    /// Another record's step comes first.
    case blocked
    /// The disk or the permissions don't let it.
    case failed
    /// The file can't be read.
    case unreadable
    /// There is too little room on the disk.
    case room
    /// The zone refused the change.
    case refused
    /// The zone refused the change until somebody gives a right or makes room.
    case unwelcome
    /// It was deleted here, and perhaps all the rest is being deleted too.
    case held
  }

  var reason: Reason
  var explanation: String
  /// By the engine's clock, in nanoseconds.
  var until: Int64
  /// How often it was tried.
  var tries: Int
  var isDue = false

  static let second: Int64 = 1_000_000_000

  /// How long the next try waits: doubling from a tenth of a second, to a minute at most; files
  /// that are being written sooner, since their writer closes them any moment.
  static func delay(_ reason: Reason, tries: Int) -> Int64 {
    let first: Int64
    let most: Int64
    switch reason {
    case .busy: (first, most) = (second / 5, second * 10)
    case .blocked: (first, most) = (second / 10, second * 5)
    case .failed, .unreadable: (first, most) = (second, second * 60)
    case .room: (first, most) = (second * 2, second * 30)
    case .refused: (first, most) = (second * 60, second * 600)
    case .unwelcome: (first, most) = (.max / 2, .max / 2)
    case .held: (first, most) = (second / 3, second / 3)
    }
    guard first < most else { return most }
    return min(most, first << Int64(min(tries, 12)))
  }
}

extension MountEngine {
  /// Lets a record wait, longer each time.
  func postpone(_ id: RecordID, _ reason: Deferred.Reason, _ explanation: String) {
    let tries = deferrals[id].map { $0.reason == reason ? $0.tries + 1 : 0 } ?? 0
    deferrals[id] = Deferred(
      reason: reason, explanation: explanation,
      until: clock.now + Deferred.delay(reason, tries: tries), tries: tries)
  }
}
