import CairnIndex
import CairnReplica
import Foundation
import Testing

@testable import CairnFolders

/// The work of the indexes for everyday changes, in numbers that don't depend on the machine.
@Suite struct IndexWorkTests {
  private let world: HostileWorld

  init() throws { world = try HostileWorld() }

  private func make(_ count: Int, in directory: String) throws {
    let path = "\(world.folder)/\(directory)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    for number in 0..<count {
      try Data("\(directory) \(number)".utf8).write(to: URL(filePath: "\(path)/f\(number)"))
    }
  }

  /// Returns the work of the folder's index until one deleted file is gone from the zone.
  private func workOfDeletion(_ path: String) throws -> IndexWork {
    try FileManager.default.removeItem(atPath: "\(world.folder)/\(path)")
    let start = world.folderWork
    world.hint((path as NSString).deletingLastPathComponent)
    try world.settle()
    try world.wait()
    #expect(world.pending == 0)
    return world.folderWork - start
  }

  @Test func `a deletion visits as few nodes in a large folder as in a small one`() throws {
    try make(3, in: "few")
    for directory in 0..<11 { try make(100, in: "d\(directory)") }
    try world.lookAgain()
    let small = try workOfDeletion("few/f0")
    for directory in 11..<16 { try make(100, in: "d\(directory)") }
    try world.lookAgain()
    let large = try workOfDeletion("few/f1")
    #expect(large.steps < small.steps + 100)
    #expect(large.statements <= 33 && large.reads <= 18 && large.writes <= 4)
  }

  @Test func `the transactions for a drop are few`() throws {
    try make(3, in: "few")
    try world.lookAgain()
    let (folder, zone) = (world.folderWork, world.zoneWork)
    try Data("new".utf8).write(to: URL(filePath: "\(world.folder)/few/new"))
    world.hint("few/new")
    try world.settle()
    try #require(world.pending == 0)
    try #require(world.bob.read { try $0.summary().files } == 4)
    let (inFolder, inZone) = (world.folderWork - folder, world.zoneWork - zone)
    #expect(
      inFolder.reads <= 5 && inFolder.writes <= 3 && inFolder.statements <= 29, "\(inFolder)")
    #expect(inZone.reads <= 9 && inZone.writes <= 1 && inZone.statements <= 40, "\(inZone)")
  }

  @Test func `the transactions for an arrival are few`() throws {
    try make(3, in: "few")
    try world.lookAgain()
    let (folder, zone) = (world.folderWork, world.zoneWork)
    try world.play([try HostileWorld.file("new", world.mallory, "new")])
    try #require(world.pending == 0)
    let (inFolder, inZone) = (world.folderWork - folder, world.zoneWork - zone)
    #expect(
      inFolder.reads <= 2 && inFolder.writes <= 2 && inFolder.statements <= 20, "\(inFolder)")
    #expect(inZone.reads <= 5 && inZone.writes <= 1 && inZone.statements <= 33, "\(inZone)")
  }

  @Test func `marks that a failed transaction took along are made again`() throws {
    struct Lost: Error {}
    try world.lookAgain()
    try world.mallory.save([try HostileWorld.file("new", world.mallory, "new")])
    let state = world.state
    try state.index.session {
      state.zoneSync.needsPull = true
      try ZonePull(state).pullIfNeeded()
      #expect(try state.read { try $0.dirtyCount } == 1)
      // That of another mount.
      #expect(throws: Lost.self) { try state.index.write(0) { _ in throw Lost() } }
      #expect(try state.read { try $0.dirtyCount } == 0)
    }
    // Nothing hints at the zone.
    for _ in 0..<10 { guard case .more = try world.turn() else { break } }
    #expect(try world.tree() == ["new": "new"])
    #expect(world.pending == 0)
  }

  @Test func `each row of many files is read once`() throws {
    try world.lookAgain()
    try make(300, in: "many")
    var (folder, zone) = (world.folderWork, world.zoneWork)
    try world.lookAgain()
    var (inFolder, inZone) = (world.folderWork - folder, world.zoneWork - zone)
    #expect(inFolder.statements <= 2_450, "sent: \(inFolder)")
    #expect(inZone.statements <= 3_650, "sent: \(inZone)")
    let files = try (0..<300).map { try HostileWorld.file("n\($0)", world.mallory, "n\($0)") }
    (folder, zone) = (world.folderWork, world.zoneWork)
    try world.play(files)
    try #require(world.pending == 0)
    (inFolder, inZone) = (world.folderWork - folder, world.zoneWork - zone)
    #expect(inFolder.statements <= 2_430, "received: \(inFolder)")
    #expect(inZone.statements <= 3_050, "received: \(inZone)")
  }

  @Test func `many files that are sent take one transaction, which looks for their chunks`()
    throws
  {
    try world.lookAgain()
    try make(1, in: "one")
    var start = world.zoneWork
    try world.lookAgain()
    let one = world.zoneWork - start
    try make(300, in: "many")
    start = world.zoneWork
    try world.lookAgain()
    let many = world.zoneWork - start
    #expect(many.reads <= one.reads)
    #expect(many.writes <= one.writes)
  }
}
