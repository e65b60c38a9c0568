import CairnIndex
import CairnPlan
import CairnZone

/// A node of a mount: what the disk showed last, and what both sides last agreed on.
struct NodeRow: Hashable, Sendable {
  /// The state on the disk, with the metadata by which it is recognized.
  struct Local: Hashable, Sendable {
    /// The intended node: an attribute that the file system cannot hold has its intended value.
    var node: Node
    var inode: UInt64
    var birth: Int64
    var size: UInt64
    var changed: Int64
    /// The attributes on the disk, as far as they differ.
    var shown = Shown()
    /// Its mode and group; nil if nobody looked.
    var access: Access?

    /// The attributes that a file system shows instead of those that it was given.
    struct Shown: Hashable, Sendable {
      var isExecutable: Bool?
      var modified: Int64?
      var extended: Attributes.Extended?
    }

    /// The extended attributes on the disk, by the last look at them.
    var shownExtended: Attributes.Extended { shown.extended ?? node.attributes.extended ?? [:] }

    /// A Boolean value that indicates whether nobody has looked at the extended attributes yet.
    var isUnread: Bool { changed == 0 }

    /// The state of a node that says nothing about its mode and its extended attributes.
    var withoutMetadata: Self {
      var local = self
      local.node = node.withoutMetadata
      local.shown.extended = shownExtended.isEmpty ? nil : shownExtended
      return local
    }

    /// Returns whether both are one file that nobody wrote between two scans, at any place.
    func isSameVersion(as other: Local) -> Bool {
      inode == other.inode && birth == other.birth && size == other.size
        && shape.modified == other.shape.modified
    }

    /// The node's attributes by another look. What the disk shows as it did is what was meant then:
    /// nobody changed it. A node without a mode gets one only if modes are carried here.
    func attributes(by stat: FileStat, withMode: Bool = false) -> Attributes {
      let shape = shape
      var found = Attributes(
        isExecutable: stat.isExecutable == shape.isExecutable
          ? node.attributes.isExecutable : stat.isExecutable,
        modified: stat.modified == shape.modified ? node.attributes.modified : stat.modified,
        mode: node.attributes.mode, extended: node.attributes.extended)
      if withMode || found.mode != nil, let access, access.mode != stat.mode & 0o777 {
        found.mode = stat.carriedMode(isExecutable: found.isExecutable)
      }
      if let seen = stat.extended, seen != shownExtended { found.extended = seen }
      return found
    }
  }

  /// The inode that was last at a place.
  struct Gone: Hashable, Sendable {
    var inode: UInt64
    var birth: Int64
  }

  var id: RecordID
  var local: Local?
  var synced: Node?
  /// The node before it was gone from the disk, so that it is recognized elsewhere.
  var gone: Gone?

  /// Returns whether the name on the disk still leads to the inode of the last scan.
  func isSameInode(as stat: FileStat) -> Bool { local?.shape.isSameInode(as: stat) ?? false }

  /// Returns whether the node was this inode before it was gone from the disk. Numbers are reused:
  /// if inodes have no birth time, it is the same file only with the agreed time.
  func wasInode(of stat: FileStat) -> Bool {
    guard let gone, let synced, gone.inode == stat.inode, gone.birth == stat.birth,
      synced.isSameKind(as: stat.kind)
    else { return false }
    return stat.birth != 0
      || stat.kind == .file && stat.modified == synced.attributes.modified
  }

  /// Returns whether size and time are those of the last scan.
  func hasSameBytes(as stat: FileStat) -> Bool { local?.shape.hasSameBytes(as: stat) ?? false }

  /// Returns whether nothing at all changed since the last scan.
  func isUnchanged(_ stat: FileStat) -> Bool { local?.shape.isUnchanged(stat) ?? false }

  /// Returns whether it is the entry of the last scan, with any name: a rename changes the ctime.
  func isStill(_ stat: FileStat) -> Bool {
    isSameInode(as: stat) && (stat.kind == .directory || hasSameBytes(as: stat))
  }

  /// The node after a rename; `before` and `after` are how its inode looked around it. A file that
  /// somebody wrote to since the last look has bytes that nobody knows yet, and one whose mode
  /// somebody changed has theirs.
  func node(at place: Place, before: FileStat, after: FileStat) -> Node? {
    guard let local else { return nil }
    var node = local.node
    node.place = place
    guard case .file = node.kind else { return node }
    if !isUnchanged(before) || !isStill(after) { node.kind = .file(nil) }
    node.attributes = local.attributes(by: after)
    return node
  }
}

extension Node {
  func isSameKind(as kind: FileStat.Kind) -> Bool {
    switch (self.kind, kind) {
    case (.file, .file), (.directory, .directory), (.symlink, .symlink): true
    default: false
    }
  }

  var isDirectory: Bool { kind == .directory }

  /// The node without a mode and extended attributes: as an agreement, it lets the zone's mode
  /// narrow the one on the disk, and never widen it, and keeps the attributes of both sides.
  var withoutMetadata: Node {
    var node = self
    node.attributes.mode = nil
    node.attributes.extended = nil
    return node
  }
}

extension NodeRow.Local {
  /// The metadata by which it is recognized.
  var shape: NodeShape {
    let kind: FileStat.Kind
    switch node.kind {
    case .file: kind = .file
    case .directory: kind = .directory
    case .symlink: kind = .symlink
    }
    return NodeShape(
      kind: kind, isExecutable: shown.isExecutable ?? node.attributes.isExecutable,
      modified: shown.modified ?? node.attributes.modified,
      inode: inode, birth: birth, size: size, changed: changed)
  }

