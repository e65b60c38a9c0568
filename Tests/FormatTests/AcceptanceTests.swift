import BuiltPrograms
import Foundation
import Testing

/// Some rows of the model's checklist, with the container in a bucket instead of a directory.
/// `make acceptance STORE=s3` plays all of them.
@Suite struct AcceptanceTests {
  @Test func `ten rows of the checklist hold in a bucket`() throws {
    let program = try #require(builtProgram("cairn"), "the programs must be built")
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments =
      [PythonReader.repository + "/Tests/Acceptance/run"] + [
        "5", "10", "18", "24", "38", "93", "102", "D9", "D11", "L2",
      ]
    let binaries = (program as NSString).deletingLastPathComponent
    // What is tried isn't how fast it is.
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["BINARIES": binaries, "STORE": "s3", "SLACK": "50"]
    ) { $1 }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let said = String(
      decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0 && said.contains("10 ok, 0 failed, 0 open"), "\(said)")
  }
}
