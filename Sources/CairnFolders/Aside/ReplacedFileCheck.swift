import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone

/// The second check of replaced files.
///
/// It uses these parts of the state: `clock`, `displaced`, `hint`, `read`, `references`, `report`,
/// `root`, `settings`, `staging`, `zone`.
struct ReplacedFileCheck {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Checks replaced files again. A file whose bytes the zone has is deleted. One with other bytes
  /// is an edit that nobody else has, and becomes a conflict copy.
  func lookAgain() throws {
    guard let due = state.displaced.nextDeadline, due <= state.clock.now,
      let staging = try state.staging
    else { return }
    do {
      for entry in state.displaced.takeDue(staging, state.clock.now) { try check(entry, staging) }
    } catch {
      // A failure of the index or the container, not of the file; the following files were not
      // checked, either.
      state.displaced.load(staging, state.clock.now)
      throw error
    }
  }

  private func check(_ entry: DisplacedFiles.Entry, _ staging: Staging) throws {
    let name = entry.name
    let path = joined([staging.name, Array("displaced".utf8), name])
    do {
      try lookAgain(entry, staging)
      if state.displaced.finish(name) { state.report.clearProblem(at: path) }
    } catch let error as FolderError {
      guard error.code != .notFound else { return }
      state.displaced.retry(name, state.clock.now)
      state.report.add([
        PathProblem(
          path: path, code: .internalError,
          message: "a displaced file can't be looked at: \(error.reason)",
          remedy: "the file stays where it is, and is looked at again")
      ])
    }
  }

  private func lookAgain(_ entry: DisplacedFiles.Entry, _ staging: Staging) throws {
    let name = entry.name
    let kind = try entry.movedKind ?? FileStat.at(staging.displaced, name)?.kind
    let id = Staging.record(of: name) ?? .root
    switch kind {
    case nil: return
    case .file: break
    case .symlink: return try drop(name, staging)
    case .directory:
      defer { state.displaced.load(staging, state.clock.now) }
      for inside in try MovedDirectories(state).takeApart(entry, staging) {
        try check(inside, staging)
      }
      return
    case .other: return
    }
    let file = try staging.displaced.openFile([name])
    let writers = file.writers
    if writers == .some { return state.displaced.postpone(name, state.clock.now) }
    let stat = try FileStat.of(file)
    let content: ContentID
    if writers == .none, let known = entry.content(stat) {
      // Nobody had it open at its replacement, or touched it since.
      content = known
    } else {
      content = try state.zone.contentID { buffer in try file.read(into: buffer) }
    }
    let isKnown = try state.zone.read { view in
      // An empty file has no bytes to lose; anything else must be in the record's history.
      try stat.size == 0 || view.hadContent(content, record: id) || view.hasContent(content)
    }
    let isKnownElsewhere =
      try isKnown || state.references.left.contains { try $0.read { try $0.hasContent(content) } }
    if isKnownElsewhere { return try drop(name, staging) }
    try makeConflictCopy(of: name, id, staging)
  }

  private func drop(_ name: FileNameBytes, _ staging: Staging) throws {
    try staging.displaced.remove(name)
  }

  private func makeConflictCopy(
    of name: FileNameBytes, _ id: RecordID, _ staging: Staging
  ) throws {
    guard let root = state.root else { return }
    let wall = state.clock.wall
    let label = ConflictLabel(
      who: state.settings.handle, host: state.settings.host, year: wall.year, month: wall.month,
      day: wall.day, hour: wall.hour, minute: wall.minute)
    let (row, path) = try state.read { tree in
      (try tree.node(id), try tree.path(of: id))
    }
    let original = row?.local?.node.place.name ?? row?.synced?.place.name ?? FileName("recovered")
    guard let original else { return }
    let above = path.map { Array($0.dropLast()) } ?? []
    let directory = try root.openDirectory(above)
    // Its person's permission may have changed since its replacement.
    try ModeBits(state).showMode(of: name, in: staging.displaced)
    let copy = try FreeName.take {
      conflictName(of: original, label: label, attempt: $0).bytes
    } _: { copy throws(FolderError) in
      try Rename.toFreeName(staging.displaced, name, directory, copy, via: nil)
      return copy
    }
    state.hint(changed: [joined(above + [copy])])
    state.report.happened(
      .conflict(path: joined(above + [original.bytes]), copy: joined(above + [copy])))
  }
}

extension DisplacedFiles.Entry {
  /// The content of the file, if it is as it was seen.
  fileprivate func content(_ stat: FileStat) -> ContentID? {
    guard case .file(let seen, let content)? = seen else { return nil }
    var stat = stat
    if movedKind != nil { stat.changed = seen.changed }
    return stat == seen ? content : nil
  }
}
