import CairnPlan
import CairnZone

/// The changes in the folder that cannot be scanned yet: first it must be known which of the
/// mount's own changes the zone accepted. It only counts, and notes nothing.
struct UnseenChanges {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Names beyond this number are counted by their hints, without a look.
  private static let most = 1_000

  /// Returns the number of records that the hints say changed, beside those that are known to wait.
  func count() throws -> Int {
    guard let root = state.root, let scanner = state.scanner else { return 0 }
    let told = state.scanQueue.told
    var (known, new) = (Set<RecordID>(), 0)
    try state.read { tree in
      for path in told.prefix(Self.most) {
        let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
        guard let last = names.last, let name = FileName(last), names.first != Staging.folder,
          scanner.only.map({ names == [$0.name.bytes] }) ?? true
        else { continue }
        let above = Array(names.dropLast())
        let stat = try Self.look(root, above, name.bytes)
        let row = try tree.record(at: names).flatMap { try tree.node($0) }
        if let row {
          if !Self.isSame(row, stat), try !tree.isDirty(row.id) { known.insert(row.id) }
        } else if let stat, stat.kind != .other,
          try scanner.only != nil || !scanner.ignores.isIgnored(above, name, stat)
        {
          // A rename is one change, not two.
          let nodes = try tree.nodes(inode: stat.inode)
          if let former = nodes.first(where: { $0.isSameInode(as: stat) }) {
            if try !tree.isDirty(former.id) { known.insert(former.id) }
          } else {
            new += 1
          }
        }
      }
    }
    return known.count + new + max(0, told.count - Self.most)
  }

  private static func isSame(_ row: NodeRow, _ stat: FileStat?) -> Bool {
    guard let stat else { return row.local == nil }
    // The time of a directory changes with its entries, which have their own hints.
    return stat.kind == .directory ? row.isSameInode(as: stat) : row.isUnchanged(stat)
  }

  /// Returns the metadata of the entry; nil if there is none, or it is unreadable.
  private static func look(
    _ root: Descriptor, _ above: [FileNameBytes], _ name: FileNameBytes
  ) throws -> FileStat? {
    do throws(FolderError) { return try FileStat.at(root.openDirectory(above), name) } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }
}
