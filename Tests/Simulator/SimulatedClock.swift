import CairnFolders

/// Time that passes because somebody does something, and at no other time.
///
/// `@unchecked Sendable`: a story, and all that it owns, is run by one thread.
final class SimulatedClock: MountClock, @unchecked Sendable {
  /// What all clocks of a story share.
  final class Source {
    var now: Int64 = 1_000_000_000
  }

  private let source: Source
  /// How wrong this machine's calendar is, in nanoseconds.
  var offset: Int64 = 0

  init(_ source: Source) { self.source = source }

  static let second: Int64 = 1_000_000_000
  static let year = second * 86_400 * 365
  static let start = 56 * year

  var now: Int64 { source.now }
  var date: Int64 { Self.start + source.now + offset }

  var wall: (year: Int, month: Int, day: Int, hour: Int, minute: Int) {
    let minutes = Int(date / (60 * Self.second))
    let days = minutes / 1_440
    // A calendar of months of thirty days does for names.
    return (
      1970 + days / 365, 1 + days % 365 / 31, 1 + days % 31, minutes / 60 % 24, minutes % 60
    )
  }

  func advance(_ nanoseconds: Int64) { source.now += nanoseconds }

  func advance(to time: Int64) { source.now = max(source.now, time) }
}
