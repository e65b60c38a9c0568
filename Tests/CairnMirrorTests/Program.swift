import CSQLite
import CairnContainer
import Foundation
import Testing

@testable import CairnCloud
@testable import CairnMirror

/// A container in memory, and a folder that goes away with it.
final class Cloud: Sendable {
  let memory = MemoryCloud()
  let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "cairn-mirror-\(UUID())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit {
    do { try FileManager.default.removeItem(atPath: folder) } catch {
      Issue.record("the test's folder can't be removed: \(error)")
    }
  }

  func open(_ handle: String, home: String? = nil) async throws(CloudError) -> CloudContainer {
    try await CloudContainer.open(
      .memory(memory), as: .person(handle, home: home.map { "\(folder)/\($0)" }))
  }
}

/// A program with a database and a mirror of it. It writes as any program does: with a connection
/// of its own that knows nothing of the mirror.
final class Program: @unchecked Sendable {
  static let notes = """
    CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT NOT NULL, color TEXT);
    CREATE TABLE paragraph(
      id INTEGER PRIMARY KEY AUTOINCREMENT,
      note INTEGER NOT NULL REFERENCES note(id) ON DELETE CASCADE, place REAL, body TEXT);
    CREATE TABLE tag(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, color TEXT);
    CREATE TABLE note_tag(
      note INTEGER NOT NULL REFERENCES note(id) ON DELETE CASCADE,
      tag INTEGER NOT NULL REFERENCES tag(id) ON DELETE CASCADE,
      PRIMARY KEY(note, tag)) WITHOUT ROWID;
    """
  static let tables = ["note", "paragraph", "tag", "note_tag"]

  private(set) var path: String
  let container: CloudContainer
  private(set) var mirror: CairnMirror
  private let tables: [String]
  /// It removes the folder at its end.
  private let cloud: Cloud
  // Only one test uses a program, one step after the other.
  private var handle: OpaquePointer

  init(
    _ cloud: Cloud, _ container: CloudContainer, schema: String = Program.notes,
    tables: [String] = Program.tables, name: String = "db"
  ) async throws {
    path = "\(cloud.folder)/\(name)-\(UUID()).sqlite"
    handle = try Self.open(path)
    (self.container, self.tables, self.cloud) = (container, tables, cloud)
    sqlite3_exec(
      handle, "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON; \(schema)", nil, nil, nil)
    mirror = try await CairnMirror.open(path, tables: tables, in: container)
  }

  deinit { sqlite3_close_v2(handle) }

  private static func open(_ path: String) throws -> OpaquePointer {
    var opened: OpaquePointer?
    #expect(sqlite3_open(path, &opened) == SQLITE_OK)
    let handle = try #require(opened)
    sqlite3_busy_timeout(handle, 10_000)
    sqlite3_exec(handle, "PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON", nil, nil, nil)
    return handle
  }

  /// Sends changes, and goes on with the database as it was before that: the program ended after
  /// its commits, or some of them, and before it noted any of them.
  func crash(after commits: Int = .max, isPulling: Bool = true) async throws {
    let copy = path + "-"
    let sql = "VACUUM INTO '\(copy)'"
    try await mirror.sendAndForget(commits, isPulling) { try self.run(sql) }
    sqlite3_close_v2(handle)
    path = copy
    handle = try Self.open(path)
    try await restart()
  }

  /// Opens the mirror as after a new start of the program.
  func restart(tables: [String]? = nil) async throws {
    mirror = try await CairnMirror.open(path, tables: tables ?? self.tables, in: container)
  }

  /// Runs statements.
  func run(_ sql: String) throws {
    var message: UnsafeMutablePointer<CChar>?
    let code = sqlite3_exec(handle, sql, nil, nil, &message)
    let text = message.map { String(cString: $0) } ?? ""
    sqlite3_free(message)
    try #require(code == SQLITE_OK, "\(sql): \(text)")
  }

  /// The rows of a query, each one as text.
  func rows(_ sql: String) throws -> [String] {
    var statement: OpaquePointer?
    try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, "\(sql)")
    defer { sqlite3_finalize(statement) }
    var rows: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      rows.append(
        (0..<sqlite3_column_count(statement)).map { column in
          sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "-"
        }.joined(separator: "|"))
    }
    return rows
  }

  func sync() async throws { try await mirror.sync() }

  /// Checks what must hold at each moment.
  func check(_ place: SourceLocation = #_sourceLocation) throws {
    #expect(try rows("PRAGMA integrity_check") == ["ok"], sourceLocation: place)
    #expect(try rows("PRAGMA foreign_key_check") == [], sourceLocation: place)
  }

  /// All notes with their paragraphs and tags, without keys, which differ by device.
  func contents() throws -> [String] {
    try rows("SELECT title, coalesce(color, '-'), length(color) FROM note ORDER BY 1, 2, 3")
      + rows(
        """
        SELECT title, place, body FROM paragraph JOIN note ON note.id = note ORDER BY 1, 2, 3
        """)
      + rows(
        """
        SELECT title, name, coalesce(tag.color, '-') FROM note_tag JOIN note ON note.id = note
        JOIN tag ON tag.id = tag ORDER BY 1, 2, 3
        """)
      + rows("SELECT name FROM tag ORDER BY 1")
  }
}

/// Two devices of one person.
func twoDevices(
  _ cloud: Cloud, schema: String = Program.notes, tables: [String] = Program.tables
) async throws -> (Program, Program) {
  let first = try await Program(
    cloud, cloud.open("ana", home: "ana"), schema: schema, tables: tables)
  let second = try await Program(
    cloud, cloud.open("ana", home: "ana"), schema: schema, tables: tables)
  return (first, second)
}

/// Synchronizes programs until all of them have everything.
func meet(_ programs: Program...) async throws {
  for _ in 0..<3 { for program in programs { try await program.sync() } }
}

/// Sets the owner's limit for the bytes of a zone; nil removes it.
func limit(_ zone: CloudZone, to bytes: UInt64?) throws {
  let local = try #require(zone.engine as? LocalZone)
  try local.container.ownership.setQuota(bytes, of: local.inner)
}

extension CairnMirror {
  /// Sends some of the changes, without a look at the result.
  func sendAndForget(
    _ commits: Int, _ isPulling: Bool, _ before: @Sendable () throws -> Void
  ) async throws {
    if isPulling { try await pull() }
    let batches = try collect()
    try before()
    for batch in batches.prefix(commits) { _ = try await send(batch) }
  }
}
