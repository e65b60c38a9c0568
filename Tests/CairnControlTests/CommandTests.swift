import CairnControl
import Foundation
import Testing

@testable import CairnDaemon

/// The program `cairn` with a server that answers by closures.
@Suite struct CommandTests {
  /// A server for the program's home. The caller stops it.
  private func serve(_ program: CairnProgram, _ routes: ControlRoutes) throws -> ControlServer {
    let home = try Home(environment: ["CAIRN_HOME": program.folder.appending(path: "home").path])
    let server = try ControlServer(home: home, responder: routes)
    try server.start()
    return server
  }

  private let share = Control.Share(
    id: "0af3", title: "Trip\u{1B}[2J",
    owner: Control.Person(user: "u1", handle: "ana", name: "Ana"),
    me: Control.Membership(role: .owner, permission: .readWrite, acceptance: .accepted),
    publicPermission: .none, link: "cairn:share/abc",
    participants: [
      Control.Participant(
        user: "u1", handle: "ana", name: "Ana", role: .owner, permission: .readWrite,
        acceptance: .accepted)
    ],
    path: "/t", scope: .private)

  private func mount(_ path: Control.Path) -> Control.MountStatus {
    Control.MountStatus(
      id: "1", path: path, zone: "0af3", title: "Trip", scope: .private, role: .owner,
      permission: .readWrite, phase: .sending, files: 1234, directories: 1, bytes: 12_345_678,
      sequence: 9, work: Control.Work(pendingLocal: 2),
      watching: Control.Watching(directories: 2, unwatched: 1, note: "Raise the limit."),
      problems: [Control.Problem(code: .quotaExceeded, message: "No room.", remedy: "Make some.")],
      rescued: [
        Control.Rescued(
          path: "/t/.cairn/rescue/a", of: "/t/a", reason: "Read-only.",
          time: Control.Time(nanoseconds: 0))
      ],
      conflicts: ["/t/a (conflict)"])
  }

