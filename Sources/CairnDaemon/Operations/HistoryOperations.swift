import CairnContainer
import CairnControl
import CairnIdentity
import CairnReplica
import CairnZone

/// The operations on earlier versions of files. Everyone who can view may use them.
struct HistoryOperations: Operations {
  let targets: TargetResolver
  let persons: Persons

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.History.self) { try history($0, $1) }
    routes.answer(Control.Tree.self) { try tree($0, $1) }
    routes.answer(Control.Fetch.self) { try fetch($0, $1) }
  }

  /// Pulls the log, if the container is available.
  static func refresh(_ zone: Zone) throws {
    do { try zone.pull() } catch let error as CloudError {
      // The known versions are listed nevertheless.
      guard error.isWorthRetrying else { throw error }
    }
  }

  private func history(
    _ request: Control.History, _ stream: ResponseStream
  ) throws -> Control.HistoryReply {
    let subject = try PastPath(request.path, in: targets, for: Control.History.self)
    try Self.refresh(subject.mount.zone)
    let past = try subject.past(in: persons.container)
    let authors = Authors(persons)
    let teller = HistoryTeller(
      subject: subject, past: past, authors: authors, request: request,
      isChosen: try authors.chosen(request.by, request.device))
    let zone = subject.mount.zone
    var told: UInt64?
    let isCut = try teller.forEachPortion { entries in
      // The newest comes first.
      if told == nil {
        told = try zone.read { view in
          try entries.first { try $0.zone == nil && view.stamp(at: $0.version) == nil }?.version
        }
      }
      try stream.items(entries)
    }
    return Control.HistoryReply(
      entries: [], isCut: isCut, begins: try zone.read { try begins(in: $0) }, told: told)
  }

  /// Returns the beginning of history for a member without the earlier past.
  private func begins(in view: ZoneView) throws -> Control.LogPlace? {
    guard let closing = view.closing else { return nil }
    let known = try view.firstStamp(after: closing.sequence)
    return Control.LogPlace(
      place: closing.sequence, time: known.map { Control.Time(nanoseconds: $0.time) })
  }

  // MARK: A folder as it was

  private func tree(
    _ request: Control.Tree, _ stream: ResponseStream
  ) throws -> Control.TreeReply {
    let subject = try PastPath(request.path, in: targets, for: Control.Tree.self)
    try Self.refresh(subject.mount.zone)
    let past = try subject.past(in: persons.container)
    let authors = Authors(persons)
    let (place, found, told) = try past.read { view in
      let place = try subject.place(of: request.at, in: view)
      guard let found = try subject.found(at: place, in: view) else {
        throw subject.missing(at: place, in: view)
      }
      return (place, found, try authors.told(place, in: view))
    }
    func describe(_ entries: [PastTree.Entry]) throws {
      try stream.items(
        past.read { view in entries.map { self.describe($0, request.path, authors, view) } })
    }
    let record = found.version.record
    if record.type == .directory {
      try PastTree(past: past, place: place)
        .forEachPortion(of: record.id, recursive: request.recursive) { try describe($0) }
    } else {
      try describe([(found.version, [])])
    }
    return Control.TreeReply(at: told, entries: [])
  }

  private func describe(
    _ entry: PastTree.Entry, _ path: Control.Path, _ authors: Authors, _ view: PastView
  ) -> Control.PastEntry {
    let record = entry.version.record
    let began = view.entry(at: entry.version.began)
    let names = entry.names.map { [UInt8(ascii: "/")] + $0 }
    return Control.PastEntry(
      path: Control.Path(path.bytes + names.joined()), kind: Control.EntryKind(record.type),
      size: Int64(clamping: record.content?.size ?? UInt64(record.target?.count ?? 0)),
      modified: Control.Time(nanoseconds: record.attributes.modified),
      executable: record.attributes.isExecutable, version: began.sequence,
      zone: began.zone?.description, changedBy: authors.told(record.changed.user),
      record: record.id.description)
  }

  // MARK: Plain files

  private func fetch(
    _ request: Control.Fetch, _ stream: ResponseStream
  ) throws -> Control.FetchReply {
    let subject = try PastPath(request.path, in: targets, for: Control.Fetch.self)
    try Self.refresh(subject.mount.zone)
    let past = try subject.past(in: persons.container)
    let version = request.version.map {
      Control.VersionName($0, in: request.zone, of: request.record)
    }
    let (chosen, told) = try past.read { view in
      let chosen = try PastChoice(subject: subject, at: request.at, version: version)
        .chosen(in: view)
      let isTree = chosen.found.version.record.type == .directory
      return (chosen, view.entry(at: isTree ? chosen.place : chosen.found.version.began))
    }
    let record = chosen.found.version.record
    let tree = PastTree(past: past, place: chosen.place)
    var written = PastTree.Written()
    if record.type == .directory {
      guard !request.isFile else {
        throw ControlError(
          .invalidArguments, "\(request.path) is a directory, not a file.",
          remedy: "`cairn restore \(request.path.typed) --to NEW` writes all of it elsewhere, "
            + "`cairn ls \(request.path.typed) --at WHEN` lists it.", path: request.path)
      }
      written = try tree.write(record.id, to: request.destination) { files in
        stream.progress(
          Control.Progress(done: Int64(files), unit: "files", what: "writing files"))
      }
    } else {
      guard !request.destination.exists else {
        throw ControlError(
          .constraintViolation, "There is something at \(request.destination) already.",
          remedy: "Name a path where nothing is.", path: request.destination)
      }
      try tree.write(record, to: request.destination, asFile: request.isFile, &written)
    }
    return Control.FetchReply(
      destination: request.destination,
      version: told.sequence, zone: told.zone?.description,
      time: Control.Time(nanoseconds: record.changed.time),
      files: written.files, bytes: written.bytes)
  }
}
