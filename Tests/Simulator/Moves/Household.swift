import CairnContainer
import CairnFolders
import CairnIdentity
import CairnIndex
import CairnReplica
import CairnStore
import CairnZone

/// One person's machine with several mounts in one another, as the daemon has them. It starts and
/// ends mounts, and answers the engines. It must not know the model and the checks.
///
/// `@unchecked Sendable`: one thread runs a story and everything that it owns.
final class Household: @unchecked Sendable {
  /// A mount that works.
  struct Standing {
    var engine: MountEngine
    /// The absolute path of the folder or of the one file.
    var path: String
    var isFile: Bool
    var isAttached = false
  }

  let number: Int
  let account: Account
  let disk: SimulatedDisk
  private(set) var container: Container
  let store: SimulatedStore
  let clock: SimulatedClock
  private let folders: FolderIndex
  /// Joined reading needs a connection for each zone, which an index in memory doesn't have.
  private let indexes: TemporaryFolder
  private(set) var mounts: [ZonePart: Standing] = [:]
  /// The parts that have, or are about to get, a mount of their own.
  private var leftOut: Set<ZonePart> = []
  /// The zones whose mounts must be told again which parts they leave out.
  private var untold: Set<ZoneID> = []
  /// The error of the last sync cycle that failed, by mount.
  private(set) var errors: [ZonePart: String] = [:]
  private(set) var deadline: Int64?
  /// A Boolean value that indicates whether the account notes no former zones: a deliberate
  /// mistake.
  var losesFormers = false

  init(
    number: Int, handle: String, in world: (store: MemoryStore, id: ContainerID),
    _ time: SimulatedClock.Source, _ trace: Trace
  ) throws {
    self.number = number
    clock = SimulatedClock(time)
    account = try IdentityLog.begin(
      handle: handle, name: handle, deviceName: "desk", time: 1
    ).account
    try People(store: world.store).publish(account)
    disk = SimulatedDisk(traits: .init(), clock: clock, trace: trace)
    let disk = disk
    folders = try FolderIndex(inMemory: { if disk.isDead { throw Device.Ended() } })
    store = SimulatedStore(world.store, of: try Self.noZone(), clock: clock, trace: trace)
    store.isDead = { [disk] in disk.isDead }
    indexes = try TemporaryFolder()
    container = try Container(
      store: store, id: world.id, account: account, indexFolder: indexes.path)
  }

  private static func noZone() throws -> ZoneID {
    guard let zone = ZoneID(bytes: [UInt8](repeating: 0, count: 32)) else {
      throw Violation(rule: "simulator", message: "32 bytes that are no zone")
    }
    return zone
  }

  /// Starts the daemon again after it ended in the middle of a call.
  func restart() throws {
    mounts = [:]
    (errors, untold) = ([:], [])
    disk.isDead = false
    disk.closeAll()
    disk.forgetInterruptions()
    container = try Container(
      store: store, id: container.id, account: account.apart(), indexFolder: indexes.path)
    try container.returning.dropUnlinkedZones()
    let unfinished = Set(try container.returning.unlinkedNestings().map(\.part))
    leftOut = Set(try container.nestings.all().map(\.part))
    for entry in try container.mounts() where !unfinished.contains(entry.part) {
      guard let zone = try container.zone(of: entry) else { continue }
      start(zone, entry.part, at: text(entry.path), isFile: entry.isFile)
    }
  }

  // MARK: Mounts

  /// Returns the mount at a path.
  func mount(at path: String) -> (part: ZonePart, standing: Standing)? {
    mounts.first { $0.value.path == path }.map { ($0.key, $0.value) }
  }

  /// Returns the mounts of a zone, the outermost first.
  func mounts(of zone: ZoneID) -> [ZonePart] {
    mounts.filter { $0.key.zone == zone }.sorted { $0.value.path < $1.value.path }.map(\.key)
  }

  /// Mirrors a part of a zone at a path.
  func start(_ zone: Zone, _ part: ZonePart, at path: String, isFile: Bool) {
    let folder = isFile ? Self.parent(of: path) : path
    let name = isFile ? FileName(Self.name(of: path)) : nil
    var settings = MountSettings(
      handle: Scene.handle(number), host: "desk", token: "\(number)", boot: "1")
    // Most scans of this person pause.
    if number == 0 { settings.stretch = 2 }
    let engine = MountEngine(
      zone: zone, scope: MountScope(base: part.base, only: name), path: Array(folder.utf8),
      index: folders, settings: settings, clock: clock, disk: disk)
    engine.nested = self
    engine.hintEverything()
    engine.hintZone()
    mounts[part] = Standing(engine: engine, path: path, isFile: isFile)
    untold.insert(part.zone)
  }

