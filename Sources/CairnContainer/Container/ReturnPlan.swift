import CairnIdentity
import CairnReplica
import CairnZone

/// The changes of a zone when nested parts, all in one inner zone, return into it. A value without
/// access to how they arrive.
struct ReturnPlan {
  /// The returning parts, each with everything below it that isn't at another reference.
  private let parts: [(nesting: Nesting, subtree: Subtree?)]
  /// The entries that people put beside the parts, with everything below.
  private let strays: [Subtree]

  /// Everything whose bytes come along.
  var subtrees: [Subtree] { parts.compactMap(\.subtree) + strays }

  /// Reads the parts that return into one outer zone from the inner zone. `bases` has the positions
  /// of all nested parts in the inner zone. `takesStrays` says whether the entries beside all parts
  /// return, too.
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

  /// Returns the changes of the outer zone; none for parts that have returned already. Directories
  /// get their times on the disk, by their parts, and the others the time `now`.
  func changes(
    _ modified: [ZonePart: Int64], now: Int64, in view: ZoneView
  ) throws -> [RecordChange] {
    let due = try parts.filter { try view.record($0.nesting.reference) != nil }
    let arriving = try arriving(of: due.map(\.nesting), in: view)
    var changes: [RecordChange] = []
    for (nesting, subtree) in due {
      guard let place = try view.record(nesting.reference)?.place else { continue }
      changes.append(RecordChange(id: nesting.reference, act: .delete))
      let top = arriving[nesting.record]
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
        changes.append(RecordChange(creating: arriving.renamed(record)))
      }
    }
    if let first = due.first?.nesting {
      changes += try beside(first, arriving, in: view)
      changes += parts.flatMap { $0.subtree?.typed ?? [] }
        .map { RecordChange(creating: arriving.renamed($0)) }
    }
    return changes
  }

  /// Looks up which ids are used again in the outer zone.
  private func arriving(of nestings: [Nesting], in view: ZoneView) throws -> ArrivingIDs {
    let below =
      parts.flatMap { ($0.subtree?.below ?? []) + ($0.subtree?.typed ?? []) }
      + strays.flatMap(\.all)
    return try ArrivingIDs(of: nestings.map(\.record) + below.map(\.id), in: view)
  }

  /// Adds the entries beside the parts next to the first part here, too.
  private func beside(
    _ nesting: Nesting, _ arriving: ArrivingIDs, in view: ZoneView
  ) throws -> [RecordChange] {
    guard let directory = try view.record(nesting.reference)?.place?.parent else { return [] }
    var given: Set<FileName> = []
    var changes: [RecordChange] = []
    for stray in strays {
      let name = try stray.top.place?.name.free { name in
        try given.contains(name) || view.child(of: directory, named: name) != nil
      }
      // Typed records have no name in any folder, and don't belong to this zone.
      guard let name, stray.top.type != .reference else { continue }
      given.insert(name)
      var top = arriving.renamed(stray.top)
      top.place = Place(parent: directory, name: name)
      changes.append(RecordChange(creating: top))
      changes += stray.below.map { RecordChange(creating: arriving.renamed($0)) }
    }
    return changes
  }
}
