import CairnContainer
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnStore
import CairnZone

/// A random sequence of people's commands that move records between zones. After each command
/// everybody comes to rest. Then the history of each person has exactly the versions that the model
/// gives them, and each folder has the model's files.
///
/// `@unchecked Sendable`: one thread runs a story and everything that it owns.
final class MovingStory: @unchecked Sendable {
  /// A deliberate mistake that the checks must find.
  enum Sabotage: String, CaseIterable, Sendable {
    /// The account loses its notes about former zones.
    case losesFormers
    /// A person who was not to see the past gets all keys.
    case givesAllKeys
    /// A removed person stays in the share.
    case keepsMembers
    /// A deleted file takes its versions with it.
    case forgetsDeleted
  }

  let people: [Household]
  var model: ReachModel
  var dice: Dice
  let time = SimulatedClock.Source()
  let store = MemoryStore()
  let trace: Trace
  let sabotage: Sabotage?
  /// A Boolean value that indicates whether daemons end in the middle of calls.
  let endsDaemons: Bool
  /// A Boolean value that indicates whether disks fill up, containers are away, clocks jump, and
  /// mirrored folders move.
  let hasTrouble: Bool
  /// The dice of that trouble.
  var trouble: Dice
  /// The person who has just left a share by deleting its folder.
  var leaver: Int?
  /// The number of times that each kind of trouble was played.
  private(set) var troubles: [String: Int] = [:]
  /// The zone of each zone of the model.
  var zones: [ZoneID] = []
  /// The number of the next name.
  private var names = 0
  /// The owner's clock at the last garbage collection, in seconds since 1970.
  var collected = SimulatedClock.start / SimulatedClock.second
  private(set) var acts = 0
  /// The number of times that a daemon ended in the middle of a call.
  private(set) var ends = 0

  init(
    seed: UInt64, keepsTrace: Bool, endsDaemons: Bool, hasTrouble: Bool = false,
    sabotage: Sabotage? = nil
  ) throws {
    (self.endsDaemons, self.hasTrouble) = (endsDaemons, hasTrouble)
    trouble = Dice(beside: seed)
    SodiumDice.restart(seed: seed)
    dice = Dice(seed: seed)
    trace = Trace(isKept: keepsTrace)
    self.sabotage = sabotage
    let clock = SimulatedClock(time)
    WallClock.replace { [clock] in
      SimulatedThread.isCurrent ? clock.date : SimulatedThread.realDate
    }
    let id = try Container.make(in: store, note: "").id
    let world = (store, id)
    let (time, trace) = (time, trace)
    people = try (0..<3).map {
      try Household(number: $0, handle: Scene.handle($0), in: world, time, trace)
    }
    model = ReachModel(people: 3)
    for person in people { person.losesFormers = sabotage == .losesFormers }
  }

  func name(_ prefix: String) -> String {
    names += 1
    return prefix + String(names)
  }

  func count(_ what: String) { troubles[what, default: 0] += 1 }

  // MARK: Playing

  /// Plays so many commands, and checks the state after each.
  func play(_ count: Int) throws {
    for person in people.indices {
      try makeHome(person)
    }
    try settle()
    try check()
    while acts < count {
      leaver = nil
      guard try moveFolder() || act() else { continue }
      acts += 1
      drawTrouble()
      try settle()
      try check()
    }
  }

  /// A mirrored folder with three directories, each with files.
  private func makeHome(_ person: Int) throws {
    let home = "/folder"
    try people[person].ask { try people[person].add(home) }
    model.add(home, person)
    zones.append(try zone(at: home, person))
    for _ in 0..<3 {
      let directory = home + "/" + name("d")
      makeDirectory(directory, person)
      for _ in 0..<2 { write(directory + "/" + name("f"), person) }
    }
  }

  func zone(at path: String, _ person: Int) throws -> ZoneID {
    guard let (part, _) = people[person].mount(at: path) else {
      throw Violation(rule: "moves", message: "\(path) isn't mirrored by \(person)")
    }
    return part.zone
  }

