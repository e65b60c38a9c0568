public import CairnZone

/// A zone as it is, and the former versions of its records: the input of a reversal.
public protocol PastTrees {
  /// The attributes of files that the zone carries beside the executable bit and the time.
  var carried: CarriedAttributes { get }
  /// Returns the present record; nil if there is none.
  func record(_ id: RecordID) throws -> Record?
  /// Returns the record at a place now.
  func child(at place: Place) throws -> RecordID?
  /// Returns whether the zone still has all bytes of a content.
  func has(_ content: Content) throws -> Bool
  /// Returns the records in a directory now.
  func children(of directory: RecordID) throws -> [RecordID]
  /// Returns the versions of a record in their order: the one at the target place of the log, if
  /// there was one, and all later ones.
  func versions(of id: RecordID) throws -> [RecordVersion]
}

/// Plans changes that give records their state at a place of the log: ordinary changes that name
/// contents which the zone has already. A plan that is made again after a part of it was applied is
/// the rest. It has the rules of the reversal; it has no access to the caller, and writes nothing.
public struct Reversal<Past: PastTrees> {
  /// The present and the intended state of a record.
  struct Goal {
    /// The present state; nil if it doesn't exist.
    var now: Record?
    /// The intended state; nil if it is to be deleted.
    var then: Record?

    /// A Boolean value that indicates whether it gets another place.
    var isPlaced: Bool { then?.place != nil && then?.place != now?.place }
  }

  /// A function that tells whether an author's changes are undone.
  public typealias Undone = (Author) -> Bool
  /// A function that returns a name beside a taken one, for a version: the first, the second, and
  /// so on.
  public typealias NameBeside = (_ version: Record, _ attempt: Int) -> FileName

  let past: Past
  /// The target place of the log.
  let place: UInt64
  let nameBeside: NameBeside
  private let newID: () -> RecordID
  /// The records that exist in another zone now, with the ids under which they are restored here.
  private let renamed: [RecordID: RecordID]
  /// The same in reverse.
  private let origins: [RecordID: RecordID]
  /// The entries that replaced records by another zone, or reversed that.
  private let nestings: Set<UInt64>
  /// A Boolean value that indicates whether a file at the intended place gets the restored bytes;
  /// otherwise both stay.
  let isRestoring: Bool
  /// The changes.
  var goals: [RecordID: Goal] = [:]
  /// The records whose bytes the zone has lost.
  public private(set) var lost: [Record] = []
  /// The records that are now in another zone of the same owner, or came from there.
  public private(set) var elsewhere: [RecordID] = []

  /// Creates a plan without changes.
  /// - Parameters:
  ///   - past: The zone.
  ///   - place: The target place of the log.
  ///   - isRestoring: Whether a file at the place of a restored one gets its bytes; otherwise both
  ///     stay.
  ///   - nestings: The later entries that replaced records by another zone, or reversed that; they
  ///     are not undone.
  ///   - renamed: The records that exist in another zone now, with the ids under which they are
  ///     restored here: no two zones of a person may have a record with the same id.
  ///   - newID: A function that creates ids for copies.
  ///   - nameBeside: A function that names a restored record whose name is taken.
  public init(
    in past: Past, to place: UInt64, isRestoring: Bool, nestings: Set<UInt64> = [],
    renamed: [RecordID: RecordID] = [:], newID: @escaping () -> RecordID,
    nameBeside: @escaping NameBeside
  ) {
    self.past = past
    self.place = place
    self.isRestoring = isRestoring
    self.nestings = nestings
    self.renamed = renamed
    origins = Dictionary(renamed.map { ($1, $0) }) { first, _ in first }
    self.newID = newID
    self.nameBeside = nameBeside
  }

  // MARK: What is wanted

  /// Restores a record to its former state; a record that did not exist stays.
  public mutating func restore(_ id: RecordID) throws {
    let versions = try past.versions(of: id)
    guard let then = versions.first(where: { $0.stood(at: place) })?.record,
      !isElsewhere(id, versions)
    else { return }
    try want(id, then)
  }

  /// Restores a version of a file or symbolic link at a place: the entry there gets it, if it has
  /// the same kind; otherwise the record comes back. A record that is elsewhere now stays there.
  public mutating func put(_ version: Record, at place: Place) throws {
    var then = version
    then.place = place
    if let id = try past.child(at: place), let now = try past.record(id), now.type == then.type {
      return try want(id, now.taking(then))
    }
    if try past.record(idHere(version.id)) != nil { then.id = newID() }
    try want(then.id, then)
  }

  /// Undoes later changes of some authors to a record; those of others stay. If both gave a file
  /// other bytes, the version before them comes back beside it.
  public mutating func rewind(_ id: RecordID, _ isUndone: Undone) throws {
    let (versions, now) = (try past.versions(of: id), try past.record(id))
    guard !isElsewhere(id, versions) else { return }
    let steps = RecordSteps(versions, from: place, isUndone)
    guard steps.isKept else {
      // What was restored under another id is decided by its origin.
      guard let now, now.place != nil, now.type != .reference, goals[id] == nil else { return }
      goals[id] = Goal(now: now)
      return
    }
    guard let then = steps.kept(over: now) else { return }
    try want(id, then)
    if let former = steps.overwritten, former.content != then.content {
      try addCopy(of: former, then)
    }
  }

  private mutating func isElsewhere(_ id: RecordID, _ versions: [RecordVersion]) -> Bool {
    let isNested = versions.contains { version in
      (version.began > place && version.isFirst && nestings.contains(version.began))
        || version.end.map { $0.ending == .deleted && nestings.contains($0.stamp.sequence) }
          ?? false
    }
    if isNested { elsewhere.append(id) }
    return isNested
  }

