import CairnPlan
import CairnReplica
public import CairnZone

/// The records of a zone that a mount shows: all of them, or those below one directory, without the
/// directories that other mounts of this device show; or one file. It has no access to the disk.
public struct MountScope: Hashable, Sendable {
  /// The directory that the folder mirrors, or the one file.
  public var base: RecordID
  /// The directories that are left out, with everything below them.
  public var excluded: Set<RecordID>
  /// The name on the disk of the one file that the mount shows; nil for a folder.
  public var only: FileName?
  /// The records that the folder of this device has, of those that the mount shows.
  public var selection: SyncSelection
  /// The attributes that the zone carries and this device applies, beside the executable bit and
  /// the time.
  public var carried: CarriedAttributes = []

  /// Creates a scope from its parts; without any, the whole zone.
  public init(
    base: RecordID = .root, excluded: Set<RecordID> = [], only: FileName? = nil,
    selection: SyncSelection = SyncSelection()
  ) {
    self.base = base
    self.excluded = excluded
    self.only = only
    self.selection = selection
  }

  /// A Boolean value that indicates whether every record of the zone is shown as it is. What isn't
  /// selected is shown, too, and isn't in the folder.
  public var isWhole: Bool { base == .root && excluded.isEmpty && only == nil }

  /// A Boolean value that indicates whether other mounts may be at references in the folder. Then
  /// their places are the zone's places.
  var holdsReferences: Bool { base == .root && only == nil }
}

/// The records of a zone as one mount shows them, inside one transaction. Records outside of its
/// scope aren't shown, and its base is the root. It caches results about directories.
final class ScopedRecords {
  let view: ZoneView
  let scope: MountScope
  private let isWhole: Bool
  private var inside: [RecordID: Bool] = [:]
  /// The same for the last states of directories, including deleted ones.
  private var wasInside: [RecordID: Bool] = [:]
  private var nestings: Set<UInt64>?

  init(_ view: ZoneView, _ scope: MountScope) {
    self.view = view
    self.scope = scope
    isWhole = scope.isWhole
  }

  /// Returns the state of the record in the log, from the point of view of this mount.
  func presence(_ id: RecordID) throws -> Presence {
    if let node = try node(id) { return .here(node) }
    if try view.record(id) != nil { return .elsewhere }
    guard let deletion = try view.deletion(of: id) else { return .nowhere }
    return try isNesting(deletion) ? .inAnotherZone : .nowhere
  }

  /// Returns whether an entry of the log moved records to another zone. The records that it deleted
  /// exist there.
  func isNesting(_ sequence: UInt64) throws -> Bool {
    if let nestings { return nestings.contains(sequence) }
    let found = try view.nestings(after: 0)
    nestings = found
    return found.contains(sequence)
  }

  /// Returns whether the mount shows the record, or showed one of its versions. For a record in a
  /// directory that is deleted by now, the last place of that directory counts.
  func everShowed(_ id: RecordID) throws -> Bool {
    if isWhole { return true }
    if scope.only != nil { return id == scope.base }
    return try view.versions(of: id, limit: Self.versionLimit).contains { version in
      try version.record.place.map { try !scope.excluded.contains(id) && held($0.parent) } ?? false
    }
  }

  private static let versionLimit = 1_000

  /// Returns whether a directory is, or was at last, the base or below it.
  private func held(_ directory: RecordID) throws -> Bool {
    let way = try Ascent(from: directory) { id in
      guard id != scope.base, wasInside[id] == nil, !scope.excluded.contains(id) else { return nil }
      return try view.record(id)?.place ?? view.versions(of: id, limit: 1).first?.record.place
    }
    let top = way.directories.last ?? directory
    let answer = top == scope.base || wasInside[top] ?? false
    for id in [directory] + way.directories where id != scope.base { wasInside[id] = answer }
    return answer
  }

  /// Returns the record as a node of the mount; nil if it isn't shown, because it is deleted or
  /// elsewhere (see `presence`).
  func node(_ id: RecordID) throws -> Node? {
    guard let record = try view.record(id), var node = Node(record, scope.carried) else {
      return nil
    }
    if isWhole { return node }
    if let only = scope.only {
      guard id == scope.base, case .file = node.kind else { return nil }
      node.place = Place(parent: .root, name: only)
      return node
    }
    guard !scope.excluded.contains(id), try contains(node.place.parent) else { return nil }
    if node.place.parent == scope.base { node.place.parent = .root }
    return node
  }

  /// Returns the record that the mount shows at that place.
  func child(at place: Place) throws -> RecordID? {
    if let only = scope.only {
      guard place == Place(parent: .root, name: only) else { return nil }
      return try view.record(scope.base).map(\.id)
    }
    let parent = zoneID(place.parent)
    guard let id = try view.child(of: parent, named: place.name) else { return nil }
    return try isWhole || !scope.excluded.contains(id) && contains(parent) ? id : nil
  }

  /// Returns the record that the mount shows at that path.
  func record(at path: [FileNameBytes]) throws -> RecordID? {
    var id = RecordID.root
    for bytes in path {
      guard let name = FileName(bytes), let next = try child(at: Place(parent: id, name: name))
      else { return nil }
      id = next
    }
    return id
  }

  /// Returns the records that the mount shows in a directory.
  func children(of parent: RecordID) throws -> [RecordID] {
    if scope.only != nil {
      return parent == .root ? try view.record(scope.base).map { [$0.id] } ?? [] : []
    }
    let ids = try view.children(of: zoneID(parent))
    if isWhole { return ids }
    return try contains(zoneID(parent)) ? ids.filter { !scope.excluded.contains($0) } : []
  }

  /// Returns some of the records that the mount shows in a directory, by their names, after the
  /// given name. If there may be more, the last name that was read is returned, too.
  func children(
    of parent: RecordID, after name: FileNameBytes, limit: Int
  ) throws -> (children: [(name: FileNameBytes, id: RecordID)], last: FileNameBytes?) {
    if let only = scope.only {
      guard parent == .root, name.isEmpty, try view.record(scope.base) != nil else {
        return ([], nil)
      }
      return ([(only.bytes, scope.base)], nil)
    }
    let all = try view.children(of: zoneID(parent), after: name, limit: limit)
    let last = all.count < limit ? nil : all.last?.name
    return (isWhole ? all : all.filter { !scope.excluded.contains($0.id) }, last)
  }

  /// Returns everything below a directory of the zone, inside or outside of the scope.
  func descendants(of directory: RecordID) throws -> [RecordID] {
    var found: [RecordID] = []
    var stack = [directory]
    while let next = stack.popLast() {
      let children = try view.children(of: next)
      found += children
      for id in children where try view.record(id)?.type == .directory { stack.append(id) }
    }
    return found
  }

  /// Returns the zone's id for a directory of the mount.
  func zoneID(_ directory: RecordID) -> RecordID {
    directory == .root ? scope.base : directory
  }

  /// Returns whether the directory is the base or leads up to it without an excluded one on the
  /// path.
  func contains(_ directory: RecordID) throws -> Bool {
    var path: [RecordID] = []
    var step = directory
    var answer = false
    while true {
      if step == scope.base {
        answer = true
        break
      }
      if let known = inside[step] {
        answer = known
        break
      }
      path.append(step)
      guard step != .root, !scope.excluded.contains(step), path.count < 100_000,
        let place = try view.record(step)?.place
      else { break }
      step = place.parent
    }
    for id in path { inside[id] = answer }
    return answer
  }
}
