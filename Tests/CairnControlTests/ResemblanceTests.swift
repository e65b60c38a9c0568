import CairnControl
import Testing

/// The name that a person probably meant.
struct ResemblanceTests {
  @Test func `one or two wrong letters find the name`() {
    let names = ["status", "start", "stop", "share", "bob"]
    #expect(Resemblance.nearest("statsu", among: names) == "status")
    #expect(Resemblance.nearest("shar", among: names) == "share")
    #expect(Resemblance.nearest("Bob", among: names) == "bob")
    #expect(Resemblance.nearest("stpo", among: names) == "stop")
  }

  @Test func `what resembles nothing finds nothing`() {
    #expect(Resemblance.nearest("xyzzy", among: ["status", "stop"]) == nil)
    #expect(Resemblance.nearest("", among: []) == nil)
    #expect(Resemblance.nearest("a", among: ["zebra"]) == nil)
  }

  @Test func `a mistyped command is named, with the one that was meant`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    for (typed, meant) in [
      (["statsu"], "cairn status"), (["share", "inivte", "x"], "cairn share invite"),
    ] {
      let outcome = try program.run(typed)
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains("Did you mean `\(meant)`?"), "\(outcome.errors)")
    }
    let unknown = try program.run(["frobnicate"])
    #expect(unknown.status == 64 && unknown.errors.contains("`cairn --help`"))
  }

  @Test func `without arguments and an account, the first steps are told`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    let outcome = try program.run([])
    #expect(outcome.status == 0 && outcome.text.contains("cairn init"))
  }
}
