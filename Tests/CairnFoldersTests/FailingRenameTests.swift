import CairnFolders
import CairnZone
import Foundation
import Testing

@testable import CairnIdentity
@testable import CairnReplica

/// A disk on which many renames fail: others' changes arrive in the end, and nothing here looks
/// like a local change.
@Suite struct FailingRenameTests {
  @Test(arguments: 37...40 as ClosedRange<UInt64>, [true, false])
  func `only one side writes, so nothing is in conflict`(seed: UInt64, losesAnswers: Bool) throws {
    let disk = FailingDisk(swaps: seed % 2 == 0, losesAnswers: losesAnswers)
    let world = try HostileWorld(disk: disk)
    var files: Set<RecordID> = []
    var dice = seed
    func draw(_ count: Int) -> Int {
      dice = dice &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int((dice >> 33) % UInt64(count))
    }
    let directories = [RecordID.root, .random(), .random()]
    for (number, id) in directories.enumerated().dropFirst() {
      try world.play([HostileWorld.directory("d\(number)", id: id)])
    }
    let start = world.mallory.header.sequence
    disk.refuseRenames(40, seed: seed)
    for round in 0..<60 {
      let ids = files.sorted()
      var change = try HostileWorld.file(
        "f\(round)", world.mallory, "text \(round)", in: directories[draw(3)],
        modified: Int64(round + 1) * 1_000_000_000)
      if ids.count >= 6, draw(4) != 0 {
        let (id, place) = (ids[draw(ids.count)], change.place)
        switch draw(4) {
        case 0: change = RecordChange(id: id, act: .update, place: place)
        case 1: change = RecordChange(id: id, act: .delete)
        default: (change.id, change.act, change.place) = (id, .update, nil)
        }
      }
      try world.mallory.save([change], bringing: [])
      if change.act == .delete { files.remove(change.id) } else { files.insert(change.id) }
      do { try world.settle() } catch {}
      if draw(3) == 0 { do { try world.wait() } catch {} }
      if draw(6) == 0 { do { try world.lookAgain() } catch {} }
    }
    disk.refuseRenames(nil)
    for _ in 0..<5 { try world.lookAgain() }
    let tree = try world.tree()
    #expect(!tree.keys.contains { $0.contains("(conflict") }, "\(tree.keys.sorted())")
    #expect(tree.count == files.count + 2, "\(tree.keys.sorted())")
    #expect(world.bob.header.sequence == start + 60, "he changed nothing")
    for folder in ["displaced", "staging", "parked", "rescue"] {
      let rest = try FileManager.default.contentsOfDirectory(
        atPath: "\(world.folder)/.cairn/\(folder)")
      #expect(rest.isEmpty, "\(folder): \(rest)")
    }
    #expect(try world.lookAgain().isEmpty)
  }
}
