import Glibc

/// A file's time as nanoseconds since 1970, and back. A time that doesn't fit into 64 bits of
/// nanoseconds, like the year 3000, becomes the nearest that does.
extension timespec {
  /// Nanoseconds since 1970.
  var nanoseconds: Int64 {
    let (whole, isTooFar) = Int64(tv_sec).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooLate) = whole.addingReportingOverflow(Int64(tv_nsec))
    guard isTooFar || isTooLate else { return sum }
    return tv_sec < 0 ? .min : .max
  }

  /// Creates a time from nanoseconds since 1970.
  init(nanoseconds: Int64) {
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    self.init(
      tv_sec: Int(rest < 0 ? whole - 1 : whole),
      tv_nsec: Int(rest < 0 ? rest + 1_000_000_000 : rest))
  }
}
