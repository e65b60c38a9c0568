import CairnContainer
import CairnControl
import CairnReplica
import CairnZone

/// The version of a path that a person means: at a moment, by its number, or before its deletion.
struct PastChoice {
  let subject: PastPath
  let at: Control.Moment?
  let version: Control.VersionName?
  /// A Boolean value that indicates whether the present entry is meant by default.
  var isPresentMeant = true

  /// The chosen version, and a moment at which it was valid.
  struct Chosen {
    var place: UInt64
    var found: PastPath.Found
  }

  /// Looks the version up.
  /// - Parameter view: The zone.
  /// - Returns: The chosen version.
  /// - Throws: `ControlError` if there is no such version, or the choice is ambiguous.
  func chosen(in view: PastView) throws -> Chosen {
    if at != nil, version != nil {
      throw ControlError(
        .invalidArguments, "A moment and a version were given.", remedy: "Give one of both.")
    }
    if let at {
      let place = try subject.place(of: at, in: view)
      guard let found = try subject.found(at: place, in: view) else {
        throw subject.missing(at: place, in: view)
      }
      return Chosen(place: place, found: found)
    }
    if let version { return try chosen(version, in: view) }
    guard let last = try subject.last(in: view) else { throw subject.unknown }
    guard let end = last.version.end else {
      guard isPresentMeant else { throw isThere }
      return Chosen(place: view.now, found: last)
    }
    guard end.ending == .deleted else { return try elsewhere(last, end, in: view) }
    let place = try Deletion(view: view).begin(of: end.stamp) - 1
    return Chosen(place: place, found: last)
  }

  /// Returns the version that an entry made of the path's item; of a deletion, the last one before.
  private func chosen(_ version: Control.VersionName, in view: PastView) throws -> Chosen {
    let moment = view.moment(after: version.version, in: version.zone)
    let found = try moment.map {
      try EntryVersions(subject: subject, view: view).found(at: $0, record: version.record)
    }
    guard let moment, let event = found?.first else {
      if try subject.last(in: view) == nil { throw subject.unknown }
      throw ControlError(
        .unknownItem, "\(subject.path) has no version \(version.text).",
        remedy: "`cairn history \(subject.path.typed)` lists its versions.", path: subject.path)
    }
    guard found?.count == 1 else { throw ambiguous(version, found ?? []) }
    guard let record = event.after ?? event.before else {
      preconditionFailure("an event without a record: \(event)")
    }
    let place = try subject.placeToReturn(record.record, in: view)
    let valid = try event.after == nil ? Deletion(view: view).begin(of: event.stamp) - 1 : moment
    return Chosen(place: valid, found: PastPath.Found(place: place, version: record))
  }

  private func ambiguous(
    _ version: Control.VersionName, _ found: [RecordEvent]
  ) -> ControlError {
    let names = found.prefix(4).map { event in
      Control.VersionName(version.version, in: version.zone, of: event.record.description).text
    }
    return ControlError(
      .invalidArguments,
      "Entry \(version.text) changed several items that have or had the path \(subject.path): "
        + names.joined(separator: ", ") + ".",
      remedy: "Name the item, too, as `cairn history` does: --version \(names[0]). "
        + "`cairn history --json` has the whole ids.", path: subject.path)
  }

  private var isThere: ControlError {
    ControlError(
      .invalidArguments, "\(subject.path) is there, so it isn't clear which version is meant.",
      remedy: "Say --version N, as `cairn history \(subject.path.typed)` lists them, or --at TIME.",
      path: subject.path)
  }

  /// Returns the record that left the place and is no longer there: it may be elsewhere, or deleted
  /// there.
  private func elsewhere(
    _ last: PastPath.Found, _ end: RecordVersion.End, in view: PastView
  ) throws -> Chosen {
    guard isPresentMeant else {
      throw ControlError(
        .invalidArguments,
        "\(subject.path) was moved away in entry \(view.name(end.stamp.sequence)) of the log.",
        remedy:
          "`cairn history \(subject.path.typed)` shows where to. To have what it was here, say "
          + "--at @\(view.name(end.stamp.sequence - 1)).", path: subject.path)
    }
    return Chosen(place: end.stamp.sequence - 1, found: last)
  }
}

/// A deletion of many files, which is several entries of the log.
struct Deletion {
  let view: PastView

  /// The longest time between two entries of one deletion, by the clock of their device.
  private static let pause: Int64 = 60 * 1_000_000_000
  /// The maximum number of entries that are read.
  private static let most = 10_000

  /// Returns the first entry of a deletion that contains the given one: the same device deleted
  /// shortly before, and did nothing else in between.
  func begin(of stamp: Stamp) throws -> UInt64 {
    var (first, left) = (stamp, Self.most)
    var next = view.entry(before: stamp.sequence)
    while let place = next, left > 0 {
      guard let entry = try view.stamp(at: place) else { break }
      if entry.author == stamp.author {
        let (pause, isFar) = first.time.subtractingReportingOverflow(entry.time)
        guard !isFar, pause >= 0, pause <= Self.pause, try deletes(place) else { break }
        first = entry
      }
      next = view.entry(before: place)
      left -= 1
    }
    return first.sequence
  }

  /// Returns whether an entry deletes, and does nothing else to files. The times of directories
  /// change with it.
  private func deletes(_ place: UInt64) throws -> Bool {
    let events = try view.events(before: EventPlace(place), deletionsOnly: false, limit: 64)
      .prefix { $0.sequence == place }
    return try events.contains(where: \.isGone)
      && events.allSatisfy { event in
        try event.isGone
          || view.event(of: event.record, at: place)?.isTouchOfDirectory ?? false
      }
  }
}
