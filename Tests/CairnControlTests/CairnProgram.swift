import BuiltPrograms
import Foundation
import Testing

/// The built program `cairn`, in a fresh folder of its own. Tests may put a `cairnd` beside it.
struct CairnProgram {
  let folder: URL

  struct Outcome {
    var status: Int32
    var output: Data
    var errors: String

    var text: String { String(decoding: output, as: UTF8.self) }
  }

  init() throws {
    folder = URL(filePath: "/tmp/cairn-command-" + UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let built = URL(filePath: try #require(builtProgram("cairn")))
    let own = folder.appending(path: "cairn")
    // This process doesn't copy the program. A program that another test's child still holds open
    // for writing can't be run.
    do { try FileManager.default.linkItem(at: built, to: own) } catch {
      let copy = Process()
      copy.executableURL = URL(filePath: "/bin/cp")
      copy.arguments = [built.path, own.path]
      try copy.run()
      copy.waitUntilExit()
    }
  }

  func remove() throws {
    try FileManager.default.removeItem(at: folder)
  }

  /// Puts a shell script in the place of `cairnd`.
  func standIn(_ script: String) throws {
    try installScript("#!/bin/sh\n" + script + "\n", at: folder.appending(path: "cairnd").path)
  }

  /// Makes its home look to `cairn` like one with an account.
  func setUp() throws {
    let home = folder.appending(path: "home")
    try FileManager.default.createDirectory(
      at: home, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    try Data().write(to: home.appending(path: "cairn.conf"))
  }

  /// Runs the program with these arguments in `home`, and waits for its end. `variables` are added
  /// to its environment.
  func run(
    _ arguments: [String], home: String? = nil, input: String = "",
    variables: [String: String] = [:]
  ) throws -> Outcome {
    let process = Process()
    process.executableURL = folder.appending(path: "cairn")
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = [
      "CAIRN_HOME": home ?? folder.appending(path: "home").path, "PATH": "/usr/bin:/bin",
      "TZ": "UTC",
    ].merging(variables) { $1 }
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    (process.standardInput, process.standardOutput, process.standardError) = (stdin, stdout, stderr)
    try process.run()
    try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try stdin.fileHandleForWriting.close()
    let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
    let errors = try stderr.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return Outcome(
      status: process.terminationStatus, output: output,
      errors: String(decoding: errors, as: UTF8.self))
  }
}

/// Every command, with its words.
enum Commands {
  static let all: [[String]] = [
    ["init"], ["start"], ["stop"], ["status"], ["wait"], ["events"], ["pause"], ["resume"],
    ["transfers"], ["console"],
    ["ls"], ["add"], ["remove"], ["select"], ["get"], ["metadata"], ["mount"],
    ["verify"], ["repair"], ["user", "list"], ["user", "show"], ["user", "remove"],
    ["user", "verify"], ["group", "list"], ["group", "show"], ["group", "create"],
    ["group", "add"], ["group", "remove"], ["group", "delete"], ["share", "create"],
    ["drop", "create"], ["drop", "list"], ["drop", "accept"], ["drop", "discard"],
    ["drop", "end"], ["drop", "put"],
    ["device", "link"], ["device", "join"], ["device", "list"], ["device", "rename"],
    ["device", "revoke"], ["device", "recovery"], ["program", "list"], ["program", "allow"],
    ["program", "revoke"],
    ["share", "add"], ["share", "invite"],
    ["share", "invitations"], ["share", "accept"], ["share", "list"], ["share", "show"],
    ["share", "participants"], ["share", "set-permission"], ["share", "set-role"],
    ["share", "set-public"], ["share", "remove"], ["share", "transfer"],
    ["share", "successor"], ["quota"],
    ["history", "policy"], ["gc"],
    ["container", "copy"], ["container", "list"], ["container", "move"],
    ["container", "policy"], ["container", "remove"], ["container", "rename"],
    ["share", "policy"],
    ["history", "list"], ["show"], ["diff"], ["restore"], ["rewind"],
    ["share", "of"], ["log"], ["changes"], ["why"], ["zones"], ["schema"],
    ["stat"], ["inspect"], ["doctor"], ["log-level"],
    ["share", "take-out"], ["share", "decline"], ["move"],
    ["share", "leave"], ["share", "stop"], ["purge"],
    ["share", "policy"], ["share", "link"], ["share", "uninvite"],
    ["share", "set-requests"], ["share", "request"], ["share", "requests"], ["share", "approve"],
    ["share", "deny"], ["share", "block"], ["share", "unblock"],
    ["public", "mount"], ["public", "unmount"], ["public", "list"], ["public", "get"],
    ["public", "put"], ["public", "remove"], ["public", "export"], ["can"],
    ["held", "list"], ["held", "confirm"], ["held", "undo"],
    ["conflicts", "list"], ["conflicts", "diff"], ["conflicts", "keep"],
    ["conflicts", "merge"],
    ["rescue", "list"], ["rescue", "restore"], ["rescue", "clear"],
  ]
}
