import CairnCloud
import CairnZone
import Foundation
import Testing

/// What comes into a directory between the look at it and the beginning of its watch.
struct LateWatchTests {
  @Test(arguments: ["d", ""])
  func `what came before the watch is found at any depth`(top: String) throws {
    let world = try HostileWorld()
    let deep = world.folder + "/d/e/f"
    try FileManager.default.createDirectory(atPath: deep, withIntermediateDirectories: true)
    try world.lookAgain()
    try Data("late".utf8).write(to: URL(filePath: deep + "/leaf"))
    try world.beginWatching(top)
    try world.mallory.pull()
    let leaf = try world.mallory.read { view in
      var place = RecordID.root
      for name in ["d", "e", "f", "leaf"] {
        guard let next = try view.child(of: place, named: #require(FileName(name))) else {
          return false
        }
        place = next
      }
      return true
    }
    #expect(leaf)
  }
}
