import BuiltPrograms
import Foundation
import Testing

/// Some of the everyday programs of `Tests/Torture`, in a folder that two people share.
/// `make workloads` plays all of them.
@Suite struct WorkloadTests {
  @Test func `a database, editors and an archive are sound at the other's`() throws {
    let program = try #require(builtProgram("cairn"), "the programs must be built")
    let binaries = (program as NSString).deletingLastPathComponent
    try PythonReader(program: "Tests/Torture/run").run(
      arguments: ["workloads", "sqlite", "editors", "tar", "--binaries", binaries])
  }
}
