import CairnZone

/// The parts at references of one zone that return into it: the changes there. A value without
/// access to their way.
struct Homecoming {
  /// The returning parts, each with everything below it that isn't at another reference.
  private let parts: [(nesting: Nesting, subtree: Subtree?)]
  /// The entries that people put beside the parts, with everything below.
  private let strays: [Subtree]

  /// Everything whose bytes come along.
  var subtrees: [Subtree] { parts.compactMap(\.subtree) + strays }

  /// Reads what comes back into one outer zone from the zone that holds it. `bases` is where all
  /// that came out of others stands there; `takesStrays` says whether what is beside all of them
  /// comes along.
  init(
    of nestings: [Nesting], of bases: Set<RecordID>, strays takesStrays: Bool, in view: ZoneView
  ) throws {
    parts = try nestings.enumerated().map { number, nesting in
      guard try view.record(nesting.part.base) != nil else { return (nesting, nil) }
      let isAll = takesStrays && number == 0
      return (
        nesting, try Subtree(nesting.part.base, in: view, without: bases, isAll: isAll)
      )
    }
    let isAll = bases.contains(.root)
    strays =
      try takesStrays && !isAll
      ? view.children(of: .root).filter { !bases.contains($0) }.map {
        try Subtree($0, in: view, without: bases)
      } : []
  }

  /// The changes of the outer zone; none for what is back already. Directories get the times that
  /// they have on the disk, by their parts, and the others the time of `now`.
  func changes(
    _ modified: [ZonePart: Int64], now: Int64, in view: ZoneView
  ) throws -> [RecordChange] {
    let due = try parts.filter { try view.record($0.nesting.reference) != nil }
    let fresh = try freshIDs(of: due.map(\.nesting), in: view)
    var changes: [RecordChange] = []
    for (nesting, subtree) in due {
      guard let place = try view.record(nesting.reference)?.place else { continue }
      changes.append(RecordChange(id: nesting.reference, act: .delete))
      let top = fresh[nesting.record] ?? nesting.record
      if nesting.isFile {
        guard var file = subtree?.top else { continue }
        (file.id, file.place) = (top, place)
        changes.append(RecordChange(creating: file))
        continue
      }
      changes.append(
        RecordChange(
          id: top, act: .create(.directory), place: place,
          attributes: Attributes(
            isExecutable: false, modified: modified[nesting.part] ?? now)))
      for record in subtree?.below ?? [] {
        var record = record
        if record.place?.parent == nesting.part.base { record.place?.parent = top }
        changes.append(RecordChange(creating: Self.renamed(record, fresh)))
      }
    }
    if let first = due.first?.nesting {
      changes += try beside(first, fresh, in: view)
      changes += parts.flatMap { $0.subtree?.typed ?? [] }
        .map { RecordChange(creating: Self.renamed($0, fresh)) }
    }
    return changes
  }

  /// Ids that came into use again in the outer zone are given up.
  private func freshIDs(
    of nestings: [Nesting], in view: ZoneView
  ) throws -> [RecordID: RecordID] {
    var fresh: [RecordID: RecordID] = [:]
    let below =
      parts.flatMap { ($0.subtree?.below ?? []) + ($0.subtree?.typed ?? []) }
      + strays.flatMap(\.all)
    for id in nestings.map(\.record) + below.map(\.id) where try view.record(id) != nil {
      fresh[id] = .random()
    }
    return fresh
  }

  private static func renamed(_ record: Record, _ fresh: [RecordID: RecordID]) -> Record {
    var record = record
    record.id = fresh[record.id] ?? record.id
    if let parent = record.place?.parent { record.place?.parent = fresh[parent] ?? parent }
    return record
  }

  /// Puts the entries beside the parts beside the first of them here, too.
  private func beside(
    _ nesting: Nesting, _ fresh: [RecordID: RecordID], in view: ZoneView
  ) throws -> [RecordChange] {
    guard let directory = try view.record(nesting.reference)?.place?.parent else { return [] }
    var given: Set<FileName> = []
    var changes: [RecordChange] = []
    for stray in strays {
      let name = try stray.top.place?.name.free { name in
        try given.contains(name) || view.child(of: directory, named: name) != nil
      }
      // What has no name in any folder, typed records, isn't for this zone.
      guard let name, stray.top.type != .reference else { continue }
      given.insert(name)
      var top = Self.renamed(stray.top, fresh)
      top.place = Place(parent: directory, name: name)
      changes.append(RecordChange(creating: top))
      changes += stray.below.map { RecordChange(creating: Self.renamed($0, fresh)) }
    }
    return changes
  }
}