  /// Ends a mount. With `forget`, its folder isn't a mirror any more.
  func end(_ part: ZonePart, forget: Bool) throws {
    guard let mount = mounts.removeValue(forKey: part) else { return }
    errors[part] = nil
    if forget {
      try mount.engine.forget()
      if mount.isAttached { try mount.engine.detach() }
    } else {
      try mount.engine.close()
    }
  }

  /// Lets no other mount show these parts while `body` gives them mounts, or takes them back.
  func leavingOut<Result>(_ parts: [ZonePart], _ body: () throws -> Result) throws -> Result {
    leftOut.formUnion(parts)
    untold.formUnion(parts.map(\.zone))
    try tell()
    defer {
      leftOut.subtract(parts)
      untold.formUnion(parts.map(\.zone))
    }
    return try body()
  }

  func leaveOut(_ part: ZonePart) {
    leftOut.insert(part)
    untold.insert(part.zone)
  }

  /// Tells the mounts which parts others show.
  private func tell() throws {
    for zone in untold {
      let own = Set(mounts(of: zone).map(\.base))
      let bases = own.union(leftOut.filter { $0.zone == zone }.map(\.base)).subtracting([.root])
      for part in mounts(of: zone) {
        try attach(part)
        try mounts[part]?.engine.exclude(bases.subtracting([part.base]))
      }
    }
    untold = []
  }

  private func attach(_ part: ZonePart) throws {
    guard let mount = mounts[part], !mount.isAttached else { return }
    try mount.engine.attach()
    mounts[part]?.isAttached = true
  }

  // MARK: Work

  /// Lets all mounts scan everything and read their logs.
  func hint() {
    for mount in mounts.values {
      mount.engine.hintEverything()
      mount.engine.hintZone()
    }
  }

  /// Runs sync cycles of all mounts.
  /// - Returns: Whether there may be more to do at once.
  @discardableResult
  func work() -> Bool {
    SodiumDice.with(number) { IndexOrder.apart { workAlone() } }
  }

  /// Performs a command of the person.
  func ask<Result>(_ body: () throws -> Result) throws -> Result {
    var result: Swift.Result<Result, any Error>?
    SodiumDice.with(number) { result = Swift.Result { try body() } }
    guard let result else { preconditionFailure("a command without a result") }
    return try result.get()
  }

  /// A Boolean value that indicates whether no mount has anything to do.
  var isQuiet: Bool {
    get throws {
      try untold.isEmpty && errors.isEmpty
        && mounts.values.allSatisfy { try $0.engine.isSettled && $0.engine.pendingCount() == 0 }
    }
  }

  private func workAlone() -> Bool {
    var isBusy = false
    deadline = nil
    for part in mounts.keys.sorted(by: { ($0.zone, $0.base) < ($1.zone, $1.base) }) {
      for _ in 0..<40 {
        guard mounts[part] != nil, !disk.isDead else { break }
        let isMore = turn(part)
        isBusy = isBusy || isMore
        if !isMore { break }
      }
    }
    return isBusy
  }

  private func turn(_ part: ZonePart) -> Bool {
    guard let engine = mounts[part]?.engine else { return false }
    do {
      try attach(part)
      try tell()
      let turn = try engine.turn()
      errors[part] = nil
      switch turn {
      case .more: return true
      case .idle(let until):
        deadline = [deadline, until].compactMap { $0 }.min()
        return false
      case .ended(let why):
        try depart(part, why)
        return true
      }
    } catch {
      return fail(part, engine, error)
    }
  }

  private func fail(_ part: ZonePart, _ engine: MountEngine, _ error: any Error) -> Bool {
    do {
      if let why = try engine.departure() {
        try depart(part, why)
        return true
      }
    } catch {
      errors[part] = "\(error)"
      return false
    }
    errors[part] = "\(error)"
    engine.hintZone()
    return false
  }

