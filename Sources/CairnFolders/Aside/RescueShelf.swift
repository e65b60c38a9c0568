import CairnPlan
import CairnZone

/// The files in this mount's rescue folder, with their reasons.
///
/// It uses these parts of the state: `clock`, `index`, `mount`, `read`, `report`, `staging`.
struct RescueShelf {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Moves an entry of an open directory to the rescue folder, under its path, and reports it.
  func setAside(
    _ name: FileNameBytes, from directory: Descriptor, _ path: [FileNameBytes], _ id: RecordID,
    because reason: String
  ) throws(FolderError) {
    guard let staging = try state.staging else { return }
    let to = try staging.rescue(name, from: directory, path: Array(path.dropLast()))
    let folder = Array(to.dropFirst(staging.rescuePath.count).dropLast())
    // It is the person's own now.
    _ = try FileMode.set(to.last ?? name, in: staging.rescue.openDirectory(folder)) { $0 | 0o200 }
    let note = RescueNotes.Note(
      path: joined(to), of: joined(path), reason: reason, time: state.clock.date)
    try RescueNotes(in: staging.notes).add(note, as: staging.freshName(for: id))
    state.report.happened(
      .rescued(
        MountReport.Rescued(path: note.path, of: note.of, reason: reason, time: note.time)))
  }

  /// Checks the rescue folder again, because a file was put back or removed.
  func lookAtRescued() throws {
    guard let staging = try state.staging else { return }
    let found = try rescuedFiles(staging)
    try RescueNotes(in: staging.notes).sweep(keeping: found.map(\.path))
    state.report.load(rescued: found, conflicts: try conflictCopies())
  }

  /// The files in the rescue folder.
  func rescuedFiles(_ staging: Staging) throws -> [MountReport.Rescued] {
    var notes: [[UInt8]: RescueNotes.Note] = [:]
    for note in try RescueNotes(in: staging.notes).all().values { notes[note.path] = note }
    var found: [MountReport.Rescued] = []
    var stack: [(path: [FileNameBytes], note: RescueNotes.Note?)] = [([], nil)]
    while let (path, above) = stack.popLast() {
      let folder = path.isEmpty ? staging.rescue : try staging.rescue.openDirectory(path)
      for name in try DirectoryListing.names(of: folder) {
        guard let stat = try FileStat.at(folder, name) else { continue }
        let full = joined(staging.rescuePath + path + [name])
        // Files in a rescued directory have its reason.
        let note = notes[full] ?? above
        if stat.kind == .directory {
          stack.append((path + [name], note))
          continue
        }
        let rest = note.map { full.dropFirst($0.path.count) } ?? []
        found.append(
          MountReport.Rescued(
            path: full, of: note.map { $0.of + rest } ?? joined(path + [name]),
            reason: note?.reason ?? "set aside earlier; the reason isn't known any more",
            time: note?.time ?? stat.changed))
      }
    }
    return found.sorted { $0.path.lexicographicallyPrecedes($1.path) }
  }

  /// Reports conflict copies that arrived from others, and forgets those that are gone. The folder
  /// is searched only after a row with such a name was stored.
  func refreshConflicts() throws {
    if state.index.takeConflictCopies(of: state.mount) {
      return state.report.load(conflicts: try conflictCopies())
    }
    let known = state.report.conflicts
    guard !known.isEmpty else { return }
    let left = try state.read { tree in
      try known.filter { path in
        let names = path.split(separator: UInt8(ascii: "/")).map { Array($0) }
        guard let id = try tree.record(at: names) else { return false }
        return try tree.node(id)?.local != nil
      }
    }
    if left.count != known.count { state.report.load(conflicts: left) }
  }

  /// The conflict copies in the folder.
  func conflictCopies() throws -> [[UInt8]] {
    try state.read { tree in
      try tree.idsOfConflictCopies().compactMap { try tree.path(of: $0) }.map { joined($0) }
    }
  }
}
