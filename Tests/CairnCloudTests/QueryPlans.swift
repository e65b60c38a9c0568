@testable import CairnIndex

extension IndexConnection {
  /// The steps by which SQLite carries out a statement, as `EXPLAIN QUERY PLAN` tells them.
  func plan(of text: String) throws -> [String] {
    var query = try Query(self, "EXPLAIN QUERY PLAN " + text)
    var steps: [String] = []
    while try query.next() { steps.append(query.text(3) ?? "") }
    return steps
  }
}
