import CairnControl
import Testing

/// The owner's garbage collection: packs, and the entries below a log start.
extension CrashAct {
  static var garbage: [CrashAct] {
    [
      CrashAct(
        name: "gc", prepare: leaveOrphan,
        play: { people, number in
          try people.ana.folder.write(bytes(number, 200_000), to: "with gc \(number)")
          _ = try people.ana.run("gc")
        },
        insist: collect),
      CrashAct(
        name: "gc-beside", prepare: leaveOrphan,
        play: { people, number in
          try people.bob.folder.write(bytes(number, 200_000), to: "beside gc \(number)")
          _ = try people.ana.run("gc")
        },
        insist: { people, number in
          try collect(people, number)
          try people.insist { try people.settleUnderFaults() }
          guard people.ana.folder.exists("beside gc \(number)") else { throw NotYet() }
        }, isBobActing: true),
      CrashAct(
        name: "gc-raise", prepare: writeTwice,
        play: { people, _ in _ = try people.ana.run(forgetting(people)) },
        insist: { people, number in
          try forget(people)
          try collect(people, number)
          try readAnew(people, number)
        }),
      CrashAct(
        name: "gc-sweep",
        prepare: { people, number in
          try writeTwice(people, number)
          try forget(people)
          // Garbage may be deleted a week later.
          people.ana.faults?.seconds += 8 * 86_400
        },
        play: { people, _ in _ = try people.ana.run("gc") },
        insist: { people, number in
          try collect(people, number)
          try expectSwept(people)
          try readAnew(people, number)
        }),
    ]
  }

  private static func collect(_ people: TwoPeople, _ number: Int) throws {
    try people.insist { _ = try people.ana.ask(Control.CollectGarbage()) }
  }

  /// Puts a pack that no entry names.
  private static func leaveOrphan(_ people: TwoPeople, _ number: Int) throws {
    let share = try people.ana.answer(
      Control.ShareReply.self, "share", "show", people.ana.folder.path
    ).share
    var folder: Name = "users"
    // The generation is open, whatever was closed before.
    for part in [share.owner.user, "packs", "fffffff0", "00"] {
      folder = folder / Name(Array(part.utf8))
      if !people.container.exists(folder) { try people.container.make(folder) }
    }
    let name = String(repeating: "0", count: 24) + String(10_000_000 + number)
    try people.container.write(bytes(number, 5_000), to: folder / Name(Array(name.utf8)))
  }

  /// Writes a file, and another content a moment later.
  private static func writeTwice(_ people: TwoPeople, _ number: Int) throws {
    for edit in 1...2 {
      try people.ana.folder.write(bytes(number * 2 + edit, 20_000 * edit), to: "forgotten")
      try people.insist { _ = try people.ana.ask(Control.Wait(timeoutSeconds: 60)) }
    }
  }

  private static func forgetting(_ people: TwoPeople) -> [String] {
    ["history", "forget", people.ana.folder.path + "/forgotten", "--yes"]
  }

  /// Forgets the file's former content, which raises the log start, as often as needed.
  private static func forget(_ people: TwoPeople) throws {
    try people.insist {
      let outcome = try people.ana.run(forgetting(people))
      let isDone = outcome.status == Control.ErrorCode.unknownItem.exitStatus
      guard outcome.status == 0 || isDone else { throw NotYet() }
    }
    try people.insist {
      let history = try people.ana.attempt(["history", forgetting(people)[2], "--json"])
      let left = try ControlJSON.decode(Control.HistoryReply.self, from: history.output).entries
      guard left.count == 1 else { throw NotYet() }
    }
  }

  /// Expects that nothing is left below the log start.
  private static func expectSwept(_ people: TwoPeople) throws {
    try people.insist {
      let left = try people.ana.ask(Control.CollectGarbage()).entries
      guard left.entries == 0 else { throw NotYet() }
    }
  }

  /// Deletes Bob's index, so that he reads the log as it is then.
  private static func readAnew(_ people: TwoPeople, _ number: Int) throws {
    guard number.isMultiple(of: 4) else { return }
    try people.insist { try people.bob.attempt(["stop"]) }
    try people.bob.home.remove("index")
    try people.insist { try people.bob.attempt(["start"]) }
  }
}
