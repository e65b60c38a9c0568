import CSQLite
import CairnCloud
import CairnMirror
import Synchronization
import Testing

@testable import CairnDaemon

/// A mirror of a database whose program uses the zones of a person through the daemon.
extension ProgramTests {
  /// A database with notes, as its program writes it.
  private final class Notes {
    let path: String
    private let handle: OpaquePointer

    init(_ desk: ProgramDesk, _ name: String) throws {
      path = "\(desk.folder)/secrets/\(name).sqlite"
      var opened: OpaquePointer?
      #expect(sqlite3_open(path, &opened) == SQLITE_OK)
      handle = try #require(opened)
      sqlite3_busy_timeout(handle, 10_000)
      try run("CREATE TABLE note(id INTEGER PRIMARY KEY, title TEXT)")
    }

    deinit { sqlite3_close_v2(handle) }

    func run(_ sql: String) throws {
      try #require(sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK, "\(sql)")
    }

    /// The titles of all notes in their order.
    func titles() throws -> [String] {
      var statement: OpaquePointer?
      let sql = "SELECT title FROM note ORDER BY 1"
      try #require(sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK)
      defer { sqlite3_finalize(statement) }
      var titles: [String] = []
      while sqlite3_step(statement) == SQLITE_ROW {
        titles.append(String(cString: sqlite3_column_text(statement, 0)))
      }
      return titles
    }
  }

  @Test func `mirrors of two people work through their daemons`() async throws {
    try await playTwo(["Main"]) { ana, bob, here, there in
      let (mine, theirs) = (try Notes(ana, "notes"), try Notes(bob, "notes"))
      let first = try await CairnMirror.open(mine.path, tables: ["note"], in: here)
      let second = try await CairnMirror.open(theirs.path, tables: ["note"], in: there)
      try mine.run("INSERT INTO note VALUES (1, 'trip'), (2, 'diary')")
      // The daemon ends before it answers, and begins again.
      ana.lost.store(1, ordering: .relaxed)
      try await first.sync()
      let share = try await first.share([MirroredRow("note", 1)], title: "Trip")
      try await share.invite([there.me])
      let invitation = try #require(try await there.invitations().first)
      _ = try await there.accept(invitation)
      try await second.sync()
      #expect(try theirs.titles() == ["trip"])
      try theirs.run("UPDATE note SET title = 'journey'")
      bob.lost.store(1, ordering: .relaxed)
      try await second.sync()
      try await first.sync()
      #expect(try mine.titles() == ["diary", "journey"])
      #expect(try await first.status().unsent == 0)
      #expect(try await second.problems().isEmpty)
    }
  }
}
