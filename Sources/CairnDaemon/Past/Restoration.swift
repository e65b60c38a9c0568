import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone
import Glibc

/// Takes records of a zone back to what they were, in commits as others are: what the engines of
/// all devices then bring to their folders. Asked again after an interruption it does the rest.
struct Restoration {
  let subject: PastPath
  let past: JoinedPast
  let formers: FormerZones
  let authors: Authors
  /// The moment that is gone back to.
  let place: UInt64
  /// The kind of request. With a restore, files in the way of restored ones get their bytes.
  let kind: ReversalNote.Kind

  private var zone: Zone { past.zone }
  private var base: RecordID { subject.mount.scope.base }

  /// Says what is wanted of a reversal, of the zone as it is.
  typealias Wishes = (inout Reversal<ZonePast>, PastView) throws -> Void

  /// The needed changes of a zone at one of its places.
  private struct Planned {
    var head: UInt64
    /// The place of the zone's own log that is gone back to.
    var place: UInt64
    var batches: [[RecordChange]]
    var paths: [Control.RestoredPath]
    var problems: [Control.Problem]
  }

  /// The result, or the expected one.
  struct Outcome {
    var paths: [Control.RestoredPath]
    var problems: [Control.Problem]
    var commits: Int
    /// The place of the first entry of the act, if anything was done.
    var act: UInt64?
  }

  /// Plans it, and does it unless that is all that is wanted.
  /// - Parameters:
  ///   - dryRun: Whether nothing is done.
  ///   - progress: Is told how many records are done, and of how many.
  ///   - wishes: What is wanted.
  /// - Returns: what was done.
  /// - Throws: `CloudError` if the container can't be used, or the zone refuses a change.
  func carryOut(
    dryRun: Bool, _ progress: (Int, Int) -> Void, _ wishes: Wishes
  ) throws -> Outcome {
    let first = try plan(wishes)
    var outcome = Outcome(
      paths: first.paths, problems: first.problems, commits: first.batches.count)
    guard !dryRun else { return outcome }
    outcome.commits = 0
    var done = 0
    var note = ReversalNote(kind: kind, place: first.place, first: 0)
    note.first = try zone.act(cutOffBefore: note) ?? 0
    var next: Planned? = first
    try whileOvertaken {
      // Somebody was faster: what they did may change what is left.
      let planned =
        try next
        ?? {
          try zone.pull(); return try plan(wishes)
        }()
      next = nil
      var head = planned.head
      for (number, batch) in planned.batches.enumerated() {
        note.ends = number + 1 == planned.batches.count
        head = try past.commit(batch, expecting: head, as: note).sequence
        if note.first == 0 { note.first = head }
        outcome.act = note.first
        outcome.commits += 1
        done += batch.count
        progress(done, first.paths.count)
      }
    }
    return outcome
  }

  private func plan(_ wishes: Wishes) throws -> Planned {
    var renamed: [RecordID: RecordID] = [:]
    while true {
      let (planned, created) = try plan(wishes, renamed)
      let more = try formers.idsForRestoring(created, in: zone)
      guard !more.isEmpty else { return planned }
      renamed.merge(more) { first, _ in first }
    }
  }

  private func plan(
    _ wishes: Wishes, _ renamed: [RecordID: RecordID]
  ) throws -> (Planned, created: Set<RecordID>) {
    try past.read { view in
      var reversal = Reversal(
        in: ZonePast(view: view, place: place), to: place, isRestoring: kind == .restore,
        nestings: try view.nestings(after: place), renamed: renamed, newID: { .random() },
        nameBeside: nameBeside)
      try wishes(&reversal, view)
      let batches = try reversal.batches()
      let planned = Planned(
        head: view.present.header.sequence, place: view.place(at: place), batches: batches,
        paths: try paths(of: reversal, view), problems: problems(of: reversal, view))
      return (planned, reversal.created)
    }
  }

  // MARK: Names

  /// The name of a version whose own name is taken: as that of a conflict copy, by who made it.
  private func nameBeside(_ version: Record, _ attempt: Int) -> FileName {
    let stamp = version.changed
    let label = ConflictLabel(
      stamp.author, at: Control.Time(nanoseconds: stamp.time), authors)
    guard let name = version.place?.name else {
      preconditionFailure("what comes back has a place: \(version)")
    }
    return conflictName(of: name, label: label, attempt: attempt)
  }

  private func absolute(_ names: [FileName]) -> Control.Path {
    subject.mount.absolute(Array(names.map(\.bytes).joined(separator: [UInt8(ascii: "/")])))
  }

  // MARK: What is told

  private func paths(
    of reversal: Reversal<ZonePast>, _ view: PastView
  ) throws -> [Control.RestoredPath] {
    let head = view.now
    return try reversal.acts.compactMap { act in
      let from = try act.now.flatMap {
        try PastPath.names(of: $0, at: head, below: base, in: view)
      }
      let to = try act.then.flatMap { try reversal.names(of: $0, below: base) }
      guard let path = (to ?? from).map(absolute) else { return nil }
      let size = Int64(clamping: (act.then ?? act.now)?.content?.size ?? 0)
      guard let then = act.then else {
        return Control.RestoredPath(what: "removed", path: path, size: size)
      }
      guard let now = act.now else {
        return Control.RestoredPath(what: "brought-back", path: path, size: size)
      }
      let isChanged =
        now.content != then.content || now.target != then.target || now.place == then.place
      return Control.RestoredPath(
        what: isChanged ? "changed" : "moved", path: path,
        from: from == to ? nil : from.map(absolute), size: size)
    }.sorted { $0.path.bytes.lexicographicallyPrecedes($1.path.bytes) }
  }

  private func problems(
    of reversal: Reversal<ZonePast>, _ view: PastView
  ) -> [Control.Problem] {
    var problems = reversal.lost.map { record in
      Control.Problem(
        path: nil, code: .assetNotAvailable,
        message: "The bytes of version \(view.name(record.changed.sequence)) of "
          + "“\(name(of: record))” aren't kept any more.",
        remedy: "`cairn history` shows other versions.")
    }
    if !reversal.elsewhere.isEmpty {
      problems.append(
        Control.Problem(
          path: nil, code: .partialFailure,
          message:
            "\(reversal.elsewhere.count) files and directories are left alone: a part of the "
            + "folder is shared by itself, or was, and has its own history.",
          remedy: "Ask for that part by its own path."))
    }
    return problems
  }

  private func name(of record: Record) -> String {
    record.place.map { Control.Path($0.name.bytes).printable } ?? record.id.description
  }
}
