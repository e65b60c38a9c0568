import CairnPlan
import CairnZone

/// A conflict copy, and the file that it is a version of.
public struct Conflict: Sendable, Hashable {
  /// One of the two versions.
  public struct Version: Sendable, Hashable {
    /// The path relative to the folder.
    public var path: [UInt8]
    /// The size in bytes.
    public var size: UInt64
    /// The modification time, in nanoseconds since 1970.
    public var modified: Int64
    /// A Boolean value that indicates whether it is a regular file.
    public var isFile: Bool
  }

  /// The copy.
  public var copy: Version
  /// The file under the conflicting name; nil if there is none.
  public var original: Version?
  /// The conflicting name, relative to the folder.
  public var of: [UInt8]
  /// The author of the copy's version, by the copy's name.
  public var who: String
  /// The author's host.
  public var host: String
  /// The time in the name: year, month, day, hour and minute.
  public var when: String
}

/// The choice of the version that keeps the name.
public enum ConflictChoice: Sendable {
  /// The copy's version; the file under the name is rescued.
  case copy
  /// The file under the name; the copy is rescued.
  case original
  /// Both stay; the copy gets a name of its own.
  case both
}

/// The conflict copies, and their person's decisions.
///
/// It uses these parts of the state: `clock`, `displaced`, `hint`, `isReadOnly`, `read`, `report`,
/// `root`, `staging`.
struct Conflicts {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// The conflict copies in the folder, by their names.
  func conflicts() throws -> [Conflict] {
    try state.read { tree in
      try tree.idsOfConflictCopies().compactMap { id -> Conflict? in
        guard let row = try tree.node(id), let copy = try Self.version(row, tree),
          let place = row.local?.node.place, let label = ConflictLabel.read(from: place.name),
          let name = nameBeforeConflict(place.name)
        else { return nil }
        let above = copy.path.dropLast(place.name.bytes.count)
        let other = try tree.child(at: Place(parent: place.parent, name: name))
        return Conflict(
          copy: copy, original: try other.flatMap { try Self.version($0, tree) },
          of: above + name.bytes, who: label.who, host: label.host, when: label.when)
      }.sorted { $0.copy.path.lexicographicallyPrecedes($1.copy.path) }
    }
  }

  private static func version(_ row: NodeRow, _ tree: FolderTree) throws -> Conflict.Version? {
    guard let local = row.local, let path = try tree.path(of: row.id) else { return nil }
    var isFile = false
    if case .file = local.node.kind { isFile = true }
    return Conflict.Version(
      path: joined(path), size: local.node.isDirectory ? 0 : local.size,
      modified: local.node.attributes.modified, isFile: isFile)
  }

  /// Performs a decision. A version without a name goes to the rescue folder.
  /// - Parameters:
  ///   - path: The conflict copy, relative to the folder.
  ///   - choice: The version that keeps the name.
  /// - Returns: the path of the kept or renamed version, and the rescued one.
  /// - Throws: `FolderError` if a file is missing or a directory, or the person can only view.
  func settleConflict(
    _ path: [UInt8], keeping choice: ConflictChoice
  ) throws -> (path: [UInt8], aside: MountReport.Rescued?) {
    let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard let root = state.root, let last = names.last, let name = FileName(last),
      let original = nameBeforeConflict(name), let label = ConflictLabel.read(from: name)
    else {
      throw FolderError(.notFound, path, "that is no conflict copy, by its name")
    }
    guard !state.isReadOnly else {
      throw FolderError(.denied, path, "you can only view this share, so you can't decide for all")
    }
    let above = Array(names.dropLast())
    let directory = try root.openDirectory(above)
    guard let copy = try FileStat.at(directory, last) else {
      throw FolderError(.notFound, path, "there is no such conflict copy")
    }
    let other = try FileStat.at(directory, original.bytes)
    let full = above + [original.bytes]
    let before = state.report.rescued.count
    defer { state.hint(changed: [path, joined(full)]) }
    switch choice {
    case .both:
      return (try makeOrdinary(last, original.bytes, label.who, directory, above), nil)
    case .original:
      guard other != nil else {
        throw FolderError(.notFound, joined(full), "nothing stands under the name itself")
      }
      try checkSettles(copy, path)
      try RescueShelf(state).setAside(
        last, from: directory, names, try id(at: names),
        because: "you kept the other version in a conflict")
      return (joined(full), state.report.rescued.dropFirst(before).first)
    case .copy:
      try checkSettles(copy, path)
      if let other {
        try checkSettles(other, joined(full))
        try RescueShelf(state).setAside(
          original.bytes, from: directory, full, try id(at: full),
          because: "you kept the other version in a conflict")
      }
      try Rename.toFreeName(
        directory, last, directory, original.bytes, via: state.staging?.displaced)
      return (joined(full), state.report.rescued.dropFirst(before).first)
    }
  }

