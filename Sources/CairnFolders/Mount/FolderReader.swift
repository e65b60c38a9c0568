public import CairnCloud
public import CairnPlan
public import CairnZone

/// Lists what a mount holds, for `cairn ls`: what the zone has and what the folder shows, joined.
/// It only reads, beside the mount's owner.
public struct FolderReader {
  /// One file, directory or symlink.
  public struct Entry: Sendable {
    /// The record, or what will become one.
    public var id: RecordID
    /// The path relative to the folder.
    public var path: [UInt8]
    /// What it is.
    public var kind: Node.Kind
    /// Bytes of a file; 0 for everything else.
    public var size: UInt64
    /// Executable bit and time.
    public var attributes: Attributes
    /// Whether it stands in the folder.
    public var isLocal: Bool
    /// Whether folder and zone agree.
    public var isSynced: Bool
    /// Whether it was deleted here, and the zone has it still.
    public var isDeletedHere: Bool
    /// Who changed it last, if the zone knows it.
    public var changed: Stamp?
  }

  private let index: FolderIndex
  private let zone: Zone
  private let scope: MountScope

  /// Reads the mount of that zone, or of the part of it that the scope says.
  public init(index: FolderIndex, zone: Zone, scope: MountScope = MountScope()) {
    self.index = index
    self.zone = zone
    self.scope = scope
  }

  /// The entries of the directory at `path`, or the one entry that stands there, in portions; no
  /// transaction is open while one is handed over. A directory comes before what is in it, names
  /// are in the order of their bytes.
  /// - Parameters:
  ///   - path: Relative to the folder; empty: the folder.
  ///   - recursive: With everything below.
  ///   - body: Is handed each portion.
  /// - Throws: `FolderError` with `.notFound` if nothing is there; what `body` throws.
  public func forEachPortion(
    at path: [UInt8], recursive: Bool, _ body: ([Entry]) throws -> Void
  ) throws {
    guard let mount = try index.number(of: ZonePart(zone.id, base: scope.base)) else { return }
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

  /// How many entries are read at a time.
  private static let portion = 512

  /// What stands at a path: its id, and its names.
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

  /// The names of a directory on both sides: what is on the disk stands where it stands there.
  private static func page(
    of directory: RecordID, after name: FileNameBytes, _ records: ScopedRecords, _ tree: FolderTree
  ) throws -> TreeWalk.Page {
    let here = try tree.children(of: directory, after: name, limit: portion)
    let there = try records.children(of: directory, after: name, limit: portion)
    // Of both sides only as far as both were read.
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

  /// Where a record stands in the folder, relative to it; nil if it isn't there.
  public func path(of id: RecordID) throws -> [UInt8]? {
    guard let mount = try index.number(of: ZonePart(zone.id, base: scope.base)) else { return nil }
    return try index.read(mount) { try $0.path(of: id) }.map { joined($0) }
  }

  /// The one entry that stands at `path`, which isn't empty.
  /// - Throws: `FolderError` with `.notFound` if there is none.
  public func entry(at path: [UInt8]) throws -> Entry {
    let missing = FolderError(.notFound, path, "nothing of that name is here")
    guard let mount = try index.number(of: ZonePart(zone.id, base: scope.base)) else {
      throw missing
    }
    return try zone.read { view in
      let records = ScopedRecords(view, scope)
      return try index.read(mount) { tree in
        let (id, names) = try Self.start(path, records, tree)
        guard let entry = try Self.entry(id, names, records, tree) else { throw missing }
        return entry
      }
    }
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
      isDeletedHere: local == nil && row?.synced != nil, changed: record?.changed)
  }
}
