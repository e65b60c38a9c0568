import CairnStore
import CairnZone
import Foundation
import Testing

@testable import CairnFolders
@testable import CairnIdentity
@testable import CairnReplica

/// A scan that finds many new files pauses, and they are sent before it goes on. Whatever happens
/// between two stretches, nothing is concluded from a part of the folder.
@Suite struct StretchTests {
  private let world: HostileWorld

  init() throws { world = try HostileWorld(stretch: 3) }

  private func path(_ name: String) -> String { "\(world.folder)/\(name)" }

  private func write(_ name: String, _ text: String? = nil) throws {
    try Data((text ?? name).utf8).write(to: URL(filePath: path(name)))
  }

  /// Creates directories with four files each, whose contents are their paths.
  private func make(_ directories: String...) throws {
    for directory in directories {
      try FileManager.default.createDirectory(
        atPath: path(directory), withIntermediateDirectories: true)
      for number in 0..<4 { try write("\(directory)/f\(number)") }
    }
  }

  private func move(_ old: String, _ new: String) throws {
    try FileManager.default.moveItem(atPath: path(old), toPath: path(new))
  }

  private var isPaused: Bool { world.state.scanner?.isPaused == true }

  /// Runs sync cycles until a paused scan has sent a file, and returns the files that the zone has
  /// by then, by path.
  private func pauseAfterSending() throws -> [String: RecordID] {
    for _ in 0..<20 {
      _ = try world.turn()
      let files = try zoneFiles()
      if isPaused, !files.isEmpty { return files }
    }
    Issue.record("no scan pauses")
    return [:]
  }

  /// The files of the zone, by path.
  private func zoneFiles() throws -> [String: RecordID] {
    try world.mallory.pull()
    return try world.mallory.read { view in
      var found: [String: RecordID] = [:]
      var stack = [("", RecordID.root)]
      while let (path, directory) = stack.popLast() {
        for id in try view.children(of: directory) {
          guard let record = try view.record(id), let name = record.place?.name else { continue }
          let full = path + String(decoding: name.bytes, as: UTF8.self)
          if record.type == .file { found[full] = id } else { stack.append((full + "/", id)) }
        }
      }
      return found
    }
  }

  /// Returns whether the zone's log has a deletion of any of these records.
  private func wasDeleted(_ ids: some Sequence<RecordID>) throws -> Bool {
    try world.mallory.pull()
    return try world.mallory.read { view in
      try ids.contains { try view.deletion(of: $0) != nil }
    }
  }

  /// Bob's folder as the zone shows it to others.
  private func expectSame(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try world.settle()
    try world.wait()
    #expect(!isPaused, sourceLocation: sourceLocation)
    #expect(world.pending == 0, sourceLocation: sourceLocation)
    let files = try world.tree().filter { $0.value != "dir" }
    #expect(try Set(zoneFiles().keys) == Set(files.keys), sourceLocation: sourceLocation)
  }

  @Test func `new files are sent before all of the folder is scanned`() throws {
    try make("a", "b", "c", "d")
    let first = try pauseAfterSending()
    #expect(first.count < 16)
    #expect(try world.state.read { try $0.localFiles() } < 16)
    try expectSame()
    #expect(try zoneFiles().count == 16)
  }

  @Test func `a mount isn't settled while its scan pauses`() throws {
    try make("a", "b", "c")
    for _ in 0..<40 {
      guard case .more = try world.turn() else { break }
      #expect(!world.isSettled || !isPaused)
    }
    #expect(!isPaused && world.isSettled)
  }

  @Test func `a file that was sent and vanishes during the scan is deleted after it`() throws {
    try make("a", "b", "c", "d")
    let (name, id) = try #require(try pauseAfterSending().first)
    try FileManager.default.removeItem(atPath: path(name))
    world.hint(name)
    _ = try world.turn()
    // It was missing, so that all of the folder was scanned before anything else.
    #expect(!isPaused)
    #expect(try world.state.read { try $0.localFiles() } == 15)
    try expectSame()
    #expect(try wasDeleted([id]))
    #expect(try zoneFiles().count == 15)
  }

  @Test func `files that appear during the scan are sent once`() throws {
    try make("a", "b", "c", "d")
    let first = try pauseAfterSending()
    for directory in ["a", "b", "c", "d"] {
      try write("\(directory)/new")
      world.hint("\(directory)/new")
    }
    try make("e")
    world.hint("e")
    try expectSame()
    let last = try zoneFiles()
    #expect(last.count == 24)
    #expect(first.allSatisfy { last[$0.key] == $0.value })
  }

