import CairnFolders
import CairnIdentity
import CairnReplica
import CairnStore
import CairnZone

/// A script: the people, their file systems, and the steps.
struct Script: Sendable {
  var seed: UInt64
  var people: Int
  var traits: [SimulatedDisk.Traits]
  /// The people with a distant container: they request several objects at once.
  var distant: Set<Int> = []
  var steps: [Step]
  /// The named faults of each step. A drawn script has steps for faults.
  var faults: [Int: [Fault]] = [:]
  /// The line of each step.
  var lines: [Int] = []
  /// The rule that must hold.
  var rule = ""
  /// The failure that once happened.
  var once = ""
  /// The deliberately broken guarantee of the simulated world, which a checker must find.
  var sabotage: Sabotage?
}

/// The finding of a check.
struct Violation: Error, CustomStringConvertible {
  var rule: String
  var message: String
  var description: String { "\(rule): \(message)" }
}

/// Plays one script, and then lets everybody come to rest. It owns everything of the story.
///
/// `@unchecked Sendable`: one thread runs a story and everything that it owns.
final class Story: @unchecked Sendable {
  let script: Script
  let store: MemoryStore
  let scene: Scene
  let trace: Trace
  let versions = Versions()
  private(set) var devices: [Device] = []
  let time = SimulatedClock.Source()
  var dice: Dice
  private(set) var position = 0
  var snapshots: [Int: Device.Indexes] = [:]
  /// The remains of planned power cuts, with their lines.
  var cuts: [Int: (cut: PowerCut, line: Int)] = [:]
  /// The faults of this step that hit nothing yet, and the problems of others.
  var (pending, misplayed): ([Fault], [Violation]) = ([], [])
  /// Records the events by names.
  let recorder: Recorder?
  /// The finding while the script was played.
  var found: Violation?
  private(set) var watches: [VisibilityWatch] = []
  /// The container after each entry of the zone's log, if it will be rolled back.
  var copies: [MemoryStore] = []
  var operations = 0
  var faults: [String: Int] = [:]
  /// The owner's clock at the last garbage collection, in seconds since 1970.
  var collected: Int64 = 0
  /// The versions at that time, if all are kept.
  var promised: Set<PromisedVersion> = []
  /// The objects that strangers put into the container.
  var planted: [ObjectKey] = []
  /// A Boolean value that indicates whether somebody selected while their daemon had work.
  var hasHastySelection = false
  /// The stolen devices, by person.
  var thefts: [Int: Theft] = [:]
  /// The entries that each person put, if somebody removes theirs.
  var entries: [Int: [ObjectKey]] = [:]

  init(
    _ script: Script, scene: Scene, machines: [Machine], keepsTrace: Bool = false,
    recorder: Recorder? = nil
  ) throws {
    self.script = script
    self.recorder = recorder
    self.scene = scene
    trace = Trace(isKept: keepsTrace)
    dice = Dice(beside: script.seed ^ 0xD1CE)
    store = scene.store.copy()
    SodiumDice.restart(seed: script.seed)
    let clock = SimulatedClock(time)
    WallClock.replace { [clock] in
      SimulatedThread.isCurrent ? clock.date : SimulatedThread.realDate
    }
    for number in 0..<script.people {
      let device = try Device(
        number: number, scene: scene, store: store, traits: script.traits[number],
        machine: machines[number], time: time, trace: trace)
      device.mergesText = script.hasTexts
      if script.distant.contains(number) { device.store.flight = SimulatedStore.room }
      devices.append(device)
      // A file that is moved and changed seems to be another one there.
      if !script.traits[number].hasBirths { versions.unheard.insert(number) }
      watches.append(VisibilityWatch(device, versions) { [unowned self] in report($0) })
      device.store.onPut = { [unowned self] key in
        noteEntry(key, of: number)
        announce(key, from: number)
      }
      watchCalls(of: device)
    }
    if script.hasRollback { copies.append(store.copy()) }
    script.sabotage?.apply(to: self)
  }

  func report(_ violation: Violation) {
    if found == nil { found = violation }
    trace.note("    !!! \(violation)")
  }

  /// A store's notification: the others learn that an object came.
  private func announce(_ key: ObjectKey, from number: Int) {
    guard key.description.contains("/zones/\(scene.zone)/log/") else { return }
    checkGuard(of: devices[number])
    if !copies.isEmpty { copies.append(store.copy()) }
    for device in devices where device.number != number && !device.isWorking {
      if device.wakeFate != .heard { count("wake-up \(device.wakeFate)") }
      device.wake()
    }
  }

