/// When all of a folder is looked at though nobody said that anything changed. Events don't tell of
/// everything: a file may be changed by a name outside of the folder, by one that is gone again, or
/// through a memory mapping that is never closed. It knows no folder and no clock.
struct RoutineLook {
  /// Between two looks, if they are quick; in nanoseconds.
  static let shortest: Int64 = 3_600 * 1_000_000_000
  /// Between two looks, however long they take; in nanoseconds.
  static let longest: Int64 = 24 * shortest

  private var began: Int64?
  /// When it is time again; nil while a look goes on.
  private(set) var next: Int64?

  /// A look at all of the folder begins, for whatever reason.
  mutating func begin(_ now: Int64) { (began, next) = (now, nil) }

  /// Nothing is left to do. A look takes at most a hundredth of the time until the next.
  mutating func rest(_ now: Int64) {
    guard let began else { return }
    next = now + min(Self.longest, max(Self.shortest, 100 * max(0, now - began)))
    self.began = nil
  }

  /// Whether it is time.
  func isDue(_ now: Int64) -> Bool { next.map { $0 <= now } ?? false }
}
