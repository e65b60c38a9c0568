public import CairnPlan
import CairnReplica
public import CairnZone

/// Lists the contents of a mount for `cairn ls`: the zone and the folder, joined. It only reads,
/// beside the mount's owner.
public struct FolderReader {
  /// One file, directory or symbolic link.
  public struct Entry: Sendable {
    /// The record, or the id of the future one.
    public var id: RecordID
    /// The path relative to the folder.
    public var path: [UInt8]
    /// The kind.
    public var kind: Node.Kind
    /// The size of a file in bytes; 0 for others.
    public var size: UInt64
    /// The executable bit and the time.
    public var attributes: Attributes
    /// A Boolean value that indicates whether it is in the folder.
    public var isLocal: Bool
    /// A Boolean value that indicates whether folder and zone agree.
    public var isSynced: Bool
    /// A Boolean value that indicates whether it is selected for the folder.
    public var isSelected: Bool
    /// A Boolean value that indicates whether it was deleted here, and still exists in the zone.
    public var isDeletedHere: Bool
    /// The author of the last change, if the zone knows it.
    public var changed: Stamp?
  }

  private let index: FolderIndex
  private let zone: Zone
  private let scope: MountScope

  /// Creates a reader of the mount of a zone, or of the part of it in the scope.
  public init(index: FolderIndex, zone: Zone, scope: MountScope = MountScope()) {
    self.index = index
    self.zone = zone
    self.scope = scope
  }

  /// Reads the entries of the directory at `path`, or the one entry there, in portions; no
  /// transaction is open while `body` runs. A directory comes before its entries; names are in the
  /// order of their bytes.
  /// - Parameters:
  ///   - path: The path relative to the folder; empty for the folder.
  ///   - recursive: Whether to read everything below.
  ///   - body: The function that receives each portion.
  /// - Throws: `FolderError` with `.notFound` if there is no such entry; any error of `body`.
  public func forEachPortion(
    at path: [UInt8], recursive: Bool, _ body: ([Entry]) throws -> Void
  ) throws {
    guard let mount = try index.number(of: ZonePart(zone.id, base: scope.base)) else { return }
    let scope = try appliedScope(mount)
    var walk: TreeWalk?
    var isMore = true
    while isMore {
      let portion = try zone.read { view in
        let records = ScopedRecords(view, scope)
        return try index.read(mount) { tree -> [Entry] in
          var found: [Entry] = []
          if walk == nil {
            let (id, names) = try Self.start(path, records, tree)
            if id != .root, let entry = try Self.entry(id, names, records, tree),
              entry.kind != .directory
            {
              isMore = false
              return [entry]
            }
            walk = TreeWalk(from: id, path: names)
          }
          isMore =
            try walk?.go(
              Self.portion, page: { try Self.page(of: $0, after: $1, records, tree) },
              visit: { id, path in
                guard let entry = try Self.entry(id, path, records, tree) else { return false }
                found.append(entry)
                return recursive && entry.kind == .directory
              }) ?? false
          return found
        }
      }
      if !portion.isEmpty { try body(portion) }
    }
  }

  /// The number of entries that are read at a time.
  private static let portion = 512

  /// Returns the id and the names of the entry at a path.
  private static func start(
    _ path: [UInt8], _ records: ScopedRecords, _ tree: FolderTree
  ) throws -> (RecordID, [FileNameBytes]) {
    var start: (id: RecordID, path: [FileNameBytes]) = (.root, [])
    for bytes in path.split(separator: UInt8(ascii: "/")) {
      guard let name = FileName(bytes),
        let id = try child(Place(parent: start.id, name: name), records, tree)
      else { throw FolderError(.notFound, path, "nothing of that name is here") }
      start = (id, start.path + [name.bytes])
    }
    return start
  }

  /// Returns the names of a directory on both sides; an entry on the disk has its place on the
  /// disk.
  private static func page(
    of directory: RecordID, after name: FileNameBytes, _ records: ScopedRecords, _ tree: FolderTree
  ) throws -> TreeWalk.Page {
    let here = try tree.children(of: directory, after: name, limit: portion)
    let there = try records.children(of: directory, after: name, limit: portion)
    // Of both sides only the part that was read of both.
    let end = [here.count < portion ? nil : here.last?.name, there.last]
      .compactMap { $0 }.min { $0.lexicographicallyPrecedes($1) }
    let received = try there.children.filter { try tree.node($0.id)?.local == nil }
    let names = (here + received).sorted { $0.name.lexicographicallyPrecedes($1.name) }
    return TreeWalk.Page(
      children: names.filter { child in
        end.map { !$0.lexicographicallyPrecedes(child.name) } ?? true
      },
      rest: end)
  }

  /// Returns the path of a record in the folder, relative to it; nil if it isn't there.
  public func path(of id: RecordID) throws -> [UInt8]? {
    guard let mount = try index.number(of: ZonePart(zone.id, base: scope.base)) else { return nil }
    return try index.read(mount) { try $0.path(of: id) }.map { joined($0) }
  }

  /// Returns the one entry at `path`, which isn't empty.
  /// - Throws: `FolderError` with `.notFound` if there is none.
  public func entry(at path: [UInt8]) throws -> Entry {
    let missing = FolderError(.notFound, path, "nothing of that name is here")
    guard let mount = try index.number(of: ZonePart(zone.id, base: scope.base)) else {
      throw missing
    }
    let scope = try appliedScope(mount)
    return try zone.read { view in
      let records = ScopedRecords(view, scope)
      return try index.read(mount) { tree in
        let (id, names) = try Self.start(path, records, tree)
        guard let entry = try Self.entry(id, names, records, tree) else { throw missing }
        return entry
      }
    }
  }

  /// Returns the scope with the attributes that the rows of the mount have.
  private func appliedScope(_ mount: Int64) throws -> MountScope {
    var scope = scope
    scope.carried = try index.read(mount) { try CarriedColumns($0).carried }
    return scope
  }

  private static func child(
    _ place: Place, _ records: ScopedRecords, _ tree: FolderTree
  ) throws -> RecordID? {
    try tree.child(at: place)?.id ?? records.child(at: place)
  }

  private static func entry(
    _ id: RecordID, _ path: [FileNameBytes], _ records: ScopedRecords, _ tree: FolderTree
  ) throws -> Entry? {
    let record = try records.view.record(id)
    let remote = try records.node(id)
    let row = try tree.node(id)
    let local = row?.local
    guard let node = local?.node ?? remote else { return nil }
    var size: UInt64 = 0
    if case .file = node.kind { size = local?.size ?? record?.content?.size ?? 0 }
    return Entry(
      id: id, path: joined(path), kind: node.kind, size: size, attributes: node.attributes,
      isLocal: local != nil, isSynced: local?.node == remote,
      isSelected: try SelectedRecords(records.view, records.scope).contains(id),
      isDeletedHere: local == nil && row?.synced != nil, changed: record?.changed)
  }
}
