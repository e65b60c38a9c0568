import CairnCloud
import CairnControl
import CairnZone

/// The public zone by paths: looks records up and lists them, as of the last fold. It reads the
/// index and nothing else.
struct PublicTree {
  let zone: Zone
  let me: UserID
  let person: (UserID) -> Control.Person

  /// The names of a path in the public database.
  /// - Throws: `ControlError` if one of them can't be a name.
  static func names(_ path: Control.Path) throws -> [FileName] {
    try path.bytes.split(separator: UInt8(ascii: "/")).filter { $0 != [UInt8(ascii: ".")] }
      .map { bytes in
        guard let name = FileName(Array(bytes)) else {
          throw ControlError(
            .invalidArguments, "\(path) can't be a path in the public database.",
            remedy: "Use names of at most 255 bytes, and no `..`.", path: path)
        }
        return name
      }
  }

  /// The record at these names; nil if there is none. No names: the root.
  static func record(_ names: [FileName], in view: ZoneView) throws -> Record? {
    var id = RecordID.root
    for name in names {
      guard let next = try view.child(of: id, named: name) else { return nil }
      id = next
    }
    return try view.record(id)
  }

  /// The entry at a path.
  /// - Throws: `ControlError` with `.unknownItem` if there is none.
  func entry(_ path: Control.Path) throws -> (record: Record, entry: Control.PublicEntry) {
    let names = try Self.names(path)
    guard let record = try zone.read({ try Self.record(names, in: $0) }) else {
      throw Self.missing(path)
    }
    return (record, describe(record, names))
  }

  static func missing(_ path: Control.Path) -> ControlError {
    ControlError(
      .unknownItem, "There is no \(path) in the public database.",
      remedy: "`cairn public list` shows what there is.", path: path)
  }

  /// The entries of a directory, with everything below if wanted, or the one entry at the path, in
  /// portions: a directory before what is in it, names in the order of their bytes. A symlink is
  /// never followed.
  func forEachPortion(
    _ path: Control.Path, recursive: Bool,
    _ body: ([(record: Record, entry: Control.PublicEntry)]) throws -> Void
  ) throws {
    let names = try Self.names(path)
    guard let start = try zone.read({ try Self.record(names, in: $0) }) else {
      // Before the first commit there is no root.
      guard names.isEmpty else { throw Self.missing(path) }
      return
    }
    guard start.type == .directory else { return try body([(start, describe(start, names))]) }
    var walk = TreeWalk(from: start.id, path: names.map(\.bytes))
    var isMore = true
    while isMore {
      var found: [(record: Record, entry: Control.PublicEntry)] = []
      isMore = try zone.read { view in
        try walk.go(
          Self.portion, page: { try Self.page(of: $0, after: $1, view) },
          visit: { id, path in
            guard let record = try view.record(id) else { return false }
            found.append((record, describe(record, path)))
            return recursive && record.type == .directory
          })
      }
      if !found.isEmpty { try body(found) }
    }
  }

  /// How many entries are read at a time.
  private static let portion = 512

  private static func page(
    of directory: RecordID, after name: [UInt8], _ view: ZoneView
  ) throws -> TreeWalk.Page {
    let children = try view.children(of: directory, after: name, limit: portion)
    return TreeWalk.Page(
      children: children, rest: children.count < portion ? nil : children.last?.name)
  }

  private func describe(_ record: Record, _ names: [FileName]) -> Control.PublicEntry {
    describe(record, names.map(\.bytes))
  }

  /// A record for people and programs.
  func describe(_ record: Record, _ names: [[UInt8]]) -> Control.PublicEntry {
    let kind: Control.EntryKind
    var size: Int64 = 0
    switch record.type {
    case .directory: kind = .directory
    case .symlink:
      kind = .symlink
      size = Int64(record.target?.count ?? 0)
    default:
      kind = .file
      size = Int64(clamping: record.content?.size ?? 0)
    }
    return Control.PublicEntry(
      path: Control.Path(Array(names.joined(separator: [UInt8(ascii: "/")]))),
      kind: kind, size: size, modified: Control.Time(nanoseconds: record.attributes.modified),
      executable: record.attributes.isExecutable, target: record.target.map { Control.Path($0) },
      author: person(record.created.user), isMine: record.created.user == me,
      record: record.id.description, sequence: record.changed.sequence,
      content: record.content?.id.description)
  }
}
