import BuiltPrograms
import Foundation
import Testing

/// The quick attacks in `Tests/Attacks` on the promises of cairn-security(7), against the built
/// programs. `make attack` plays all of them.
@Suite struct AttackTests {
  private func play(_ options: String...) throws {
    let program = try #require(builtProgram("cairn"), "the programs must be built")
    let binaries = (program as NSString).deletingLastPathComponent
    try PythonReader(program: "Tests/Attacks/run").run(
      arguments: options + ["--binaries", binaries])
  }

  @Test func `no attack goes through`() throws { try play("--quick") }

  @Test func `an attack whose attacker is given what they lack goes through, and is seen`() throws {
    try play("--quick", "--self-test")
  }
}
