/// Finds the shortest part of a script that breaks the same rule, by leaving out steps (delta
/// debugging). It must not know the steps.
struct Shrinker {
  /// Returns whether the script with only these steps has the same failure.
  let fails: ([Int]) -> Bool

  /// Leaves out as many steps as possible.
  /// - Parameters:
  ///   - steps: The positions of a failing script.
  ///   - budget: The maximum number of attempts.
  /// - Returns: the remaining positions.
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
