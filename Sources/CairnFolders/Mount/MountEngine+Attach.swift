import CairnSystem
import CairnZone
import Foundation
import GRDB
import Glibc

extension MountEngine {
  /// The mark at a folder's root that says which zone it mirrors: the zone's id in hexadecimal.
  static let markerName: FileNameBytes = Array("zone".utf8)

  /// Opens the folder and makes sure that it is the one that mirrors this zone.
  /// - Parameter isNew: The folder becomes a mirror now; otherwise it must carry the mark already.
  /// - Throws: `FolderError` with `.detached` if the folder isn't the one: then nothing in it or in
  ///   the zone is taken for deleted, and nothing is written (DESIGN.md §6).
  public func attach(isNew: Bool) throws {
    let root = try Descriptor.openRoot(path)
    let stat = try FileStat.of(root)
    let marker = try Self.marker(in: root)
    let own = Array(zone.id.description.utf8)
    if let marker, marker != own {
      throw FolderError(
        .detached, path, "the folder mirrors another zone (\(String(decoding: marker, as: UTF8.self)))")
    }
    if marker == nil, !isNew {
      throw FolderError(
        .detached, path,
        "the folder isn't the one that was mirrored: its mark .cairn/zone is missing")
    }
    let staging = try Staging(root: root, token: settings.token)
    if marker == nil { try Self.writeMarker(own, in: root) }
    try staging.sweep()
    mount = try index.queue.write { db in try self.register(db, stat) }
    self.root = root
    self.staging = staging
    identity = stat
    scanner = Scanner(
      root: root, device: stat.device, index: index, mount: mount, mint: { RecordID.random() })
    kept.load(staging, clock.now)
    try forgetLostParked(staging)
  }

  /// Whether the folder at the path still is the one that was attached.
  func checkRoot() throws {
    guard let identity else { throw FolderError(.detached, path, "the folder isn't attached") }
    let now = try FileStat.of(Descriptor.openRoot(path))
    guard now.isSameInode(as: identity) else {
      throw FolderError(.detached, path, "another folder stands at this path now")
    }
  }

  /// Forgets all that the index has about this mount: the folder isn't mirrored any more.
  public func forget() throws {
    try index.queue.write { db in
      for table in ["node", "dirty"] {
        try db.execute(sql: "DELETE FROM \(table) WHERE mount = ?", arguments: [mount])
      }
      try db.execute(sql: "DELETE FROM mount WHERE number = ?", arguments: [mount])
    }
  }

  /// Takes the mark and the staging folders away; what was rescued stays.
  public func detach() throws {
    guard let root else { return }
    let own = try root.openDirectory([Staging.folder])
    for name in ["zone", "staging", "kept", "parked", "rescue"] {
      let flag = name == "zone" ? 0 : AT_REMOVEDIR
      // A folder with something in it stays: it holds what a person may want back.
      _ = unlinkat(own.number, name, flag)
    }
    _ = Staging.folder.withCString { unlinkat(root.number, $0, AT_REMOVEDIR) }
    self.root = nil
    identity = nil
    scanner = nil
    staging = nil
  }

  private func register(_ db: Database, _ stat: FileStat) throws -> Int64 {
    let zone = Data(zone.id.bytes)
    if let number = try Int64.fetchOne(
      db, sql: "SELECT number FROM mount WHERE zone = ?", arguments: [zone])
    {
      return number
    }
    try db.execute(
      sql: "INSERT INTO mount (zone, device, inode, birth, seen) VALUES (?, ?, ?, ?, 0)",
      arguments: [
        zone, Int64(bitPattern: stat.device), Int64(bitPattern: stat.inode), stat.birth,
      ])
    return db.lastInsertedRowID
  }

  /// A parked node whose file isn't in the parked folder any more isn't on the disk.
  private func forgetLostParked(_ staging: Staging) throws {
    let present = Set(try DirectoryListing.names(of: staging.parked))
    try index.queue.write { db in
      let tree = FolderTree(db: db, mount: mount)
      for row in try tree.children(of: .parked)
      where !present.contains(Staging.parkedName(row.id)) {
        var row = row
        row.local = nil
        try tree.markDirty(row.id)
        try tree.put(row)
      }
    }
  }

  private static func marker(in root: Descriptor) throws -> [UInt8]? {
    do throws(FolderError) {
      let file = try root.open([Staging.folder, markerName], flags: O_RDONLY)
      var bytes = [UInt8](repeating: 0, count: 100)
      let count = read(file.number, &bytes, bytes.count)
      guard count >= 0 else { throw FolderError(errno, markerName, "read the mark") }
      return bytes.prefix(count).filter { $0 != UInt8(ascii: "\n") }
    } catch {
      guard error.code == .notFound else { throw error }
      return nil
    }
  }

  private static func writeMarker(_ text: [UInt8], in root: Descriptor) throws {
    let file = try root.open(
      [Staging.folder, markerName], flags: O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600)
    let bytes = text + [UInt8(ascii: "\n")]
    guard write(file.number, bytes, bytes.count) == bytes.count else {
      throw FolderError(errno, markerName, "write the mark")
    }
    try file.sync()
  }
}
