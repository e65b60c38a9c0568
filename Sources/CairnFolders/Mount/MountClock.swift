/// The engine's clock: monotonic nanoseconds for waiting, wall time for names that people read.
/// No decision about records depends on it.
public protocol MountClock: Sendable {
  /// Monotonic nanoseconds.
  var now: Int64 { get }
  /// The time of day in nanoseconds since 1970.
  var date: Int64 { get }
  /// Year, month, day, hour and minute of local time.
  var wall: (year: Int, month: Int, day: Int, hour: Int, minute: Int) { get }
}

extension Int64 {
  /// A second of the engine's clock.
  static let second: Int64 = 1_000_000_000
}