  // MARK: Playing

  /// Plays the script to its end and checks the result.
  func play() throws {
    for (index, step) in script.steps.enumerated() {
      position = index
      trace.mix(Int64(index))
      trace.note(
        script.lines.isEmpty ? "\(index): \(step)" : "line \(script.lines[index]): \(step.text)")
      recorder?.begin(step)
      arm(script.faults[index] ?? [])
      try play(step)
      if let found { throw found }
      try checkFaults()
    }
    try comeToRest()
    if let found { throw found }
    try check()
  }

  private func play(_ step: Step) throws {
    time.now += 1_000_000
    switch step {
    case .operation(let person, let operation): operate(person, operation)
    case .deed(let person, let deed): try carryOut(deed, by: person)
    case .shuffleHints(let person, let seed): shuffleHints(of: devices[person], UInt64(seed))
    case .noteIndex(let person): snapshots[person] = try devices[person].copyIndexes()
    case .cutIndex(let person): try cutIndex(devices[person])
    case .work(let person, let turns, let fate): try work(person, turns, fate)
    case .interruptDisk(let person, let call, let fault): interrupt(person, call, fault)
    case .interruptStore(let person, let call, let fault): interrupt(person, call, fault)
    case .wake(let person, let fate): devices[person].wakeFate = fate
    case .delay(let person, let looks): devices[person].store.delay = looks
    case .offline(let person): devices[person].store.isOffline = true
    case .online(let person):
      devices[person].store.isOffline = false
      devices[person].hintZone()
    case .restart(let person): devices[person].end()
    case .deleteIndex(let person, let loss):
      count("index deleted")
      // A person may have put an earlier version of one file over another one. While nobody heard
      // of it, or the zone did not, it cannot be distinguished from an old version.
      if loss != .zones, try devices[person].hasMissed || !devices[person].isQuiet {
        for text in contents(of: devices[person].disk.folder)
        where devices[person].hasMissed || versions.wasReplaced(text) {
          versions.lost(text.bytes)
        }
      }
      try devices[person].deleteIndexes(loss)
    case .setPermission(let person, let mayWrite): try setPermission(person, mayWrite)
    case .remove(let person): try remove(person)
    case .invite(let person, let mayWrite, let isFromNow):
      try invite(person, mayWrite, isFromNow: isFromNow)
    case .setCalendar(let person, let years):
      devices[person].clock.offset = Int64(years) * SimulatedClock.year
    case .hideRoot(let person, let fate):
      count("root hidden")
      devices[person].disk.hideRoot(fate)
    case .showRoot(let person): showRoot(devices[person])
    case .replaceDisk(let person): replaceDisk(devices[person])
    case .copyFolder(let person): try copyFolder(devices[person])
    case .restoreFolder(let person): try restoreFolder(devices[person])
    case .rollBack(let entries): try rollBack(entries)
    case .repair(let person): try repair(devices[person])
    case .collectGarbage(let days, let versions): try collectGarbage(days, versions)
    case .intrude(let intrusion): try intrude(intrusion)
    case .takePlace(let person, let size): takePlace(person, size)
    case .takeBack(let person, let entry, let revenge): try takeBack(person, entry, revenge)
    case .steal(let person): try steal(person)
    case .revokeStolen(let person): try revokeStolen(person)
    case .forge(let person, let number): try forge(person, number)
    case .goMad(let person, let number): try goMad(person, number)
    case .succeed(let person, let number): try succeed(person, number)
    case .select(let person, let change, let entry): try select(person, change, entry)
    case .metadata(let person, let isFull): try chooseMetadata(person, isFull)
    case .wait(let milliseconds): time.now += Int64(milliseconds) * 1_000_000
    }
  }

  private func shuffleHints(of device: Device, _ seed: UInt64) {
    device.waiting += device.disk.hints
    device.disk.hints = []
    var dice = Dice(beside: seed)
    let before = device.waiting
    device.waiting = Self.shuffled(before.count, &dice).map { before[$0] }
  }

  func count(_ fault: String) { faults[fault, default: 0] += 1 }

  func operate(_ person: Int, _ operation: Operation) {
    operations += 1
    let device = devices[person]
    guard !device.disk.isRootHidden, !device.isOut, !device.disk.isFolderGone else { return }
    if let deed = choose(operation, of: person) { recorder?.did(deed, by: person) }
    watches[person].personActed()
  }

