import CairnFolders

/// A clock that only advances by actions.
///
/// `@unchecked Sendable`: one thread runs a story and everything that it owns.
final class SimulatedClock: MountClock, @unchecked Sendable {
  /// The common state of all clocks in a story.
  final class Source {
    var now: Int64 = 1_000_000_000
  }

  private let source: Source
  /// The error of this machine's calendar, in nanoseconds.
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
    // A calendar with months of thirty days suffices for names.
    return (
      1970 + days / 365, 1 + days % 365 / 31, 1 + days % 31, minutes / 60 % 24, minutes % 60
    )
  }

  func advance(_ nanoseconds: Int64) { source.now += nanoseconds }

  func advance(to time: Int64) { source.now = max(source.now, time) }
}
