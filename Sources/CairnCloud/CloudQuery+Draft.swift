import CairnReplica

extension CloudQuery {
  /// Returns all results of the query in its order, with unsaved changes.
  /// - Parameters:
  ///   - stored: The results among the stored records.
  ///   - changed: The changed records, and nil for each deleted one.
  /// - Returns: The results.
  func results(
    _ stored: [CloudRecord], with changed: [RecordID: CloudRecord?]
  ) -> [CloudRecord] {
    let rest = stored.filter { !changed.keys.contains($0.id) }
    let new = changed.values.compactMap { $0 }
      .filter { $0.type == type && filter.holds(for: $0) }
    guard !new.isEmpty else { return rest }
    let order = QueryPlan(self).order
    return (rest + new)
      .map { (key: order.key(of: $0.id.inner, $0.fields.mapValues(\.inner)), record: $0) }
      .sorted { $0.key.lexicographicallyPrecedes($1.key) }
      .map(\.record)
  }
}
