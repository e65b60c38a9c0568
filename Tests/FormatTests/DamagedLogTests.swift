import CairnStore
import CairnZone
import Foundation
import Testing

/// Logs with deleted, altered or replaced entries, and spare copies of some of them. Both
/// implementations must read equally far, with the same result.
@Suite struct DamagedLogTests {
  private let count = ProcessInfo.processInfo.environment["FORMAT_LOGS"] ?? "20"
  private let seed = ProcessInfo.processInfo.environment["FORMAT_SEED"] ?? "1"

  @Test func `damaged logs are read alike by two implementations`() throws {
    let folder = NSTemporaryDirectory() + "cairn-damaged-\(UUID().uuidString)"
    defer {
      do { try FileManager.default.removeItem(atPath: folder) } catch {
        Issue.record("the test's folder can't be removed: \(error)")
      }
    }
    try PythonReader().run("damaged", folder, "--seed", seed, "--count", count)
    for number in 0..<(try #require(Int(count))) {
      let world = "\(folder)/\(number)"
      let story = try String(contentsOfFile: world + "/story", encoding: .utf8)
      let comparison = ContainerComparison(home: world + "/home", container: world + "/cloud")
      let (_, differences) = try comparison.run()
      #expect(differences.isEmpty, "\(number): \(differences)\n\(story)")
    }
  }
}
