import CairnPlan
import CairnReplica
import CairnZone

/// The three trees of a mount as the planner asks about them: the zone's index for remote, the
/// folder's for local and synced, both inside transactions of their own.
struct MountTrees: Trees {
  let zone: ZoneView
  let folder: FolderTree
  let scoped: ScopedRecords
  private let selected: SelectedRecords
  /// A Boolean value that indicates whether there are unconfirmed deletions.
  let holdsDeletions: Bool
  let mayBeOlder: Bool
  /// The records whose bytes are being fetched.
  private let fetched: Set<RecordID>
  /// The stop of the machine before this run, and its effects on files.
  private let lastRun: LastRun
  /// Returns whether a version became a conflict copy a while ago, because of a record.
  private let wasCopied: (Node, RecordID) -> Bool
  let longestPath: Int
  /// The place in the log after which this device's changes can have been made in this folder.
  private let startsAfter: UInt64
  /// The planner asks for the same records again and again.
  private let known = Known()

  private final class Known {
    var rows: [RecordID: NodeRow?] = [:]
    var remote: [RecordID: Presence] = [:]
    var localChildren: [Place: RecordID?] = [:]
    var remoteChildren: [Place: RecordID?] = [:]
  }

  init(
    zone: ZoneView, folder: FolderTree, scope: MountScope, holdsDeletions: Bool,
    mayBeOlder: Bool, startsAfter: UInt64, lastRun: LastRun, fetched: Set<RecordID> = [],
    longestPath: Int = .max, wasCopied: @escaping (Node, RecordID) -> Bool = { _, _ in false }
  ) {
    self.wasCopied = wasCopied
    self.longestPath = longestPath
    self.fetched = fetched
    self.zone = zone
    self.folder = folder
    self.holdsDeletions = holdsDeletions
    scoped = ScopedRecords(zone, scope)
    selected = SelectedRecords(zone, scope)
    self.mayBeOlder = mayBeOlder
    self.startsAfter = startsAfter
    self.lastRun = lastRun
  }

  func remote(_ id: RecordID) throws -> Presence {
    if let presence = known.remote[id] { return presence }
    let presence = try scoped.presence(id)
    known.remote[id] = presence
    return presence
  }

  func local(_ id: RecordID) throws -> Node? { try row(id)?.local?.node }

  func synced(_ id: RecordID) throws -> Node? { try row(id)?.synced }

  private func row(_ id: RecordID) throws -> NodeRow? {
    if let row = known.rows[id] { return row }
    let row = try folder.node(id)
    known.rows[id] = .some(row)
    return row
  }

  func remoteChild(_ place: Place) throws -> RecordID? {
    if let known = known.remoteChildren[place] { return known }
    let child = try scoped.child(at: place)
    known.remoteChildren[place] = .some(child)
    return child
  }

  func localChild(_ place: Place) throws -> RecordID? {
    if let known = known.localChildren[place] { return known }
    let child = try folder.child(at: place)?.id
    known.localChildren[place] = .some(child)
    return child
  }

  func remoteChildren(of parent: RecordID) throws -> [RecordID] {
    try scoped.children(of: parent)
  }

  func localChildren(of parent: RecordID) throws -> [RecordID] {
    try folder.childIDs(of: parent)
  }

  func localDirectories(of parent: RecordID) throws -> [(id: RecordID, name: [UInt8])] {
    try folder.directories(in: parent)
  }

  func isBeingFetched(_ id: RecordID) -> Bool { fetched.contains(id) }

  func mayWrite(_ id: RecordID) throws -> Bool { zone.mayWrite }

  func isPastContent(_ content: ContentID, of id: RecordID) throws -> Bool {
    try zone.hadContent(content, record: id)
  }

  func isLastChangedHere(_ id: RecordID) throws -> Bool {
    guard let changed = try zone.record(id)?.changed else { return false }
    guard changed.device == zone.device, changed.sequence > startsAfter else { return false }
    // Who moved a file needn't have had the bytes that others gave it before.
    guard let began = try zone.contentBegan(of: id) else { return true }
    return try began > startsAfter && zone.device(ofCommit: began) == zone.device
  }

  func isForgotten(_ id: RecordID) throws -> Bool {
    guard let remembered = lastRun.remembered, let began = try zone.contentBegan(of: id),
      began > max(remembered, startsAfter), try zone.device(ofCommit: began) == zone.device,
      try zone.act(at: began) == nil
    else { return false }
    return try !mayBeMerged(id, at: began)
  }

