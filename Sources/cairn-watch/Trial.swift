// SPDX-License-Identifier: GPL-2.0-only

/// What couldn't be watched for a reason that may pass, and when it is tried again: after a second,
/// then later each time, but within half a minute. It knows no disk and no clock.
struct Trial {
  /// A folder that was asked for.
  struct Root {
    let path: [UInt8]
    let isFlat: Bool
  }

  /// Names of directories at which nobody could tell what stands there.
  private(set) var names: [Int32: Set<[UInt8]>] = [:]
  /// Roots that couldn't be opened.
  private(set) var roots: [Int: Root] = [:]
  /// Whether anything failed since the last time.
  private(set) var hasFailed = false
  private var failures = 0

  mutating func miss(_ name: [UInt8], in parent: Int32) {
    names[parent, default: []].insert(name)
    hasFailed = true
  }

  mutating func miss(_ root: Int, _ path: [UInt8], isFlat: Bool) {
    roots[root] = Root(path: path, isFlat: isFlat)
    hasFailed = true
  }

  /// What is to be tried again stands elsewhere.
  mutating func fail() { hasFailed = true }

  mutating func forget(_ root: Int) { roots[root] = nil }

  /// How long to wait before the next time, in milliseconds; nil if nothing failed.
  var delay: Int? { hasFailed ? min(30_000, 1_000 << min(failures, 5)) : nil }

  /// All that is to be tried now; what fails again comes again.
  mutating func take() -> Trial {
    defer {
      names = [:]
      roots = [:]
      hasFailed = false
    }
    return self
  }

  /// All was tried.
  mutating func end() { failures = hasFailed ? failures + 1 : 0 }
}
