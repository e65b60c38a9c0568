import CairnIndex
import Foundation
import Testing

/// A file of an index that another Cairn made, or that lost something.
@Suite struct IndexSchemaTests {
  private static let statements = [
    "CREATE TABLE t (number INTEGER PRIMARY KEY, value)", "CREATE INDEX t_value ON t (value)",
  ]

  private func withFile(_ body: (String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "cairn-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder.path + "/index.sqlite")
  }

  private func count(_ table: String, _ file: IndexFile) throws -> Int64 {
    try file.read { db in
      var query = try Query(db, "SELECT count(*) FROM \(table)")
      return try query.next() ? query.integer(0) : -1
    }
  }

  @Test(arguments: [false, true])
  func `an index of another form is emptied, and one of the same form is kept`(
    hasReaders: Bool
  ) throws {
    try withFile { path in
      func open(_ version: Int64, _ statements: [String]) throws -> IndexFile {
        try IndexFile(
          path: path, schema: IndexSchema(version: version, statements), hasReaders: hasReaders)
      }
      do {
        let file = try open(1, Self.statements + ["CREATE TABLE old (number INTEGER)"])
        try file.write { db in
          try db.run("INSERT INTO t VALUES (1, 2)")
          try db.run("INSERT INTO old VALUES (1)")
        }
      }
      #expect(try count("t", open(1, Self.statements)) == 1)
      let file = try open(2, Self.statements)
      #expect(try count("t", file) == 0)
      #expect(throws: (any Error).self) { try count("old", file) }
      #expect(try count("t", open(2, Self.statements)) == 0)
    }
  }

  @Test func `what can't be used as an index says which file it is, and why`() throws {
    try withFile { path in
      let schema = IndexSchema(version: 1, Self.statements)
      try Data("no database, and longer than nothing".utf8).write(to: URL(filePath: path))
      let damage = #expect(throws: IndexFailure.self) {
        try IndexFile(path: path, schema: schema, hasReaders: false)
      }
      #expect(damage?.kind == .damaged && damage?.path == path)
      let gone = #expect(throws: IndexFailure.self) {
        try IndexFile(path: path + "/no/folder", schema: schema, hasReaders: false)
      }
      #expect(gone?.kind == .unusable)
      try FileManager.default.removeItem(atPath: path)
      let file = try IndexFile(path: path, schema: schema, hasReaders: true)
      let full = #expect(throws: IndexFailure.self) {
        try file.write { db in
          try db.run("PRAGMA max_page_count = 4")
          try db.run("INSERT INTO t (value) VALUES (zeroblob(1000000))")
        }
      }
      #expect(full?.kind == .full && full?.path == path)
      let wrong = #expect(throws: IndexFailure.self) { try count("nothing", file) }
      #expect(wrong?.kind == .other && wrong?.description.contains(path) == true)
    }
  }

  @Test func `what the disk doesn't give is not called damaged`() throws {
    try withFile { path in
      let file = try IndexFile(
        path: path, schema: IndexSchema(version: 1, Self.statements), hasReaders: false)
      try file.write { db in
        for number in 0..<20 {
          try db.run("INSERT INTO t VALUES (\(number), zeroblob(1000000))")
        }
      }
      // It is in the file itself from then on, and not in memory.
      try file.releaseMemory()
      try failEachRead(of: path)
      let failure = #expect(throws: IndexFailure.self) {
        try file.read { db in
          var query = try Query(db, "SELECT sum(length(hex(value))) FROM t")
          _ = try query.next()
        }
      }
      #expect(failure?.kind == .unusable && failure?.path == path)
      #expect(failure?.reason.contains("Input/output error") == true, "\(failure?.reason ?? "")")
    }
  }

  /// From now on each read by an open descriptor of that file fails with EIO, as one does by which
  /// memory is read that isn't there.
  private func failEachRead(of path: String) throws {
    let memory = open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
    try #require(memory >= 0)
    defer { close(memory) }
    let files = FileManager.default
    for name in try files.contentsOfDirectory(atPath: "/proc/self/fd") {
      let target = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
      guard target == path, let descriptor = Int32(name) else { continue }
      try #require(dup2(memory, descriptor) == descriptor)
    }
  }

  @Test func `an index that queries name is made again if it is gone`() throws {
    try withFile { path in
      let schema = IndexSchema(version: 1, Self.statements)
      do {
        let file = try IndexFile(path: path, schema: schema, hasReaders: false)
        try file.write { db in
          try db.run("INSERT INTO t VALUES (1, 2)")
          try db.run("DROP INDEX t_value")
        }
      }
      let file = try IndexFile(path: path, schema: schema, hasReaders: false)
      #expect(try count("t INDEXED BY t_value WHERE value = 2", file) == 1)
    }
  }
}
