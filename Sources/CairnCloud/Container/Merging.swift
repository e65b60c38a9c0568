public import CairnZone

/// Moving all that a private zone of this person's holds into a directory of another one.
public struct Merging: Sendable {
  let container: Container

  /// In that container.
  public init(_ container: Container) { self.container = container }

  /// Makes the records of a zone anew below a directory of another one, under their ids, its typed
  /// records among them. In a zone of the same owner their content stays where it is; in somebody
  /// else's it is stored anew. What is there already stays as it is, so that an interrupted call is
  /// gone on with. `FormerZones.replace` ends the old zone afterwards.
  /// - Parameters:
  ///   - source: this person's, and not shared.
  ///   - directory: a directory of the other zone.
  ///   - target: the other zone, in which this person may write.
  /// - Throws: `CloudError`; with `.alreadyShared` if something in it is shared by itself.
  public func copy(_ source: Zone, into directory: RecordID, of target: Zone) throws {
    let subtree = try source.read { try Subtree(.root, in: $0, isAll: true) }
    guard !subtree.holdsReferences else {
      throw CloudError(
        .alreadyShared, "a folder in it is shared already", remedy: "stop that share first")
    }
    let batches = try target.read { view in
      let changes = try (subtree.below + subtree.typed).filter { try view.record($0.id) == nil }
        .map { record in
          var record = record
          if record.place?.parent == .root { record.place?.parent = directory }
          return RecordChange(creating: record)
        }
      return try subtree.batches(changes) { try view.hasChunk($0) }
    }
    for batch in batches { _ = try target.save(batch.records, bringing: batch.chunks) }
  }
}