  /// Performs the action of an operation. Returns it if it had an effect.
  func choose(_ operation: Operation, of person: Int) -> Deed? {
    let hands = hands(of: person)
    // The script determines its kind.
    trace.mix(Int64(position))
    trace.note("    person \(person): \(operation)")
    guard let deed = Deed(operation, of: hands) else { return nil }
    let plain = recorder == nil ? deed : deed.at(hands.plain)
    return hands.carryOut(deed, &devices[person].unfinished) ? plain : nil
  }

  func hands(of person: Int) -> PersonAtWork {
    PersonAtWork(
      number: person, disk: devices[person].disk, versions: versions, step: position, trace: trace)
  }

  func carryOut(_ deed: Deed, by person: Int) throws {
    operations += 1
    let device = devices[person]
    guard !device.disk.isRootHidden, !device.isOut, !device.disk.isFolderGone,
      hands(of: person).carryOut(deed, &devices[person].unfinished)
    else { throw unplayed(script.lines[position], "that can't be done in the folder as it is") }
    watches[person].personActed()
  }

  func unplayed(_ line: Int, _ message: String) -> Violation {
    Violation(rule: "script", message: "\(ScriptError(line: line, message: message))")
  }

  func work(_ person: Int, _ turns: Int, _ fate: Step.HintFate) throws {
    let device = devices[person]
    guard !device.isWorking else { return }
    device.waiting += device.disk.hints
    device.disk.hints = []
    change(device, fate)
    if script.losesIndexes(of: person), device.engine == nil || dice.once(in: 3) {
      snapshots[person] = try device.copyIndexes()
      recorder?.notedIndex(of: person)
    }
    device.hearLate()
    watches[person].beginWork()
    let outcome = device.work(turns: turns)
    if outcome != .busy { recorder?.cameToEnd(person) }
    watches[person].endWork()
    noteMoves(of: device)
    try checkMemory(of: device)
    if device.disk.isDead { try recover(device) }
  }

  /// Files that a sync cycle put into a directory move along with a person's move at that moment.
  private func noteMoves(of device: Device) {
    guard let turn = device.disk.movedTurn else { return }
    device.disk.movedTurn = nil
    let hands = PersonAtWork(
      number: device.number, disk: device.disk, versions: versions, step: position, trace: trace)
    for entry in hands.entries() where entry.inode.isEngines && entry.inode.turn == turn {
      versions.touched(entry.inode.bytes, by: device.number)
    }
  }

  static func shuffled(_ count: Int, _ dice: inout Dice) -> [Int] {
    var order = Array(0..<count)
    for index in order.indices.dropFirst() {
      order.swapAt(index, dice.number(below: index + 1))
    }
    return order
  }

  private func change(_ device: Device, _ fate: Step.HintFate) {
    switch fate {
    case .delivered: return
    case .shuffled:
      let before = device.waiting
      let order = Self.shuffled(before.count, &dice)
      device.waiting = order.map { before[$0] }
      recorder?.shuffled(order, of: device.number)
    case .doubled: device.waiting += device.waiting
    case .overflow:
      device.waiting = []
      device.needsFullScan = true
    case .lost:
      // Found at the final full scan.
      versions.unheard.insert(device.number)
      device.hasMissed = true
      device.waiting = []
    }
    count("hints \(fate)")
  }

  /// Ends all faults, closes all files, and lets everybody work until nobody has anything to do.
  func comeToRest() throws {
    trace.note("rest")
    recorder?.end()
    try checkHintsSuffice()
    for device in devices {
      device.disk.forgetInterruptions()
      for (fault, times) in device.disk.faults { faults[fault, default: 0] += times }
      for (fault, times) in device.store.faults { faults[fault, default: 0] += times }
      device.store.heal()
      // However many change markers were lost, everything is checked in turn.
      device.wakeFate = .heard
      showRoot(device)
      let hands = PersonAtWork(
        number: device.number, disk: device.disk, versions: versions, step: script.steps.count,
        trace: trace)
      while let file = device.unfinished.popLast() { hands.finish(file) }
      device.needsFullScan = true
      watches[device.number].personActed()
    }
    // Nobody can be let in while a log position is held.
    if script.hasTakenPlaces { try repairEverywhere() }
    try calmDown()
    try inviteEverybody()
    if script.hasRollback { try repairEverywhere() }
    if script.hasSelection {
      // With a part of the zone everybody comes to rest as well.
      try rest(rounds: 400)
      if found == nil { try checkSelections() }
      for device in devices { try select(device.number, .everything, 0) }
      showHidden()
    }
    try rest(rounds: 400)
  }

