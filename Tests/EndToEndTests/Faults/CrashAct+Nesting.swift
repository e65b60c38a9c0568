import CairnControl
import Testing

/// The end of a share inside a mirrored folder: the steps of the daemon between its commits.
extension CrashAct {
  static var nesting: [CrashAct] {
    [
      CrashAct(
        name: "stop", begin: mirror, prepare: shareInside,
        play: { people, number in
          try people.ana.attempt(["share", "stop", path(people, number)])
        },
        insist: { people, number in
          // Once the share has ended, the next start completes the rest.
          if try isShared(people, number) {
            try people.insist { try people.ana.attempt(["share", "stop", path(people, number)]) }
          }
          try people.insist { try expectBack(people, number) }
        }),
      CrashAct(
        name: "take-out", begin: mirror,
        prepare: { people, number in
          try shareInside(people, number)
          try own(people).make("u\(number)")
          try people.ana.wait()
          try people.ana.attempt(["share", "add", path(people, number), path(people, number, "u")])
          try people.settle()
        },
        play: { people, number in
          try people.ana.attempt(["share", "take-out", path(people, number, "u")])
        },
        insist: { people, number in
          try people.insist {
            guard try isMirrored(people, number, "u") else { return }
            try people.ana.attempt(["share", "take-out", path(people, number, "u")])
          }
          try people.insist {
            _ = try people.ana.ask(Control.Wait(timeoutSeconds: 60))
            guard try !isMirrored(people, number, "u") else { throw NotYet() }
          }
          try people.ana.attempt(["share", "stop", path(people, number)])
          try people.insist { try expectBack(people, number) }
        }),
    ]
  }

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

  private static func isShared(_ people: TwoPeople, _ number: Int) throws -> Bool {
    try people.ana.ask(Control.ShareList()).shares.contains {
      $0.path?.description == path(people, number)
    }
  }

  /// Returns whether a directory has a mount of its own.
  private static func isMirrored(
    _ people: TwoPeople, _ number: Int, _ letter: String = "t"
  ) throws -> Bool {
    try people.ana.ask(Control.Status()).mounts.contains {
      $0.path.description == path(people, number, letter)
    }
  }

  /// Checks that the directory belongs to the folder around it again, with its past. The daemon
  /// takes it back on a thread of its own after its start, for at most a minute here.
  private static func expectBack(_ people: TwoPeople, _ number: Int) throws {
    let folder = own(people)
    let end = ContinuousClock.now + .seconds(60)
    while try isMirrored(people, number) || folder.names("t\(number)").count > 2 {
      guard ContinuousClock.now < end else { throw NotYet() }
      _ = try people.ana.ask(Control.Wait(timeoutSeconds: 60))
    }
    #expect(try folder.text("t\(number)/file") == "shared")
    #expect(try folder.text("t\(number)/new") == "new")
    let names = try folder.names("t\(number)")
    #expect(names.count == 2, "\(names)")
    let entries = try people.ana.answer(
      Control.HistoryReply.self, "history", path(people, number) + "/file"
    ).entries
    #expect(entries.map(\.what) == [["edited"], ["made"]])
  }
}