  /// Returns both versions in one text, with markers around the lines that differ.
  func marked(_ conflict: Conflict) throws -> (text: [UInt8], parts: Int) {
    guard let root = state.root, let original = conflict.original else {
      throw FolderError(
        .notFound, conflict.of, "the other version is gone; rename the copy instead")
    }
    func read(_ path: [UInt8]) throws(FolderError) -> [UInt8] {
      let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
      // A longer one isn't merged, and is recognized by one byte more.
      return try root.openFile(names).readAll(upTo: TextMerge.mostBytes + 1, as: "read the file")
    }
    func name(_ path: [UInt8]) -> [UInt8] {
      // A name that isn't UTF-8 is repaired: the result is a text.
      let last = path.split(separator: UInt8(ascii: "/")).last ?? []
      return Array(String(decoding: last, as: UTF8.self).utf8)
    }
    guard original.isFile, conflict.copy.isFile,
      let merged = TextMerge.marked(
        try read(original.path), try read(conflict.copy.path),
        names: (name(original.path), name(conflict.copy.path)))
    else {
      throw FolderError(
        .unsupported, conflict.copy.path,
        "the two versions can't be merged line by line: both have to be UTF-8 texts of at most "
          + "1 MiB and \(TextMerge.mostLines) lines, and differ in at most "
          + "\(TextMerge.mostDifferences) lines; use `cairn conflicts keep`")
    }
    return merged
  }

  /// Puts an edited text in place of both versions.
  /// - Returns: The place of the text, and the rescued copy; nil if a version changed since.
  func save(
    _ text: [UInt8], of conflict: Conflict, ifMadeFrom isCurrent: ([UInt8]) -> Bool
  ) throws -> (path: [UInt8], aside: MountReport.Rescued?)? {
    guard isCurrent(try marked(conflict).text) else { return nil }
    guard !state.isReadOnly, let root = state.root, let staging = try state.staging else {
      throw FolderError(.denied, conflict.of, "you can only view this share")
    }
    let names = conflict.of.split(separator: UInt8(ascii: "/")).map { Array($0) }
    guard let name = names.last else { return nil }
    let directory = try root.openDirectory(Array(names.dropLast()))
    let id = try id(at: names)
    // The replaced file is checked afterwards like one that a download replaced: an edit that came
    // in between is kept.
    let fresh = staging.freshName(for: id)
    let ours = try stage(text, as: fresh, like: FileStat.at(directory, name), in: staging)
    if try !Rename.swap(staging.displaced, fresh, directory, name, ours: ours) {
      try RescueShelf(state).setAside(
        name, from: directory, names, id, because: "you merged it with the other version")
      try Rename.toFreeName(staging.displaced, fresh, directory, name, via: nil)
    }
    state.displaced.load(staging, state.clock.now)
    return try settleConflict(conflict.copy.path, keeping: .original)
  }

  /// Writes a durable file with the mode of another one among the replaced files.
  private func stage(
    _ text: [UInt8], as name: FileNameBytes, like stat: FileStat?, in staging: Staging
  ) throws(FolderError) -> FileStat {
    let file = try staging.displaced.makeFile(name, mode: 0o600)
    do throws(FolderError) {
      try file.write(text)
      if let stat { try file.setMode(stat.mode, name) }
      try file.sync()
      return try FileStat.of(file)
    } catch {
      _ = file.disk.remove(name, in: staging.displaced.number)
      throw error
    }
  }

  private func checkSettles(_ stat: FileStat, _ path: [UInt8]) throws(FolderError) {
    guard stat.kind == .directory else { return }
    throw FolderError(
      .unsupported, path, "that is a directory: keep both, and move what is in them by hand")
  }

  /// The record at a path, for the names of notes; the root's if none is known.
  private func id(at names: [FileNameBytes]) throws -> RecordID {
    try state.read { try $0.record(at: names) ?? .root }
  }

  /// Gives a conflict copy a name with its author, but without the conflict.
  private func makeOrdinary(
    _ name: FileNameBytes, _ original: FileNameBytes, _ who: String, _ directory: Descriptor,
    _ above: [FileNameBytes]
  ) throws -> [UInt8] {
    let target = try FreeName.take {
      RescueFolder.marked(original, who, $0)
    } _: { target throws(FolderError) in
      try Rename.toFreeName(directory, name, directory, target, via: state.staging?.displaced)
      return target
    }
    state.hint(changed: [joined(above + [target])])
    return joined(above + [target])
  }
}
