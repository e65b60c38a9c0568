/// Finds the shortest part of a script that still breaks the same rule, by leaving steps out
/// (delta debugging). It must not know what the steps do.
struct Shrinker {
  /// Whether the script with only these steps still fails in the same way.
  let fails: ([Int]) -> Bool

  /// Leaves out as many steps as it can.
  /// - Parameters:
  ///   - steps: the positions of a script that fails.
  ///   - budget: how many scripts are tried at most.
  /// - Returns: the positions that are left.
  func shrink(_ steps: [Int], budget: Int) -> [Int] {
    var current = steps
    var parts = 2
    var tries = 0
    while current.count > 1, tries < budget {
      let size = (current.count + parts - 1) / parts
      var isSmaller = false
      var start = 0
      while start < current.count, tries < budget {
        let without = Array(current[..<start] + current[min(start + size, current.count)...])
        tries += 1
        if !without.isEmpty, fails(without) {
          current = without
          isSmaller = true
        } else {
          start += size
        }
      }
      if isSmaller { continue }
      if size == 1 { break }
      parts = min(parts * 2, current.count)
    }
    return current
  }
}