  /// Gives up the folders of a share that is over for this person.
  private func depart(_ part: ZonePart, _ why: Departure) throws {
    guard let zone = mounts[part]?.engine.zone else { return }
    if why == .partDeleted { return try endPart(part, of: zone) }
    if why == .rootDeleted || why == .left { try container.participation.leave(zone) }
    let all = mounts(of: zone.id)
    for part in all.reversed() {
      _ = try mounts[part]?.engine.clear(into: SimulatedDisk.rescuePath)
    }
    for part in all { try end(part, forget: true) }
    let nestings = try container.nestings.all(of: zone.id)
    try container.nestings.unlink(nestings)
    try container.participation.forgetEverything(of: zone)
  }

  /// Ends the mount of a directory that was deleted from its zone.
  private func endPart(_ part: ZonePart, of zone: Zone) throws {
    if let nesting = try container.nestings.nesting(of: part) {
      return try bringBack([nesting], hadReaders: zone.hadReaders, keepsZone: true)
    }
    try container.removeMount(part)
    try end(part, forget: true)
  }

  // MARK: Paths

  static func parent(of path: String) -> String {
    String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)])
  }

  static func name(of path: String) -> String {
    String(path[path.index(after: path.lastIndex(of: "/") ?? path.startIndex)...])
  }
}

extension Household: NestedMounts {
  func nesting(of part: ZonePart) throws -> Nesting? { try container.nestings.nesting(of: part) }

  func nest(
    _ items: [Nestling], of zone: Zone, into target: NestingTarget
  ) throws -> [Nesting] {
    try container.nestings.nest(items, of: zone, into: target)
  }

  func isBack(_ part: ZonePart) throws -> Bool {
    guard let nesting = try container.nestings.nesting(of: part) else { return true }
    guard let outer = try container.zone(nesting.outer) else { return false }
    try outer.pull()
    return try outer.read { try $0.record(nesting.reference) == nil }
  }

  func isGone(_ part: ZonePart) throws -> Bool {
    try container.zone(part.zone)?.read { try $0.record(part.base) == nil } ?? false
  }

  func isDeleted(_ part: ZonePart) throws -> Bool {
    try container.zone(part.zone)?.read { view in
      try view.record(part.base) == nil && view.deletion(of: part.base) != nil
    } ?? false
  }

  func deleteFile(_ part: ZonePart) throws -> Bool {
    guard let zone = try container.zone(part.zone) else { return false }
    try zone.pull()
    guard zone.header.mayWrite(account.user) else { return false }
    let isThere = try zone.read { try $0.record(part.base) != nil }
    if isThere { try zone.save([RecordChange(id: part.base, act: .delete)]) }
    return true
  }

  func left(_ part: ZonePart) throws -> (zone: Zone?, isReadThrough: Bool) {
    try container.returning.left(part.zone)
  }

  func release(_ part: ZonePart) throws {
    if let nesting = try container.nestings.nesting(of: part) {
      try container.nestings.release(nesting)
    }
  }

  func path(of part: ZonePart) -> [UInt8]? { mounts[part].map { Array($0.path.utf8) } }

  func mirror(_ part: ZonePart, at path: [UInt8], isFile: Bool) throws {
    if let known = mounts[part] {
      guard Array(known.path.utf8) != path else { return known.engine.hintEverything() }
      try end(part, forget: false)
    }
    guard let zone = try container.zone(part.zone) else {
      throw CloudError(.zoneNotFound, "the account doesn't know the zone", remedy: "none")
    }
    try container.addMount(part, path: path, isFile: isFile)
    start(zone, part, at: text(path), isFile: isFile)
  }

  func askOuter(of part: ZonePart) {
    for (other, mount) in mounts where other != part { mount.engine.hintEverything() }
  }

  func lookAgain(at part: ZonePart) { mounts[part]?.engine.hintEverything() }

  func pause(_ part: ZonePart) {
    leaveOut(part)
    // Its data in the index stays; an error leaves the data as after a kill.
    do { try end(part, forget: false) } catch { errors[part] = nil }
  }

  func follow(_ record: RecordID, from other: ZoneID, to zone: Zone) throws -> Zone? {
    guard let source = try container.zone(other),
      try source.read({ try !$0.versions(of: record, limit: 1).isEmpty })
    else { return nil }
    if !losesFormers { try container.formers.follow(record, from: source, to: zone) }
    return source
  }

  func forget(_ part: ZonePart) throws { try container.removeMount(part) }
}
