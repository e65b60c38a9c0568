import CairnControl
import Glibc
import Testing

extension EndToEnd {
  /// A person who has enabled systemd's unit. A script stands in for systemd.
  @Suite struct UnitTests {
    @Test func `an enabled unit starts the daemon, and if it fails the command does`() throws {
      try UnitWorld.play { world in
        let root = world.root
        let who = ["--name", "Ana", "--handle", "ana"]
        try world.cairn(["init", "--container", root.path + "/c"] + who)
        try world.cairn(["start"])
        #expect(!root.exists("home/asked"), "nobody has enabled it")
        try world.cairn(["stop"])

        try world.enable()
        #expect(try world.cairn(["start"]).hasPrefix("cairnd runs: "))
        let asked = "--user --quiet start cairnd.service\n"
        #expect(try root.text("home/asked") == asked)
        // A daemon that the launcher starts itself writes to this file.
        let log: Name = "home/.local/state/cairn/log/cairnd.log"
        let before = try root.text(log)
        #expect(try world.cairn(["start"]).hasPrefix("cairnd was running already: "))
        try world.cairn(["stop"])

        try root.write("", to: "home/refuses")
        #expect(try world.cairn(["start"]).hasPrefix("cairnd runs: "))
        #expect(try root.text("home/asked") == asked + asked)
        #expect(try root.text(log).count > before.count)
      }
    }
  }
}

/// One person with the XDG folders of a login.
private struct UnitWorld {
  let root: Folder
  private let environment: [String]

  static func play(_ body: (UnitWorld) throws -> Void) throws {
    var template = Array("/tmp/cuXXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let path = String(decoding: template.dropLast().map { UInt8($0) }, as: UTF8.self)
    let world = try UnitWorld(Folder(path))
    defer {
      do {
        try world.cairn(["stop"])
        try Folder("/tmp").remove("\(path.dropFirst(5))")
      } catch {
        Issue.record("\(path): \(error)")
      }
    }
    try body(world)
  }

  private init(_ root: Folder) throws {
    self.root = root
    let programs = try Program.built("cairn").split(separator: "/").dropLast()
    for name in ["out", "bin", "run", "run/systemd", "home"] { try root.make("\(name)") }
    try root.change(mode: 0o700, of: "run")
    try root.write("", to: "run/systemd/private")
    environment = [
      "HOME=\(root.path)/home", "XDG_RUNTIME_DIR=\(root.path)/run", "TZ=UTC",
      "PATH=\(root.path)/bin:/\(programs.joined(separator: "/")):/usr/bin:/bin",
      "SWIFT_BACKTRACE=enable=no",
    ]
    try root.write(
      """
      #!/bin/bash
      echo "$@" >>$HOME/asked
      [ ! -e $HOME/refuses ] || exit 1
      (exec setsid cairnd </dev/null >/dev/null 2>&1) &
      until [ -S $XDG_RUNTIME_DIR/cairn/cairnd.sock ]; do read -rt 0.02 <> <(:); done
      exit 0
      """, to: "bin/systemctl")
    try root.change(mode: 0o700, of: "bin/systemctl")
  }

  /// Performs `systemctl --user enable`.
  func enable() throws {
    let folders = [
      "home/.config/systemd", "home/.config/systemd/user",
      "home/.config/systemd/user/default.target.wants",
    ]
    for name in folders { try root.make("\(name)") }
    let link = root.path + "/" + folders[2] + "/cairnd.service"
    try #require(symlink("/nowhere", link) == 0)
  }

  /// Returns the output of `cairn`, which must succeed.
  @discardableResult
  func cairn(_ arguments: [String]) throws -> String {
    let outcome = try Program.run(
      try Program.built("cairn"), arguments, environment: environment,
      scratch: Folder(root.path + "/out"))
    try #require(outcome.status == 0, "\(arguments): \(outcome.text) \(outcome.errors)")
    return outcome.text
  }
}
