import CairnContainer
import CairnControl
import CairnFolders
import CairnPlan
import CairnReplica
import CairnZone

/// The operations that restore earlier versions of files. They need the right to edit.
struct RestoreOperations: Operations {
  let targets: TargetResolver
  let persons: Persons
  let settling: Settling

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Restore.self) { try restore($0, $1) }
    routes.answer(Control.Rewind.self) { try rewind($0, $1) }
  }

  // MARK: Restore

  private func restore(
    _ request: Control.Restore, _ stream: ResponseStream
  ) throws -> Control.RestoreReply {
    let subject = try PastPath(request.path, in: targets, for: Control.Restore.self)
    try refresh(subject.mount.zone, subject, dryRun: request.dryRun)
    let past = try subject.past(in: persons.container)
    let authors = Authors(persons)
    let choice = PastChoice(
      subject: subject, at: request.at,
      version: request.version.map {
        Control.VersionName($0, in: request.zone, of: request.record)
      },
      isPresentMeant: false)
    let (chosen, told) = try past.read { view in
      let chosen = try choice.chosen(in: view)
      return (chosen, try authors.told(chosen.place, in: view))
    }
    let record = chosen.found.version.record
    let restoration = Restoration(
      subject: subject, past: past, formers: persons.container.formers, authors: authors,
      place: chosen.place, kind: .restore)
    let outcome = try restoration.carryOut(dryRun: request.dryRun, report(to: stream)) {
      (reversal, view) in
      if record.type == .directory {
        try restoreAll(below: record.id, &reversal, view, chosen.place)
      } else if let place = chosen.found.place {
        try reversal.put(record, at: place)
      }
    }
    return try reply(outcome, told, in: subject.mount, dryRun: request.dryRun, stream)
  }

  /// Everything in a directory that changed since a position of the log.
  private func restoreAll(
    below top: RecordID, _ reversal: inout Reversal<ZonePast>, _ view: PastView, _ place: UInt64
  ) throws {
    try reversal.restore(top)
    var known: [RecordID: Bool] = [.root: false]
    known[top] = true
    func stood(in directory: RecordID) throws -> Bool {
      if let known = known[directory] { return known }
      known[directory] = false
      let parent = try view.version(of: directory, at: place)?.record.place?.parent
      let isInside = try parent.map { try stood(in: $0) } ?? false
      known[directory] = isInside
      return isInside
    }
    try view.forEachChange(after: place) { id in
      guard id != top, let then = try view.version(of: id, at: place)?.record.place,
        try stood(in: then.parent)
      else { return }
      try reversal.restore(id)
    }
  }

  // MARK: Rewind

  private func rewind(
    _ request: Control.Rewind, _ stream: ResponseStream
  ) throws -> Control.RestoreReply {
    let subject = try PastPath(request.path, in: targets, for: Control.Rewind.self)
    try refresh(subject.mount.zone, subject, dryRun: request.dryRun)
    let past = try subject.past(in: persons.container)
    let authors = Authors(persons)
    let isUndone = try authors.chosen(request.by, request.device)
    let (place, tops, told) = try past.read { view in
      let place = try subject.place(of: request.to, in: view)
      var tops = try subject.records(in: view)
      // A directory that was deleted and created again since then has two records.
      if let then = try subject.found(at: place, in: view) { tops.insert(then.version.record.id) }
      guard !tops.isEmpty else { throw subject.unknown }
      return (place, tops, try authors.told(place, in: view))
    }
    var work = WorkSince(authors: authors, place: place, isUndone: isUndone)
    let restoration = Restoration(
      subject: subject, past: past, formers: persons.container.formers, authors: authors,
      place: place, kind: .rewind)
    var isFirst = true
    let outcome = try restoration.carryOut(dryRun: request.dryRun, report(to: stream)) {
      (reversal, view) in
      let inside = Enclosure(tops, in: view, since: place)
      try view.forEachChange(after: place) { id in
        let versions = try view.versions(of: id, since: place)
        guard try inside.holds(versions) else { return }
        if isFirst { work.count(versions) }
        try reversal.rewind(id, isUndone)
      }
      isFirst = false
    }
    return try reply(
      outcome, told, work.told, in: subject.mount, dryRun: request.dryRun, stream)
  }

  // MARK: Parts

  private func refresh(_ zone: Zone, _ subject: PastPath, dryRun: Bool) throws {
    guard !dryRun else { return try HistoryOperations.refresh(zone) }
    // The changes must be based on the whole log.
    try zone.pull()
    guard zone.mayWrite else {
      throw ControlError(
        .permissionFailure,
        "\(subject.path) can't be changed: this share lets you read, not write.",
        remedy: "Write what it was elsewhere: "
          + "`cairn restore \(subject.path.typed) --at WHEN --to NEW`.",
        path: subject.path)
    }
  }

  private func report(to stream: ResponseStream) -> (Int, Int) -> Void {
    { done, total in
      stream.progress(
        Control.Progress(
          done: Int64(done), total: Int64(total), unit: "files", what: "taking back"))
    }
  }

  private func reply(
    _ outcome: Restoration.Outcome, _ to: Control.LogPlace, _ work: [Control.DeviceWork] = [],
    in mount: Mount, dryRun: Bool, _ stream: ResponseStream
  ) throws -> Control.RestoreReply {
    if outcome.paths.isEmpty, let lost = outcome.problems.first(where: { $0.path == nil }),
      lost.code == .assetNotAvailable
    {
      throw ControlError(lost.code, lost.message, remedy: lost.remedy)
    }
    // The work is complete, whether the client still reads or not.
    try stream.items(outcome.paths)
    let hasArrived = outcome.act == nil || settling.arrives(in: mount, stream)
    return Control.RestoreReply(
      to: to, dryRun: dryRun, work: work, total: outcome.paths.count, commits: outcome.commits,
      act: outcome.act, applied: !dryRun && hasArrived, problems: outcome.problems)
  }
}

/// Counts the changes of each device since a position of the log.
struct WorkSince {
  let authors: Authors
  let place: UInt64
  let isUndone: (Author) -> Bool
  private var work: [Author: (changed: Int, deleted: Int)] = [:]

  init(authors: Authors, place: UInt64, isUndone: @escaping (Author) -> Bool) {
    self.authors = authors
    self.place = place
    self.isUndone = isUndone
  }

  /// Counts one file or symlink, whose versions these are: at each device once.
  mutating func count(_ versions: [RecordVersion]) {
    guard versions.first?.record.type != .directory else { return }
    let changed = versions.filter { $0.began > place }.map(\.record.changed.author)
    let deleted = versions.compactMap(\.end).filter {
      $0.ending == .deleted && $0.stamp.sequence > place
    }
    for author in Set(changed) { work[author, default: (0, 0)].changed += 1 }
    for author in Set(deleted.map(\.stamp.author)) { work[author, default: (0, 0)].deleted += 1 }
  }

  /// The counted work, the most first.
  var told: [Control.DeviceWork] {
    work.map { author, work in
      Control.DeviceWork(
        author: authors.told(author.user), device: authors.device(author),
        id: author.device.description, changed: work.changed, deleted: work.deleted,
        isUndone: isUndone(author))
    }.sorted { ($1.changed + $1.deleted, $0.id) < ($0.changed + $0.deleted, $1.id) }
  }
}
