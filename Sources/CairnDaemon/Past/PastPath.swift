import CairnCloud
import CairnControl
import CairnFolders
import CairnZone

/// What a person names who speaks of the past: a path in a mount, and a moment. What stood there is
/// looked up by the path as of then; else the record that has the path now, or had it last, is
/// meant, whatever it was called.
struct PastPath {
  /// Of which folder.
  let mount: Mount
  /// The absolute path, for messages.
  let path: Control.Path
  /// The names below the folder; none: the folder itself.
  let names: [FileName]

  /// Something in the tree.
  struct Found {
    /// Where the path leads to; nil: the folder itself.
    var place: Place?
    /// What stands there, or stood there.
    var version: RecordVersion
  }

  /// The path as an operation may name it.
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

  // MARK: Moments

  /// The place of the log that a moment stands for.
  /// - Parameters:
  ///   - moment: The moment.
  ///   - orBegin: Whether a time before the first entry is 0, and no error.
  ///   - view: The zone.
  /// - Returns: the place.
  /// - Throws: `ControlError` if the log doesn't go there, or wasn't begun by then, or if
  ///   this person wasn't given what was then.
  func place(
    of moment: Control.Moment, orBegin: Bool = false, in view: ZoneView
  ) throws -> UInt64 {
    let head = view.header.sequence
    if let place = moment.place {
      guard (1...max(head, 1)).contains(place) else {
        throw ControlError(
          .invalidArguments, "The log of \(Control.Path(mount.path)) goes from 1 to \(head).",
          remedy: "`cairn log` shows its places.", path: path)
      }
      return try shown(place, orBegin, in: view)
    }
    guard let time = moment.time else {
      throw ControlError(
        .invalidArguments, "The moment has neither place nor time.", remedy: "Give one of both.")
    }
    let place = try shown(view.place(at: time.nanoseconds), orBegin, in: view)
    guard place > 0 || orBegin else {
      throw ControlError(
        .unknownItem, "Nothing was in \(Control.Path(mount.path)) yet at that time.",
        remedy: "`cairn history \(Control.Path(mount.path).typed)` shows since when there is "
          + "something.",
        path: path)
    }
    return place
  }

  /// A place of the log, unless it is one of a past that was closed to this person.
  private func shown(_ place: UInt64, _ orBegin: Bool, in view: ZoneView) throws -> UInt64 {
    guard let closing = view.closing, place < closing.sequence, !orBegin else { return place }
    let folder = Control.Path(mount.path)
    throw ControlError(
      .permissionFailure,
      "You see \(folder) as it was after entry \(closing.sequence) of its log, and since then: who "
        + "invited you didn't give you what was before.",
      remedy: "Name a later moment; `cairn history \(folder.typed)` shows some.", path: path)
  }

  // MARK: Records

  /// What stood at the path at a place of the log, or what the record was then that has the path
  /// now, or had it last; nil if neither.
  func found(at place: UInt64, in view: ZoneView) throws -> Found? {
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

  private func followed(at place: UInt64, in view: ZoneView) throws -> Found? {
    guard var last = try last(in: view),
      let version = try view.version(of: last.version.record.id, at: place)
    else { return nil }
    last.version = version
    return last
  }

  /// What stands at the path now, or stood there last.
  func last(in view: ZoneView) throws -> Found? {
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

  /// The records that the path leads to: what stands there, and what stood there last, or at a part
  /// of it.
  func records(in view: ZoneView) throws -> Set<RecordID> {
    try Set(records(names[...], in: view))
  }

  private func records(
    _ names: ArraySlice<FileName>, in view: ZoneView
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

  /// That there is nothing of that name, and never was.
  var unknown: ControlError {
    ControlError(
      .unknownItem, "Nothing is known of \(path): it isn't in the folder's history.",
      remedy: "`cairn history --deleted \(Control.Path(mount.path).typed)` shows what was deleted.",
      path: path)
  }

  /// That nothing was there at a moment.
  func missing(at place: UInt64) -> ControlError {
    ControlError(
      .unknownItem, "There was no \(path) after entry \(place) of the log.",
      remedy: "`cairn history \(path.typed)` shows when there was one.", path: path)
  }

  /// Where a record stood below the folder, by its names; nil if that was outside of it.
  static func names(
    of record: Record, at place: UInt64, below base: RecordID, in view: ZoneView
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