  /// Lets everybody work until nobody has anything to do.
  func settle() throws {
    defer { for person in people { person.disk.forgetInterruptions() } }
    for person in people { person.hint() }
    var calm = 0
    for round in 0..<400 {
      if round == outage { heal() }
      var isBusy = false
      for person in people {
        if person.work() { isBusy = true }
        guard person.disk.isDead else { continue }
        (ends, isBusy) = (ends + 1, true)
        trace.note("    the daemon of \(Scene.handle(person.number)) ends, and starts again")
        try person.ask { try person.restart() }
      }
      time.now += SimulatedClock.second / 10
      let isQuiet = try people.allSatisfy { try $0.isQuiet }
      calm = isQuiet && !isBusy && round > outage ? calm + 1 : 0
      if calm == 2 { return }
      if isBusy { continue }
      for person in people { person.hint() }
      let next = people.compactMap(\.deadline).filter { $0 < .max / 4 }.min()
      time.now = max(time.now + SimulatedClock.second, next.map { $0 + 1 } ?? 0)
    }
    throw Violation(rule: "moves", message: "not everybody came to rest: \(unrest())")
  }

  /// The rounds of work for which a container stays away.
  private var outage: Int { hasTrouble ? 6 : -1 }

  private func unrest() -> String {
    people.map { person in
      let waiting = person.mounts.values.flatMap { mount in
        ((try? mount.engine.pending(limit: 3)) ?? []).map { "\(text($0.path)): \($0.reason)" }
      }
      return "\(person.number): \(person.errors.values.sorted()) \(waiting)"
    }.joined(separator: "; ")
  }

  // MARK: The disk

  func inode(_ path: String, _ person: Int) -> Inode? {
    var found = people[person].disk.top
    for name in path.split(separator: "/") {
      guard let next = found.entries[Array(name.utf8)] else { return nil }
      found = next
    }
    return found
  }

  func makeDirectory(_ path: String, _ person: Int) {
    guard let parent = inode(Household.parent(of: path), person) else { return }
    let name = Array(Household.name(of: path).utf8)
    people[person].disk.make(.directory, name, in: parent, mode: 0o755)
  }

  /// Writes a new version of a file.
  func write(_ path: String, _ person: Int) {
    guard let parent = inode(Household.parent(of: path), person) else { return }
    let (disk, name) = (people[person].disk, Array(Household.name(of: path).utf8))
    let bytes = content(model.write(path, person))
    let file = parent.entries[name] ?? disk.make(.file, name, in: parent, mode: 0o644)
    (file.bytes, file.modified, file.changed) = (bytes, disk.time, disk.time)
  }

  /// The bytes of a version. One of five is so large that a pack stores it.
  private func content(_ version: Int) -> [UInt8] {
    var bytes = Array("<\(version)>".utf8)
    guard version % 5 == 0 else { return bytes }
    var noise = Dice(seed: UInt64(version))
    while bytes.count < Versions.large { bytes.append(UInt8(noise.number(below: 256))) }
    return bytes
  }

  static func version(of bytes: some Sequence<UInt8>) -> Int? {
    let text = bytes.prefix(20).dropFirst().prefix { $0 != UInt8(ascii: ">") }
    return Int(String(decoding: text, as: UTF8.self))
  }

  func removeTree(_ path: String, _ person: Int) {
    guard let parent = inode(Household.parent(of: path), person) else { return }
    remove(Array(Household.name(of: path).utf8), in: parent, person)
  }

  private func remove(_ name: Inode.Name, in parent: Inode, _ person: Int) {
    guard let inode = parent.entries[name] else { return }
    for inner in inode.entries.keys { remove(inner, in: inode, person) }
    people[person].disk.begin()
    people[person].disk.set(name, in: parent, to: nil)
  }

  /// The paths of all directories and files below a directory, without Cairn's own.
  func paths(below path: String, _ person: Int) -> (directories: [String], files: [String]) {
    var (directories, files): ([String], [String]) = ([], [])
    var next = [path]
    while let path = next.popLast(), let directory = inode(path, person) {
      for (name, inode) in directory.entries where !text(name).hasPrefix(".cairn") {
        let inner = path + "/" + text(name)
        if inode.kind == .directory {
          directories.append(inner)
          next.append(inner)
        } else {
          files.append(inner)
        }
      }
    }
    return (directories.sorted(), files.sorted())
  }
}
