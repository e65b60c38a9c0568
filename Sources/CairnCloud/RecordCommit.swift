import CairnIdentity
import CairnReplica
import CairnZone

/// One commit of records, by a policy.
struct RecordCommit {
  let zone: Zone
  /// The author of the commit.
  let author: Author
  let changes: RecordChanges
  /// The notes about attempts; nil if the caller gets each answer.
  let notes: CommitNotes?

  func run() throws -> [CloudRecord] {
    let (saving, sequence) = (changes.saving, changes.sequence)
    guard !(saving.isEmpty && changes.deleting.isEmpty && changes.gone.isEmpty) else { return [] }
    if let sequence {
      try run(behind: sequence)
      return []
    }
    try zone.catchUp()
    if try !isPut() {
      // That nothing is to do, and that others changed the records, must hold now, too.
      try zone.pull()
      _ = try putOnTop()
    }
    return try zone.read { view in
      try saving.compactMap { try view.record($0.id.inner) }.compactMap { CloudRecord($0) }
    }
  }

  /// Puts changes that are valid behind one position only.
  private func run(behind sequence: UInt64) throws {
    // An attempt may be in the log, and not yet in the index.
    if notes?.last != nil { try zone.pull() }
    do {
      if try put(at: sequence) { return }
      // Somebody else may have saved the same values since: then nothing is left to commit, and
      // what the changes were made of is out of date all the same. Another thread's commit is in
      // the index before it is in the header, and reading the log waits for its end.
      try zone.pull()
      if zone.header.sequence == sequence { return }
    } catch let error as CairnIdentity.CloudError where error.code == .serverRecordChanged {
      throw CloudError(.serverRecordChanged, error.message)
    }
    throw CloudError(.serverRecordChanged, "somebody else saved the same values")
  }

  /// Puts the commit at the end of the log as it was last seen.
  /// - Returns: Whether it is there. If not, nothing was to do, or there were conflicts.
  private func isPut() throws -> Bool {
    do { return try putOnTop() } catch let error as CloudError {
      guard error.code == .serverRecordChanged else { throw error }
      return false
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
  private func put(at sequence: UInt64) throws -> Bool {
    if try notes?.isDone(by: author, in: zone) ?? false { return true }
    var (records, conflicts): ([RecordChange], [CloudError.Conflict]) = ([], [])
    try zone.read { view in
      for record in changes.saving {
        let server = try view.record(record.id.inner).flatMap { CloudRecord($0) }
        if isConflict(record, server) {
          conflicts.append(.init(client: record, server: server, ancestor: record.ancestor))
        } else if let change = change(record, server) {
          records.append(change)
        }
      }
      for record in changes.deleting {
        let server = try view.record(record.id.inner).flatMap { CloudRecord($0) }
        if changes.policy == .ifUnchanged, isConflict(record, server) {
          conflicts.append(.init(client: record, server: server, ancestor: record.ancestor))
        } else if server != nil {
          records.append(RecordChange(id: record.id.inner, act: .delete))
        }
      }
      // The caller can't delete files and other records of Cairn.
      for id in changes.gone where try view.record(id.inner).flatMap({ CloudRecord($0) }) != nil {
        records.append(RecordChange(id: id.inner, act: .delete))
      }
    }
    guard conflicts.isEmpty else {
      var error = CloudError(
        .serverRecordChanged, "\(conflicts.count) of the records were changed by somebody else")
      error.conflicts = conflicts
      error.records = conflicts.map(\.client.id)
      throw error
    }
    guard !records.isEmpty else { return false }
    try checkBorrowed(records)
    try notes?.note(records, in: zone, at: sequence + 1)
    _ = try zone.commit(records, expecting: sequence)
    return true
  }

  private func isConflict(_ record: CloudRecord, _ server: CloudRecord?) -> Bool {
    switch changes.policy {
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
      changes.policy == .allKeys
      ? Set(record.fields.keys).union(server.fields.keys) : record.changedKeys
    for name in names where record[name] != server[name] {
      fields.updateValue(record[name]?.inner, forKey: name)
    }
    return fields.isEmpty
      ? nil : RecordChange(id: record.id.inner, act: .update, fields: fields)
  }

  /// Reads back the chunks of assets that another person stored, before a commit relies on them.
  private func checkBorrowed(_ records: [RecordChange]) throws {
    for change in records {
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