  func mayBeUnfetched(_ id: RecordID) throws -> Bool {
    guard let seen = lastRun.seen, let changed = try zone.record(id)?.changed,
      changed.sequence > seen
    else { return false }
    return try changed.device != zone.device || zone.act(at: changed.sequence) != nil
  }

  /// Returns whether a commit may have given a record a merged text, which the folder didn't have
  /// before. Such a commit creates a conflict copy beside the record, and changes nothing else.
  private func mayBeMerged(_ id: RecordID, at sequence: UInt64) throws -> Bool {
    let events = try zone.events(before: EventPlace(sequence), deletionsOnly: false, limit: 3)
      .filter { $0.sequence == sequence }
    guard events.count == 2, let other = events.first(where: { $0.record != id }) else {
      return false
    }
    let copy = try zone.version(of: other.record, at: sequence)?.record
    return try copy?.place?.parent == zone.version(of: id, at: sequence)?.record.place?.parent
  }

  func formerRecords(of file: Node) throws -> [RecordID] {
    guard mayBeOlder, case .file(let content?) = file.kind else { return [] }
    return try zone.records(thatHad: content, modified: file.attributes.modified)
      .filter { try scoped.everShowed($0) }
  }

  func records(thatLeft place: Place) throws -> [RecordID] {
    guard mayBeOlder else { return [] }
    return try zone.records(
      thatLeft: Place(parent: scoped.zoneID(place.parent), name: place.name))
  }

  func stood(at place: Place, otherThan id: RecordID) throws -> Bool {
    guard mayBeOlder else { return false }
    return try zone.stood(
      at: Place(parent: scoped.zoneID(place.parent), name: place.name),
      otherThan: id)
  }

  func directory(deletedFrom place: Place) throws -> RecordID? {
    let last = try lastRecord(deletedFrom: place)
    return last?.type == .directory ? last?.id : nil
  }

  func symlink(deletedFrom place: Place) throws -> [UInt8]? {
    try lastRecord(deletedFrom: place)?.target
  }

  /// The last record at that place, if it was deleted there.
  private func lastRecord(deletedFrom place: Place) throws -> Record? {
    guard mayBeOlder else { return nil }
    let last = try zone.lastVersion(
      thatLeft: Place(parent: scoped.zoneID(place.parent), name: place.name))
    guard let last, let end = last.end, end.ending == .deleted else { return nil }
    return try scoped.isNesting(end.stamp.sequence) ? nil : last.record
  }

  func cameFromElsewhere(_ id: RecordID) throws -> Bool {
    try row(id).map { try folder.wasAnother($0) } ?? false
  }

  func isHeld(_ id: RecordID) throws -> Bool {
    try holdsDeletions && !folder.isConfirmed(id)
  }

  func isWanted(_ id: RecordID) throws -> Bool { try selected.contains(id) }

  func isDamaged(_ id: RecordID) throws -> Bool {
    guard !lastRun.damaged.isEmpty, let local = try row(id)?.local else { return false }
    return lastRun.isDamaged(id, local)
  }

  func wasSetAside(_ node: Node, for id: RecordID) -> Bool { wasCopied(node, id) }

  func cameBack(_ id: RecordID, as node: Node) throws -> Bool {
    guard lastRun.stop.mayHaveOldIndex else { return false }
    var sequences = try zone.deletion(of: id).map { [$0] } ?? []
    if case .file(let content?) = node.kind {
      sequences += try zone.contentChanges(of: id, after: content)
    }
    return try sequences.contains { try zone.device(ofCommit: $0) == zone.device }
  }
}

extension Node {
  /// The record as a node; nil for the root and for typed records, which have no place. Attributes
  /// that this device doesn't apply stay in the record as they are.
  init?(_ record: Record, _ carried: CarriedAttributes = []) {
    guard let place = record.place else { return nil }
    let kind: Kind
    switch record.type {
    case .file: kind = .file(record.content?.id)
    case .directory: kind = .directory
    case .symlink: kind = .symlink(record.target ?? [])
    case .typed, .reference: return nil
    }
    let attributes = Attributes(
      isExecutable: record.attributes.isExecutable, modified: record.attributes.modified,
      mode: carried.contains(.mode) ? record.attributes.mode.map { $0 & 0o777 } : nil,
      extended: carried.contains(.extended) ? record.attributes.extended : nil)
    self.init(place: place, kind: kind, attributes: attributes)
  }
}
