import CairnFolders
import CairnThreads
import Glibc

/// The machine's clocks.
struct SystemClock: MountClock {
  var now: Int64 { Monotonic.now }

  var date: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  var wall: (year: Int, month: Int, day: Int, hour: Int, minute: Int) {
    var seconds = time(nil)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return (
      Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday), Int(parts.tm_hour),
      Int(parts.tm_min)
    )
  }
}
