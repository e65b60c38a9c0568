import CairnControl
import Glibc

/// The number of open files of this process: each mount needs a few.
enum Descriptors {
  /// Raises the limit as far as the system permits; `doctor` reports a low one.
  static func raiseLimit() {
    guard var limits = limits() else { return }
    limits.rlim_cur = limits.rlim_max
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits)
  }

  /// Returns the number of open descriptors and the limit; nil if they are unknown.
  static func count() -> (open: Int, limit: Int)? {
    guard let limits = limits(), let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    // Without ".", ".." and the descriptor of this very listing.
    var open = -3
    while readdir(folder) != nil { open += 1 }
    return (open, Int(clamping: limits.rlim_cur))
  }

  /// Returns a sentence if there are enough, or throws an error with advice.
  static func judge(open: Int, limit: Int) throws(ControlError) -> String {
    guard open < limit - limit / 10 else {
      throw ControlError(
        .limitExceeded, "\(open) files are open, and the system allows the daemon \(limit).",
        remedy: "Raise `ulimit -Hn`, or LimitNOFILE= in the systemd unit, and restart cairnd.")
    }
    return "\(open) of \(limit) files that may be open"
  }

  private static func limits() -> rlimit? {
    var limits = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limits) == 0 else { return nil }
    return limits
  }
}
