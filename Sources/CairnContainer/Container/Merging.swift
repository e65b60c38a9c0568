import CairnIdentity
import CairnReplica
public import CairnZone

/// Copies all contents of a private zone of this person into a directory of another zone.
///
/// It uses these parts of the container: none.
public struct Merging: Sendable {
  let container: Container

  /// Creates a value for a container.
  public init(_ container: Container) { self.container = container }

  /// Creates the records of a zone again below a directory of another one, including its typed
  /// records. They keep their ids, unless the other zone has other records with these. In a zone of
  /// the same owner their content stays where it is stored. In somebody else's zone it is stored
  /// again. Existing records stay unchanged, so that another call continues an interrupted one.
  /// `FormerZones.replace` ends the old zone afterwards.
  /// - Parameters:
  ///   - source: A zone of this person that isn't shared.
  ///   - directory: A directory of the other zone.
  ///   - target: The other zone, which this person can edit.
  /// - Throws: `CloudError`; with `.alreadyShared` if something in it is shared by itself.
  public func copy(_ source: Zone, into directory: RecordID, of target: Zone) throws {
    let subtree = try source.read { try Subtree(.root, in: $0, isAll: true) }
    guard !subtree.holdsReferences else {
      throw CloudError(
        .alreadyShared, "a folder in it is shared already", remedy: "stop that share first")
    }
    let batches = try target.read { view in
      let all = subtree.below + subtree.typed
      let arriving = try ArrivingIDs(of: all.map(\.id), in: view, below: directory)
      let changes = try all.map(arriving.renamed).filter { try view.record($0.id) == nil }
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
