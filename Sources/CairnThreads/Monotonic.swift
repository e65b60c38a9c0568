import Glibc

/// The clock that deadlines are told by: nobody sets it.
public enum Monotonic {
  /// Nanoseconds since some moment of this start of the machine.
  public static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// The moment in the form that the kernel takes; what lies before the clock's beginning is that.
  static func kernelTime(_ moment: Int64) -> timespec {
    let moment = max(0, moment)
    return timespec(
      tv_sec: Int(moment / 1_000_000_000), tv_nsec: Int(moment % 1_000_000_000))
  }
}
