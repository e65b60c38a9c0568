import CairnIndex
import CairnPlan
import CairnZone

/// A file in the staging folder whose bytes are still being fetched, or that waits for its step.
struct PartialFile: Hashable, Sendable {
  /// The name in the staging folder.
  var name: FileNameBytes
  /// The content that it becomes.
  var content: ContentID
}

/// The intent log of large files that are being fetched. After a stop, their transfers continue
/// with the bytes that are there.
struct PartialFileTable {
  let tree: FolderTree

  /// Notes the file in which a record's content is being fetched.
  func note(_ file: PartialFile, of id: RecordID) throws {
    var query = try tree.query(
      "INSERT OR REPLACE INTO partial (mount, id, name, content) VALUES (?, ?, ?, ?)")
    query.bind(id)
    query.bind(file.name)
    query.bind(file.content.value)
    try query.run()
  }

  /// Returns the noted files by their records.
  func all() throws -> [RecordID: PartialFile] {
    var query = try tree.query("SELECT id, name, content FROM partial WHERE mount = ?")
    var found: [RecordID: PartialFile] = [:]
    while try query.next() {
      guard let id = query.bytes(0).flatMap({ RecordID(bytes: $0) }), let name = query.bytes(1),
        let content = query.bytes32(2)
      else { continue }
      found[id] = PartialFile(name: name, content: ContentID(content))
    }
    return found
  }

  /// Forgets the file of a record.
  func forget(_ id: RecordID) throws {
    var query = try tree.query("DELETE FROM partial WHERE mount = ? AND id = ?")
    query.bind(id)
    try query.run()
  }
}

extension FolderTree {
  /// The table of the mount's partly fetched files.
  var partials: PartialFileTable { PartialFileTable(tree: self) }
}
