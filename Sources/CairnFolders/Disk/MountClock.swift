/// The engine's clock: monotonic nanoseconds for waiting, and the time of day for names that people
/// read. No decision about records depends on it.
public protocol MountClock: Sendable {
  /// Monotonic nanoseconds.
  var now: Int64 { get }
  /// The time of day in nanoseconds since 1970.
  var date: Int64 { get }
  /// The year, month, day, hour and minute of local time.
  var wall: (year: Int, month: Int, day: Int, hour: Int, minute: Int) { get }
}

extension Int64 {
  /// One second of the engine's clock.
  static let second: Int64 = 1_000_000_000
}
