/// The rule for records that others have changed since they were fetched
/// (CKModifyRecordsOperation.RecordSavePolicy).
public enum SavePolicy: Hashable, Sendable, CaseIterable {
  /// Refuses the save if the record isn't as it was fetched.
  case ifUnchanged
  /// Saves the changed fields only.
  case changedKeys
  /// Replaces all fields.
  case allKeys
}

extension CloudZone {
  /// Saves and deletes records in one commit, all or none.
  /// - Parameters:
  ///   - saving: The new and changed records.
  ///   - deleting: The records to delete.
  ///   - policy: The rule for records that others have changed. With `.ifUnchanged` it holds for
  ///     deletions, too. Otherwise a record that is gone already counts as deleted.
  /// - Returns: The saved records, in the same order.
  /// - Throws: `CloudError` with `.serverRecordChanged` and the conflicts; or with the records that
  ///   the zone refuses.
  @discardableResult
  public func modify(
    saving: [CloudRecord] = [], deleting: [CloudRecord] = [], policy: SavePolicy = .ifUnchanged
  ) async throws(CloudError) -> [CloudRecord] {
    try await work.run { [engine] in
      try engine.save(RecordChanges(saving: saving, deleting: deleting, policy: policy))
    }
  }

  /// Reads, decides and commits as one step. If somebody else commits in between, the body runs
  /// again with the newer records.
  /// - Parameter body: A function that reads records of the draft, and saves and deletes them
  ///   there. It runs on another thread, perhaps several times.
  /// - Returns: The result of the last run of `body`.
  /// - Throws: `CloudError`, also that of `body`: then nothing is committed.
  public func modify<T: Sendable>(
    _ body: @escaping @Sendable (inout ZoneDraft) throws(CloudError) -> T
  ) async throws(CloudError) -> T {
    try await work.run { [engine] in
      // Somebody succeeds each time.
      for _ in 1..<1_000 {
        var draft = ZoneDraft(engine, at: try engine.refresh())
        let result = try body(&draft)
        do {
          try draft.commit()
          return result
        } catch let error as CloudError where error.code == .serverRecordChanged {}
      }
      throw CloudError(.zoneBusy, "others keep saving records in the zone")
    }
  }
}

/// The changes that one `modify` collects, over the zone as of its start. It is a value without a
/// hold on the zone: nothing is saved before the function returns.
public struct ZoneDraft: Sendable {
  private let engine: any ZoneEngine
  private let sequence: UInt64
  private var changed: [RecordID: CloudRecord?] = [:]

  init(_ engine: any ZoneEngine, at sequence: UInt64) {
    (self.engine, self.sequence) = (engine, sequence)
  }

  /// Returns the record with an id, with the changes of this draft; nil if there is none.
  public func record(_ id: RecordID) throws(CloudError) -> CloudRecord? {
    if let changed = changed[id] { return changed }
    return try CloudError.catching { try engine.record(id) }.get()
  }

  /// Returns the records that match a query, with the changes of this draft.
  public func records(_ query: CloudQuery) throws(CloudError) -> [CloudRecord] {
    let stored = try CloudError.catching {
      try engine.page(of: query, QueryPart()).records
    }.get()
    return query.results(stored, with: changed)
  }

  /// Saves a record with this draft.
  public mutating func save(_ record: CloudRecord) { changed[record.id] = .some(record) }

  /// Deletes a record with this draft. A record that is gone already counts as deleted.
  public mutating func delete(_ id: RecordID) { changed[id] = .some(nil) }

  func commit() throws {
    let all = changed.sorted { $0.key < $1.key }
    guard !all.isEmpty else { return }
    _ = try engine.save(
      RecordChanges(
        saving: all.compactMap(\.value), gone: all.filter { $0.value == nil }.map(\.key),
        policy: .allKeys, sequence: sequence))
  }
}
