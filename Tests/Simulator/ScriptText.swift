import CairnStore

/// The text of a script. `ScriptParser` reads it again.
extension Script {
  var text: String {
    var lines: [String] = []
    if !rule.isEmpty { lines.append("rule: \(rule)") }
    if !once.isEmpty { lines.append("once: \(once)") }
    lines.append("seed: \(seed)")
    lines.append("people: \((0..<people).map(Scene.handle).joined(separator: ", "))")
    for (person, traits) in traits.enumerated() where traits != SimulatedDisk.Traits() {
      var lacks: [String] = []
      if !traits.hasRenameFlags { lacks.append("swaps") }
      if !traits.hasBirths { lacks.append("births") }
      if !traits.hasLeases { lacks.append("leases") }
      lines.append("disk without \(lacks.joined(separator: ", ")): \(Scene.handle(person))")
    }
    lines += distant.sorted().map { "container far away: \(Scene.handle($0))" }
    lines.append("")
    for (index, step) in steps.enumerated() {
      lines.append(step.text)
      for fault in faults[index] ?? [] { lines += fault.text(in: step) }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension Place {
  var text: String { Call.quoted(names.map { Simulator.text($0) }.joined(separator: "/")) }
}

extension Deed {
  func text(by person: Int) -> String {
    let who = Scene.handle(person)
    switch self {
    case .create(let place, let size): return "\(who) creates \(place.text), \(size) bytes"
    case .edit(let file, let size): return "\(who) edits \(file.text), \(size) bytes"
    case .replace(let file, let size): return "\(who) replaces \(file.text), \(size) bytes"
    case .append(let file): return "\(who) appends to \(file.text)"
    case .writeLine(let file, let line): return "\(who) writes line \(line) in \(file.text)"
    case .makeDirectory(let place): return "\(who) makes directory \(place.text)"
    case .makeSymlink(let place, let target):
      return "\(who) makes symlink \(place.text) to \(target)"
    case .link(let file, let place): return "\(who) links \(file.text) as \(place.text)"
    case .rename(let entry, let place): return "\(who) renames \(entry.text) to \(place.text)"
    case .renameOver(let entry, let other):
      return "\(who) renames \(entry.text) over \(other.text)"
    case .swap(let first, let second): return "\(who) swaps \(first.text) and \(second.text)"
    case .delete(let file): return "\(who) deletes file \(file.text)"
    case .deleteTree(let directory): return "\(who) deletes directory \(directory.text)"
    case .recreate(let file, let size): return "\(who) recreates \(file.text), \(size) bytes"
    case .changeMode(let file): return "\(who) changes mode of \(file.text)"
    case .touch(let entry): return "\(who) touches \(entry.text)"
    case .beginWriting(let file): return "\(who) begins writing \(file.text)"
    case .finishWriting: return "\(who) finishes writing"
    }
  }
}

extension Step {
  var text: String {
    let who = person.map(Scene.handle) ?? ""
    switch self {
    case .deed(let person, let deed): return deed.text(by: person)
    case .work(_, let turns, let hints):
      return "\(who)'s daemon works"
        + (turns == Recorder.allTurns ? "" : turns == 1 ? " 1 turn" : " \(turns) turns")
        + (hints == .delivered ? "" : ", hints \(hints)")
    case .shuffleHints(_, let seed): return "\(who)'s hints are shuffled, seed \(seed)"
    case .noteIndex: return "\(who)'s index is noted"
    case .cutIndex: return "\(who)'s index goes back"
    case .wake(_, let fate): return "\(who)'s wake-ups are \(fate.rawValue)"
    case .delay(_, let looks): return "\(who)'s container is late \(looks) looks"
    case .offline: return "\(who) goes offline"
    case .online: return "\(who) comes online"
    case .restart: return "\(who)'s daemon ends"
    case .deleteIndex(_, let loss): return "\(who)'s index is deleted: \(loss)"
    case .setPermission(_, let mayWrite): return "ana lets \(who) \(mayWrite ? "write" : "read")"
    case .setCalendar(_, let years): return "\(who)'s calendar is off \(years) years"
    case .hideRoot(_, let fate): return "\(who)'s folder goes: \(fate.word)"
    case .showRoot: return "\(who)'s folder comes back"
    case .replaceDisk: return "\(who)'s disk is replaced"
    case .copyFolder: return "\(who) copies the folder"
    case .restoreFolder: return "\(who) restores the folder"
    case .rollBack(let entries): return "the container goes back \(entries) entries"
    case .remove: return "ana removes \(who)"
    case .invite(_, let mayWrite, let isFromNow):
      let present = isFromNow ? ", from now" : ""
      return "ana invites \(who) to \(mayWrite ? "write" : "read")\(present)"
    case .repair: return "\(who) repairs the log"
    case .collectGarbage(let days, let versions):
      return "garbage goes after \(days) days, \(versions.map { "\($0)" } ?? "all") versions stay"
    case .intrude(.rubbish(let number, let size)):
      return "a stranger puts \(size) bytes, number \(number)"
    case .intrude(.copy(let number)): return "a stranger copies, number \(number)"
    case .intrude(.withdraw): return "a stranger withdraws"
    case .takePlace(_, let size): return "\(who)'s next place is taken, \(size) bytes"
    case .takeBack(_, let entry, let revenge): return "\(who) \(revenge) entry \(entry)"
    case .steal: return "\(who)'s laptop is stolen"
    case .revokeStolen: return "\(who) revokes the laptop"
    case .forge(_, let number): return "\(who)'s laptop forges, number \(number)"
    case .goMad(_, let number): return "\(who) goes mad, number \(number)"
    case .succeed(_, let number): return "\(who) wants the zone, number \(number)"
    case .select(_, let change, let entry):
      return "\(who) selects \(change)" + (change == .everything ? "" : " entry \(entry)")
    case .metadata(_, let isFull): return "\(who) wants \(isFull ? "all" : "few") attributes"
    case .wait(let milliseconds): return "wait \(milliseconds) ms"
    case .operation, .interruptDisk, .interruptStore: return "(by numbers: \(self))"
    }
  }
}

extension Step.RootFate {
  /// The word for the replacement.
  var word: String {
    switch self {
    case .nothing: "nothing"
    case .empty: "empty"
    case .stranger: "stranger"
    case .otherDisk: "other-disk"
    }
  }
}

extension Fault {
  /// The lines below those of its step.
  func text(in step: Step) -> [String] {
    let whose = step.person == person ? "" : "\(Scene.handle(person))'s daemon "
    let at =
      moment.count == 1 ? moment.call : "\(moment.count)\(Self.suffix(moment.count)) \(moment.call)"
    let when = "\(moment.isAfter ? "after" : "before"): \(at)"
    var lines: [String] = []
    switch effect {
    case .fails(let number):
      let name = Self.failures.first { $0.value == number }?.key ?? "\(number)"
      lines.append("\(whose)fails: \(at), \(name)")
    case .ends: lines.append("\(whose)ends \(when)")
    case .powerCut(let cut): lines += ["\(whose)power cut \(when)"] + cut.lines
    case .deed(let deed): lines.append("\(whose)\(when); \(deed.text(by: person))")
    case .storeFails(let code): lines.append("\(whose)fails: \(at), \(code.rawValue)")
    case .losesAnswer: lines.append("\(whose)loses the answer: \(at)")
    case .repeats: lines.append("\(whose)comes again: \(at)")
    case .listsOld: lines.append("\(whose)lists old: \(at)")
    case .readsHalf: lines.append("\(whose)reads half: \(at)")
    case .readsWrong: lines.append("\(whose)reads wrong: \(at)")
    case .race(let other):
      lines.append("\(whose)\(when); \(Scene.handle(other))'s daemon works")
    }
    return lines.map { "  " + $0 }
  }

  static func suffix(_ number: Int) -> String {
    switch (number % 10, number % 100) {
    case (1, let rest) where rest != 11: "st"
    case (2, let rest) where rest != 12: "nd"
    case (3, let rest) where rest != 13: "rd"
    default: "th"
    }
  }
}

extension PowerCut {
  fileprivate var lines: [String] {
    func at(_ count: Int, _ what: String) -> String {
      count == 1 ? what : "\(count)\(Fault.suffix(count)) \(what)"
    }
    var lines: [String] = []
    if let change = undoneSince {
      lines.append("  undone since: \(at(change.count, change.change))")
    }
    for file in files {
      lines.append("  left: \(at(file.count, file.file)), \(file.bytes.rawValue)")
    }
    if hasOldIndex { lines.append("  left: the index as noted") }
    return lines
  }
}
