// SPDX-License-Identifier: GPL-2.0-only

/// What couldn't be watched for a reason that may pass, and when it is tried again: after a second,
/// then later each time, but within half a minute. It knows no disk and no clock.
struct Trial {
  /// A folder that was asked for.
  struct Root {
    let path: [UInt8]
    let isFlat: Bool
    /// What was said last of why it isn't watched, if anything was.
    var told: Told?

    enum Told: Equatable {
      case limit
      case failure([UInt8])
    }
  }

  /// Names at which nobody could tell what stands there, by their directories.
  private var names: [Int32: Set<[UInt8]>] = [:]
  /// Names for which the kernel had no watch left, by their directories.
  private(set) var refused: [Int32: Set<[UInt8]>] = [:]
  /// Of those, the ones that nobody was told of.
  private var untold: [(parent: Int32, name: [UInt8])] = []
  /// Roots that can't be watched.
  private var roots: [Int: Root] = [:]
  /// Whether something else failed since the last time.
  private var hasFailed = false
  private var failures = 0

  mutating func miss(_ name: [UInt8], in parent: Int32) {
    names[parent, default: []].insert(name)
  }

  mutating func miss(_ root: Int, _ asked: Root) { roots[root] = asked }

  /// What is to be tried again stands elsewhere.
  mutating func fail() { hasFailed = true }

  /// There was no watch left for a name.
  mutating func refuse(_ name: [UInt8], in parent: Int32) {
    if refused[parent, default: []].insert(name).inserted { untold.append((parent, name)) }
  }

  /// Whether there was none, when it was tried last.
  func isRefused(_ name: [UInt8], in parent: Int32) -> Bool {
    refused[parent]?.contains(name) == true
  }

  /// A name is watched, or leads to nothing that could be.
  mutating func settle(_ name: [UInt8], in parent: Int32) {
    guard refused[parent]?.remove(name) != nil else { return }
    if refused[parent]?.isEmpty == true { refused[parent] = nil }
  }

  mutating func forget(_ root: Int) { roots[root] = nil }

  /// Nothing holds any more that was found out about names.
  mutating func forgetNames() { (names, refused, untold) = ([:], [:], []) }

  /// The names that nobody was told of yet and that are refused still; empties the list.
  mutating func takeUntold() -> [(parent: Int32, name: [UInt8])] {
    defer { untold = [] }
    return untold.filter { isRefused($0.name, in: $0.parent) }
  }

  /// Forgets the names in directories that aren't watched any more.
  mutating func forgetRefused(where isGone: (Int32) -> Bool) {
    refused = refused.filter { !isGone($0.key) }
  }

  /// How long to wait before the next time, in milliseconds; nil if nothing is to be tried.
  var delay: Int? {
    guard hasFailed || !names.isEmpty || !refused.isEmpty || !roots.isEmpty else { return nil }
    return min(30_000, 1_000 << min(failures, 5))
  }

  /// The roots and names that are to be tried now; what fails again comes again.
  mutating func take() -> (roots: [Int: Root], names: [Int32: Set<[UInt8]>]) {
    defer { (names, roots, hasFailed) = ([:], [:], false) }
    return (roots, names)
  }

  /// All was tried.
  mutating func end() { failures = delay == nil ? 0 : failures + 1 }
}
