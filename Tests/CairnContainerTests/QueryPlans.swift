@testable import CairnIndex

extension IndexConnection {
  /// Returns the steps of a statement in SQLite, as `EXPLAIN QUERY PLAN` gives them.
  func plan(of text: String) throws -> [String] {
    var query = try Query(self, "EXPLAIN QUERY PLAN " + text)
    var steps: [String] = []
    while try query.next() { steps.append(query.text(3) ?? "") }
    return steps
  }
}
