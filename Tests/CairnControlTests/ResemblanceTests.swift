import CairnControl
import Foundation
import Testing

@testable import CairnDaemon

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
    #expect(Resemblance.nearest("b", among: ["c"]) == nil)
  }

  @Test func `a path with wrong letters or letter case finds the one that exists`() throws {
    let root = NSTemporaryDirectory() + "cairn-similar-\(UUID())"
    try FileManager.default.createDirectory(
      atPath: root + "/Garden/Plans", withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: root) }
    try Data().write(to: URL(filePath: root + "/Garden/.hidden"))
    try Data().write(to: URL(filePath: root + "/Garden/Plans/budget.ods"))
    func similar(_ path: String) -> String? { Control.Path(root + path).similar?.text }
    #expect(similar("/garden") == root + "/Garden" && similar("/Gadren") == root + "/Garden")
    #expect(similar("/garden/plans/budgte.ods") == root + "/Garden/Plans/budget.ods")
    #expect(similar("/garden/nothing") == root + "/Garden")
    for path in ["/Garden", "/xyzzy", "/Garden/xyzzy", "/Garden/hidden"] {
      #expect(similar(path) == nil, "\(path)")
    }
    #expect(similar("/Garden/.hiddne") == root + "/Garden/.hidden")
    #expect(Control.Path("Gadren").similar == nil)
    #expect(Control.Path(root + "/Gadren").suggestion == "Did you mean \(root)/Garden? ")
    #expect(Control.Path(root + "/xyzzy").suggestion.isEmpty)
  }

  @Test func `the first digits of a version's item are enough`() {
    let id = "0199c0de-aaaa-7bbb-8ccc-3fa2c81b0042"
    for digits in ["3", "3fa2", "3fa2c81b0042", "b0042", id] {
      #expect(Control.VersionName.isMeant(id, by: digits))
    }
    for digits in ["fa2", "0199"] { #expect(!Control.VersionName.isMeant(id, by: digits)) }
    #expect(Control.VersionName("3fa2:12")?.zone == "3fa2" && Control.VersionName(":12") == nil)
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

  private static let typed: [(String, String, String?)] = [
    ("revoke laptop", "cairn device revoke", "cairn remove"),
    ("stolen laptop", "cairn device revoke", nil),
    ("unshare Trip", "cairn share stop", "cairn share`?"), ("who", "cairn log", "cairn why"),
    ("space", "cairn quota", nil), ("undelete x", "cairn restore", nil),
    ("versions x", "cairn history", nil), ("people", "cairn user list", nil),
    ("list", "cairn ls", nil), ("info", "cairn status", nil), ("sync", "cairn wait", nil),
    ("version", "cairn --version", nil), ("share people x", "cairn share participants", nil),
    ("removee", "cairn --help", "Did you mean"), ("purg x", "cairn --help", "Did you mean"),
    ("share stpo x", "cairn share --help", "Did you mean"),
    ("gc --now", "cairn gc --help", "--json"), ("gc --dry-rum", "--dry-run", nil),
    ("help foo", "cairn --help", nil), ("history --version 7 x", "cairn restore", nil),
    ("status --version 7", "takes no version", nil),
    ("show x --at 7", "Write 7d, 7h or 7m", "invalid for"), ("show x --at 7", "@7", nil),
    ("rewind x --to 7", "@7", "--version"), ("history x --since soon", "2026-11-20", nil),
    ("share invite x bob --until 7", "days, hours or minutes from now", "@7"),
    ("drop create x --until soon", "2026-12-24", "@312"),
    ("quota --nothing", "cairn quota --help", "USAGE"),
  ]

  @Test(arguments: Self.typed)
  func `everyday words lead to a command, and never to one that takes something away`(
    typed: String, meant: String, wrong: String?
  ) throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    let outcome = try program.run(typed.split(separator: " ").map(String.init))
    #expect(outcome.status == 64 && outcome.output.isEmpty, "\(outcome)")
    #expect(outcome.errors.contains(meant), "\(outcome.errors)")
    if let wrong { #expect(!outcome.errors.contains(wrong), "\(outcome.errors)") }
    #expect(outcome.errors.split(separator: "\n").count <= 2, "\(outcome.errors)")
  }

  @Test func `a folder and a handle after share mean to create a share`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    try FileManager.default.createDirectory(
      at: program.folder.appending(path: "Recipes"), withIntermediateDirectories: false)
    #expect(
      try program.run(["share", "Recipes", "bob"]).errors.contains(
        "`cairn share create Recipes --invite bob`"))
    #expect(
      try program.run(["share", "Recipes"]).errors.contains(
        "`cairn share create Recipes --invite HANDLE`"))
  }

  @Test(arguments: [
    "read", "ro", "readonly", "view", "read-only", "write", "rw", "edit", "read-write",
  ])
  func `common words for a permission are understood`(word: String) throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    var routes = ControlRoutes()
    routes.on(Control.ShareInvite.self) { request, _ in
      throw ControlError(
        .unknownItem, request.permission?.rawValue ?? "none",
        remedy: request.until == nil ? "" : "ends")
    }
    routes.on(Control.Quota.self) { request, _ in
      throw ControlError(.unknownItem, "limit \(request.limit ?? 0)")
    }
    let home = try Home(environment: ["CAIRN_HOME": program.folder.appending(path: "home").path])
    let server = try ControlServer(home: home, responder: routes)
    try server.start()
    defer { server.stop() }
    let outcome = try program.run(
      ["share", "invite", "0af3c9", "bob", "--permission", word, "--until", "tomorrow"])
    let isReading = ["read", "ro", "readonly", "view", "read-only"].contains(word)
    #expect(
      outcome.errors.hasPrefix("cairn: \(isReading ? "read-only" : "read-write")"),
      "\(outcome.errors)")
    #expect(outcome.errors.contains("ends"))
    for size in ["30M", "30MB", "30 MB", "30mb", "30000kB", "30000000"] {
      let told = try program.run(["quota", "0af3c9", "--limit", size]).errors
      #expect(told.contains("limit 30000000"), "\(size): \(told)")
    }
  }

  @Test func `--version alone is that of the program`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    for arguments in [["--version"], ["status", "--version"]] {
      let outcome = try program.run(arguments)
      #expect(outcome.status == 0 && outcome.text == Control.version + "\n")
    }
  }

  @Test func `without arguments and an account, the first steps are told`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    let outcome = try program.run([])
    #expect(outcome.status == 0 && outcome.text.contains("cairn init"))
  }
}
