import CairnFolders
import CairnStore

/// The faults in a step, at a counted or named call.
extension Story {
  // MARK: Counted

  func interrupt(_ person: Int, _ call: Int, _ fault: Step.DiskFault) {
    let disk = devices[person].disk
    let what: SimulatedDisk.Interruption
    var effect: Fault.Effect?
    switch fault {
    case .full: (what, effect) = (.fail(28), .fails(28))
    case .overQuota: (what, effect) = (.fail(122), .fails(122))
    case .broken: (what, effect) = (.fail(5), .fails(5))
    case .tooManyFiles: (what, effect) = (.fail(24), .fails(24))
    case .crash: (what, effect) = (.crash, .ends)
    case .powerCut: (what, effect) = (.powerCut, .powerCut(PowerCut()))
    case .writer(let operation):
      what = .act { [unowned self] in
        beginInBetween(of: person)
        operations += 1
        if !disk.isRootHidden, !devices[person].isOut, !disk.isFolderGone {
          if let deed = choose(operation, of: person) {
            recorder?.hit(.deed(deed), at: disk.watch.now, person)
          }
          watches[person].personActed()
        }
        switch operation {
        case .swap, .rename: disk.movedTurn = disk.turn
        default: break
        }
      }
    }
    // An unreadable directory hides files that were moved there.
    if fault == .broken || fault == .tooManyFiles { versions.unheard.insert(person) }
    disk.interrupt(after: call, what) { [unowned self] in
      guard let effect else { return }
      var moment = disk.watch.now
      switch effect {
      case .ends, .powerCut: moment = disk.watch.after ?? moment
      default: break
      }
      recorder?.hit(effect, at: moment, person)
    }
  }

  func interrupt(_ person: Int, _ call: Int, _ fault: Step.StoreFault) {
    let device = devices[person]
    let what: SimulatedStore.Interruption
    let effect: Fault.Effect
    switch fault {
    case .full: (what, effect) = (.fail(.full), .storeFails(.full))
    case .unreachable: (what, effect) = (.fail(.unreachable), .storeFails(.unreachable))
    case .lostAnswer: (what, effect) = (.loseAnswer, .losesAnswer)
    case .truncated: (what, effect) = (.truncate, .readsHalf)
    case .altered: (what, effect) = (.alter, .readsWrong)
    case .repeated: (what, effect) = (.putAgain, .repeats)
    case .oldList: (what, effect) = (.listOld, .listsOld)
    case .crash: (what, effect) = (.act { device.disk.isDead = true }, .ends)
    case .race(let other):
      what = .act { [unowned self] in race(with: other) }
      effect = .race(with: other)
    }
    device.store.interrupt(after: call, what) { [unowned self] in
      recorder?.hit(effect, at: device.store.watch.now, person)
    }
  }

  /// A person acts between two calls of their daemon.
  private func beginInBetween(of person: Int) {
    count("writer between calls")
    // The sync cycle may see that a name left, and learns only afterwards where it went.
    versions.unheard.insert(person)
  }

  private func race(with other: Int) {
    guard other < devices.count, !devices[other].isWorking else { return }
    count("race")
    do { try work(other, 6, .delivered) } catch {
      report(Violation(rule: "simulator", message: "\(error)"))
    }
  }

  // MARK: Named

  /// Reports the calls of a machine by name, if somebody listens.
  func watchCalls(of device: Device) {
    guard recorder != nil || !script.lines.isEmpty else { return }
    device.disk.watch.isOn = true
    device.store.watch.isOn = true
    guard trace.isKept else { return }
    let note: (String) -> Void = { [trace] call in
      trace.note("      \(device.number) asks: \(call)")
    }
    device.disk.watch.onCall = note
    device.store.watch.onCall = note
  }

  /// Prepares the faults of the step that begins.
  func arm(_ faults: [Fault]) {
    pending = faults
    for device in devices {
      device.disk.watch.begin()
      device.store.watch.begin()
    }
    for fault in faults {
      let device = devices[fault.person]
      if Call.isOfStore(fault.moment.call) {
        device.store.watch.arm(fault.moment) { [unowned self] in
          pending.removeAll { $0 == fault }
          return atStore(fault, device)
        }
      } else {
        device.disk.watch.arm(fault.moment) { [unowned self] in
          pending.removeAll { $0 == fault }
          return atDisk(fault, device)
        }
      }
      // An unreadable directory hides files that were moved there.
      if fault.effect == .fails(5) || fault.effect == .fails(24) {
        versions.unheard.insert(fault.person)
      }
    }
  }

