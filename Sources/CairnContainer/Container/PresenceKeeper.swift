import CairnIdentity
public import CairnReplica
import CairnStore
public import CairnZone

/// A file that a person has open on another device.
public struct Presence: Hashable, Sendable {
  /// The zone of the file.
  public var zone: ZoneID
  /// The file, and the time at which it was opened.
  public var file: PresenceFile
  /// The person and the device.
  public var author: Author
  /// The time of the device's last sign, in nanoseconds since 1970.
  public var seen: Int64
}

/// Tells the members of zones which files are open on this device, and keeps what other devices
/// tell. What a device tells expires when it isn't renewed, so that nobody waits for a device that
/// died. Nothing of it is in a log, and no decision about records depends on it. It must not know
/// folders, threads or clocks: times are arguments.
///
/// It uses these parts of the container: `account`, `id`, `people`, `store`.
public struct PresenceKeeper {
  /// The folder of the objects, with a slash at its end.
  public static let folder = ObjectKind.presenceObjects + "/"
  /// The topic of change markers for the folder.
  public static let topic: UInt32 = 1
  /// The time after which a device repeats what it told, in nanoseconds.
  static let renewal: Int64 = 600_000_000_000
  /// The time after which a device that repeats nothing has nothing open, in nanoseconds.
  static let lease: Int64 = 1_500_000_000_000
  /// The age at which anybody deletes an object, in nanoseconds.
  static let day: Int64 = 86_400_000_000_000
  /// The maximum number of names that are read of the folder, of objects that are read at once, and
  /// of old ones that are deleted at once.
  static let (mostNames, mostRead, mostDeleted) = (2_000, 256, 16)

  /// A zone that is mirrored here, and its files that are open on this device.
  public struct Mirrored: Sendable {
    /// The zone.
    public let zone: Zone
    /// Its open files.
    public let files: [PresenceFile]

    /// Creates a value.
    public init(_ zone: Zone, files: [PresenceFile]) { (self.zone, self.files) = (zone, files) }
  }

  /// The last object of this device for a zone.
  private struct Told {
    var object: PresenceObject
    var key: PresenceKey
    var files: [PresenceFile]
    /// The time of its storing, by the monotonic clock.
    var at: Int64
  }

  /// An object of another device.
  private struct Seen {
    /// The time at which it was seen first, by the monotonic clock.
    let first: Int64
    var isRead = false
    /// Its content; nil if it isn't of a known zone.
    var content: (zone: ZoneID, author: Author, files: [PresenceFile])?
  }

  private struct Source: Hashable {
    var zone: ZoneID
    var author: Author
  }

  private let container: Container
  private var keys: [ZoneID: PresenceKey] = [:]
  private var told: [ZoneID: Told] = [:]
  /// The time of the last object: each has a later one than those before it.
  private var last: UInt64 = 0
  /// The objects of this device in the folder, also of earlier runs.
  private var own: Set<PresenceObject> = []
  /// The objects under this device's names that can't be deleted. They count as gone.
  private var stuck: Set<PresenceObject> = []
  private var seen: [PresenceObject: Seen] = [:]
  /// The newest object of each device: the container can't bring an older one back.
  private var newest: [Source: UInt64] = [:]
  /// A Boolean value that indicates whether the folder must be read, though it hasn't changed.
  private var mustLook = true

  /// The files that are open on other devices.
  public private(set) var others: Set<Presence> = []
  /// The next time at which there is something to do, by the monotonic clock; nil if there is none.
  public private(set) var due: Int64?

  /// Creates a keeper that has told nothing.
  public init(_ container: Container) { self.container = container }

