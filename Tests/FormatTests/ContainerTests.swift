import BuiltPrograms
import Foundation
import Testing

/// Containers of each kind, made with the built programs. The independent reader in `Tests/Format`
/// must find the contents of the folders, and the same states as Cairn's library.
@Suite struct ContainerTests {
  private static let kinds = [
    "private", "shared", "links", "nested", "devices", "public", "transferred", "packs", "removed",
    "garbage", "floors", "drops",
  ]

  @Test(arguments: kinds)
  func `a container of each kind is read alike by two implementations`(_ kind: String) throws {
    let program = try #require(builtProgram("cairn"), "the programs must be built")
    let folder = NSTemporaryDirectory() + "cairn-format-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer {
      do { try FileManager.default.removeItem(atPath: folder) } catch {
        Issue.record("the test's folder can't be removed: \(error)")
      }
    }
    let binaries = (program as NSString).deletingLastPathComponent
    // It compares the folders, and fails with what it found.
    try PythonReader().run("containers", binaries, kind, "--keep", folder)
    let world = "\(folder)/\(kind)"
    var compared = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: world) {
      let home = "\(world)/\(name)/home"
      guard FileManager.default.fileExists(atPath: home + "/keys/account") else { continue }
      let comparison = ContainerComparison(home: home, container: "\(world)/cloud")
      let (zones, differences) = try comparison.run()
      #expect(differences.isEmpty, "\(name): \(differences)")
      compared += zones
    }
    #expect(compared > 0)
  }
}
