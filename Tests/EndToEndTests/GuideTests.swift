import BuiltPrograms
import CairnControl
import Foundation
import Testing

extension EndToEnd {
  /// The pages for newcomers, typed line by line.
  @Suite struct GuideTests {
    private static let server = BucketServer()

    @Test func `cairn-tutorial(7) works as described, line by line`() throws {
      try Machines.play { machines in
        let key = BucketServer.key
        try machines.home("ana").write(
          "[default]\naws_access_key_id = \(key.id)\naws_secret_access_key = \(key.secret)\n",
          to: "bucket-key")
        try machines.home("ana").change(mode: 0o600, of: "bucket-key")
        let bucket = "s3:http://127.0.0.1:\(Self.server.port)/bucket/tutorial"
        let page = try Page("cairn-tutorial.7")
        let lines = page.lines.filter { $0.part != "SSHFS" }
        try machines.type(lines, ["s3:https://s3.example.org/team/cairn": bucket])
        #expect(lines.count > 40)
      }
    }

    /// A Boolean value that indicates whether a real SSHFS can be mounted. `.ci/setup` installs the
    /// needed packages.
    private static let hasSSHFS =
      access("/dev/fuse", R_OK | W_OK) == 0 && access("/usr/bin/sshfs", X_OK) == 0
      && access(Machines.sftp, X_OK) == 0

    @Test(.enabled(if: hasSSHFS, "sshfs, sftp-server or /dev/fuse isn't there"))
    func `its lines about SSHFS lead to a folder that two people share`() throws {
      try Machines.play(haveOwnCloud: true) { machines in
        let page = try Page("cairn-tutorial.7")
        let mounting = page.lines.filter { $0.part == "SSHFS" }
        #expect(mounting.count == 4)
        try machines.type(mounting)
        let told = ["2. ", "3. ", "4. "]
        let lines = page.lines.filter { line in told.contains { line.part.hasPrefix($0) } }
        #expect(lines.count > 15)
        try machines.type(lines)
        let types = try machines.fileSystems()
        #expect(types == ["ana": "fuse.sshfs", "bob": "fuse.sshfs"])
      }
    }

    @Test func `each answer of cairn-faq(7) works`() throws {
      try Machines.play { machines in
        let story = [
          "cairn init --container /srv/cloud --name Ana --handle ana", "mkdir Trip",
          "echo 'by car' > Trip/plan.txt", "cairn share create ~/Trip", "cairn wait --timeout 60",
          "echo 'by train' > Trip/plan.txt", "cairn wait --timeout 60",
        ].map { Page.Line(who: "ana", command: $0) }
        let bobs = ["cairn init --container /srv/cloud --name Bob --handle bob"]
          .map { Page.Line(who: "bob", command: $0) }
        let shared = [
          Page.Line(who: "ana", command: "cairn share invite ~/Trip bob"),
          Page.Line(who: "bob", command: "cairn share accept LINK --at ~/Trip --wait"),
        ]
        let page = try Page("cairn-faq.7")
        let anew = try #require(page.lines.firstIndex { $0.command.contains("init --recover") })
        try machines.type(story + bobs + shared + page.lines[..<anew])
        // Her only machine is gone. She goes on with nothing but the recovery sheet.
        let loss = ["cairn stop", "rm -r .config .local Trip"]
        try machines.type(loss.map { Page.Line(who: "ana", command: $0) })
        try machines.type(Array(page.lines[anew...]))
        #expect(page.lines.count > 25)
      }
    }

    @Test(arguments: ["cairn-tutorial.7", "cairn-faq.7"])
    func `a line that isn't played is marked`(in name: String) throws {
      let page = try Page(name)
      #expect(page.unmarked.isEmpty)
      for line in page.lines { #expect(["ana", "bob", "laptop"].contains(line.who)) }
    }
  }
}

/// The lines of a manual page that are typed.
private struct Page {
  struct Line {
    var who: String
    var command: String
    /// The output below it.
    var shown: [String] = []
    /// The heading above it.
    var part = ""
  }

  private(set) var lines: [Line] = []
  /// The lines of literal blocks that nobody types, and that aren't marked as untested.
  private(set) var unmarked: [String] = []

  init(_ name: String) throws {
    let manual = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "man").appending(path: name)
    let source = try String(contentsOf: manual, encoding: .utf8).split(separator: "\n")
    var isBlock = false
    var isPlayed = true
    var part = ""
    for (place, line) in source.enumerated() {
      if line.hasPrefix(".Sh ") || line.hasPrefix(".Ss ") { part = String(line.dropFirst(4)) }
      if line.hasPrefix(".Bd -literal") {
        isBlock = true
        // The sentence before the block.
        isPlayed = !source[max(0, place - 3)..<place].contains { $0.hasPrefix("No test plays") }
      } else if line.hasPrefix(".Ed") {
        isBlock = false
      } else if isBlock, isPlayed {
        take(String(line), part)
      }
    }
  }

  private mutating func take(_ line: String, _ part: String) {
    if let match = line.wholeMatch(of: /([a-z]+)\$ (.*)/) {
      lines.append(Line(who: String(match.1), command: String(match.2), part: part))
    } else if lines.isEmpty || line.hasPrefix("$") || line.hasPrefix("#") {
      unmarked.append(line)
    } else {
      lines[lines.count - 1].shown.append(line)
    }
  }
}

/// Machines of people in one fresh folder. Each has a home. `/srv/cloud` is there for all, or each
/// person has to mount it.
private final class Machines {
  /// The server program of SSHFS on a host.
  static let sftp = "/usr/lib/openssh/sftp-server"

  private let root: Folder
  private let programs: String
  private let haveOwnCloud: Bool
  /// The variables of a person's shell.
  private var variables: [String: [String]] = [:]
  /// The values of words on the page that can't be known in advance.
  private var words: [String: String] = [:]