  private mutating func want(_ own: RecordID, _ version: Record) throws {
    // Another zone that replaced the record is no part of its history.
    guard version.type != .reference, version.place != nil else { return }
    let (id, then) = (idHere(own), moved(version))
    let now = try past.record(id)
    if let content = then.content, content != now?.content, try !past.has(content) {
      return lost.append(then)
    }
    goals[id] = Goal(now: now, then: then)
  }

  /// Returns the id under which a record is restored here.
  private func idHere(_ id: RecordID) -> RecordID {
    var id = id
    while let next = renamed[id] { id = next }
    return id
  }

  /// Returns a version with the ids under which it and its directory are restored here.
  func moved(_ version: Record) -> Record {
    var record = version
    record.id = idHere(version.id)
    record.place = version.place.map { Place(parent: idHere($0.parent), name: $0.name) }
    return record
  }

  /// Returns the versions of a record, or of the record that it is restored from.
  func versions(of id: RecordID) throws -> [RecordVersion] {
    var (id, versions) = (id, try past.versions(of: id))
    while versions.isEmpty, let origin = origins[id] {
      id = origin
      versions = try past.versions(of: id)
    }
    return versions
  }

  /// Restores a former version beside the record, unless there is a copy of it already.
  private mutating func addCopy(of former: Record, _ record: Record) throws {
    guard let place = record.place, try former.content.map({ try past.has($0) }) ?? false else {
      return
    }
    var copy = former
    for attempt in 1... {
      let beside = Place(parent: place.parent, name: nameBeside(former, attempt))
      if let other = try past.child(at: beside) {
        if try past.record(other)?.content == former.content { return }
        continue
      }
      copy.id = newID()
      copy.place = beside
      goals[copy.id] = Goal(then: copy)
      return
    }
  }

  /// Gives a record the bytes of one that would come back in its place.
  mutating func merge(_ id: RecordID, into other: RecordID) throws {
    guard let then = goals.removeValue(forKey: id)?.then, let now = try past.record(other) else {
      return
    }
    goals[other] = Goal(now: now, then: now.taking(then))
  }

  // MARK: What is to do

  /// Returns the changes in batches that each leave a valid zone: parents before children, names
  /// freed before they are taken. A batch has at most `most` changes, unless more need each other.
  public mutating func batches(ofAtMost most: Int = 10_000) throws -> [[RecordChange]] {
    try settle()
    return try ReversalOrder(self).batches(ofAtMost: most)
  }

  /// Returns the state of a record after the changes.
  func after(_ id: RecordID) throws -> Record? {
    if let goal = goals[id] { return goal.then }
    return try past.record(id)
  }

  /// Returns the change that gives a record its intended state; nil if it has that already.
  func change(_ id: RecordID, _ goal: Goal) -> RecordChange? {
    guard let then = goal.then else {
      return goal.now == nil ? nil : RecordChange(id: id, act: .delete)
    }
    guard let now = goal.now else {
      return RecordChange(
        id: id, act: .create(then.type), place: then.place, content: then.content,
        target: then.target, attributes: then.attributes)
    }
    let change = RecordChange(
      id: id, act: .update, place: now.place == then.place ? nil : then.place,
      content: now.content == then.content ? nil : then.content,
      target: now.target == then.target ? nil : then.target,
      attributes: isEqual(now, then) ? nil : then.attributes)
    let isNone =
      change.place == nil && change.content == nil && change.target == nil
      && change.attributes == nil
    return isNone ? nil : change
  }

  /// Returns whether a record's attributes equal the former ones for the zone. The time of a
  /// directory says only that its entries changed.
  private func isEqual(_ record: Record, _ former: Record) -> Bool {
    let now = record.attributes
    var then = former.attributes
    if record.type == .directory { then.modified = now.modified }
    if !carried(.mode) || then.mode == nil { then.mode = now.mode }
    if !carried(.extended) || then.extended == nil { then.extended = now.extended }
    return now == then
  }

  private func carried(_ kind: CarriedAttributes) -> Bool { past.carried.contains(kind) }

  // MARK: What was planned

  /// The effect on one record.
  public struct Act: Hashable, Sendable {
    /// The present state; nil if it doesn't exist.
    public var now: Record?
    /// The later state; nil if it is deleted.
    public var then: Record?
  }

  /// The effects on records after a call of `batches`; unchanged records are left out.
  public var acts: [Act] {
    goals.filter { change($0.key, $0.value) != nil }.sorted { $0.key < $1.key }
      .map { Act(now: $0.value.now, then: $0.value.then) }
  }

  /// The records that are created after a call of `batches`.
  public var created: Set<RecordID> {
    Set(goals.filter { $0.value.now == nil && $0.value.then != nil }.keys)
  }

  /// Returns the names of a record's later path below a directory; nil if it is elsewhere.
  public func names(of record: Record, below base: RecordID) throws -> [FileName]? {
    guard let place = record.place else { return nil }
    let way = try Ascent(from: place.parent) { $0 == base ? nil : try after($0)?.place }
    guard (way.directories.last ?? place.parent) == base else { return nil }
    return way.names + [place.name]
  }
}

extension Record {
  /// Returns the record with the bytes and attributes of another one.
  func taking(_ other: Record) -> Record {
    var record = self
    record.content = other.content
    record.target = other.target
    record.attributes = other.attributes
    return record
  }
}
