import Glibc

/// The clock for deadlines. Nobody can set it.
public enum Monotonic {
  /// Nanoseconds since a fixed time of this start of the machine.
  public static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// The time in the kernel's form. Times before the clock's beginning become its beginning.
  static func kernelTime(_ moment: Int64) -> timespec {
    let moment = max(0, moment)
    return timespec(
      tv_sec: Int(moment / 1_000_000_000), tv_nsec: Int(moment % 1_000_000_000))
  }
}
