import CairnControl
import Testing

/// Commands that mirror folders in a new zone, or put them into a share. No command is given again:
/// after an interruption, the daemon completes the command by itself, or everything is as before.
extension CrashAct {
  static var joining: [CrashAct] {
    [mirrorOne, createOne, createPart, createTwo, createMixed, add, leaveKeeping]
  }

  private static var mirrorOne: CrashAct {
    joining(
      "mirror", [Joined("t")],
      prepare: { people, number in try write(people, "t\(number)") },
      play: { people, number in ["add", path(people, "t\(number)")] })
  }

  private static var createOne: CrashAct {
    joining(
      "create-one", [Joined("t")], isShared: true,
      prepare: { people, number in try write(people, "t\(number)") },
      play: { people, number in ["share", "create", path(people, "t\(number)")] })
  }

  private static var createPart: CrashAct {
    joining(
      "create-part", [Joined("outer/t", hadPast: true)], isShared: true, begin: mirrorOuter,
      prepare: { people, number in
        try write(people, "outer/t\(number)")
        try people.ana.wait()
        try edit(people, "outer/t\(number)")
      },
      play: { people, number in ["share", "create", path(people, "outer/t\(number)")] })
  }

  /// One of the two folders is mirrored already.
  private static var createTwo: CrashAct {
    joining(
      "create-two", [Joined("t", hadPast: true, wasMirrored: true), Joined("u")], isShared: true,
      prepare: { people, number in
        try mirror(people, "t\(number)")
        try write(people, "u\(number)")
      },
      play: { people, number in
        ["share", "create", path(people, "t\(number)"), path(people, "u\(number)")]
      })
  }

  /// One of the two folders stays inside a mirrored one.
  private static var createMixed: CrashAct {
    joining(
      "create-mixed", [Joined("outer/t", hadPast: true), Joined("u")], isShared: true,
      begin: mirrorOuter,
      prepare: { people, number in
        try write(people, "outer/t\(number)")
        try people.ana.wait()
        try edit(people, "outer/t\(number)")
        try write(people, "u\(number)")
      },
      play: { people, number in
        ["share", "create", path(people, "outer/t\(number)"), path(people, "u\(number)")]
      })
  }

  private static var add: CrashAct {
    joining(
      "add", [Joined("u", hadPast: true, wasMirrored: true)], isShared: true,
      begin: { people in
        try write(people, "share")
        try people.ana.cairn("share", "create", path(people, "share"))
      },
      prepare: { people, number in try mirror(people, "u\(number)") },
      play: { people, number in
        ["share", "add", path(people, "share"), path(people, "u\(number)")]
      })
  }

  /// Bob leaves a share of Ana's, and keeps its files in a folder of his own.
  private static var leaveKeeping: CrashAct {
    let before = Before()
    return CrashAct(
      name: "leave-keeping",
      prepare: { people, number in
        try write(people, "s\(number)")
        try people.ana.cairn("share", "create", path(people, "s\(number)"))
        let link = try people.ana.cairn("share", "invite", path(people, "s\(number)"), "bob")
        try people.bob.cairn(
          "share", "accept", link.lastLine, "--at", path(people, "b\(number)"), "--wait")
        before.zones = try zones(people)
      },
      play: { people, number in
        try before.play(
          people.bob, ["share", "leave", path(people, "b\(number)"), "--keep-copy"])
      },
      insist: { people, number in
        try people.insist {
          try wait(people.bob) { try wrong(people, kept: "b\(number)", before) }
        }
      }, isBobActing: true)
  }

  // MARK: Acts

  /// A folder of a command.
  private struct Joined {
    /// Its name without the number of the time.
    let name: String
    /// A Boolean value that indicates whether its file has an earlier version.
    let hadPast: Bool
    /// A Boolean value that indicates whether it has a mount of its own before the command.
    let wasMirrored: Bool

    init(_ name: String, hadPast: Bool = false, wasMirrored: Bool = false) {
      (self.name, self.hadPast, self.wasMirrored) = (name, hadPast, wasMirrored)
    }
  }

  /// The state around a command.
  final class Before {
    /// The zones in the container before it.
    var zones: Set<Name> = []
    /// A Boolean value that indicates whether the home had its intent when the command ended.
    var isBegun = false

    func play(_ person: Person, _ command: [String]) throws {
      isBegun = true
      do { try person.attempt(command) } catch {
        let notes = try person.home.text("mounts.json")
        isBegun = notes.contains("\"intents\"") && notes.contains("\"isWithdrawn\":false")
        throw error
      }
    }
  }

  private static func joining(
    _ name: String, _ folders: [Joined], isShared: Bool = false,
    begin: @escaping (TwoPeople) throws -> Void = { _ in },
    prepare: @escaping (TwoPeople, Int) throws -> Void,
    play: @escaping (TwoPeople, Int) -> [String]
  ) -> CrashAct {
    let before = Before()
    return CrashAct(
      name: name, begin: begin,
      prepare: { people, number in
        try prepare(people, number)
        before.zones = try zones(people)
      },
      play: { people, number in try before.play(people.ana, play(people, number)) },
      insist: { people, number in
        try people.insist {
          try wait(people.ana) { try wrong(people, folders, isShared, number, before) }
        }
      })
  }

  private static func folder(_ people: TwoPeople) -> Folder { Folder(people.root.path) }

  private static func path(_ people: TwoPeople, _ name: String) -> String {
    folder(people).path + "/" + name
  }

  private static func write(_ people: TwoPeople, _ name: String) throws {
    try folder(people).make("\(name)")
    try folder(people).write("new", to: "\(name)/file")
  }

