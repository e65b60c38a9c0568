import CairnControl
import Glibc
import Testing

/// Three people with one shared folder, who play a script, and the conditions afterwards.
struct SoakWorld {
  private let people: [Person]
  private let root: Folder
  private var writers: [SoakWriter] = []
  private var ledger = SoakLedger()
  private var paused: [Int: pid_t] = [:]
  /// The person who writes alone; nil if several write.
  private var lonely: Int?

  /// The result of a script.
  struct Outcome {
    var violations: [String] = []
    var contents = 0
    var conflicts = 0
    var rescued = 0
  }

  /// Plays the script of a seed in a fresh world.
  static func play(seed: UInt64, steps: Int, isLonely: Bool) throws -> Outcome {
    var outcome = Outcome()
    try TwoPeople.playSharing(isFaulty: true) { two in
      try two.withThird { cleo in
        var world = try SoakWorld([two.ana, two.bob, cleo], in: two.root, seed)
        let script = SoakScript(seed: seed, count: steps, isLonely: isLonely)
        if isLonely { world.lonely = script.steps.first { $0.act.isOfAPerson }?.who }
        world.play(script)
        outcome = try world.end(script)
        if !outcome.violations.isEmpty { try two.keep(as: "soak-\(seed)") }
      }
    }
    return outcome
  }

  private init(_ people: [Person], in root: Folder, _ seed: UInt64) throws {
    self.people = people
    self.root = root
    writers = try people.enumerated().map { number, person in
      try SoakWriter(
        person.folder, desk: Folder(root.path + "/desk\(number)"),
        mark: "\(seed) \(person.handle)")
    }
    // One of them lives two years ahead of the others.
    people[2].faults?.seconds = 2 * 365 * 86_400
  }

  // MARK: The script

  private mutating func play(_ script: SoakScript) {
    for (number, step) in script.steps.enumerated() {
      if step.act.isOfAPerson {
        writers[step.who].perform(step.act, at: number, &ledger)
        continue
      }
      do { try happen(step) } catch {
        // A daemon that is stopped, or just ending, answers nobody.
      }
    }
  }

  private mutating func happen(_ step: SoakScript.Step) throws {
    let person = people[step.who]
    switch step.act {
    case .breathe:
      guard paused[step.who] == nil else { return }
      _ = try person.ask(Control.Wait(timeoutSeconds: 0.1))
    case .kill:
      try person.killDaemon()
      paused[step.who] = nil
      try person.startDaemon()
    case .pause:
      guard paused[step.who] == nil, let process = try person.daemon() else { return }
      kill(process, SIGSTOP)
      paused[step.who] = process
    case .wake: wake(step.who)
    case .loseIndex: try loseIndex(of: step.who)
    case .setPermission(let isWritable):
      guard paused[0] == nil else { return }
      let permission = isWritable ? "read-write" : "read-only"
      try people[0].attempt([
        "share", "set-permission", people[0].folder.path, person.handle, permission,
      ])
    default: preconditionFailure("a person's act: \(step)")
    }
  }

  /// Deletes a person's index. The acts of a lonely person since the last scan, and those of others
  /// that had not arrived, are lost with it: a deleted file is there again, and an entry with its
  /// name is beside it. That is no conflict of any person, so both scans are awaited. If something
  /// prevents them, the index stays.
  private mutating func loseIndex(of who: Int) throws {
    let person = people[who]
    if let lonely {
      for one in [lonely, who] {
        wake(one)
        _ = try people[one].ask(Control.Wait(timeoutSeconds: 60))
      }
    }
    try person.killDaemon()
    paused[who] = nil
    try person.home.remove("index")
    try person.startDaemon()
    if lonely != nil { _ = try person.ask(Control.Wait(timeoutSeconds: 60)) }
  }

  private mutating func wake(_ who: Int) {
    guard let process = paused.removeValue(forKey: who) else { return }
    kill(process, SIGCONT)
  }

  // MARK: Quiet

