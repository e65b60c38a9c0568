// Notes in an SQLite database, mirrored to other devices and people. README.md has a story to type.
import CairnCloud
import CairnMirror
import Foundation

@main struct Main {
  static let usage = """
    notes new TITLE             make a note
    notes write TITLE TEXT      add a paragraph
    notes edit TITLE N TEXT     replace the paragraph with this number
    notes show [TITLE]          print the titles, or a note
    notes remove TITLE          delete a note
    notes share TITLE HANDLE    let somebody else write in a note
    notes join                  accept all invitations
    notes sync                  send and fetch changes
    notes watch                 do that all the time, and print a line for each change of others
    notes sql STATEMENT         change the database as any program may, without the mirror

    NOTES_CLOUD is a directory that all people can reach, NOTES_NAME your short name there.
    """

  static func main() async {
    do {
      try await run(Array(CommandLine.arguments.dropFirst()))
    } catch let error as CloudError {
      stop("\(error.message) (\(error.code.rawValue))")
    } catch {
      stop("\(error)")
    }
  }

  static func stop(_ message: String) -> Never {
    FileHandle.standardError.write(Data("notes: \(message)\n".utf8))
    exit(1)
  }

  static func run(_ words: [String]) async throws {
    let variables = ProcessInfo.processInfo.environment
    guard let cloud = variables["NOTES_CLOUD"], let name = variables["NOTES_NAME"],
      let command = words.first
    else { return print(usage) }
    let home = variables["NOTES_HOME"] ?? NSHomeDirectory() + "/.notes"
    try FileManager.default.createDirectory(atPath: home, withIntermediateDirectories: true)
    let path = home + "/notes.sqlite"
    let notes = try Notebook(path)
    let rest = Array(words.dropFirst())
    // These need no container: what they write is noticed later.
    switch (command, rest.count) {
    case ("new", 1): return _ = try notes.run("INSERT INTO note(title) VALUES (?)", rest[0])
    case ("write", 2): return try notes.write(rest[1], in: rest[0])
    case ("edit", 3): return try notes.edit(Int(rest[1]) ?? 0, of: rest[0], to: rest[2])
    case ("show", 0):
      return try notes.run("SELECT title FROM note ORDER BY 1").forEach { print($0[0]) }
    case ("show", 1): return try notes.lines(of: rest[0]).forEach { print($0) }
    case ("remove", 1): return _ = try notes.run("DELETE FROM note WHERE title = ?", rest[0])
    case ("sql", 1): return _ = try notes.run(rest[0])
    default: break
    }
    let container = try await CloudContainer.open(
      .directory(cloud), as: .person(name, home: home))
    let mirror = try await CairnMirror.open(path, tables: ["note", "paragraph"], in: container)
    switch (command, rest.count) {
    case ("sync", 0): try await mirror.settled()
    case ("share", 2): try await share(rest[0], with: rest[1], notes, mirror)
    case ("join", 0): try await join(mirror)
    case ("watch", 0): try await watch(mirror)
    default: print(usage)
    }
  }

  // MARK: All of the sharing

  static func share(
    _ title: String, with handle: String, _ notes: Notebook, _ mirror: CairnMirror
  ) async throws {
    guard let person = try await mirror.container.person(handle) else {
      stop("nobody here is called \(handle): let them run `notes sync` once")
    }
    let note = MirroredRow("note", .integer(try notes.id(of: title)))
    try await mirror.sync()
    var share = try await mirror.shares(of: [note])[note]
    if share == nil { share = try await mirror.share([note], title: title) }
    _ = try await share?.invite([person])
    print("\(handle) can run `notes join` now.")
  }

  static func join(_ mirror: CairnMirror) async throws {
    for invitation in try await mirror.container.invitations() {
      _ = try await mirror.container.accept(invitation)
      print("You are in “\(invitation.title)”.")
    }
    try await mirror.settled()
  }

  static func watch(_ mirror: CairnMirror) async throws {
    let progress = Progress(try await mirror.history().last?.token)
    try await mirror.run { _ in await progress.report(mirror) }
  }

  actor Progress {
    private var token: Int64?

    init(_ token: Int64?) { self.token = token }

    func report(_ mirror: CairnMirror) async {
      // If the database can't be read, the next report has these changes, too.
      guard let changes = try? await mirror.history(since: token) else { return }
      token = changes.last?.token ?? token
      for change in changes { print("\(change.kind.rawValue) \(change.row)") }
      fflush(nil)
    }
  }
}
