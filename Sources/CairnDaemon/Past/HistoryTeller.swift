import CairnContainer
import CairnControl
import CairnFolders
import CairnReplica
import CairnZone

/// Tells what happened to files, newest first, a portion at a time.
struct HistoryTeller {
  let subject: PastPath
  let past: JoinedPast
  let authors: Authors
  let request: Control.History
  let isChosen: (Author) -> Bool

  private static let portion = 256
  /// The default number of events.
  static let limit = 1_000

  private var base: RecordID { subject.mount.scope.base }

  /// The moments between which things are told.
  private struct Range {
    var after: UInt64
    var through: UInt64
  }

  /// Tells it.
  /// - Parameter body: Is handed each portion.
  /// - Returns: whether there is more than was asked for.
  /// - Throws: `ControlError` if nothing is known of the path; what `body` throws.
  func forEachPortion(_ body: ([Control.HistoryEntry]) throws -> Void) throws -> Bool {
    let (found, range) = try past.read { view in
      (try subject.last(in: view), try self.range(in: view))
    }
    guard let found else { throw subject.unknown }
    var left = max(1, request.limit ?? Self.limit)
    var source =
      found.version.record.type == .directory
      ? Source.directory(EventPlace(range.through))
      : .file(try past.read { try PathEvents(PathHolders(found, in: $0), through: range.through) })
    var isMore = true
    while isMore, left > 0 {
      let entries = try past.read { view -> [Control.HistoryEntry] in
        let events = try self.events(of: &source, view)
        isMore = source.isMore && events.last.map { $0.stamp.sequence > range.after } ?? true
        return try told(
          events.filter { $0.stamp.sequence > range.after && isWanted($0) }, view)
      }
      if !entries.isEmpty { try body(Array(entries.prefix(left))) }
      if entries.count > left { return true }
      left -= entries.count
    }
    return isMore
  }

  /// Before the folder began nothing happened in it, which is no error: of several folders that are
  /// asked about, some may be younger.
  private func range(in view: PastView) throws -> Range {
    func place(_ moment: Control.Moment?) throws -> UInt64? {
      try moment.map { try subject.place(of: $0, orBegin: true, in: view) }
    }
    return Range(after: try place(request.since) ?? 0, through: try place(request.until) ?? .max)
  }

  private func isWanted(_ event: RecordEvent) -> Bool {
    isChosen(event.stamp.author) && !(request.deletedOnly && event.after != nil)
  }

  // MARK: Events

  /// The source of the events: of everything in a directory, or of one path.
  private enum Source {
    case directory(EventPlace?)
    case file(PathEvents)

    /// A Boolean value that indicates whether there may be more events.
    var isMore: Bool {
      switch self {
      case .directory(let place): place != nil
      case .file(let events): events.isMore
      }
    }
  }

  /// Returns the next portion of events, the newest first.
  private func events(of source: inout Source, _ view: PastView) throws -> [RecordEvent] {
    switch source {
    case .file(var path):
      let events = try path.next(Self.portion, in: view)
      source = .file(path)
      return events
    case .directory(let place):
      guard let place else { return [] }
      let found = try view.events(
        before: place, deletionsOnly: request.deletedOnly, limit: Self.portion)
      source = .directory(
        found.count < Self.portion ? nil : found.last.map { EventPlace($0.sequence, $0.record) })
      let inside = Enclosure(try subject.records(in: view), in: view)
      return try found.compactMap { event -> RecordEvent? in
        let event = try view.event(of: event.record, at: event.sequence)
        guard let event, !event.isTouchOfDirectory else { return nil }
        let isInside = try inside.holds([event.before, event.after].compactMap { $0 })
        return isInside ? event : nil
      }
    }
  }

  // MARK: Words

  private func told(
    _ events: [RecordEvent], _ view: PastView
  ) throws -> [Control.HistoryEntry] {
    var last: (moment: UInt64, several: Bool)?
    return try events.map { event in
      let moment = event.stamp.sequence
      if last?.moment != moment {
        let versions = EntryVersions(subject: subject, view: view)
        last = (moment, try versions.areSeveral(at: moment))
      }
      return try tell(event, last?.several ?? false, view)
    }
  }

  private func tell(
    _ event: RecordEvent, _ several: Bool, _ view: PastView
  ) throws -> Control.HistoryEntry {
    let (before, after) = (event.before?.record, event.after?.record)
    guard let record = after ?? before else {
      preconditionFailure("an event without a record: \(event)")
    }
    let sequence = event.stamp.sequence
    let entry = view.entry(at: sequence)
    let path = try self.path(of: record, at: after == nil ? sequence - 1 : sequence, view)
    let isMoved = after != nil && before != nil && before?.place != after?.place
    return Control.HistoryEntry(
      version: entry.sequence, zone: entry.zone?.description, path: path,
      from: isMoved ? try before.flatMap { try self.path(of: $0, at: sequence - 1, view) } : nil,
      record: record.id.description, kind: Control.EntryKind(record.type),
      what: try what(before, after, view), size: Int64(clamping: record.content?.size ?? 0),
      time: Control.Time(nanoseconds: event.stamp.time), author: authors.told(event.stamp.user),
      device: authors.device(event.stamp.author), act: try view.act(at: sequence),
      several: several)
  }

  private func path(
    of record: Record, at place: UInt64, _ view: PastView
  ) throws -> Control.Path? {
    try PastPath.names(of: record, at: place, below: base, in: view).map { names in
      subject.mount.absolute(Array(names.map(\.bytes).joined(separator: [UInt8(ascii: "/")])))
    }
  }

  private func what(
    _ before: Record?, _ after: Record?, _ view: PastView
  ) throws -> [String] {
    guard let after else { return ["deleted"] }
    guard let before else {
      let isBack = try !view.versions(of: after.id, before: after.changed.sequence, limit: 1)
        .isEmpty
      return [isBack ? "restored" : "made"]
    }
    var what: [String] = []
    if before.place?.parent != after.place?.parent {
      what.append("moved")
    } else if before.place != after.place {
      what.append("renamed")
    }
    if before.content != after.content || before.target != after.target {
      let isBack = try after.content.map {
        try view.hadContent($0.id, record: after.id, before: before.changed.sequence)
      }
      what.append(isBack == true ? "restored" : "edited")
    }
    if what.isEmpty { what.append("attributes") }
    return what
  }
}

extension Control.EntryKind {
  /// Creates the kind of a record; a reference has the kind of the directory or file in its place.
  init(_ type: RecordType) {
    switch type {
    case .directory, .reference: self = .directory
    case .symlink: self = .symlink
    case .file, .typed: self = .file
    }
  }
}
