import CairnStore

/// Reads a script from its text (Tests/SimulatorTests/README.md has the language). Strict: an
/// unknown or additional word is an error.
struct ScriptParser {
  private var script = Script(seed: 0, people: 0, traits: [], steps: [])
  private var people: [String] { (0..<script.people).map(Scene.handle) }

  static func parse(_ text: String) throws(ScriptError) -> Script {
    var parser = ScriptParser()
    var number = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      number += 1
      let depth = line.prefix { $0 == " " }.count
      var words = try Words(line, number)
      guard !words.isAtEnd else { continue }
      switch depth {
      case 0: try parser.readLine(&words)
      case 2: try parser.readFault(&words)
      case 4: try parser.readCut(&words)
      default: throw words.error("stands in by \(depth) blanks; 0, 2 or 4 mean something")
      }
      try words.end()
    }
    guard parser.script.people > 0 else {
      throw ScriptError(line: number, message: "nobody takes part: there is no “people:”")
    }
    return parser.script
  }

  // MARK: Head

  private mutating func readLine(_ words: inout Words) throws(ScriptError) {
    switch words.peek {
    case "rule":
      try words.expect("rule", ":")
      script.rule = words.rest()
    case "once":
      try words.expect("once", ":")
      script.once = words.rest()
    case "seed":
      try words.expect("seed", ":")
      guard let seed = UInt64(try words.next()) else { throw words.error("no seed") }
      script.seed = seed
    case "people": try readPeople(&words)
    case "disk": try readTraits(&words)
    case "container":
      try words.expect("container", "far", "away", ":")
      script.distant.insert(try person(&words))
    default:
      let step = try readStep(&words)
      script.steps.append(step)
      script.lines.append(words.line)
    }
  }

  private mutating func readPeople(_ words: inout Words) throws(ScriptError) {
    try words.expect("people", ":")
    repeat {
      let expected = script.people < 5 ? Scene.handle(script.people) : "nobody"
      guard try words.next() == expected else {
        throw words.error("after those comes \(expected)")
      }
      script.people += 1
    } while words.skip(",")
    script.traits = Array(repeating: SimulatedDisk.Traits(), count: script.people)
  }

  private mutating func readTraits(_ words: inout Words) throws(ScriptError) {
    try words.expect("disk", "without")
    var traits = SimulatedDisk.Traits()
    repeat {
      switch try words.next() {
      case "swaps": traits.hasRenameFlags = false
      case "births": traits.hasBirths = false
      case "leases": traits.hasLeases = false
      case let other: throw words.error("a disk has no “\(other)”: swaps, births, leases")
      }
    } while words.skip(",")
    try words.expect(":")
    script.traits[try person(&words)] = traits
  }

  // MARK: Steps

  private func readSelection(of person: Int, _ words: inout Words) throws(ScriptError) -> Step {
    try words.expect("selects")
    let change = try words.choice(
      Dictionary(uniqueKeysWithValues: Step.Selecting.allCases.map { ($0.rawValue, $0) }))
    if change != .everything { try words.expect("entry") }
    let entry = change == .everything ? 0 : try words.number()
    return .select(person: person, change, entry: UInt32(truncatingIfNeeded: entry))
  }

  private func readWish(of person: Int, _ words: inout Words) throws(ScriptError) -> Step {
    try words.expect("wants")
    if words.peek == "the" {
      try words.expect("the", "zone", ",", "number")
      return .succeed(person: person, number: try words.number())
    }
    let isFull = try words.choice(["all": true, "few": false])
    try words.expect("attributes")
    return .metadata(person: person, isFull: isFull)
  }

  private mutating func readStep(_ words: inout Words) throws(ScriptError) -> Step {
    switch words.peek {
    case "wait":
      try words.expect("wait")
      let time = try words.number()
      try words.expect("ms")
      return .wait(time)
    case "the":
      try words.expect("the", "container", "goes", "back")
      let entries = try words.number()
      try words.expect("entries")
      return .rollBack(entries: entries)
    case "garbage":
      try words.expect("garbage", "goes", "after")
      let days = try words.number()
      try words.expect("days", ",")
      let versions = words.peek == "all" ? nil : try words.number()
      if versions == nil { try words.expect("all") }
      try words.expect("versions", "stay")
      return .collectGarbage(days: days, versions: versions)
    case "ana" where ["lets", "removes", "invites"].contains(words.second):
      return try readOwner(&words)
    case "a": return .intrude(try readIntrusion(&words))
    default: break
    }
    if words.peek.hasSuffix("'s") { return try readPossession(&words) }
    let person = try person(&words)
    switch words.peek {
    case "goes" where words.second == "mad":
      try words.expect("goes", "mad", ",", "number")
      return .goMad(person: person, number: try words.number())
    case "wants": return try readWish(of: person, &words)
    case "goes":
      try words.expect("goes", "offline")
      return .offline(person: person)
    case "revokes":
      try words.expect("revokes", "the", "laptop")
      return .revokeStolen(person: person)
    case "comes":
      try words.expect("comes", "online")
      return .online(person: person)
    case "copies":
      try words.expect("copies", "the", "folder")
      return .copyFolder(person: person)
    case "restores":
      try words.expect("restores", "the", "folder")
      return .restoreFolder(person: person)
    case "selects": return try readSelection(of: person, &words)
    case "repairs":
      try words.expect("repairs", "the", "log")
      return .repair(person: person)
    case "removes", "alters":
      let revenge = try words.choice(["removes": Step.Revenge.removes, "alters": .alters])
      try words.expect("entry")
      return .takeBack(person: person, entry: try words.number(), revenge)
    default: return .deed(person: person, try readDeed(&words))
    }
  }

  /// Reads a stranger's action in the container.
  private func readIntrusion(_ words: inout Words) throws(ScriptError) -> Step.Intrusion {
    try words.expect("a", "stranger")
    switch try words.next() {
    case "puts":
      let size = try words.number()
      try words.expect("bytes", ",", "number")
      return .rubbish(number: try words.number(), size: size)
    case "copies":
      try words.expect(",", "number")
      return .copy(number: try words.number())
    case "withdraws": return .withdraw
    default: throw words.error("a stranger puts, copies or withdraws")
    }
  }

  /// Reads an owner's action on participants.
  private func readOwner(_ words: inout Words) throws(ScriptError) -> Step {
    try words.expect("ana")
    let verb = try words.next()
    let person = try person(&words)
    if verb == "removes" { return .remove(person: person) }
    if verb == "invites" { try words.expect("to") }
    let mayWrite = try words.choice(["write": true, "read": false])
    guard verb == "invites" else { return .setPermission(person: person, mayWrite: mayWrite) }
    let isFromNow = words.skip(",")
    if isFromNow { try words.expect("from", "now") }
    return .invite(person: person, mayWrite: mayWrite, isFromNow: isFromNow)
  }

  /// Reads an event about a person's daemon, folder and so on.
  private func readPossession(_ words: inout Words) throws(ScriptError) -> Step {
    let person = try owner(&words)
    let what = try words.next() + " " + words.next()
    switch what {
    case "daemon works": return try readWork(person, &words)
    case "daemon ends": return .restart(person: person)
    case "hints are":
      try words.expect("shuffled", ",", "seed")
      return .shuffleHints(person: person, as: try words.number())
    case "index is": return try readIndex(person, &words)
    case "wake-ups are":
      return .wake(
        person: person,
        try words.choice([
          "heard": .heard, "lost": .lost, "late": .late, "doubled": .doubled,
        ]))
    case "container is":
      try words.expect("late")
      let looks = try words.number()
      try words.expect("looks")
      return .delay(person: person, looks: looks)
    case "laptop is":
      try words.expect("stolen")
      return .steal(person: person)
    case "laptop forges":
      try words.expect(",", "number")
      return .forge(person: person, number: try words.number())
    case "next place":
      try words.expect("is", "taken", ",")
      let size = try words.number()
      try words.expect("bytes")
      return .takePlace(person: person, size: size)
    case "calendar is":
      try words.expect("off")
      let years = try words.number()
      try words.expect("years")
      return .setCalendar(person: person, years: years)
    case "folder goes":
      try words.expect(":")
      let word = try words.next()
      guard let fate = Step.RootFate.allCases.first(where: { $0.word == word }) else {
        throw words.error("“\(word)” doesn't stand in a folder's place")
      }
      return .hideRoot(person: person, fate)
    case "folder comes":
      try words.expect("back")
      return .showRoot(person: person)
    case "disk is":
      try words.expect("replaced")
      return .replaceDisk(person: person)
    default: throw words.error("“\(what)” is no step")
    }
  }

  private func readWork(_ person: Int, _ words: inout Words) throws(ScriptError) -> Step {
    var turns = Recorder.allTurns
    if !words.isAtEnd, words.peek != "," {
      turns = try words.number()
      try words.expect(turns == 1 ? "turn" : "turns")
    }
    var hints = Step.HintFate.delivered
    if words.skip(",") {
      try words.expect("hints")
      hints = try words.choice([
        "doubled": .doubled, "overflow": .overflow, "lost": .lost,
      ])
    }
    return .work(person: person, turns: turns, hints: hints)
  }

  private func readIndex(_ person: Int, _ words: inout Words) throws(ScriptError) -> Step {
    if words.peek == "noted" {
      try words.expect("noted")
      return .noteIndex(person: person)
    }
    guard !words.skip("goes") else {
      try words.expect("back")
      return .cutIndex(person: person)
    }
    try words.expect("deleted", ":")
    let loss: Step.IndexLoss = try words.choice([
      "folders": .folders, "zones": .zones, "all": .all,
    ])
    return .deleteIndex(person: person, loss)
  }

  // MARK: Deeds

  private func readDeed(_ words: inout Words) throws(ScriptError) -> Deed {
    let verb = try words.next()
    switch verb {
    case "creates", "edits", "replaces", "recreates":
      let place = try words.place()
      try words.expect(",")
      let size = try words.number()
      try words.expect("bytes")
      switch verb {
      case "creates": return .create(place, size: size)
      case "edits": return .edit(place, size: size)
      case "replaces": return .replace(place, size: size)
      default: return .recreate(place, size: size)
      }
    case "appends":
      try words.expect("to")
      return .append(try words.place())
    case "writes":
      try words.expect("line")
      let line = try words.number()
      try words.expect("in")
      return .writeLine(try words.place(), line: line)
    case "makes": return try readMaking(&words)
    case "links":
      let file = try words.place()
      try words.expect("as")
      return .link(file, as: try words.place())
    case "renames":
      let entry = try words.place()
      let isOver = try words.choice(["over": true, "to": false])
      return isOver ? .renameOver(entry, try words.place()) : .rename(entry, to: try words.place())
    case "swaps":
      let first = try words.place()
      try words.expect("and")
      return .swap(first, try words.place())
    case "deletes":
      return try words.choice(["directory": true, "file": false])
        ? .deleteTree(try words.place()) : .delete(try words.place())
    case "changes":
      try words.expect("mode", "of")
      return .changeMode(try words.place())
    case "touches": return .touch(try words.place())
    case "begins":
      try words.expect("writing")
      return .beginWriting(try words.place())
    case "finishes":
      try words.expect("writing")
      return .finishWriting
    default: throw words.error("“\(verb)” is nothing that a person does")
    }
  }

  private func readMaking(_ words: inout Words) throws(ScriptError) -> Deed {
    if try words.choice(["directory": true, "symlink": false]) {
      return .makeDirectory(try words.place())
    }
    let place = try words.place()
    try words.expect("to")
    return .makeSymlink(place, target: try words.next())
  }

  // MARK: People

  private func person(_ words: inout Words) throws(ScriptError) -> Int {
    let name = try words.next()
    guard let person = people.firstIndex(of: name) else {
      throw words.error("“\(name)” doesn't take part")
    }
    return person
  }

  private func owner(_ words: inout Words) throws(ScriptError) -> Int {
    let name = String(try words.next().dropLast(2))
    guard let person = people.firstIndex(of: name) else {
      throw words.error("“\(name)” doesn't take part")
    }
    return person
  }
}