  @Test func `share invite ends with the link alone, and sends the intended request`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    var routes = ControlRoutes()
    routes.on(Control.ShareInvite.self) { [share] request, _ in
      guard request.people == ["bob"], request.permission == .readOnly,
        request.share == .path(Control.Path(program.folder.path + "/Trip"))
          || request.share == .id("0af3c9")
      else { throw ControlError(.invalidArguments, "Not what was meant: \(request)") }
      return Control.InviteReply(
        share: share,
        invited: [
          Control.Participant(
            handle: "bob", role: .privateUser, permission: .readOnly, acceptance: .pending)
        ],
        link: "cairn:share/abc#secret", delivered: true)
    }
    let server = try serve(program, routes)
    defer { server.stop() }
    for share in ["./Trip/", "x/../Trip", "0AF3C9"] {
      let outcome = try program.run(
        ["share", "invite", share, "bob", "--permission", "read-only"])
      #expect(outcome.status == 0, "\(outcome.errors)")
      #expect(outcome.text.hasSuffix("\ncairn:share/abc#secret\n"))
      #expect(!outcome.text.contains("\u{1B}"))
      #expect(outcome.errors.isEmpty)
    }
  }

  @Test func `start says so if the daemon already runs`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    var routes = ControlRoutes()
    routes.on(Control.Ping.self) { _, _ in Control.PingReply(pid: 7, version: "1") }
    let server = try serve(program, routes)
    defer { server.stop() }
    let outcome = try program.run(["start"])
    #expect(outcome.text == "cairnd was running already: version 1, process 7\n")
    #expect(try program.run(["start", "--json"]).text == #"{"pid":7,"version":"1"}"# + "\n")
  }

  @Test func `share accept takes a link, an id, a file or standard input`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    var routes = ControlRoutes()
    routes.on(Control.ShareAccept.self) { [share] request, _ in
      throw ControlError(.unknownItem, "<\(request.invitation)> \(share.id)")
    }
    let server = try serve(program, routes)
    defer { server.stop() }
    try Data("cairn:from-file\n".utf8).write(to: program.folder.appending(path: "file"))
    // A home with an account.
    try Data().write(to: program.folder.appending(path: "home/cairn.conf"))
    let cases = [
      ("cairn:x#y", "<cairn:x#y>"), ("0af3", "<0af3>"), ("file", #"<cairn:from-file\n>"#),
      ("-", "<cairn:from-input>"),
    ]
    for (argument, sent) in cases {
      let outcome = try program.run(["share", "accept", argument], input: "cairn:from-input")
      #expect(outcome.status == Control.ErrorCode.unknownItem.exitStatus)
      #expect(outcome.errors.contains(sent), "\(argument): \(outcome.errors)")
    }
  }

  @Test func `a daemon of another version is named, once and not in JSON`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    try program.setUp()
    let home = try Home(
      environment: ["CAIRN_HOME": program.folder.appending(path: "home").path])
    for (version, isTold) in [("0.0.9", true), (Control.version, false)] {
      var routes = ControlRoutes()
      routes.on(Control.Ping.self) { _, _ in Control.PingReply(pid: 5, version: version) }
      routes.on(Control.ShareStop.self) { _, _ in
        throw ControlError(.unknownItem, "There is no such share.", remedy: "Look.")
      }
      let server = try ControlServer(home: home, responder: routes, version: version)
      try server.start()
      defer { server.stop() }
      // The command asks twice: first for an answer at all, and then for the operation.
      let outcome = try program.run(["share", "stop", "/t", "--yes"])
      #expect(outcome.status == Control.ErrorCode.unknownItem.exitStatus)
      let said = "cairn: the daemon is of version 0.0.9, and this command of \(Control.version)."
      #expect(outcome.errors.components(separatedBy: said).count == (isTold ? 2 : 1))
      #expect(outcome.errors.contains("There is no such share."))
      let json = try program.run(["share", "stop", "/t", "--yes", "--json"])
      #expect(json.errors.isEmpty, "\(json.errors)")
      #expect(try program.run(["start"]).errors.contains(said) == isTold)
    }
  }

  @Test func `status shows all problems, and in JSON the reply as it was sent`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    var other = mount("/u")
    other.watching = Control.Watching(directories: 0, unwatched: 0, note: "It can't be opened.")
    let reply = Control.StatusReply(
      daemon: Control.DaemonStatus(
        pid: 5, version: "1", startedAt: Control.Time(nanoseconds: 0)),
      account: Control.AccountStatus(
        user: "a1", handle: "ana", name: "Ana", device: "d1", deviceName: "desk"),
      container: Control.ContainerStatus(id: "c", path: "/c", fileSystem: "nfs4", reachable: false),
      mounts: [mount("/t\n"), other])
    var routes = ControlRoutes()
    routes.on(Control.Status.self) { _, _ in reply }
    let server = try serve(program, routes)
    defer { server.stop() }
    let text = try program.run(["status"]).text
    let expected = [
      "Ana (ana) on desk: 5 things need you\n", "/c (nfs4), NOT REACHABLE",
      #"/t\n    1,234  12.3 MB  yours   pending: 2 to send, 0 to receive"#,
      "sending, 2 problems  /u", "not watched: 1 directory: Raise the limit.",
      "No room. [quotaExceeded] Make some.", "/t/.cairn/rescue/a: Read-only.",
      "1 conflict copy: /t/a (conflict). Run `cairn conflicts list`.",
      "not watched: It can't be opened.",
    ]
    for part in expected { #expect(text.contains(part), "\(part) in \(text)") }
    #expect(!text.contains("\u{1B}"), "colours are for terminals")
    let details = try program.run(["status", "--verbose"]).text
    let more = [
      "cairnd 1, process 5", #"/t\n  sending"#, "1,234 files, 1 directory, 12.3 MB, version 9",
      "of /t/a, 1970-01-01 00:00:00: Read-only.", "conflict copy: /t/a (conflict)",
    ]
    for part in more { #expect(details.contains(part), "\(part) in \(details)") }
    let json = try program.run(["status", "--json"])
    #expect(json.output == Data(try ControlJSON.encode(reply) + [0x0A]))
  }

  @Test func `status is aligned for wide and combining names, folders with problems first`() throws
  {
    let program = try CairnProgram()
    defer { try? program.remove() }
    try program.setUp()
    func plain(_ path: Control.Path, _ phase: Control.Phase) -> Control.MountStatus {
      Control.MountStatus(
        id: "1", path: path, zone: "0af3", title: "Trip", scope: .private, role: .owner,
        permission: .readWrite, phase: phase, files: 1, directories: 0, bytes: 3, sequence: 9,
        watching: Control.Watching(directories: 1, unwatched: 0))
    }
    var troubled = plain("/z", .idle)
    let note = Control.Problem(
      path: "/z/l", code: .serviceUnavailable, message: "Open in a program.", remedy: "Close it.")
    troubled.problems = (0..<44).map { _ in note }
    var noted = plain("/plain", .idle)
    noted.problems = [
      Control.Problem(path: "/plain/l", code: .invalidArguments, message: "Not synced.", remedy: "")
    ]
    let reply = Control.StatusReply(
      daemon: Control.DaemonStatus(
        pid: 5, version: "1", startedAt: Control.Time(nanoseconds: 0)),
      account: Control.AccountStatus(
        user: "a1", handle: "ana", name: "Ana", device: "d1", deviceName: "desk"),
      container: Control.ContainerStatus(id: "c", path: "/c", fileSystem: "ext4", reachable: true),
      mounts: [plain("/日本", .idle), plain("/e\u{301}", .sending), noted, troubled])
    var routes = ControlRoutes()
    routes.on(Control.Status.self) { _, _ in reply }
    routes.on(Control.ShareList.self) { _, _ in Control.ShareListReply(shares: []) }
    let server = try serve(program, routes)
    defer { server.stop() }
    let lines = try program.run(["status"]).text.split(separator: "\n")
    #expect(lines.count(where: { $0.contains("Open in a program.") }) == 1)
    #expect(
      lines.contains(
        "problem  /z/l and 43 more  Open in a program. [serviceUnavailable] Close it."))
    #expect(
      lines.suffix(5) == [
        "STATE       FOLDER  FILES  SIZE  ACCESS", "1 problem   /z      1      3 B   yours",
        "sending     /e\u{301}      1      3 B   yours", "up to date  /plain  1      3 B   yours",
        "up to date  /日本   1      3 B   yours",
      ])
    let overview = try program.run([]).text
    #expect(overview.contains("folders  2 up to date, 1 syncing, 1 with a problem\n"), "no note")
  }

  @Test func `names come out raw with -0 and escaped without`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    let names: [[UInt8]] = [[0x61, 0x0A, 0x62], [0xFF, 0x63]]
    var routes = ControlRoutes()
    routes.on(Control.List.self) { request, _ in
      Control.ListReply(
        mount: "1", path: request.path,
        entries: names.map {
          Control.Entry(
            path: Control.Path($0), kind: .file, size: 1, modified: Control.Time(nanoseconds: 0),
            executable: true, state: .synced)
        })
    }
    let server = try serve(program, routes)
    defer { server.stop() }
    #expect(try program.run(["ls", "-0"]).output == Data([0x61, 0x0A, 0x62, 0, 0xFF, 0x63, 0]))
    let lines = try program.run(["ls"]).text.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(lines.first?.hasSuffix(#"a\nb*"#) == true)
    #expect(lines.last?.hasSuffix(#"\xFFc*"#) == true)
  }

  @Test func `a list in JSON is one object, even if it breaks off`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    let entries = [[0x61], [0x22, 0x2C, 0x5D]].map { name in
      Control.Entry(
        path: Control.Path(name), kind: .file, size: 1, modified: Control.Time(nanoseconds: 0),
        executable: false, state: .synced)
    }
    var routes = ControlRoutes()
    routes.on(Control.List.self) { request, stream in
      for entry in entries { try stream.items([entry]) }
      guard !request.recursive else { throw ControlError(.networkFailure, "It went away.") }
      // The path contains the end of a list, and a member.
      return Control.ListReply(mount: "1", path: #"/x"],"entries":[],{"#, entries: [])
    }
    routes.on(Control.Zones.self) { _, _ in Control.ZonesReply(zones: []) }
    let server = try serve(program, routes)
    defer { server.stop() }
    let whole = try program.run(["ls", "--json"])
    let reply = try ControlJSON.decode(Control.ListReply.self, from: whole.output)
    #expect(reply.entries == entries && reply.mount == "1")
    #expect(reply.path == #"/x"],"entries":[],{"#)
    let broken = try program.run(["ls", "-r", "--json"])
    #expect(broken.status == Control.ErrorCode.networkFailure.exitStatus)
    struct Broken: Decodable {
      var entries: [Control.Entry]
      var error: ControlError
    }
    let told = try ControlJSON.decode(Broken.self, from: broken.output)
    #expect(told.entries == entries && told.error.message == "It went away.")
    #expect(try program.run(["zones", "--json"]).text == "{\"zones\":[]}\n")
  }

  @Test func `names in sentences are escaped once, and terminals are safe from them`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    let path = Control.Path([0x2F, 0x61, 0x0A, 0xFF])
    let entry = Control.LogEntry(
      zone: "1", title: #"t\"#, sequence: 1, time: Control.Time(nanoseconds: 0),
      changes: [Control.LogChange(what: "created", text: "created the file \(path)\u{1B}[31m")])
    var routes = ControlRoutes()
    routes.on(Control.Log.self) { _, _ in Control.LogReply(entries: [entry]) }
    routes.on(Control.Why.self) { request, _ in
      var reply = Control.WhyReply(path: request.path)
      reply.now = [
        Control.WhyReason(rule: .waiting, text: "\(path) waits.", remedy: "Look at \(path).")
      ]
      return reply
    }
    routes.on(Control.Remove.self) { _, _ in
      throw ControlError(.unknownItem, "There is no \(path).", remedy: "Name \(path).")
    }
    let server = try serve(program, routes)
    defer { server.stop() }
    let log = try program.run(["log"]).text.split(separator: "\n")
    #expect(log.first?.hasPrefix(#"t\\ 1 "#) == true)
    #expect(log.last == #"    created the file /a\n\xFF\x1B[31m"#)
    let why = try program.run(["why", "x"]).text.split(separator: "\n")
    #expect(why == [#"/a\n\xFF waits."#, #"    Look at /a\n\xFF."#])
    let errors = try program.run(["remove", "x"]).errors.split(separator: "\n")
    #expect(errors == [#"cairn: There is no /a\n\xFF. [unknownItem]"#, #"  Name /a\n\xFF."#])
  }

  @Test(arguments: [
    (">/dev/full", 25 as Int32, "No space left on device"), (">&-", 1, "is closed"),
  ])
  func `an answer that can't be written is an error`(
    output: String, status: Int32, reason: String
  ) throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    var routes = ControlRoutes()
    routes.on(Control.Ping.self) { _, _ in Control.PingReply(pid: 7, version: "1") }
    let server = try serve(program, routes)
    defer { server.stop() }
    for arguments in ["start", "start --json"] {
      let process = Process()
      process.executableURL = URL(filePath: "/bin/sh")
      process.arguments = ["-c", "exec ./cairn \(arguments) \(output)"]
      process.currentDirectoryURL = program.folder
      process.environment = ["CAIRN_HOME": program.folder.appending(path: "home").path]
      let errors = Pipe()
      process.standardError = errors
      try process.run()
      let bytes = try errors.fileHandleForReading.readToEnd() ?? Data()
      process.waitUntilExit()
      #expect(process.terminationStatus == status)
      #expect(String(decoding: bytes, as: UTF8.self).contains(reason))
    }
  }

  @Test func `an argument's bytes arrive unchanged`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    var routes = ControlRoutes()
    routes.on(Control.Remove.self) { request, _ in
      Control.RemoveReply(path: request.path, zone: "z", pendingLocal: 0)
    }
    let server = try serve(program, routes)
    defer { server.stop() }
    // The shell makes the bytes, because a Process only takes strings. U+10FFFF stands for itself.
    try Data(#"exec ./cairn remove --json "/$(printf '\377\012a\364\217\277\277')""#.utf8)
      .write(to: program.folder.appending(path: "script"))
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["script"]
    process.currentDirectoryURL = program.folder
    process.environment = ["CAIRN_HOME": program.folder.appending(path: "home").path]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let json = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    let reply = try ControlJSON.decode(Control.RemoveReply.self, from: json)
    #expect(reply.path.bytes == [0x2F, 0xFF, 0x0A, 0x61, 0xF4, 0x8F, 0xBF, 0xBF])
  }

  @Test func `verify exits with 35 if something is damaged`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    var routes = ControlRoutes()
    routes.on(Control.Verify.self) { request, stream in
      stream.progress(Control.Progress(done: 1, unit: "objects", what: "Reading"))
      let damage = Control.Damage(
        zone: "z", object: "zones/z/log/1", code: .assetNotAvailable, message: "A byte flipped.")
      return Control.VerifyReply(
        zones: 1, commits: 2, chunks: 3, bytes: 4, damage: request.share == nil ? [damage] : [])
    }
    let server = try serve(program, routes)
    defer { server.stop() }
    let damaged = try program.run(["verify"])
    #expect(damaged.status == 35)
    #expect(damaged.text.contains("damaged: zones/z/log/1 [assetNotAvailable]\n  A byte flipped."))
    // Progress is for terminals.
    #expect(damaged.errors.isEmpty)
    #expect(try program.run(["verify", "--json"]).status == 35)
    #expect(try program.run(["verify", "/t"]).status == 0)
  }

  @Test func `a revocation names its limits once, and then its time`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    var routes = ControlRoutes()
    routes.on(Control.DeviceRevoke.self) { request, _ in
      Control.DeviceRevokeReply(
        device: Control.Device(
          device: "d1", name: "laptop", isActive: false, revoked: Control.Time(nanoseconds: 0),
          isThis: false, isRecovery: false),
        zones: 2, before: request.device == "again", hasBucketKey: true, pending: 0, links: 0,
        devices: [], guests: [], missed: [])
    }
    let server = try serve(program, routes)
    defer { server.stop() }
    let first = try program.run(["device", "revoke", "laptop"]).text
    for part in ["2 folders have new keys", "unlock it", "passwords", "delete that key"] {
      #expect(first.contains(part), "\(part) in \(first)")
    }
    #expect(
      try program.run(["device", "revoke", "again"]).text
        == "laptop (d1) was revoked already on 1970-01-01 00:00:00.\n")
  }

  @Test func `a policy says who frees how much, and on which days`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    let start = Control.Time(nanoseconds: 1_796_472_000_000_000_000)
    var routes = ControlRoutes()
    routes.on(Control.HistoryPolicy.self) { request, _ in
      var reply = Control.HistoryPolicyReply(policy: Control.KeptHistory(versions: 1))
      (reply.frees, reply.freesFrom) = (30_000_000, start)
      (reply.freesLater, reply.freesLaterFrom) = (1_000, start)
      if request.dryRun != true { reply.formerUntil = start }
      return reply
    }
    routes.on(Control.CollectGarbage.self) { _, _ in
      let none = Control.PackCount(packs: 0, bytes: 0)
      let entries = Control.EntryCount(entries: 0, bytes: 0)
      return Control.GarbageReply(
        all: none, unnamed: none, unneeded: none, waiting: none, deleted: none, refused: [],
        repacked: none, closed: 0, floors: 0, entries: entries, deletedEntries: entries,
        history: Control.HistoryBytes(
          bytes: 60_000_002, forever: 2, expiring: 60_000_000, expiringFrom: start))
    }
    let server = try serve(program, routes)
    defer { server.stop() }
    let days = "run `cairn gc` on 2026-12-05 and again on 2026-12-12."
    let policy = ["history", "policy", "0af3c9", "--versions", "1"]
    for arguments in [policy, policy + ["--dry-run"]] {
      let text = try program.run(arguments).text
      #expect(text.contains("The daemon frees 30.0 MB by itself until 2026-12-13."), "\(text)")
      #expect(text.contains(days) && text.contains("1.0 kB more"), "\(text)")
      #expect(text.contains("Nothing was changed.") == (arguments != policy))
    }
    let garbage = try program.run(["gc", "--dry-run"]).text
    #expect(garbage.contains("frees 60.0 MB") && garbage.contains(days), "\(garbage)")
    #expect(!garbage.contains("forever"))
  }

  @Test func `each event is one line, and wait shows the pending work when time is over`() throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    let event = Control.Event(
      number: 3, time: Control.Time(nanoseconds: 0), kind: "export.end", path: "/t", text: "Sent.")
    var routes = ControlRoutes()
    routes.on(Control.Events.self) { request, stream in
      guard request.since == 2 else { throw ControlError(.invalidArguments, "since") }
      stream.event(event)
      return Control.EventsReply(last: 3)
    }
    routes.on(Control.Wait.self) { request, _ in
      guard request.timeoutSeconds == 0.5 else { throw ControlError(.invalidArguments, "timeout") }
      throw ControlError(.timedOut, "/t: 2 to send.", remedy: "Wait longer.")
    }
    let server = try serve(program, routes)
    defer { server.stop() }
    #expect(
      try program.run(["events", "--since", "2"]).text
        == "3  1970-01-01 00:00:00  export.end  /t  Sent.\n")
    #expect(
      try program.run(["events", "--since", "2", "--json"]).output
        == Data(try ControlJSON.encode(event) + [0x0A]))
    let waited = try program.run(["wait", "--timeout", "0.5"])
    #expect(waited.status == 41)
    #expect(waited.errors == "cairn: /t: 2 to send. [timedOut]\n  Wait longer.\n")
  }
}