  private mutating func end(_ script: SoakScript) throws -> Outcome {
    for writer in writers { writer.letGo() }
    for who in people.indices { wake(who) }
    for person in people.dropFirst() {
      try people[0].attempt([
        "share", "set-permission", people[0].folder.path, person.handle, "read-write",
      ])
    }
    let own = try lonely.map { try people[$0].folder.tree() }
    for _ in 0..<3 {
      for person in people { _ = try person.ask(Control.Wait(timeoutSeconds: 60)) }
    }
    let trees = try people.map { try $0.folder.tree() }
    var outcome = Outcome()
    outcome.contents = ledger.whole.count
    outcome.conflicts = trees[0].keys.count(where: \.isConflictCopy)
    outcome.violations += differences(trees)
    outcome.violations += try losses(trees, script, &outcome)
    if let own {
      if own != trees[0] { outcome.violations += ["alone, and the folder was changed"] }
      let copies = trees[0].keys.filter(\.isConflictCopy).map(\.description).sorted()
      if !copies.isEmpty { outcome.violations += ["alone, and there are conflicts: \(copies)"] }
    }
    for person in people {
      if let text = try person.disorder(isRescuing: true) { outcome.violations.append(text) }
      let files = try person.folder.files(below: ".cairn").filter {
        $0 != ".cairn/zone" && !$0.starts(with: ".cairn/rescue/")
      }.filter { try !isNote($0, of: person) }
      if !files.isEmpty { outcome.violations.append("\(person.handle) has \(files)") }
    }
    let verified = try people[0].run("verify")
    if verified.status != 0 { outcome.violations.append(verified.text + verified.errors) }
    return outcome
  }

  /// Returns whether a file is a note about rescued bytes that exist.
  private func isNote(_ name: Name, of person: Person) throws -> Bool {
    guard name.starts(with: ".cairn/notes/") else { return false }
    let path = try person.folder.read(name).split(separator: 0).first ?? []
    return !path.isEmpty && person.folder.exists(Name(Array(path)))
  }

  private func differences(_ trees: [[Name: Folder.Node]]) -> [String] {
    zip(people, trees).dropFirst().flatMap { person, tree in
      Set(tree.keys).union(trees[0].keys).filter { name in
        tree[name].map(Self.essence) != trees[0][name].map(Self.essence)
      }.map { name in
        "\(name): \(people[0].handle) has \(TwoPeople.short(trees[0][name])), "
          + "\(person.handle) has \(TwoPeople.short(tree[name]))"
      }.sorted()
    }
  }

  /// Returns the aspects that all people must have in common. The time of a directory depends on
  /// its last change by anybody.
  private static func essence(_ node: Folder.Node) -> Folder.Node {
    var node = node
    if node.kind == .directory { node.modified = 0 }
    return node
  }

  private func losses(
    _ trees: [[Name: Folder.Node]], _ script: SoakScript, _ outcome: inout Outcome
  ) throws -> [String] {
    var found: Set<[UInt8]> = []
    var violations: [String] = []
    for (person, tree) in zip(people, trees) {
      for (name, node) in tree {
        guard case .file(let content) = node.kind else { continue }
        found.insert(content)
        guard !ledger.knows(content) else { continue }
        violations.append(
          "\(person.handle) has \(name) with bytes that nobody wrote: "
            + String(decoding: content.prefix(16), as: UTF8.self))
      }
      for folder in [Folder(person.folder.path + "/.cairn"), Folder(person.home.path + "/rescue")]
      where folder.exists("") {
        for name in try folder.files() {
          guard case .file(let content) = try folder.node(name).kind else { continue }
          found.insert(content)
          outcome.rescued += name == "zone" || name.starts(with: "notes/") ? 0 : 1
        }
      }
    }
    return violations
      + ledger.lost(among: found).map { step, content in
        "lost what step \(step) wrote, \(script.steps[step].act): "
          + String(decoding: content.prefix(16), as: UTF8.self)
      }
  }
}

extension SoakScript.Act {
  /// A Boolean value that indicates whether a person acts, and not the world.
  var isOfAPerson: Bool {
    switch self {
    case .breathe, .kill, .pause, .wake, .loseIndex, .setPermission: false
    default: true
    }
  }
}

extension TwoPeople {
  /// Plays on with Cleo, who has joined Ana's share.
  fileprivate func withThird(_ body: (Person) throws -> Void) throws {
    let cleo = try Person("cleo", in: root, folder: "D", isFaulty: true)
    try cleo.cairn(
      "init", "--container", container.path, "--name", "Cleo", "--handle", cleo.handle)
    defer {
      do {
        _ = try cleo.run("stop")
        try cleo.killDaemon()
      } catch {
        Issue.record("cleo's daemon can't be ended: \(error)")
      }
    }
    let link = try ana.cairn(
      "share", "invite", ana.folder.path, "cleo", "--permission", "read-write"
    ).lastLine
    try cleo.cairn("share", "accept", link, "--at", cleo.folder.path, "--wait")
    try body(cleo)
  }
}