  static func play(
    haveOwnCloud: Bool = false, _ body: (Machines) throws -> Void
  ) throws {
    var template = Array("/tmp/cgXXXXXX".utf8CString)
    try #require(mkdtemp(&template) != nil)
    let path = String(decoding: template.dropLast().map { UInt8($0) }, as: UTF8.self)
    let machines = try Machines(Folder(path), haveOwnCloud)
    defer {
      machines.end()
      do { try Folder("/tmp").remove("\(path.dropFirst(5))") } catch {
        Issue.record("\(path) can't be removed: \(error)")
      }
    }
    try body(machines)
  }

  private init(_ root: Folder, _ haveOwnCloud: Bool) throws {
    self.root = root
    self.haveOwnCloud = haveOwnCloud
    let built =
      "/" + (try Program.built("cairn")).split(separator: "/").dropLast().joined(separator: "/")
    for name in ["srv", "ana", "bob", "laptop", "out"] { try root.make("\(name)") }
    programs = haveOwnCloud ? root.path + "/bin:" + built : built
    guard haveOwnCloud else { return }
    for name in ["bin", "host", "host/cloud"] { try root.make("\(name)") }
    // The host is a folder. SSHFS talks to a real server, without a network line. Nobody is root,
    // or called Ana.
    let standIns = [
      "ssh": "exec \(Self.sftp) -d \(root.path)/host",
      "sudo": #"[ "$1 $2 $3" = "install -d -o" ] && exec install -d "$5""#,
    ]
    for (name, script) in standIns {
      try root.write("#!/bin/sh\n\(script)\n", to: "bin/\(name)")
      try root.change(mode: 0o700, of: "bin/\(name)")
    }
  }

  /// Returns the directory of `/srv/cloud` on a person's machine.
  private func cloud(of who: String) -> String {
    haveOwnCloud ? "\(root.path)/srv/\(who)" : root.path + "/srv/cloud"
  }

  /// Returns the file systems that each has mounted there.
  func fileSystems() throws -> [String: String] {
    let mounts = try String(contentsOfFile: "/proc/mounts", encoding: .utf8)
    var types: [String: String] = [:]
    for line in mounts.split(separator: "\n") {
      let fields = line.split(separator: " ")
      for who in ["ana", "bob"] where fields[1] == cloud(of: who) { types[who] = "\(fields[2])" }
    }
    return types
  }

  func home(_ who: String) -> Folder { Folder(root.path + "/" + who) }

  /// Types the lines one after the other. Each must succeed, and print the text below it.
  func type(_ lines: [Page.Line], _ places: [String: String] = [:]) throws {
    words.merge(places) { _, new in new }
    for line in lines {
      if line.command.hasPrefix("export ") || line.command.hasPrefix("unset ") {
        variables[line.who, default: []].append(line.command)
        continue
      }
      let outcome = try answer(line)
      try #require(
        outcome.status == 0, "\(line.who)$ \(line.command): \(outcome.text) \(outcome.errors)")
      for shown in line.shown {
        #expect(outcome.text.contains(shown), "\(line.who)$ \(line.command): \(outcome.text)")
      }
      remember(outcome, of: line.command)
    }
  }

  /// Returns the output of a line. A command that only reads is repeated, as people do, until it
  /// shows the expected output.
  private func answer(_ line: Page.Line) throws -> Program.Outcome {
    var command = line.command
    for (word, meaning) in words { command = command.replacing(word, with: meaning) }
    command = command.replacing("/srv/cloud", with: cloud(of: line.who))
    let isLook = ["cat ", "cairn user list", "cairn share invitations", "cairn status"]
      .contains { command.hasPrefix($0) }
    let end = Date().addingTimeInterval(60)
    while true {
      let script = ["cd"] + variables[line.who, default: []] + [command]
      let outcome = try Program.run(
        "/bin/bash", ["--norc", "-c", script.joined(separator: "\n")],
        environment: [
          "HOME=\(home(line.who).path)", "PATH=\(programs):/usr/bin:/bin", "TZ=UTC",
          "SWIFT_BACKTRACE=enable=no",
        ], scratch: Folder(root.path + "/out"))
      let isSeen = outcome.status == 0 && line.shown.allSatisfy { outcome.text.contains($0) }
      if isSeen || !isLook || Date() > end { return outcome }
    }
  }

  private func remember(_ outcome: Program.Outcome, of command: String) {
    let last = outcome.lastLine
    if last.hasPrefix("cairn:") { words["LINK"] = last }
    if command == "cairn device link" { words["CODE"] = last }
    if command == "cairn zones" { words["ID"] = last.split(separator: " ").last.map(String.init) }
    // The version before the newest.
    let lines = outcome.text.split(separator: "\n")
    if command.hasPrefix("cairn history ~"), lines.count > 1 {
      words["NUMBER"] = lines[1].split(separator: " ").first.map(String.init)
    }
  }

  private func end() {
    for who in ["ana", "bob", "laptop"] {
      for home in ["", "export CAIRN_HOME=~/in-bucket\n"] {
        // It isn't known here whether one runs.
        _ = try? Program.run(
          "/bin/bash", ["--norc", "-c", home + "cairn stop"],
          environment: ["HOME=\(self.home(who).path)", "PATH=\(programs):/usr/bin:/bin"],
          scratch: Folder(root.path + "/out"))
      }
      // Nor is it known whether somebody has mounted theirs.
      guard haveOwnCloud else { continue }
      _ = try? Program.run(
        "/usr/bin/fusermount3", ["-u", "-q", "-z", cloud(of: who)], environment: [],
        scratch: Folder(root.path + "/out"))
    }
  }
}
