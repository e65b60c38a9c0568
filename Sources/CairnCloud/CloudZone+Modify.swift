import CairnIdentity
import CairnReplica
import CairnZone

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
    try await work.run { [inner] in
      let commit = RecordCommit(zone: inner, saving: saving, deleting: deleting, policy: policy)
      return try commit.run()
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
    try await work.run { [inner] in
      try inner.pull()
      return try whileOvertaken {
        let draft = ZoneDraft(inner)
        var filled = draft
        let result = try body(&filled)
        do {
          try filled.commit()
        } catch let error as CairnIdentity.CloudError where error.code == .serverRecordChanged {
          try inner.pull()
          throw error
        }
        return result
      }
    }
  }
}

/// The changes that one `modify` collects, over the zone as of its start. It is a value without a
/// hold on the zone: nothing is saved before the function returns.
public struct ZoneDraft: Sendable {
  private let zone: Zone
  private let sequence: UInt64
  private var changed: [RecordID: CloudRecord?] = [:]

  init(_ zone: Zone) {
    self.zone = zone
    sequence = zone.header.sequence
  }

  /// Returns the record with an id, with the changes of this draft; nil if there is none.
  public func record(_ id: RecordID) throws(CloudError) -> CloudRecord? {
    if let changed = changed[id] { return changed }
    return try CloudError.catching {
      try zone.read { try $0.record(id.inner) }.flatMap { CloudRecord($0) }
    }.get()
  }

  /// Returns the records that match a query, with the changes of this draft.
  public func records(_ query: CloudQuery) throws(CloudError) -> [CloudRecord] {
    let stored = try CloudError.catching {
      try query.page(in: zone, limit: nil, after: nil).records
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
    let gone = all.filter { $0.value == nil }.map(\.key)
    let commit = RecordCommit(
      zone: zone, saving: all.compactMap(\.value), deleting: [], policy: .allKeys)
    // Somebody else may have saved the same values since: then nothing is left to commit, and what
    // the draft was made of is out of date all the same.
    guard try !commit.put(at: sequence, alsoDeleting: gone), zone.header.sequence != sequence else {
      return
    }
    throw CairnIdentity.CloudError(
      .serverRecordChanged, "somebody else saved the same values", remedy: "it is tried again")
  }
}

/// One commit of records, by a policy.
struct RecordCommit {
  let zone: Zone
  let saving: [CloudRecord]
  let deleting: [CloudRecord]
  let policy: SavePolicy

  func run() throws -> [CloudRecord] {
    guard !saving.isEmpty || !deleting.isEmpty else { return [] }
    try zone.catchUp()
    if try !putOnTop() {
      // That nothing is to do must hold now, too.
      try zone.pull()
      _ = try putOnTop()
    }
    return try zone.read { view in
      try saving.compactMap { try view.record($0.id.inner) }.compactMap { CloudRecord($0) }
    }
  }

  /// Puts the commit at the end of the log, also if others are faster.
  /// - Returns: Whether there was anything to commit.
  private func putOnTop() throws -> Bool {
    try whileOvertaken {
      do { return try put(at: zone.header.sequence) } catch let error as CairnIdentity.CloudError {
        guard error.code == .serverRecordChanged else { throw error }
        try zone.pull()
        throw error
      }
    }
  }

  /// Puts the commit behind a position of the log.
  /// - Returns: Whether there was anything to commit.
  /// - Throws: `CloudError` with the conflicts; the error of `Zone.commit`.
  @discardableResult
  func put(at sequence: UInt64, alsoDeleting gone: [RecordID] = []) throws -> Bool {
    var (changes, conflicts): ([RecordChange], [CloudError.Conflict]) = ([], [])
    try zone.read { view in
      for record in saving {
        let server = try view.record(record.id.inner).flatMap { CloudRecord($0) }
        if isConflict(record, server) {
          conflicts.append(.init(client: record, server: server, ancestor: record.ancestor))
        } else if let change = change(record, server) {
          changes.append(change)
        }
      }
      for record in deleting {
        let server = try view.record(record.id.inner).flatMap { CloudRecord($0) }
        if policy == .ifUnchanged, isConflict(record, server) {
          conflicts.append(.init(client: record, server: server, ancestor: record.ancestor))
        } else if server != nil {
          changes.append(RecordChange(id: record.id.inner, act: .delete))
        }
      }
      for id in gone where try view.record(id.inner) != nil {
        changes.append(RecordChange(id: id.inner, act: .delete))
      }
    }
    guard conflicts.isEmpty else {
      var error = CloudError(
        .serverRecordChanged, "\(conflicts.count) of the records were changed by somebody else")
      error.conflicts = conflicts
      error.records = conflicts.map(\.client.id)
      throw error
    }
    guard !changes.isEmpty else { return false }
    try checkBorrowed(changes)
    _ = try zone.commit(changes, expecting: sequence)
    return true
  }

  private func isConflict(_ record: CloudRecord, _ server: CloudRecord?) -> Bool {
    switch policy {
    case .ifUnchanged: record.changed?.position != server?.changed?.position
    // There is nothing to which the changed fields could be added.
    case .changedKeys: record.changed != nil && server == nil
    case .allKeys: false
    }
  }

  private func change(_ record: CloudRecord, _ server: CloudRecord?) -> RecordChange? {
    guard let server else {
      return RecordChange(
        id: record.id.inner, act: .create(.typed(record.type)),
        fields: record.fields.mapValues { $0.inner })
    }
    var fields: [String: CairnZone.FieldValue?] = [:]
    let names =
      policy == .allKeys
      ? Set(record.fields.keys).union(server.fields.keys) : record.changedKeys
    for name in names where record[name] != server[name] {
      fields.updateValue(record[name]?.inner, forKey: name)
    }
    return fields.isEmpty
      ? nil : RecordChange(id: record.id.inner, act: .update, fields: fields)
  }

  /// Reads back the chunks of assets that another person stored, before a commit relies on them.
  private func checkBorrowed(_ changes: [RecordChange]) throws {
    for change in changes {
      for content in change.contents {
        let borrowed = try zone.read { try $0.borrowed(by: content) }
        guard !borrowed.isEmpty, try !zone.spoiled(borrowed.keys).isEmpty else { continue }
        var error = CloudError(
          .assetNotAvailable, "a part of the asset was stored by another person, and is damaged")
        error.records = [RecordID(change.id)]
        throw error
      }
    }
  }
}