  /// Tells what has changed on this device, and reads what others tell.
  /// - Parameters:
  ///   - mirrored: The zones that are mirrored here.
  ///   - looks: Whether the folder of the objects may have changed.
  ///   - now: The time, by the monotonic clock.
  ///   - date: The time in nanoseconds since 1970.
  /// - Throws: The error of the container; the next call tries again.
  public mutating func turn(
    _ mirrored: [Mirrored], looks: Bool, now: Int64, date: Int64
  ) throws {
    findKeys(mirrored.map(\.zone))
    defer { findOthers(mirrored, now: now, date: date) }
    if looks { mustLook = true }
    if mustLook { try look(now: now, date: date) }
    for one in mirrored { try tell(one, now: now, date: date) }
    for zone in Set(told.keys).subtracting(mirrored.map(\.zone.id)) {
      try close(zone, now: now, date: date)
    }
  }

  /// Tells others that nothing is open on this device any more.
  public mutating func end(now: Int64, date: Int64) {
    for zone in told.keys {
      // An object that can't be replaced expires.
      do { try close(zone, now: now, date: date) } catch { continue }
    }
  }

  private mutating func findKeys(_ zones: [Zone]) {
    var found: [ZoneID: PresenceKey] = [:]
    for zone in zones where zone.scope != .public && !zone.isReadOnly {
      let epoch = max(zone.header.epoch, 1)
      if let known = keys[zone.id], known.epoch == epoch {
        found[zone.id] = known
      } else if let key = zone.keyring()[epoch] {
        found[zone.id] = PresenceKey(zone.id, key)
        // An object that nobody here could open may be of this zone.
        mustLook = true
      }
    }
    keys = found
  }

  // MARK: What is open here

  private mutating func tell(_ one: Mirrored, now: Int64, date: Int64) throws {
    let zone = one.zone.id
    guard let key = keys[zone] else { return try close(zone, now: now, date: date) }
    let mayTell = one.zone.header.mayWrite(container.account.user)
    let files = Array(
      (mayTell ? one.files : [])
        .map { PresenceFile(record: $0.record, since: min($0.since, date)) }
        .sorted { ($1.since, $1.record) < ($0.since, $0.record) }.prefix(PresenceObject.most))
    let isRecent = told[zone].map { now - $0.at < Self.renewal } ?? false
    if isRecent, told[zone]?.files == files, told[zone]?.key.topic == key.topic { return }
    if files.isEmpty, told[zone]?.files.isEmpty ?? true {
      // Others know it by now, unless an earlier run ended without telling them.
      let owner = key.owner(container.account, in: container.id)
      if told.removeValue(forKey: zone) != nil { return try clean(owner, except: nil) }
      guard own.contains(where: { $0.owner == owner }) else { return }
    }
    try tell(files, key, now: now, date: date)
  }

  private mutating func tell(
    _ files: [PresenceFile], _ key: PresenceKey, now: Int64, date: Int64
  ) throws {
    let owner = key.owner(container.account, in: container.id)
    // Somebody may have put an object under this name, which only they can delete.
    for _ in 0..<4 {
      last = max(last + 1, UInt64(max(0, date)))
      let object = PresenceObject(owner: owner, time: last, topic: key.topic)
      let bytes = object.bytes(files, by: container.account, in: key, of: container.id)
      own.insert(object)
      if try container.store.put(object.key, bytes) == .stored {
        told[key.zone] = Told(object: object, key: key, files: files, at: now)
        break
      }
    }
    try clean(owner, except: told[key.zone]?.object)
  }

  /// Tells that nothing of a zone is open any more, and forgets it. Its object is deleted later: no
  /// store reports a deletion.
  private mutating func close(_ zone: ZoneID, now: Int64, date: Int64) throws {
    guard let before = told[zone] else { return }
    if !before.files.isEmpty { try tell([], before.key, now: now, date: date) }
    told[zone] = nil
  }

  /// Deletes the objects of an owner name that others need no more.
  private mutating func clean(_ owner: String, except kept: PresenceObject?) throws {
    for object in own where object.owner == owner && object != kept {
      do { try container.store.delete(object.key) } catch {
        if error.isWorthRetrying { throw error }
        stuck.insert(object)
      }
      own.remove(object)
    }
  }

