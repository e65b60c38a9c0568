import CairnIndex
import CairnStore
import CairnZone
import Foundation
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Several programs of one person: an index folder has one owner, and the log of a zone takes the
/// entries of all.
@Suite struct IndexOwnerTests {
  /// A process that holds the lock of a folder until it is killed.
  private struct Other: ~Copyable {
    let process = Process()

    init(_ folder: String) throws {
      let (input, output) = (Pipe(), Pipe())
      process.executableURL = URL(filePath: "/usr/bin/flock")
      process.arguments = ["--no-fork", "--nonblock", folder + "/lock", "cat"]
      (process.standardInput, process.standardOutput) = (input, output)
      try process.run()
      // An answer means that the program behind the lock runs.
      try input.fileHandleForWriting.write(contentsOf: [1])
      #expect(try output.fileHandleForReading.read(upToCount: 1) == Data([1]))
    }

    func kill() {
      Glibc.kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  @Test func `a folder of another process is refused at once, until that process dies`() throws {
    let world = try ZoneWorld()
    let account = try world.account("ana")
    let index = world.folder + "/index"
    try FileManager.default.createDirectory(atPath: index, withIntermediateDirectories: true)
    let other = try Other(index)
    let error = #expect(throws: IndexFolderInUse.self) {
      _ = try world.open(account, index: index)
    }
    #expect(error?.folder == index)
    #expect(try FileManager.default.contentsOfDirectory(atPath: index) == ["lock"])
    other.kill()
    let container = try world.open(account, index: index)
    _ = try container.privateDatabase.createZone(named: "Trip")
  }

  @Test func `a folder of this process is refused to others, and free after the last file`() throws
  {
    let world = try ZoneWorld()
    let account = try world.account("ana")
    let index = world.folder + "/index"
    func isFree() throws -> Bool {
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/flock")
      process.arguments = ["--nonblock", index + "/lock", "true"]
      try process.run()
      process.waitUntilExit()
      return process.terminationStatus == 0
    }
    var container: Container? = try world.open(account, index: index)
    var again: Container? = try world.open(account, index: index)
    var zone: Zone? = try container?.privateDatabase.createZone(named: "Trip")
    #expect(try !isFree())
    container = nil
    #expect(try !isFree())
    again = nil
    #expect(try !isFree(), "a zone still uses the files")
    #expect(zone != nil && container == nil && again == nil)
    zone = nil
    #expect(try isFree())
  }

  @Test func `two programs with one account and two folders both go on`() throws {
    let world = try ZoneWorld()
    let account = try world.account("ana")
    let programs = try ["one", "two"].map { name in
      let folder = "\(world.folder)/\(name)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      return try Container(
        store: world.store, id: world.id, account: account, indexes: IndexFiles(folder: folder),
        ownStore: nil, use: DeviceUse(run: .random()))
    }
    let zone = try programs[0].privateDatabase.createZone(named: "Trip")
    try programs[1].refresh()
    let zones = [zone, try #require(try programs[1].zone(zone.id))]
    for round in 0..<3 {
      for (number, zone) in zones.enumerated() {
        try zone.save([
          RecordChange(
            id: .random(), act: .create(.typed("Note")),
            fields: ["text": .text("\(round) of \(number)")])
        ])
        _ = try programs[number].privateDatabase.createZone(named: "\(round) of \(number)")
      }
    }
    for number in 0..<2 {
      try programs[number].refresh()
      try zones[number].pull()
      #expect(try zones[number].read { try $0.typedRecords("Note").count } == 6)
      #expect(try programs[number].zoneIDs().count == 7)
      #expect(programs[number].devices.clone == nil && zones[number].trouble == nil)
    }
  }

  @Test func `two replicas on one index go on, and call no entry of the other invalid`() throws {
    let world = try ZoneWorld()
    let account = try world.account("ana")
    let index = world.folder + "/index"
    let containers = try (0..<2).map { _ in try world.open(account, index: index) }
    let zone = try containers[0].privateDatabase.createZone(named: "Trip")
    try containers[1].refresh()
    let zones = [zone, try #require(try containers[1].zone(zone.id))]
    for round in 0..<4 {
      for zone in zones {
        try zone.pull()
        try zone.write("\(round) \(zone === zones[0])", [1])
      }
      // Here the index changes behind a commit, too.
      try zones[0].save([try Zone.file("saved \(round)", try zones[0].ingest([2]))])
    }
    try zones[0].changeShare([], rekey: true)
    for zone in zones {
      try zone.pull()
      #expect(try zone.names().count == 12)
      #expect(zone.trouble == nil && zone.header.head == zones[0].header.head)
      #expect(try zone.verify().isEmpty)
    }
  }
}
