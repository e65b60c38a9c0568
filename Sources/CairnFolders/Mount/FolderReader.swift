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

  /// The entries of the directory at `path`, or the one entry that stands there.
  public func entries(at path: [UInt8], recursive: Bool) throws -> [Entry] {
    let part = ZonePart(zone.id, base: scope.base)
    guard let mount = try index.number(of: part) else { return [] }
    return try zone.read { view in
      let records = ScopedRecords(view, scope)
      return try index.read(mount) { tree in
        var found: [Entry] = []
        var start: (id: RecordID, path: [FileNameBytes]) = (.root, [])
        for bytes in path.split(separator: UInt8(ascii: "/")) {
          guard let name = FileName(bytes),
            let id = try Self.child(Place(parent: start.id, name: name), records, tree)
          else { throw FolderError(.notFound, path, "nothing of that name is here") }
          start = (id, start.path + [name.bytes])
        }
        if start.id != .root, let entry = try Self.entry(start.id, start.path, records, tree),
          entry.kind != .directory
        {
          return [entry]
        }
        var stack = [start]
        while let (id, path) = stack.popLast() {
          let ids = Set(try records.children(of: id)).union(try tree.childIDs(of: id))
          for child in ids {
            guard let name = try Self.name(child, records, tree),
              let entry = try Self.entry(child, path + [name], records, tree)
            else { continue }
            found.append(entry)
            if recursive, entry.kind == .directory { stack.append((child, path + [name])) }
          }
        }
        return found.sorted { $0.path.lexicographicallyPrecedes($1.path) }
      }
    }
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
        var id = RecordID.root
        var names: [FileNameBytes] = []
        for bytes in path.split(separator: UInt8(ascii: "/")) {
          guard let name = FileName(bytes),
            let next = try Self.child(Place(parent: id, name: name), records, tree)
          else { throw missing }
          id = next
          names.append(name.bytes)
        }
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

  private static func name(
    _ id: RecordID, _ records: ScopedRecords, _ tree: FolderTree
  ) throws -> FileNameBytes? {
    try tree.node(id)?.local?.node.place.name.bytes ?? records.node(id)?.place.name.bytes
  }

  private static func entry(
    _ id: RecordID, _ path: [FileNameBytes], _ records: ScopedRecords, _ tree: FolderTree
  ) throws -> Entry? {
    let record = try records.view.record(id)
    let remote = try records.node(id)
    let local = try tree.node(id)?.local
    guard let node = local?.node ?? remote else { return nil }
    var size: UInt64 = 0
    if case .file = node.kind { size = local?.size ?? record?.content?.size ?? 0 }
    return Entry(
      id: id, path: joined(path), kind: node.kind, size: size, attributes: node.attributes,
      isLocal: local != nil, isSynced: local?.node == remote, changed: record?.changed)
  }
}