// MARK: - Faults

extension ScriptParser {
  /// Reads a line below a step: a fault.
  private mutating func readFault(_ words: inout Words) throws(ScriptError) {
    guard let step = script.steps.last else { throw words.error("no step goes before it") }
    var whose = step.person
    if words.peek.hasSuffix("'s") {
      whose = try owner(&words)
      try words.expect("daemon")
    }
    guard let whose else { throw words.error("it doesn't say whose daemon it hits") }
    var fault = Fault(person: whose, moment: Fault.Moment(call: ""), effect: .ends)
    fault.line = words.line
    switch try words.next() {
    case "fails":
      try words.expect(":")
      fault.moment = try words.moment(isAfter: false)
      try words.expect(",")
      fault.effect = try failure(&words)
    case "ends":
      fault.moment = try words.when()
    case "power":
      try words.expect("cut")
      fault.moment = try words.when()
      fault.effect = .powerCut(PowerCut())
    case "loses":
      try words.expect("the", "answer", ":")
      fault.moment = try words.moment(isAfter: false)
      fault.effect = .losesAnswer
    case "comes":
      try words.expect("again", ":")
      fault.moment = try words.moment(isAfter: false)
      fault.effect = .repeats
    case "lists":
      try words.expect("old", ":")
      fault.moment = try words.moment(isAfter: false)
      fault.effect = .listsOld
    case "reads":
      let isHalf = words.skip("half")
      try isHalf ? words.expect(":") : words.expect("wrong", ":")
      fault.moment = try words.moment(isAfter: false)
      fault.effect = isHalf ? .readsHalf : .readsWrong
    case "before": (fault.moment, fault.effect) = try inBetween(false, whose, &words)
    case "after": (fault.moment, fault.effect) = try inBetween(true, whose, &words)
    case let word: throw words.error("“\(word)” is no fault")
    }
    script.faults[script.steps.count - 1, default: []].append(fault)
  }

