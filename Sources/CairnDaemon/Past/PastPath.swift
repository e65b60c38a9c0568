import CairnContainer
import CairnControl
import CairnFolders
import CairnReplica
import CairnZone

/// A path in a mount with a point in time, as a person names them for the past. The record is
/// looked up by the path at that moment. If there was none, it is the record that has the path now,
/// or had it last, with any name at that moment.
struct PastPath {
  /// The mount.
  let mount: Mount
  /// The absolute path, for messages.
  let path: Control.Path
  /// The names below the folder; none: the folder itself.
  let names: [FileName]

  /// An entry of the tree.
  struct Found {
    /// The place of the path; nil for the folder itself.
    var place: Place?
    /// The version that is or was there.
    var version: RecordVersion
  }

  /// Creates a path from the request of an operation.
  init<Operation: TargetedOperation>(
    _ path: Control.Path, in targets: TargetResolver, for operation: Operation.Type
  ) throws {
    let (mount, relative, _) = try targets.mounted(path, for: operation)
    (self.mount, self.path) = (mount, path)
    var names: [FileName] = []
    for part in relative.split(separator: UInt8(ascii: "/")) {
      guard let name = FileName(part) else {
        throw ControlError(
          .invalidArguments, "\(path) can't be a path.", remedy: "Use names of at most 255 bytes.",
          path: path)
      }
      names.append(name)
    }
    self.names = names
  }

  private var base: RecordID { mount.scope.base }

  /// Returns the joined past of the folder's zone and of its records in other zones before.
  func past(in container: Container) throws -> JoinedPast {
    try container.formers.past(of: mount.zone)
  }

  // MARK: Moments

  /// Returns the moment of the view for a point in time.
  /// - Parameters:
  ///   - moment: The point in time.
  ///   - orBegin: A Boolean value that indicates whether a time before the first entry is allowed.
  ///   - view: The zone.
  /// - Returns: The moment.
  /// - Throws: `ControlError` if the log doesn't reach it, or wasn't begun by then, or if this
  ///   person has no access to the contents of that time.
  func place(
    of moment: Control.Moment, orBegin: Bool = false, in view: PastView
  ) throws -> UInt64 {
    let head = view.present.header.sequence
    if let place = moment.place {
      guard let found = view.moment(after: place, in: moment.zone) else {
        throw ControlError(
          .invalidArguments, "\(Control.Path(mount.path)) has versions 1 to \(head).",
          remedy: "`cairn log` shows its places, and `cairn history` those of former zones.",
          path: path)
      }
      return try shown(found, orBegin, in: view)
    }
    guard let time = moment.time else {
      throw ControlError(
        .invalidArguments, "The moment has neither place nor time.", remedy: "Give one of both.")
    }
    let place = try shown(view.moment(at: time.nanoseconds), orBegin, in: view)
    guard view.isBegun(place) || orBegin else {
      throw ControlError(
        .unknownItem, "Nothing was in \(Control.Path(mount.path)) yet at that time.",
        remedy: "`cairn history \(Control.Path(mount.path).typed)` shows since when there is "
          + "something.",
        path: path)
    }
    return place
  }

  /// Checks that a position in the log isn't behind a history cutoff for this person.
  private func shown(_ place: UInt64, _ orBegin: Bool, in view: PastView) throws -> UInt64 {
    guard let closing = view.present.closing, view.place(at: place) < closing.sequence, !orBegin
    else { return place }
    let folder = Control.Path(mount.path)
    throw ControlError(
      .permissionFailure,
      "You see \(folder) as it was after entry \(closing.sequence) of its log, and since then: who "
        + "invited you didn't give you what was before.",
      remedy: "Name a later moment; `cairn history \(folder.typed)` shows some.", path: path)
  }

  // MARK: Records

  /// Returns the record at the path at a moment, or the version at that moment of the record that
  /// has the path now, or had it last; nil if there is neither.
  func found(at place: UInt64, in view: PastView) throws -> Found? {
    var (id, spot): (RecordID, Place?) = (base, nil)
    for name in names {
      spot = Place(parent: id, name: name)
      guard let child = try view.child(of: id, named: name, at: place) else {
        return try followed(at: place, in: view)
      }
      id = child
    }
    guard let version = try view.version(of: id, at: place) else { return nil }
    return Found(place: spot ?? version.record.place, version: version)
  }