  @Test(arguments: [true, false])
  func `a file that moves during the scan stays the same record`(isHintLate: Bool) throws {
    try make("a", "b", "c", "d")
    let first = try pauseAfterSending()
    // From the scanned part to each directory, of which some are scanned and some aren't.
    var moved: [String: RecordID] = [:]
    for (directory, (name, id)) in zip(["a", "b", "c", "d"], first) {
      let new = "\(directory)/moved"
      try move(name, new)
      if !isHintLate { for name in [name, new] { world.hint(name) } }
      moved[new] = id
    }
    if isHintLate {
      _ = try world.turn()
      for name in Array(moved.keys) + first.keys { world.hint(name) }
    }
    try expectSame()
    let last = try zoneFiles()
    #expect(moved.allSatisfy { last[$0.key] == $0.value })
    #expect(try !wasDeleted(first.values))
  }

  @Test func `a known file that moved behind the pause stays the same record`() throws {
    try make("a", "b")
    try expectSame()
    let known = try zoneFiles()
    try make("c", "d", "e", "f")
    for number in 0..<4 { try move("a/f\(number)", "c/g\(number)") }
    try move("b", "d/b")
    world.hintEverything()
    try expectSame()
    let last = try zoneFiles()
    for number in 0..<4 {
      #expect(last["c/g\(number)"] == known["a/f\(number)"])
      #expect(last["d/b/f\(number)"] == known["b/f\(number)"])
    }
    #expect(try !wasDeleted(known.values))
  }

  @Test func `a directory that moves during the scan takes its files along`() throws {
    try make("a", "b", "c", "d")
    let first = try pauseAfterSending()
    for directory in ["a", "b", "c", "d"] {
      try move(directory, "\(directory)-moved")
      world.hint(directory)
      world.hint("\(directory)-moved")
    }
    try expectSame()
    #expect(try zoneFiles().count == 16)
    #expect(try !wasDeleted(first.values))
  }

  @Test func `a process that ends between two stretches sends each file once`() throws {
    try make("a", "b", "c", "d")
    let first = try pauseAfterSending()
    try world.restart()
    #expect(!isPaused)
    try expectSame()
    let last = try zoneFiles()
    #expect(last.count == 16)
    #expect(first.allSatisfy { last[$0.key] == $0.value })
  }

  @Test func `deletions are judged by all of the folder`() throws {
    for directory in 0..<40 { try make("d\(directory)") }
    try expectSame()
    let known = try zoneFiles()
    for directory in 0..<30 { try FileManager.default.removeItem(atPath: path("d\(directory)")) }
    try make("e", "f", "g")
    world.hintEverything()
    for _ in 0..<60 { guard case .more = try world.turn() else { break } }
    try world.wait()
    #expect(world.heldDeletions == 120)
    #expect(try !wasDeleted(known.values))
    #expect(try zoneFiles().count == 160 + 12)
  }

  @Test func `changes of others are received after all of the folder was scanned`() throws {
    try make("a", "b", "c", "d")
    _ = try pauseAfterSending()
    try world.mallory.save([try HostileWorld.file("theirs", world.mallory, "theirs")])
    world.hintZone()
    _ = try world.turn()
    #expect(!isPaused)
    #expect(try world.state.read { try $0.localFiles() } >= 16)
    try expectSame()
    #expect(try world.tree()["theirs"] == "theirs")
  }

  @Test func `a name that others took during the scan becomes one record`() throws {
    try make("a", "b", "c", "d")
    _ = try pauseAfterSending()
    let here = try zoneFiles()
    let missing = try #require(
      ["a", "b", "c", "d"].first { name in !here.keys.contains { $0.hasPrefix("\(name)/") } })
    try world.mallory.save([try HostileWorld.directory(missing)])
    world.hintZone()
    try expectSame()
    #expect(try zoneFiles().count == 16)
    #expect(try world.zoneNames() == ["a", "b", "c", "d"])
  }

  @Test func `while the container is away all of the folder is scanned`() throws {
    try make("a", "b", "c", "d")
    _ = try pauseAfterSending()
    world.store.leave(true)
    world.hintZone()
    #expect(throws: (any Error).self) { _ = try world.turn() }
    #expect(!isPaused)
    #expect(try world.state.read { try $0.localFiles() } == 16)
    world.store.leave(false)
    try expectSame()
  }

  @Test func `a directory that gets another id between two stretches is listed`() throws {
    try make("a", "b", "c", "d")
    try FolderScan(world.state).look()
    try #require(isPaused)
    // As for an entry that came from another mount.
    try world.state.write { tree in
      let rows = try tree.children(of: .root)
      #expect(rows.count == 4)
      for row in rows {
        let new = RecordID.random()
        try tree.remove(row.id)
        try tree.put(NodeRow(id: new, local: row.local, synced: nil))
        try tree.reparent(from: row.id, to: new)
        try tree.takeDirty(row.id)
        try tree.markDirty(new)
      }
    }
    try expectSame()
    #expect(try zoneFiles().count == 16)
  }
}
