import CairnZone
import Foundation
import Testing

@testable import CairnFolders
@testable import CairnReplica

/// A file system that shows an applied step only later, or never. There is at most one conflict
/// copy for each record and version, and a repeated one is reported.
@Suite struct LateStepsTests {
  /// Returns a world whose folder shows each step after `delay` listings.
  private func world(_ delay: Int) throws -> (HostileWorld, StaleViews) {
    let disk = FailingDisk()
    let world = try HostileWorld(disk: disk)
    let stash = world.folder + "-shown"
    try FileManager.default.createDirectory(atPath: stash, withIntermediateDirectories: true)
    let views = StaleViews(below: world.folder, stash: stash, delay: delay)
    disk.show(views)
    return (world, views)
  }

  private func copies(in world: HostileWorld) -> Int {
    world.happenings().filter { if case .conflict = $0 { true } else { false } }.count
  }

  /// Returns the record in the zone with that name.
  private func record(_ name: String, in world: HostileWorld) throws -> RecordID? {
    try world.mallory.pull()
    return try world.mallory.read { view in
      try FileName(name).flatMap { try view.child(of: .root, named: $0) }
    }
  }

  @Test(arguments: [1, 2, 3, 7, Int.max])
  func `each version becomes at most one conflict copy`(delay: Int) throws {
    let (world, views) = try world(delay)
    let file = try HostileWorld.file("file", world.mallory, "first")
    try world.play([file])
    views.catchUp()
    try world.lookAgain()
    var copies = self.copies(in: world)
    let before = try world.zoneNames().count
    for round in 1...4 {
      // The person sees what there is, and so does Cairn then.
      views.catchUp()
      try Data("bob \(round)".utf8).write(to: URL(filePath: "\(world.folder)/file"))
      var edit = try HostileWorld.file(
        "file", world.mallory, "mallory \(round)", modified: Int64(round) + 5)
      // A name that isn't shown yet may have counted as deleted.
      if let id = try record("file", in: world) { (edit.id, edit.act) = (id, .update) }
      world.hintEverything()
      try world.play([edit])
      for _ in 0..<6 { try world.lookAgain() }
      copies += self.copies(in: world)
    }
    if let id = try record("file", in: world) {
      let place = try HostileWorld.place(.root, "moved")
      try world.play([RecordChange(id: id, act: .update, place: place)])
    }
    for _ in 0..<6 { try world.lookAgain() }
    copies += self.copies(in: world)
    #expect(copies <= 4, "\(copies) conflict copies of four versions")
    #expect(try world.zoneNames().count <= before + 5)
    // Distinct versions are all kept once the folder shows what it has.
    views.catchUp()
    for _ in 0..<4 { try world.lookAgain() }
    let texts = try Set(world.tree().values)
    for round in 1...4 { #expect(texts.contains("bob \(round)"), "\(texts)") }
    #expect(try world.waiting() == [:])
  }
}
