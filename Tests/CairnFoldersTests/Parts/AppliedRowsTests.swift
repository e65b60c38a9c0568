import CairnPlan
import CairnZone
import Foundation
import Testing

@testable import CairnFolders

/// Applied steps are known until they are written, and writing twice has the same result.
struct AppliedRowsTests {
  private let index: FolderIndex
  private let mount: Int64
  private let id: RecordID
  private let node: Node

  init() throws {
    index = try FolderIndex(inMemory: {})
    let zone = try #require(ZoneID(bytes: [UInt8](repeating: 3, count: 32)))
    mount = try index.register(ZonePart(zone), FileStat(kind: .directory))
    id = try #require(RecordID(bytes: [UInt8](repeating: 1, count: 16)))
    node = Node(
      place: Place(parent: .root, name: try #require(FileName("a"))), kind: .file(nil),
      attributes: Attributes(isExecutable: false, modified: 1))
  }

  private func stat(_ inode: UInt64) -> FileStat {
    var stat = FileStat(kind: .file)
    (stat.inode, stat.birth, stat.modified) = (inode, 7, 1)
    return stat
  }

  private struct Lost: Error {}

  @Test func `a lost transaction loses no applied step`() throws {
    var done: [TreeChange] = []
    #expect(throws: Lost.self) {
      try index.write(mount) { tree in
        let rows = AppliedRows(tree)
        defer { done = rows.changes }
        try rows.note(.made(id, node, stat(5)))
        #expect(try rows.row(id)?.local?.inode == 5, "what follows sees it")
        throw Lost()
      }
    }
    #expect(try index.read(mount) { try $0.node(id) } == nil)
    try index.write(mount) { tree in for change in done { try change.write(to: tree) } }
    let row = try #require(try index.read(mount) { try $0.node(id) })
    #expect(row.local == NodeRow.Local(node, stat(5)) && row.synced == node)
  }

  @Test func `a directory's time counts as set only if it was set`() throws {
    var directory = node
    directory.kind = .directory
    var seen = FileStat(kind: .directory)
    (seen.inode, seen.birth, seen.modified) = (5, 7, 9)
    for (change, shape) in [
      (TreeChange.made(id, directory, seen), Int64(1)), (.moved(id, directory, seen), 1),
      (.attributed(id, directory, seen), 9), (.moved(id, directory, seen), 9),
    ] {
      _ = try index.write(mount) { try change.write(to: $0) }
      let local = try #require(try index.read(mount) { try $0.node(id)?.local })
      // The next scan takes any difference for an edit.
      #expect(local.shape.modified == shape && local.node.attributes.modified == 1, "\(change)")
    }
  }

  @Test func `each change adopts the intended state, and only that`()
    throws
  {
    var moved = node
    moved.place = Place(parent: .root, name: try #require(FileName("b")))
    moved.attributes.modified = 2
    var both = node
    both.place = moved.place
    var timed = moved
    timed.attributes = Attributes(isExecutable: false, modified: 3)
    let rows: [(change: TreeChange, synced: Node?)] = [
      (.made(id, node, stat(5)), node), (.moved(id, moved, stat(5)), both),
      (.parked(id, node, stat(5)), both), (.moved(id, moved, stat(5)), both),
      (.attributed(id, timed, stat(5)), timed), (.gone(id), timed), (.lost(id), nil),
    ]
    for (change, synced) in rows {
      for _ in 0..<2 {
        _ = try index.write(mount) { try change.write(to: $0) }
        #expect(try index.read(mount) { try $0.node(id)?.synced } == synced, "\(change)")
      }
    }
    #expect(try index.read(mount) { try $0.isDirty(id) })
  }

  @Test func `a record that is the same everywhere isn't dirty any more`() throws {
    var executable = node
    executable.attributes.isExecutable = true
    var other = node
    other.kind = .symlink([1])
    let rows: [(sides: DirtySides, zone: Node?, change: TreeChange, isSettled: Bool)] = [
      (.remote, node, .made(id, node, stat(5)), true),
      (.remote, node, .replaced(id, node, stat(5)), true),
      // The step brought the zone's bytes, and the person's mode is still to be sent.
      (.remote, node, .made(id, executable, stat(5)), false),
      (.remote, executable, .made(id, node, stat(5)), false),
      // The zone has more than this step brought.
      (.remote, other, .moved(id, node, stat(5)), false),
      // The record isn't in the plan, or only in part.
      (.remote, nil, .made(id, node, stat(5)), false),
      ([.local, .remote], node, .made(id, node, stat(5)), false),
      ([.remote, .confirmed], node, .made(id, node, stat(5)), false),
      ([], node, .made(id, node, stat(5)), false),
      (.remote, node, .parked(id, node, stat(5)), false),
      (.remote, node, .gone(id), false),
    ]
    for row in rows {
      let settled = try index.write(mount) { tree in
        _ = try tree.takeDirty(id)
        if !row.sides.isEmpty { try tree.markDirty(id, row.sides) }
        let rows = AppliedRows(tree, following: row.zone.map { [id: $0] } ?? [:])
        try rows.note(row.change)
        return rows.settled
      }
      #expect(settled == (row.isSettled ? [id] : []), "\(row)")
      #expect(try index.read(mount) { try $0.isDirty(id) } != row.isSettled, "\(row)")
    }
  }

  @Test func `a directory is removed with everything in it`() throws {
    let inner = try #require(RecordID(bytes: [UInt8](repeating: 2, count: 16)))
    var file = node
    file.place.parent = id
    var directory = node
    directory.kind = .directory
    try index.write(mount) { tree in
      try TreeChange.made(id, directory, FileStat(kind: .directory)).write(to: tree)
      try TreeChange.made(inner, file, stat(6)).write(to: tree)
      try TreeChange.gone(id).write(to: tree)
    }
    #expect(try index.read(mount) { try $0.node(inner)?.local } == nil)
    #expect(try index.read(mount) { try $0.node(inner)?.gone?.inode } == 6)
  }

  @Test func `only a directory whose time couldn't be restored is tried again`() throws {
    let path = NSTemporaryDirectory() + "cairn-touched-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: path) }  // In the temporary folder.
    try FileManager.default.createDirectory(
      atPath: path + "/d", withIntermediateDirectories: true)
    let root = try Descriptor.openRoot(Array(path.utf8), on: SystemDisk())
    var touched = TouchedDirectories()
    let name: [FileNameBytes] = [Array("d".utf8)]
    touched.note(id, at: name, 1_000)
    touched.note(id, at: name, 2_000)
    #expect(throws: Lost.self) { try touched.finish(root) { _, _ in throw Lost() } }
    #expect(!touched.areDone)
    var given: [Int64] = []
    try touched.finish(root) { given.append($1.modified) }
    #expect(given == [1_000] && touched.areDone)
    try touched.finish(root) { _, _ in throw Lost() }
  }
}
