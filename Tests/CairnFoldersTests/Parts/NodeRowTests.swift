import CairnPlan
import CairnZone
import Testing

@testable import CairnFolders

/// A row of the index compared with the entry on the disk.
struct NodeRowTests {
  /// Returns a file that left the disk, on a file system with or without times of birth.
  private func gone(_ birth: Int64) throws -> NodeRow {
    let id = try #require(RecordID(bytes: [UInt8](repeating: 1, count: 16)))
    let node = Node(
      place: Place(parent: .root, name: try #require(FileName("a"))), kind: .file(nil),
      attributes: Attributes(isExecutable: false, modified: 7))
    var row = NodeRow(id: id, local: nil, synced: node)
    row.gone = NodeRow.Gone(inode: 5, birth: birth)
    return row
  }

  private func stat(
    _ kind: FileStat.Kind = .file, inode: UInt64 = 5, birth: Int64, modified: Int64 = 7
  ) -> FileStat {
    var stat = FileStat(kind: kind)
    (stat.inode, stat.birth, stat.modified) = (inode, birth, modified)
    return stat
  }

  @Test func `a file that left is recognized by its birth, whatever its bytes are`() throws {
    let row = try gone(3)
    #expect(row.wasInode(of: stat(birth: 3)))
    #expect(row.wasInode(of: stat(birth: 3, modified: 8)))
    #expect(!row.wasInode(of: stat(birth: 4)))
    #expect(!row.wasInode(of: stat(inode: 6, birth: 3)))
    #expect(!row.wasInode(of: stat(.symlink, birth: 3)))
  }

  @Test func `without births, an inode is recognized by the agreed time`() throws {
    let row = try gone(0)
    #expect(row.wasInode(of: stat(birth: 0)))
    #expect(!row.wasInode(of: stat(birth: 0, modified: 8)), "its number was given to another one")
    #expect(!row.wasInode(of: stat(inode: 6, birth: 0)))
    #expect(!row.wasInode(of: stat(birth: 3)))
  }
}