  private func failure(_ words: inout Words) throws(ScriptError) -> Fault.Effect {
    let name = try words.next()
    if let number = Fault.failures[name] { return .fails(number) }
    switch name {
    case "full": return .storeFails(.full)
    case "unreachable": return .storeFails(.unreachable)
    default: throw words.error("nothing fails with “\(name)”")
    }
  }

  private func inBetween(
    _ isAfter: Bool, _ whose: Int, _ words: inout Words
  ) throws(ScriptError) -> (Fault.Moment, Fault.Effect) {
    try words.expect(":")
    let moment = try words.moment(isAfter: isAfter)
    try words.expect(";")
    if words.peek.hasSuffix("'s") {
      let other = try owner(&words)
      try words.expect("daemon", "works")
      return (moment, .race(with: other))
    }
    guard try person(&words) == whose else {
      throw words.error("only \(Scene.handle(whose)) acts on that machine")
    }
    return (moment, .deed(try readDeed(&words)))
  }

  /// Reads a line below a power cut: a remainder.
  private mutating func readCut(_ words: inout Words) throws(ScriptError) {
    let step = script.steps.count - 1
    guard var faults = script.faults[step], let last = faults.indices.last,
      case .powerCut(var cut) = faults[last].effect
    else { throw words.error("no power cut goes before it") }
    if words.peek == "undone" {
      try words.expect("undone", "since", ":")
      let count = try words.ordinal()
      cut.undoneSince = PowerCut.NameChange(change: try words.nameChange(), count: count)
    } else {
      try words.expect("left", ":")
      if words.peek == "the" {
        try words.expect("the", "index", "as", "noted")
        cut.hasOldIndex = true
      } else {
        let count = try words.ordinal()
        let file = try words.path()
        try words.expect(",")
        let name = words.rest()
        guard let bytes = PowerCut.Bytes(rawValue: name) else {
          throw words.error("a power cut leaves no “\(name)”")
        }
        cut.files.append(PowerCut.Damage(file: file, count: count, bytes: bytes))
      }
    }
    faults[last].effect = .powerCut(cut)
    script.faults[step] = faults
  }
}