  private static func edit(_ people: TwoPeople, _ name: String) throws {
    try folder(people).write("edited", to: "\(name)/file")
    try people.ana.wait()
  }

  private static func mirrorOuter(_ people: TwoPeople) throws {
    try folder(people).make("outer")
    try people.ana.cairn("add", path(people, "outer"))
  }

  /// Mirrors a folder by itself, with a file that has a version from before.
  private static func mirror(_ people: TwoPeople, _ name: String) throws {
    try write(people, name)
    try people.ana.cairn("add", path(people, name))
    try people.ana.wait()
    try edit(people, name)
  }

  // MARK: The result

  /// The result of an interrupted command that is wrong.
  struct Wrong: Error, CustomStringConvertible { let description: String }

  /// Waits until nothing is wrong, for fifteen seconds at most.
  private static func wait(_ person: Person, _ wrong: () throws -> String?) throws {
    let end = ContinuousClock.now + .seconds(15)
    while let text = try wrong() {
      guard ContinuousClock.now < end else { throw Wrong(description: text) }
      _ = try person.ask(Control.Wait(timeoutSeconds: 60))
    }
  }

  /// Returns the difference from both valid results: Bob has left and kept his folder, or has done
  /// neither. nil if there is none.
  private static func wrong(
    _ people: TwoPeople, kept name: String, _ before: Before
  ) throws -> String? {
    if let text = try stray(people.bob, people, since: before.zones) { return text }
    let mounts = try people.bob.ask(Control.Status()).mounts.filter {
      $0.path.description == path(people, name)
    }
    guard mounts.count == 1 else { return "\(name) has \(mounts.count) mounts" }
    guard folder(people).exists("\(name)/file") else { return "\(name)/file is gone" }
    let list = try people.bob.attempt(["share", "list", "--json"]).output
    let shares = try ControlJSON.decode(Control.ShareListReply.self, from: list).shares.map(\.id)
    guard shares.contains(mounts[0].zone) else { return nil }
    return before.isBegun ? "the command wasn't completed" : nil
  }

  /// Returns the difference from both valid results: all folders are joined, or none is. nil if
  /// there is none.
  private static func wrong(
    _ people: TwoPeople, _ folders: [Joined], _ isShared: Bool, _ number: Int, _ before: Before
  ) throws -> String? {
    if let text = try stray(people.ana, people, since: before.zones) { return text }
    let all = try people.ana.ask(Control.Status()).mounts
    let list = try people.ana.attempt(["share", "list", "--json"]).output
    let shares = Set(
      try ControlJSON.decode(Control.ShareListReply.self, from: list).shares.map(\.id))
    var joined: [String] = []
    for folder in folders {
      let name = "\(folder.name)\(number)"
      let mounts = all.filter { $0.path.description == path(people, name) }
      guard mounts.count <= 1 else { return "\(name) has two mounts" }
      if let zone = mounts.first?.zone, isShared ? shares.contains(zone) : !folder.wasMirrored {
        joined.append(zone)
      } else if mounts.isEmpty == folder.wasMirrored {
        return mounts.isEmpty ? "\(name) isn't mirrored any more" : "\(name) isn't shared"
      } else if mounts.isEmpty, Self.folder(people).exists("\(name)/.cairn/zone") {
        return "\(name) has a mark, but no mount"
      }
      if let text = try wrong(people, name, folder, isMirrored: !mounts.isEmpty) { return text }
    }
    guard joined.isEmpty || joined.count == folders.count else { return "only some are shared" }
    guard !joined.isEmpty || !before.isBegun else { return "the command wasn't completed" }
    return Set(joined).count > 1 ? "there are two shares" : nil
  }

  /// Returns a difference of a folder's file and its past.
  private static func wrong(
    _ people: TwoPeople, _ name: String, _ folder: Joined, isMirrored: Bool
  ) throws -> String? {
    let text = try Self.folder(people).text("\(name)/file")
    guard text == (folder.hadPast ? "edited" : "new") else { return "\(name)/file is “\(text)”" }
    guard folder.hadPast else { return nil }
    let history = try people.ana.attempt(["history", path(people, name) + "/file", "--json"])
    let entries = try ControlJSON.decode(Control.HistoryReply.self, from: history.output).entries
    // A return adds to the history of an undone command.
    let isKept = entries.map(\.what).suffix(2) == [["edited"], ["made"]]
    return isKept ? nil : "\(name)/file lost its past: \(entries.map(\.what))"
  }

  /// Returns a zone of a person that none of their folders mirrors: one that they see, or a new one
  /// in the container whose keys may be lost. nil if there is none.
  static func stray(
    _ person: Person, _ people: TwoPeople, since before: Set<Name>
  ) throws -> String? {
    let listed = try person.ask(Control.Zones()).zones
    if let zone = listed.first(where: { $0.scope == .private && $0.path == nil }) {
      return "no folder mirrors the zone “\(zone.name)”"
    }
    let mounted = Set(try person.ask(Control.Status()).mounts.map { Name(Array($0.zone.utf8)) })
    return try zones(people).subtracting(before).subtracting(mounted).first.map {
      "nobody knows the zone \($0) in the container"
    }
  }

  /// Returns the zones in the container.
  static func zones(_ people: TwoPeople) throws -> Set<Name> {
    var zones: Set<Name> = []
    for user in try people.container.names("users") {
      let folder: Name = "users" / user / "zones"
      if people.container.exists(folder) { zones.formUnion(try people.container.names(folder)) }
    }
    return zones
  }
}
