import CairnControl

/// Problems that repeat: the first three with the same message are shown, and the others counted.
enum Repetition {
  private static let shown = 3

  /// Formats problems.
  /// - Parameters:
  ///   - problems: The problems, in their order.
  ///   - all: Whether none is left out.
  ///   - text: The lines for one problem.
  /// - Returns: The lines.
  static func lines(
    _ problems: [Control.Problem], all: Bool, _ text: (Control.Problem) -> [String]
  ) -> [String] {
    var groups: [(message: String, problems: [Control.Problem])] = []
    for problem in problems {
      if let index = groups.firstIndex(where: { $0.message == problem.message }) {
        groups[index].problems.append(problem)
      } else {
        groups.append((problem.message, [problem]))
      }
    }
    return groups.flatMap { group in
      let few = all ? group.problems[...] : group.problems.prefix(shown)
      let more = group.problems.count - few.count
      return few.flatMap(text) + (more > 0 ? ["and \(Wording.grouped(Int64(more))) more."] : [])
    }
  }
}