  // MARK: What is open elsewhere

  private mutating func look(now: Int64, date: Int64) throws {
    let names = try container.store.list(Self.folder, after: nil, limit: Self.mostNames)
    let owners = Set(keys.values.map { $0.owner(container.account, in: container.id) })
    let topics = Dictionary(grouping: keys.values, by: \.topic)
    var standing: [PresenceObject: Seen] = [:]
    var reads = 0
    let objects = names.compactMap { PresenceObject($0) }
    stuck.formIntersection(objects)
    for object in objects where !stuck.contains(object) {
      guard !owners.contains(object.owner), !own.contains(object) else {
        own.insert(object)
        continue
      }
      var one = seen[object] ?? Seen(first: now)
      if !one.isRead, let candidates = topics[object.topic], reads < Self.mostRead {
        reads += 1
        do { guard try read(object, candidates, &one, date: date) else { continue } } catch {
          if (error as? StoreError)?.isWorthRetrying ?? true { throw error }
          // Anybody can put an unreadable object here, and nobody may be silenced by it.
          one.isRead = true
        }
      }
      standing[object] = one
    }
    seen = standing
    // The rest is read at the next opportunity.
    mustLook = reads == Self.mostRead
    forget(now: now, date: date)
  }

  /// Reads an object; false if it is gone.
  private mutating func read(
    _ object: PresenceObject, _ candidates: [PresenceKey], _ one: inout Seen, date: Int64
  ) throws -> Bool {
    let range = 0..<PresenceObject.count + 1
    guard let bytes = try container.store.get(object.key, range: range) else { return false }
    one.isRead = true
    for key in candidates {
      let found = try object.open(bytes, in: key, of: container.id) {
        author throws(StoreError) in try container.people.signKey(of: author)
      }
      guard let (author, files) = found else { continue }
      one.content = (key.zone, author, files)
      // A clock that was far ahead, and is set right, must not silence its device.
      guard object.time < UInt64(max(0, date + Self.lease)) else { break }
      let source = Source(zone: key.zone, author: author)
      newest[source] = max(newest[source] ?? 0, object.time)
      break
    }
    return true
  }

  /// Deletes objects of devices that died long ago, and of zones that nobody has any more.
  private mutating func forget(now: Int64, date: Int64) {
    let limit = UInt64(max(0, date - Self.day))
    let old = seen.filter { now - $0.value.first > Self.day || $0.key.time < limit }.keys
    for object in old.prefix(Self.mostDeleted) {
      // It may belong to a person whose objects nobody else can delete.
      do { try container.store.delete(object.key) } catch { continue }
      seen[object] = nil
    }
  }

  private mutating func findOthers(_ mirrored: [Mirrored], now: Int64, date: Int64) {
    let headers = Dictionary(
      mirrored.map { ($0.zone.id, $0.zone.header) }, uniquingKeysWith: { first, _ in first })
    var (found, ends): (Set<Presence>, [Int64]) = ([], [])
    for (object, one) in seen {
      guard let (zone, author, files) = one.content, let header = headers[zone],
        header.mayWrite(author.user), !header.revokedDevices.contains(author),
        !container.people.hasRevoked(author), author != container.account.author,
        newest[Source(zone: zone, author: author)] == object.time
      else { continue }
      // By both clocks: that of the other device may be wrong, and this device may start late.
      let age = date.subtractingReportingOverflow(Int64(clamping: object.time)).partialValue
      guard age > -Self.lease, age < Self.lease, now - one.first < Self.lease else { continue }
      ends.append(min(one.first, now - age) + Self.lease)
      found.formUnion(
        files.map {
          Presence(zone: zone, file: $0, author: author, seen: Int64(clamping: object.time))
        })
    }
    others = found
    due = mustLook ? now : (ends + told.values.map { $0.at + Self.renewal }).min()
  }
}