  /// Returns whether this very file is there, whatever was removed since. Without a birth time the
  /// number alone says nothing, because it is reused.
  func isCertainly(_ stat: FileStat) -> Bool {
    guard shape.isSameInode(as: stat) else { return false }
    return stat.birth != 0 || shape.hasSameBytes(as: stat)
  }

  /// Creates the state after another look. Extended attributes that this look didn't read are as
  /// before.
  init(_ node: Node, _ stat: FileStat, after before: Self?) {
    self.init(node, stat)
    if stat.extended == nil { shown.extended = before?.shown.extended }
  }

  init(_ node: Node, _ stat: FileStat) {
    self.init(
      node: node, inode: stat.inode, birth: stat.birth, size: stat.size, changed: stat.changed)
    let meant = node.attributes
    if case .file = node.kind, meant.isExecutable != stat.isExecutable {
      shown.isExecutable = stat.isExecutable
    }
    if meant.modified != stat.modified { shown.modified = stat.modified }
    if let seen = stat.extended, seen != meant.extended ?? [:] { shown.extended = seen }
    access = Access(stat)
  }
}

/// The columns of the table `node`, by their places.
extension NodeRow {
  private static let idColumn = 1
  private static let localColumn = 2
  private static let statColumn = 11
  private static let syncedColumn = 15
  private static let shownColumn = 24

  /// The parameters for all columns; the mount is the first.
  static let places = Array(repeating: "?", count: shownColumn + 4).joined(separator: ", ")

  /// Reads a row of `SELECT * FROM node`.
  init(_ row: borrowing Query) throws {
    guard let id = row.id(Self.idColumn) else {
      throw IndexDamage("node")
    }
    self.id = id
    synced = Self.node(row, from: Self.syncedColumn)
    if let node = Self.node(row, from: Self.localColumn) {
      local = Local(
        node: node, inode: UInt64(bitPattern: row.integer(Self.statColumn)),
        birth: row.integer(Self.statColumn + 1),
        size: UInt64(bitPattern: row.integer(Self.statColumn + 2)),
        changed: row.integer(Self.statColumn + 3))
      local?.shown.isExecutable = row.number(Self.shownColumn).map { $0 != 0 }
      local?.shown.modified = row.number(Self.shownColumn + 1)
      local?.access = row.number(Self.shownColumn + 2).map { Access(stored: $0) }
      local?.shown.extended = row.bytes(Self.shownColumn + 3).map {
        Attributes.extended(stored: $0)
      }
    } else if let inode = row.number(Self.statColumn) {
      gone = Gone(inode: UInt64(bitPattern: inode), birth: row.integer(Self.statColumn + 1))
    }
  }

  /// The nine columns of a node, in the order in which they are bound.
  private static func node(_ row: borrowing Query, from first: Int) -> Node? {
    guard let parent = row.id(first), let name = FileName(row.bytes(first + 1) ?? []) else {
      return nil
    }
    let kind: Node.Kind
    switch row.integer(first + 2) {
    case 1: kind = .file(row.bytes32(first + 3).map { ContentID($0) })
    case 2: kind = .directory
    default: kind = .symlink(row.bytes(first + 4) ?? [])
    }
    return Node(
      place: Place(parent: parent, name: name), kind: kind,
      attributes: Attributes(
        isExecutable: row.integer(first + 5) != 0, modified: row.integer(first + 6),
        mode: row.number(first + 7).map { UInt16(truncatingIfNeeded: $0) },
        extended: row.bytes(first + 8).map { Attributes.extended(stored: $0) }))
  }

  /// Gives the values of all columns but `mount`, in the table's order.
  func bind(to query: inout Query) {
    query.bind(id)
    Self.bind(local?.node, to: &query)
    query.bind((local?.inode ?? gone?.inode).map { Int64(bitPattern: $0) })
    query.bind(local?.birth ?? gone?.birth)
    query.bind(local.map { Int64(bitPattern: $0.size) })
    query.bind(local?.changed)
    Self.bind(synced, to: &query)
    query.bind(local?.shown.isExecutable.map { $0 ? 1 : 0 })
    query.bind(local?.shown.modified)
    query.bind(local?.access?.stored)
    query.bind(local?.shown.extended.map { Attributes.stored($0) })
  }

  static func bind(_ node: Node?, to query: inout Query) {
    guard let node else {
      for _ in 0..<9 { query.bind(nil as Int64?) }
      return
    }
    query.bind(node.place.parent)
    query.bind(node.place.name.bytes)
    switch node.kind {
    case .file(let content):
      query.bind(1)
      query.bind(content?.value)
      query.bind(nil as Int64?)
    case .directory:
      query.bind(2)
      query.bind(nil as Int64?)
      query.bind(nil as Int64?)
    case .symlink(let target):
      query.bind(3)
      query.bind(nil as Int64?)
      query.bind(target)
    }
    query.bind(node.attributes.isExecutable ? 1 : 0)
    query.bind(node.attributes.modified)
    query.bind(node.attributes.mode.map { Int64($0) })
    query.bind(node.attributes.extended.map { Attributes.stored($0) })
  }
}
