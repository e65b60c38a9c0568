import CairnIdentity
import CairnReplica
public import CairnZone

/// The removal of one directory from a share of this person, into a private zone of its own.
///
/// It uses these parts of the container: none.
public struct TakingOut: Sendable {
  let container: Container

  /// Creates a value for a container.
  public init(_ container: Container) { self.container = container }

  /// Moves everything below a directory to the root of another zone, and deletes the directory from
  /// its zone. The records keep their ids, and their content stays where it is stored. The other
  /// zone is complete before the commit that deletes. The next call completes an interrupted call.
  /// - Parameters:
  ///   - directory: The directory.
  ///   - shared: Its zone, which this person owns.
  ///   - target: The other zone, which only this person has access to.
  /// - Throws: `CloudError`; with `.alreadyShared` if something below is shared by itself.
  public func move(_ directory: RecordID, of shared: Zone, to target: Zone) throws {
    try whileOvertaken {
      try shared.pull()
      let subtree = try shared.read { view in
        try view.record(directory) == nil ? nil : try Subtree(directory, in: view)
      }
      guard let subtree else { return }
      guard !subtree.holdsReferences else {
        throw CloudError(
          .alreadyShared, "a folder in it is shared already", remedy: "stop that share first")
      }
      try bring(subtree, to: target)
      // Later changes by others are copied first.
      try shared.commit(
        subtree.all.map { RecordChange(id: $0.id, act: .delete) }, expecting: subtree.sequence)
    }
  }

  /// Deletes a record from a zone of this person, with everything below it.
  /// - Parameters:
  ///   - record: The record.
  ///   - zone: Its zone.
  /// - Throws: `CloudError`.
  public func delete(_ record: RecordID, of zone: Zone) throws {
    try whileOvertaken {
      try zone.pull()
      let subtree = try zone.read { view in
        try view.record(record) == nil ? nil : try Subtree(record, in: view)
      }
      guard let subtree else { return }
      try zone.commit(
        subtree.all.map { RecordChange(id: $0.id, act: .delete) }, expecting: subtree.sequence)
    }
  }

  /// Makes a zone contain exactly the records below the directory.
  private func bring(_ subtree: Subtree, to target: Zone) throws {
    try target.pull()
    let batches = try target.read { view in
      let wanted = subtree.below.map { record in
        var record = record
        if record.place?.parent == subtree.top.id { record.place?.parent = .root }
        return record
      }
      let ids = Set(wanted.map(\.id))
      let gone = try view.state.records.descendants(of: .root).filter { !ids.contains($0.id) }
      let changes = try wanted.compactMap { record in
        guard let known = try view.record(record.id) else { return RecordChange(creating: record) }
        return RecordChange(turning: known, into: record)
      }
      return try subtree.batches(
        changes + gone.map { RecordChange(id: $0.id, act: .delete) }
      ) { try view.hasChunk($0) }
    }
    for batch in batches { _ = try target.save(batch.records, bringing: batch.chunks) }
  }
}
