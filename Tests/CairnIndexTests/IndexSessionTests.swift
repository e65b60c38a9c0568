import Foundation
import Synchronization
import Testing

@testable import CairnIndex

/// Sessions of an index file: few transactions, and nothing half done.
@Suite struct IndexSessionTests {
  private struct Unwanted: Error {}

  private static let schema = IndexSchema(version: 1, ["CREATE TABLE t (number INTEGER)"])

  private func withFile(_ body: (IndexFile, _ path: String) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "cairn-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = folder.path + "/index.sqlite"
    try body(try IndexFile(path: path, schema: Self.schema, hasReaders: false), path)
  }

  private func numbers(_ file: IndexFile) throws -> [Int64] {
    try file.read { try numbers($0) }
  }

  private func numbers(_ db: IndexConnection) throws -> [Int64] {
    var query = try Query(db, "SELECT number FROM t ORDER BY number")
    var found: [Int64] = []
    while try query.next() { found.append(query.integer(0)) }
    return found
  }

  /// The numbers that the file has, as a process sees them that starts now.
  private func stored(_ path: String) throws -> [Int64] {
    try IndexFile.open(path, isReadOnly: true).look { try numbers($0) }
  }

  private func add(_ number: Int64, _ db: IndexConnection) throws {
    try db.run("INSERT INTO t VALUES (\(number))")
  }

  @Test func `the reads of a session share a transaction between two changes`() throws {
    try withFile { file, path in
      let start = file.work
      try file.session {
        for _ in 0..<5 { #expect(try numbers(file) == []) }
        try file.write { try add(1, $0) }
        #expect(try stored(path) == [1])
        for _ in 0..<5 { #expect(try numbers(file) == [1]) }
      }
      let work = file.work - start
      #expect(work.reads == 2 && work.writes == 1, "\(work)")
      _ = try (numbers(file), numbers(file))
      #expect((file.work - start).reads == 4)
    }
  }

  @Test func `a change that can wait is committed with the next one`() throws {
    try withFile { file, path in
      let start = file.work
      try file.session {
        try file.writeSoon { try add(1, $0) }
        try file.writeSoon { try add(2, $0) }
        #expect(try numbers(file) == [1, 2])
        #expect(try stored(path) == [])
        try file.write { try add(3, $0) }
        #expect(try stored(path) == [1, 2, 3])
      }
      let work = file.work - start
      #expect(work.reads == 0 && work.writes == 1, "\(work)")
    }
  }

  @Test func `the end of a session commits what waits, and so does a durable change`() throws {
    try withFile { file, path in
      try file.session { try file.writeSoon { try add(1, $0) } }
      #expect(try stored(path) == [1])
      try file.writeSoon { try add(2, $0) }
      #expect(try stored(path) == [1, 2], "there is no session")
      try file.session {
        try file.writeSoon { try add(3, $0) }
        let (seen, level) = try file.writeDurably { db in
          var query = try Query(db, "PRAGMA synchronous")
          _ = try query.next()
          return (try numbers(db), query.integer(0))
        }
        #expect(seen == [1, 2, 3] && level == 2)
        try file.writeSoon { try add(4, $0) }
        try file.releaseMemory()
        #expect(try stored(path) == [1, 2, 3, 4])
        // The end of another thread's session commits, too.
        try file.writeSoon { try add(5, $0) }
        try file.session {}
        #expect(try stored(path) == [1, 2, 3, 4, 5])
      }
      #expect(file.losses == 0)
    }
  }

  @Test func `a failed change takes along what waits, and that is counted`() throws {
    try withFile { file, path in
      let rollbacks = Mutex(0)
      file.onRollback { rollbacks.withLock { $0 += 1 } }
      try file.session {
        try file.writeSoon { try add(1, $0) }
        // A failed read is no change.
        #expect(throws: Unwanted.self) { try file.read { _ in throw Unwanted() } }
        #expect(try numbers(file) == [1])
        #expect(file.losses == 0)
        #expect(throws: Unwanted.self) {
          try file.write { db in
            try add(2, db)
            throw Unwanted()
          }
        }
        #expect(try numbers(file) == [])
      }
      #expect(try stored(path) == [])
      #expect(file.losses == 1 && rollbacks.withLock { $0 } == 1)
      // Nobody else waited for this one.
      #expect(throws: Unwanted.self) { try file.write { _ in throw Unwanted() } }
      #expect(file.losses == 1)
    }
  }

  @Test func `a session whose end can't be committed fails`() throws {
    let isRefused = Mutex(false)
    let file = try IndexFile(inMemory: Self.schema) {
      if isRefused.withLock({ $0 }) { throw Unwanted() }
    }
    #expect(throws: Unwanted.self) {
      try file.session {
        try file.writeSoon { try add(1, $0) }
        isRefused.withLock { $0 = true }
      }
    }
    isRefused.withLock { $0 = false }
    #expect(try numbers(file) == [])
    #expect(file.losses == 1)
    try file.session { try file.write { try add(2, $0) } }
    #expect(try numbers(file) == [2])
  }

  @Test func `an error inside of a session is the one that is thrown`() throws {
    try withFile { file, path in
      #expect(throws: Unwanted.self) {
        try file.session {
          try file.writeSoon { try add(1, $0) }
          throw Unwanted()
        }
      }
      let found = try stored(path)
      #expect(found == [1])
    }
  }
}