  private func followed(at place: UInt64, in view: PastView) throws -> Found? {
    guard var last = try last(in: view),
      let version = try view.version(of: last.version.record.id, at: place)
    else { return nil }
    last.version = version
    return last
  }

  /// Returns the record that is at the path now, or was there last.
  func last(in view: PastView) throws -> Found? {
    guard let name = names.last else {
      guard let version = try view.versions(of: base, limit: 1).first else { return nil }
      return Found(place: version.record.place, version: version)
    }
    for parent in try records(names.dropLast(), in: view) {
      let place = Place(parent: parent, name: name)
      let now = try view.child(of: parent, named: name).flatMap { try view.record($0) }
      if let now { return Found(place: place, version: RecordVersion(record: now)) }
      if let version = try view.lastVersion(thatLeft: place) {
        return Found(place: place, version: version)
      }
    }
    return nil
  }

  /// Returns the records of the path: the present one, and the last former ones at the path or at a
  /// part of it.
  func records(in view: PastView) throws -> Set<RecordID> {
    try Set(records(names[...], in: view))
  }

  /// Returns the places that the path names: in the present directory with its path, and in former
  /// ones. The folder itself has none.
  func places(in view: PastView) throws -> [Place] {
    guard let name = names.last else { return [] }
    return try records(names.dropLast(), in: view).map { Place(parent: $0, name: name) }
  }

  /// Returns the place for something that returns to the path. If there is no such directory now,
  /// the place is in the former one.
  func placeToReturn(_ record: Record, in view: PastView) throws -> Place? {
    guard let name = names.last else { return record.place }
    var parent = base
    for part in names.dropLast() {
      guard let child = try view.child(of: parent, named: part),
        try view.record(child)?.type == .directory
      else { return try last(in: view)?.place ?? record.place }
      parent = child
    }
    return Place(parent: parent, name: name)
  }

  private func records(
    _ names: ArraySlice<FileName>, in view: PastView
  ) throws -> [RecordID] {
    var found = [base]
    for name in names {
      var next: [RecordID] = []
      for parent in found {
        if let child = try view.child(of: parent, named: name) { next.append(child) }
        let former = try view.lastVersion(thatLeft: Place(parent: parent, name: name))
        if let former = former?.record.id, !next.contains(former) { next.append(former) }
      }
      found = next
    }
    return found
  }

  /// The error for a path that no entry has, or ever had.
  var unknown: ControlError {
    ControlError(
      .unknownItem, "Nothing is known of \(path): it isn't in the folder's history.",
      remedy: path.suggestion
        + "`cairn history --deleted \(Control.Path(mount.path).typed)` shows what was deleted.",
      path: path)
  }

  /// Returns the error for a path without an entry at a moment.
  func missing(at moment: UInt64, in view: PastView) -> ControlError {
    let name = view.name(moment)
    return ControlError(
      .unknownItem, "There was no \(path) after entry \(name) of the log.",
      remedy: "`cairn history \(path.typed)` shows when there was one.", path: path)
  }

  /// Returns the names of a record's path below the folder; nil if it was outside of it.
  static func names(
    of record: Record, at place: UInt64, below base: RecordID, in view: PastView
  ) throws -> [FileName]? {
    guard let own = record.place else { return record.id == base ? [] : nil }
    guard record.id != base else { return [] }
    let way = try Ascent(from: own.parent) { id in
      id == base ? nil : try view.version(of: id, at: place)?.record.place
    }
    let top = way.directories.last ?? own.parent
    guard top == base || way.isWhole && base == .root else { return nil }
    return way.names + [own.name]
  }
}

extension PastView {
  /// Returns the last entry at a moment, in the form that people type.
  func name(_ moment: UInt64) -> String {
    let entry = entry(at: moment)
    return Control.VersionName(entry.sequence, in: entry.zone?.description).text
  }
}
