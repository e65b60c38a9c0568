import CairnControl
import Testing

/// The steps of the daemon between its commits: the end of a share inside a mirrored folder, and
/// the removal of one part of a share. Once begun, they are completed without the command.
extension CrashAct {
  static var nesting: [CrashAct] { [stop, takeOut, takeOutPart] }

  private static var stop: CrashAct {
    CrashAct(
      name: "stop", begin: mirror, prepare: shareInside,
      play: { people, number in
        try people.ana.attempt(["share", "stop", path(people, number)])
      },
      insist: { people, number in
        // A share that isn't stopped has lost nothing: the command was not begun.
        try people.insist {
          guard try isShared(people, path(people, number)) else { return }
          try people.ana.attempt(["share", "stop", path(people, number)])
        }
        try people.insist { try expectBack(people, number) }
      })
  }

  private static var takeOut: CrashAct {
    CrashAct(
      name: "take-out", begin: mirror,
      prepare: { people, number in
        try shareInside(people, number)
        try own(people).make("u\(number)")
        try own(people).write("added", to: "u\(number)/file")
        try people.ana.wait()
        try people.ana.attempt(["share", "add", path(people, number), path(people, number, "u")])
        try people.settle()
      },
      play: { people, number in
        try people.ana.attempt(["share", "take-out", path(people, number, "u")])
      },
      insist: { people, number in
        try people.insist {
          guard try isListed(people, number, "u") else { return }
          try people.ana.attempt(["share", "take-out", path(people, number, "u")])
        }
        try people.insist { try expectPlain(people, number, "u", ["file": "added"]) }
        try people.insist {
          guard try isShared(people, path(people, number)) else { return }
          try people.ana.attempt(["share", "stop", path(people, number)])
        }
        try people.insist { try expectBack(people, number) }
      })
  }

  private static var takeOutPart: CrashAct {
    let before = Before()
    return CrashAct(
      name: "take-out-part",
      begin: { try apart($0).make("") },
      prepare: { people, number in
        for letter in ["t", "u"] {
          try apart(people).make("\(letter)\(number)")
          try apart(people).write(letter, to: "\(letter)\(number)/file")
        }
        try people.ana.cairn(
          "share", "create", part(people, number, "t"), part(people, number, "u"))
        try people.ana.wait()
        before.zones = try zones(people)
      },
      play: { people, number in
        try people.ana.attempt(["share", "take-out", part(people, number, "u")])
      },
      insist: { people, number in
        let path = part(people, number, "u")
        try people.insist {
          guard try shared(people).contains(path) else { return }
          try people.ana.attempt(["share", "take-out", path])
        }
        try people.insist { try expectOwn(people, number) }
        if let text = try stray(people.ana, people, since: before.zones) {
          throw Wrong(description: text)
        }
        try people.insist {
          guard try isShared(people, part(people, number, "t")) else { return }
          try people.ana.attempt(["share", "stop", part(people, number, "t")])
        }
      })
  }

  // MARK: Inside of a mirrored folder

  /// A folder of Ana's beside the shared one.
  private static func own(_ people: TwoPeople) -> Folder { Folder(people.root.path + "/own") }

  private static func path(
    _ people: TwoPeople, _ number: Int, _ letter: String = "t"
  ) -> String {
    own(people).path + "/\(letter)\(number)"
  }

  private static func mirror(_ people: TwoPeople) throws {
    try own(people).make("")
    try people.ana.cairn("add", own(people).path)
  }

  /// Shares a directory with a file that has a version from before.
  private static func shareInside(_ people: TwoPeople, _ number: Int) throws {
    let (ana, folder) = (people.ana, own(people))
    try folder.make("t\(number)")
    try folder.write("before", to: "t\(number)/file")
    try ana.wait()
    try ana.cairn("share", "create", path(people, number))
    try folder.write("shared", to: "t\(number)/file")
    try folder.write("new", to: "t\(number)/new")
    try ana.wait()
  }

  private static func isShared(_ people: TwoPeople, _ path: String) throws -> Bool {
    let path = Control.Path(path)
    let list = try people.ana.attempt(["share", "list", "--json"]).output
    return try ControlJSON.decode(Control.ShareListReply.self, from: list).shares.contains {
      $0.path == path
    }
  }

  /// Returns whether a directory has a mount of its own.
  private static func isListed(
    _ people: TwoPeople, _ number: Int, _ letter: String
  ) throws -> Bool {
    try mounted(people).contains(path(people, number, letter))
  }

  /// The paths of Ana's mounts.
  private static func mounted(_ people: TwoPeople) throws -> [String] {
    try people.ana.ask(Control.Status()).mounts.map(\.path.description)
  }

  /// Checks that the directory belongs to the folder around it again, with its past.
  private static func expectBack(_ people: TwoPeople, _ number: Int) throws {
    try expectPlain(people, number, "t", ["file": "shared", "new": "new"])
    let entries = try people.ana.answer(
      Control.HistoryReply.self, "history", path(people, number) + "/file"
    ).entries
    #expect(entries.map(\.what) == [["edited"], ["made"]])
  }

  /// Checks that a directory is an ordinary one: without a mount, and without a mark. The daemon
  /// completes a return on a thread of its own, after its start.
  private static func expectPlain(
    _ people: TwoPeople, _ number: Int, _ letter: String, _ files: [String: String]
  ) throws {
    let (folder, name) = (own(people), "\(letter)\(number)")
    try wait(people) {
      try !mounted(people).contains(path(people, number, letter))
        && folder.names("\(name)").count == files.count
    }
    for (file, text) in files { #expect(try folder.text("\(name)/\(file)") == text) }
  }

  // MARK: Parts with mounts of their own

  private static func apart(_ people: TwoPeople) -> Folder { Folder(people.root.path + "/apart") }

  private static func part(_ people: TwoPeople, _ number: Int, _ letter: String) -> String {
    apart(people).path + "/\(letter)\(number)"
  }

  /// The paths of the mounts of parts.
  private static func shared(_ people: TwoPeople) throws -> [String] {
    try people.ana.ask(Control.Status()).mounts.filter { $0.id != $0.zone }
      .map(\.path.description)
  }

  /// Checks that a part is a private folder now, with its file.
  private static func expectOwn(_ people: TwoPeople, _ number: Int) throws {
    let path = part(people, number, "u")
    try wait(people) {
      try mounted(people).contains(path) && !shared(people).contains(path)
    }
    let file: Name = "u\(number)/file"
    #expect(try apart(people).text(file) == "u")
    try people.ana.wait()
    try apart(people).write("later", to: file)
    try people.ana.wait()
    let entries = try people.ana.answer(
      Control.HistoryReply.self, "history", path + "/file"
    ).entries
    #expect(entries.first?.what == ["edited"])
  }

  /// Waits until a condition holds, for fifteen seconds at most.
  private static func wait(_ people: TwoPeople, _ isMet: () throws -> Bool) throws {
    let end = ContinuousClock.now + .seconds(15)
    while try !isMet() {
      guard ContinuousClock.now < end else { throw NotYet() }
      _ = try people.ana.ask(Control.Wait(timeoutSeconds: 60))
    }
  }
}
