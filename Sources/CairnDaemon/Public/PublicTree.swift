import CairnControl
import CairnReplica
import CairnZone

/// The public database by path: a directory for each author at the top, with the contents of that
/// author's zone as of its last replayed entry. It only reads indexes.
struct PublicTree {
  /// The directory of an author.
  struct Directory {
    /// Its name at the top: handle and id, so that nobody takes another's place.
    let name: FileName
    /// The author.
    let author: UserID
    /// The zone with its contents.
    let zone: Zone
  }

  /// An entry at a path.
  struct Found {
    let directory: Directory
    let record: Record
    let entry: Control.PublicEntry
  }

  /// The directories by name.
  let directories: [Directory]
  let me: UserID
  let person: (UserID) -> Control.Person

  /// Creates the tree.
  /// - Parameters:
  ///   - zones: The zones of the authors.
  ///   - me: The owner of the home.
  ///   - person: A function that returns a person for answers.
  init(_ zones: [Zone], me: UserID, person: @escaping (UserID) -> Control.Person) {
    var taken: [String: Int] = [:]
    let named = zones.compactMap { zone in
      zone.author.map { (zone, $0, Self.shortName(of: $0, person($0).handle)) }
    }
    for (_, _, name) in named { taken[name, default: 0] += 1 }
    directories = named.compactMap { zone, author, name in
      // Two authors made ids with equal beginnings: neither gets the short name.
      FileName(taken[name] == 1 ? name : author.description)
        .map { Directory(name: $0, author: author, zone: zone) }
    }.sorted { $0.name < $1.name }
    self.me = me
    self.person = person
  }

  /// The number of digits of an author's id in the name of their directory.
  static let idDigits = 16

  private static func shortName(of author: UserID, _ handle: String?) -> String {
    handle.map { "\($0)-\(author.description.prefix(idDigits))" } ?? author.description
  }

  /// Returns the names of a path in the public database.
  /// - Throws: `ControlError` if one of them is invalid.
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

  /// Returns the record at these names of a zone; nil if there is none. No names: the root.
  static func record(_ names: [FileName], in view: ZoneView) throws -> Record? {
    var id = RecordID.root
    for name in names {
      guard let next = try view.child(of: id, named: name) else { return nil }
      id = next
    }
    return try view.record(id)
  }

  /// Returns the entry at names in an author's directory.
  func find(_ names: [FileName], in directory: Directory) throws -> Found? {
    try directory.zone.read { try Self.record(names, in: $0) }.map {
      found($0, names.map(\.bytes), in: directory)
    }
  }

  static func missing(_ path: Control.Path) -> ControlError {
    ControlError(
      .unknownItem, "There is no \(path) in the public database.",
      remedy: "`cairn public list -r` lists the paths; each begins with its author, as in "
        + "ana/FILE.", path: path)
  }

  /// Reads the directories of all authors in portions, with everything below if wanted.
  func forEachPortion(recursive: Bool, _ body: ([Found]) throws -> Void) throws {
    for directory in directories {
      guard let top = try find([], in: directory) else { continue }
      try body([top])
      if recursive { try forEachPortion(of: [], in: directory, recursive: true, body) }
    }
  }

  /// Reads the entries of a directory, with everything below if wanted, or the one entry at these
  /// names, in portions: a directory before its entries, names in the order of their bytes. A
  /// symbolic link is never followed.
  func forEachPortion(
    of names: [FileName], in directory: Directory, recursive: Bool,
    _ body: ([Found]) throws -> Void
  ) throws {
    guard let start = try find(names, in: directory) else { return }
    guard start.record.type == .directory else { return try body([start]) }
    var walk = TreeWalk(from: start.record.id, path: names.map(\.bytes))
    var isMore = true
    while isMore {
      var all: [Found] = []
      isMore = try directory.zone.read { view in
        try walk.go(
          Self.portion, page: { try Self.page(of: $0, after: $1, view) },
          visit: { id, path in
            guard let record = try view.record(id) else { return false }
            all.append(found(record, path, in: directory))
            return recursive && record.type == .directory
          })
      }
      if !all.isEmpty { try body(all) }
    }
  }

  /// The number of entries that are read at a time.
  private static let portion = 512

  private static func page(
    of directory: RecordID, after name: [UInt8], _ view: ZoneView
  ) throws -> TreeWalk.Page {
    let children = try view.children(of: directory, after: name, limit: portion)
    return TreeWalk.Page(
      children: children, rest: children.count < portion ? nil : children.last?.name)
  }

  /// Returns a record for people and programs.
  private func found(_ record: Record, _ names: [[UInt8]], in directory: Directory) -> Found {
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
    let path = ([directory.name.bytes] + names).joined(separator: [UInt8(ascii: "/")])
    // A zone's root has no time of its own.
    let modified = names.isEmpty ? record.changed.time : record.attributes.modified
    let entry = Control.PublicEntry(
      path: Control.Path(Array(path)), kind: kind, size: size,
      modified: Control.Time(nanoseconds: modified),
      executable: record.attributes.isExecutable, target: record.target.map { Control.Path($0) },
      author: person(directory.author), isMine: directory.author == me,
      record: record.id.description, sequence: record.changed.sequence,
      content: record.content?.id.description)
    return Found(directory: directory, record: record, entry: entry)
  }
}