  /// Checks that a daemon without its folder sends nothing by itself.
  private func checkGuard(of device: Device) {
    guard device.disk.isRootHidden, device.isWorking, !device.isAsked, !device.isOut else { return }
    report(
      Violation(
        rule: "guards", message: "\(device.number) sends changes while its folder isn't there"))
  }

  private func replaceDisk(_ device: Device) {
    guard !device.isWorking, !device.isOut, !device.disk.isRootHidden else { return }
    count("disk replaced")
    // Nobody removes a machine's disk while something runs there.
    device.stop()
    device.unfinished = []
    device.disk.replaceFolder()
  }

  private func copyFolder(_ device: Device) throws {
    device.disk.copyFolder()
    // The daemon knows nothing of events that nobody reported.
    device.copyWasQuiet = try device.isQuiet && !device.hasMissed
  }

  private func restoreFolder(_ device: Device) throws {
    guard device.disk.copy != nil, !device.isOut, !device.isWorking else { return }
    // The daemon cannot have sent changes that it never heard of.
    if device.hasMissed { device.needsFullScan = true }
    try work(device.number, 40, .delivered)
    // Contents that a person deletes with the folder are not kept for them.
    guard try device.isQuiet else { return }
    count("folder restored")
    device.stop()
    for text in contents(of: device.disk.ownFolder) { versions.lost(text.bytes) }
    if !device.copyWasQuiet, let copy = device.disk.copy {
      // Contents that the zone never had are not known as old versions: their person puts them
      // back.
      let old = Tree(below: copy)
      for (path, entry) in tree(device).entries {
        if let there = old.entries[path], there.bytes != entry.bytes { versions.lost(entry.bytes) }
      }
    }
    device.disk.restoreFolder()
  }

  private func showRoot(_ device: Device) {
    guard !device.disk.showRoot() else { return }
    report(
      Violation(
        rule: "guards",
        message: "what stood in the place of \(device.number)'s folder was changed"))
  }

  func rest(rounds: Int) throws {
    for device in devices { device.hintZone() }
    for _ in 0..<rounds {
      var isBusy = false
      for device in devices {
        watches[device.number].beginWork()
        let outcome = device.work(turns: 40)
        watches[device.number].endWork()
        if case .idle = outcome {} else { isBusy = true }
        try checkMemory(of: device)
      }
      if try devices.contains(where: { try $0.isInTrouble }) {
        guard script.hasRollback || script.hasTakenPlaces else {
          throw Violation(rule: "log safety", message: "a sound log is in trouble")
        }
        try repairEverywhere()
        isBusy = true
      }
      if found != nil { return }
      let heads = Set(devices.map { $0.zone?.header.sequence })
      if !isBusy, heads.count == 1, devices.allSatisfy({ $0.disk.hints.isEmpty }),
        // A replaced file that was open is checked again later.
        devices.allSatisfy({ $0.engine?.isSettled == true && !$0.disk.keepsFiles })
      {
        return
      }
      let deadlines = devices.compactMap(\.deadline).filter { $0 < .max / 4 }
      time.now += SimulatedClock.second / 10
      if !isBusy, let next = deadlines.min() { time.now = max(time.now, next + 1) }
    }
    let states = try devices.map { try state(of: $0) }
    throw Violation(
      rule: "livelock", message: "not everybody came to rest: \(states.joined(separator: "; "))")
  }

  private func state(of device: Device) throws -> String {
    guard let engine = device.engine else {
      return "\(device.number) doesn't run (\(device.lastError ?? "no error"))"
    }
    let pending = try engine.pending(limit: 5).map { "\(text($0.path)) (\($0.reason))" }
    return "\(device.number): \(pending.joined(separator: ", "))"
      + (device.lastError.map { " \($0)" } ?? "") + " hints \(device.disk.hints.count)"
  }
}

extension Script {
  /// Returns whether that person's index may return to an earlier state that isn't named.
  func losesIndexes(of person: Int) -> Bool {
    lines.isEmpty
      && steps.contains {
        switch $0 {
        case .interruptDisk(person, _, .powerCut), .cutIndex(person): true
        default: false
        }
      }
  }
}
