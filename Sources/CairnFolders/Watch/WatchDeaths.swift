// SPDX-License-Identifier: Apache-2.0

/// The deaths of cairn-watch, and the time of the next start. Times are milliseconds of the
/// monotonic clock. A pure value.
struct WatchDeaths {
  private var times: [Int] = []
  /// The number of programs in a row that died before they reported anything.
  private(set) var failures = 0

  /// Adds a death. `wasUseful` says whether the program had reported anything.
  mutating func add(at now: Int, wasUseful: Bool) {
    times = (times + [now]).suffix(5)
    failures = wasUseful ? 0 : failures + 1
  }

  /// The time of the next start: at once, but a second after five deaths within ten seconds. After
  /// programs that could not work, it is later each time, up to half a minute.
  var nextStart: Int {
    guard let last = times.last, let first = times.first else { return 0 }
    let isOften = times.count == 5 && last - first < 10_000
    let pause = failures > 0 ? min(30_000, 500 << min(failures, 6)) : 0
    return last + max(pause, isOften ? 1_000 : 0)
  }
}
