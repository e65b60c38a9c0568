import Foundation
import Testing

@testable import CairnDaemon

/// One directory has many paths.
struct WhereaboutsTests {
  /// Makes a folder with `real/inner/deep`, `beside`, and `link` to `real`.
  private func inFolder(_ body: ((String) -> Whereabouts) throws -> Void) throws {
    let folder = NSTemporaryDirectory() + "cairn-where-\(UUID())"
    let files = FileManager.default
    try files.createDirectory(
      atPath: folder + "/real/inner/deep", withIntermediateDirectories: true)
    defer { try? files.removeItem(atPath: folder) }
    try files.createDirectory(atPath: folder + "/beside", withIntermediateDirectories: false)
    try files.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder + "/real")
    try body { Whereabouts(Array(($0 == "/" ? $0 : folder + "/" + $0).utf8)) }
  }

  @Test(arguments: [
    ("real/inner", "real", true), ("link/inner", "real", true), ("real/inner", "link", true),
    ("real/inner/deep", "link/inner", true), ("link", "real", true), ("real", "link", true),
    ("real", "real/inner", false), ("real", "beside", false), ("beside/../real", "real", true),
    ("real", "/", true), ("link/missing/more", "real", true), ("real/inner", "link/missing", false),
    ("missing", "real", false), ("missing/x", "missing", true),
  ]) func `the directories on the disk decide which path is inside of which`(
    one: String, other: String, isInside: Bool
  ) throws {
    try inFolder { place in #expect(place(one).isInside(place(other)) == isInside) }
  }

  @Test func `a link is the same as its target`() throws {
    try inFolder { place in
      #expect(place("link").isSame(as: place("real")))
      #expect(!place("beside").isSame(as: place("real")))
      #expect(!place("missing").isSame(as: place("absent")))
    }
  }
}
