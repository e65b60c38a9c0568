public import CairnZone

/// A zone as it is, and what its records were: what a reversal is planned from.
public protocol PastTrees {
  /// Which attributes of files the zone carries beside the executable bit and the time.
  var carried: CarriedAttributes { get }
  /// The record as it is; nil if it isn't there.
  func record(_ id: RecordID) throws -> Record?
  /// What stands at a place now.
  func child(at place: Place) throws -> RecordID?
  /// Whether the zone has all bytes of a content yet.
  func has(_ content: Content) throws -> Bool
  /// What is in a directory now.
  func children(of directory: RecordID) throws -> [RecordID]
  /// The versions of a record, in their order: the one that stood at the place of the log that is
  /// gone back to, if one did, and all since.
  func versions(of id: RecordID) throws -> [RecordVersion]
}

/// What has to be done so that records are again what they were at a place of the log: as ordinary
/// changes, which name contents that the zone has already. What is planned anew after a part of it
/// was done is the rest. It owns the rules of what comes back; it must not know who asks, nor
/// write.
public struct Reversal<Past: PastTrees> {
  /// What a record is, and what it shall be.
  struct Goal {
    /// Nil: it isn't there.
    var now: Record?
    /// Nil: it shall go.
    var then: Record?

    /// Whether it shall stand in a place that it doesn't have now.
    var isPlaced: Bool { then?.place != nil && then?.place != now?.place }
  }

  /// Whose changes are taken back.
  public typealias Undone = (Author) -> Bool
  /// A name beside a taken one, for a version: the first, the second, and so on.
  public typealias NameBeside = (_ version: Record, _ attempt: Int) -> FileName

  let past: Past
  /// The place of the log that is gone back to.
  let place: UInt64
  let nameBeside: NameBeside
  private let newID: () -> RecordID
  /// The entries that put another zone into the place of records, or took one back.
  private let nestings: Set<UInt64>
  /// Whether what stands in the place of a file gets its bytes; else both stay.
  let isRestoring: Bool
  /// What changes.
  var goals: [RecordID: Goal] = [:]
  /// The records whose bytes the zone doesn't have any more.
  public private(set) var lost: [Record] = []
  /// The records that stand in another zone of the same owner by now, or came from there.
  public private(set) var elsewhere: [RecordID] = []

  /// Begins with nothing to do.
  /// - Parameters:
  ///   - past: The zone.
  ///   - place: The place of the log that is gone back to.
  ///   - isRestoring: Whether a file that stands in the place of one that comes back gets its
  ///     bytes; else both stay.
  ///   - nestings: The entries since that put another zone into the place of records, or took one
  ///     back: what they did isn't taken back.
  ///   - newID: Makes ids, for copies.
  ///   - nameBeside: Names what comes back where its name is taken.
  public init(
    in past: Past, to place: UInt64, isRestoring: Bool, nestings: Set<UInt64> = [],
    newID: @escaping () -> RecordID, nameBeside: @escaping NameBeside
  ) {
    self.past = past
    self.place = place
    self.isRestoring = isRestoring
    self.nestings = nestings
    self.newID = newID
    self.nameBeside = nameBeside
  }

  // MARK: What is wanted

  /// Has a record be what it was; one that wasn't there stays.
  public mutating func restore(_ id: RecordID) throws {
    let versions = try past.versions(of: id)
    guard let then = versions.first(where: { $0.stood(at: place) })?.record,
      !isElsewhere(id, versions)
    else { return }
    try want(id, then)
  }

  /// Has a place hold what a version of a file or symlink was: what stands there gets that, if it
  /// is of the same kind; else the record comes back. One that stands elsewhere by now stays there.
  public mutating func put(_ version: Record, at place: Place) throws {
    var then = version
    then.place = place
    if let id = try past.child(at: place), let now = try past.record(id), now.type == then.type {
      return try want(id, now.taking(then))
    }
    if try past.record(version.id) != nil { then.id = newID() }
    try want(then.id, then)
  }

  /// Takes back what was done to a record since, of those whose changes are undone; what others did
  /// stays. Of a file that both gave other bytes the version before comes back beside it.
  public mutating func rewind(_ id: RecordID, _ isUndone: Undone) throws {
    let (versions, now) = (try past.versions(of: id), try past.record(id))
    guard !isElsewhere(id, versions) else { return }
    let steps = RecordSteps(versions, from: place, isUndone)
    guard steps.isKept else {
      if let now, now.place != nil, now.type != .reference { goals[id] = Goal(now: now) }
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

  private mutating func want(_ id: RecordID, _ then: Record) throws {
    // Another zone that stands in the place of records is none of their history.
    guard then.type != .reference, then.place != nil else { return }
    let now = try past.record(id)
    if let content = then.content, content != now?.content, try !past.has(content) {
      return lost.append(then)
    }
    goals[id] = Goal(now: now, then: then)
  }

  /// Has a former version stand beside the record, unless a copy of it does already.
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

  /// Has a record get the bytes of one that would come back in its place.
  mutating func merge(_ id: RecordID, into other: RecordID) throws {
    guard let then = goals.removeValue(forKey: id)?.then, let now = try past.record(other) else {
      return
    }
    goals[other] = Goal(now: now, then: now.taking(then))
  }

  // MARK: What is to do

  /// The changes, in batches that each leave a valid zone: parents before children, names freed
  /// before they are taken. One has at most so many changes, unless more need each other.
  public mutating func batches(ofAtMost most: Int = 10_000) throws -> [[RecordChange]] {
    try settle()
    return try ReversalOrder(self).batches(ofAtMost: most)
  }

  /// What a record will be.
  func after(_ id: RecordID) throws -> Record? {
    if let goal = goals[id] { return goal.then }
    return try past.record(id)
  }

  /// The change that makes a record what it shall be; nil if it is that.
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

  /// Whether the one's attributes would still be what they are after a change to the other's. The
  /// time of a directory says only that something in it is another one.
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

  /// What becomes of one record.
  public struct Act: Hashable, Sendable {
    /// What it is; nil: it isn't there.
    public var now: Record?
    /// What it will be; nil: it goes.
    public var then: Record?
  }

  /// What becomes of which records, after `batches` was asked; those that stay are left out.
  public var acts: [Act] {
    goals.filter { change($0.key, $0.value) != nil }.sorted { $0.key < $1.key }
      .map { Act(now: $0.value.now, then: $0.value.then) }
  }

  /// Where a record will stand below a directory: its names; nil if that is elsewhere.
  public func names(of record: Record, below base: RecordID) throws -> [FileName]? {
    guard let place = record.place else { return nil }
    let way = try Ascent(from: place.parent) { $0 == base ? nil : try after($0)?.place }
    guard (way.directories.last ?? place.parent) == base else { return nil }
    return way.names + [place.name]
  }
}

extension Record {
  /// The record with the bytes and attributes of another one.
  func taking(_ other: Record) -> Record {
    var record = self
    record.content = other.content
    record.target = other.target
    record.attributes = other.attributes
    return record
  }
}
