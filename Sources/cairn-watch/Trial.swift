// SPDX-License-Identifier: GPL-2.0-only

/// The failures with a temporary reason, and the time of the next attempt: after one second, then
/// later each time, up to half a minute. It knows no disk and no clock.
struct Trial {
  /// A requested root.
  struct Root {
    let path: [UInt8]
    let isFlat: Bool
    /// The last reported reason why it is not watched; nil if none was reported.
    var told: Told?

    enum Told: Equatable {
      case limit
      case failure([UInt8])
    }
  }

  /// Names whose kind is unknown, by their directories.
  private var names: [Int32: Set<[UInt8]>] = [:]
  /// Names for which the kernel had no watch left, by their directories.
  private(set) var refused: [Int32: Set<[UInt8]>] = [:]
  /// Refused names that were not reported yet.
  private var untold: [(parent: Int32, name: [UInt8])] = []
  /// Roots that cannot be watched.
  private var roots: [Int: Root] = [:]
  /// A Boolean value that indicates whether something else failed since the last attempt.
  private var hasFailed = false
  private var failures = 0

  mutating func miss(_ name: [UInt8], in parent: Int32) {
    names[parent, default: []].insert(name)
  }

  mutating func miss(_ root: Int, _ asked: Root) { roots[root] = asked }

  /// Notes a failure whose details are stored elsewhere.
  mutating func fail() { hasFailed = true }

  /// Notes that the kernel had no watch left for a name.
  mutating func refuse(_ name: [UInt8], in parent: Int32) {
    if refused[parent, default: []].insert(name).inserted { untold.append((parent, name)) }
  }

  /// Returns whether the last attempt for this name was refused.
  func isRefused(_ name: [UInt8], in parent: Int32) -> Bool {
    refused[parent]?.contains(name) == true
  }

  /// Notes that a name is watched, or cannot be a directory.
  mutating func settle(_ name: [UInt8], in parent: Int32) {
    guard refused[parent]?.remove(name) != nil else { return }
    if refused[parent]?.isEmpty == true { refused[parent] = nil }
  }

  mutating func forget(_ root: Int) { roots[root] = nil }

  /// Forgets everything about names.
  mutating func forgetNames() { (names, refused, untold) = ([:], [:], []) }

  /// Returns the names that are still refused and were not reported yet, and empties the list.
  mutating func takeUntold() -> [(parent: Int32, name: [UInt8])] {
    defer { untold = [] }
    return untold.filter { isRefused($0.name, in: $0.parent) }
  }

  /// Forgets the names in directories that are no longer watched.
  mutating func forgetRefused(where isGone: (Int32) -> Bool) {
    refused = refused.filter { !isGone($0.key) }
  }

  /// The delay before the next attempt, in milliseconds; nil if nothing failed.
  var delay: Int? {
    guard hasFailed || !names.isEmpty || !refused.isEmpty || !roots.isEmpty else { return nil }
    return min(30_000, 1_000 << min(failures, 5))
  }

  /// Returns the roots and names to try now. Those that fail again are added again.
  mutating func take() -> (roots: [Int: Root], names: [Int32: Set<[UInt8]>]) {
    defer { (names, roots, hasFailed) = ([:], [:], false) }
    return (roots, names)
  }

  /// Ends an attempt.
  mutating func end() { failures = delay == nil ? 0 : failures + 1 }
}