  private func atDisk(_ fault: Fault, _ device: Device) -> SimulatedDisk.Interruption {
    switch fault.effect {
    case .fails(let number): return .fail(number)
    case .ends: return .crash
    case .powerCut(let cut):
      cuts[fault.person] = (cut, fault.line)
      return .powerCut
    default: return .act { [unowned self] in act(fault, device) }
    }
  }

  private func atStore(_ fault: Fault, _ device: Device) -> SimulatedStore.Interruption {
    switch fault.effect {
    case .storeFails(let code): .fail(code)
    case .losesAnswer: .loseAnswer
    case .repeats: .putAgain
    case .listsOld: .listOld
    case .readsHalf: .truncate
    case .readsWrong: .alter
    case .ends: .act { device.disk.isDead = true }
    default: .act { [unowned self] in act(fault, device) }
    }
  }

  private func act(_ fault: Fault, _ device: Device) {
    switch fault.effect {
    case .race(let other): race(with: other)
    case .deed(let deed):
      beginInBetween(of: fault.person)
      operations += 1
      if device.disk.isRootHidden || device.isOut
        || !hands(of: fault.person).carryOut(deed, &device.unfinished)
      {
        misplayed.append(unplayed(fault.line, "that can't be done in the folder as it is then"))
      }
      watches[fault.person].personActed()
      switch deed {
      case .swap, .rename, .renameOver: device.disk.movedTurn = device.disk.turn
      default: break
      }
    default: misplayed.append(unplayed(fault.line, "that can't happen at such a call"))
    }
  }

  /// Throws for a fault that hit nothing or was impossible: it makes another script.
  func checkFaults() throws {
    if let violation = misplayed.first { throw violation }
    if let what = devices.compactMap(\.disk.impossible).first {
      throw unplayed(script.lines.isEmpty ? 0 : script.lines[position], what)
    }
    guard let missed = pending.first else { return }
    let device = devices[missed.person]
    let kind = missed.moment.call.prefix { $0 != " " }
    let calls = device.disk.watch.calls + device.store.watch.calls
    let alike = calls.filter { $0.prefix { $0 != " " } == kind }
    throw unplayed(
      missed.line,
      "there was no such call in this step: \(missed.moment.call)"
        + (missed.moment.count > 1 ? " (\(missed.moment.count) times)" : "")
        + "; the daemon's \(kind) calls were: \(alike.joined(separator: "; "))")
  }

  // MARK: Power

  /// Stops the machine, and starts it again.
  func cutPower(_ device: Device) throws {
    let copies = snapshots[device.number]
    let canGoBack = copies?.durable == device.folders.durableWriteCount
    if let (cut, line) = cuts.removeValue(forKey: device.number) {
      if let wrong = device.disk.cutPower(cut) { throw unplayed(line, wrong) }
      guard cut.hasOldIndex else { return }
      guard let copies, canGoBack else {
        throw unplayed(line, "the index was made durable since it was noted, or it never was noted")
      }
      try goBack(device, copies)
      return
    }
    var cut = device.disk.cutPower(&dice)
    if let copies, dice.once(in: 2), canGoBack {
      try goBack(device, copies)
      cut.hasOldIndex = true
    }
    recorder?.cut(cut, at: device.number)
  }

  /// Stops the file system of an index alone, and mounts it again.
  func cutIndex(_ device: Device) throws {
    guard let copies = snapshots[device.number],
      copies.durable == device.folders.durableWriteCount
    else {
      guard script.lines.isEmpty else {
        throw unplayed(
          script.lines[position], "the index was made durable since it was noted, or never noted")
      }
      recorder?.leaveOut()
      return
    }
    count("index cut")
    device.stop()
    // An earlier version that a person put over a file can't be told from an old file.
    for text in contents(of: device.disk.folder) where versions.wasReplaced(text) {
      versions.lost(text.bytes)
    }
    try goBack(device, copies)
    device.indexMountings += 1
    recorder?.wentBack(device.number)
    watches[device.number].personActed()
  }

  private func goBack(_ device: Device, _ copies: Device.Indexes) throws {
    try device.restoreIndexes(copies)
    snapshots[device.number] = nil
  }
}
