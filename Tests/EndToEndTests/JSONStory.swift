import APIDescription
import CairnControl
import Testing

/// Ana, Bob and Carol use every command, in parts that build on each other. Each answer is compared
/// with cairn-json(7).
struct JSONStory {
  let people: TwoPeople
  /// The answers of this story only.
  let book = AnswerBook()

  var ana: Person { people.ana }
  var bob: Person { people.bob }
  /// Ana's folder, which she shares.
  var path: String { people.ana.folder.path }
  var second: String { people.root.path + "/Second" }

  init(_ people: TwoPeople) { self.people = people }

  /// Runs a command for a person. It must end with that status.
  @discardableResult
  func ask(
    _ person: Person, _ words: String..., status: Int32 = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Program.Outcome {
    let outcome = try person.run(words + ["--json"])
    #expect(
      outcome.status == status, "cairn \(words): \(outcome.text) \(outcome.errors)",
      sourceLocation: sourceLocation)
    book.take(outcome, of: words)
    return outcome
  }

  // MARK: The parts

  /// Ana shares a folder, and Bob accepts.
  func begin() throws {
    let dora = try Person("dora", in: people.root, folder: "D")
    try ask(
      dora, "init", "--container", people.container.path, "--name", "Dora", "--handle", "dora",
      "--dry-run")
    try ask(
      dora, "init", "--container", people.container.path, "--name", "Dora", "--handle", "dora")
    let text = try ana.home.text("cairn.conf")
    let more = """

      [network]
      upload-limit = 50000000
      download-limit = 50000000
      [wake]
      listen = "127.0.0.1:0"

      """
    try ana.home.write(text + more, to: "cairn.conf")
    try ask(ana, "start")
    try ana.folder.make("")
    try ana.folder.make("d")
    try ana.folder.write("one", to: "d/note")
    try ana.folder.write("left out", to: "d/note~")
    try ana.folder.write("*.o\n", to: ".cairnignore")
    try ana.folder.write("left out", to: "d/code.o")
    try ana.folder.link("link", to: "d/note")
    try ana.folder.write("bytes", to: Name([0x66, 0xFF]))
    for number in 0..<120 { try ana.folder.write("good \(number)", to: "d/\(number)") }
    try ask(ana, "add", path, "--dry-run")
    try ask(ana, "share", "create", path)
    try ask(ana, "wait", path, "--progress")
    try ask(ana, "share", "invite", path, "bob")
    let waiting = try ask(bob, "share", "invitations")
    let reply = try ControlJSON.decode(Control.InvitationsReply.self, from: waiting.output)
    let id = try #require(reply.invitations.first?.id)
    try ask(bob, "share", "accept", id, "--at", bob.folder.path, "--dry-run")
    try ask(bob, "share", "accept", id, "--at", bob.folder.path, "--wait")
    try people.settle()
  }

  /// Everybody uses the commands that read.
  func look() throws {
    let token = String(repeating: "a", count: 64)
    _ = try ControlClient(home: Home(environment: ["CAIRN_HOME": ana.home.path])).call(
      Control.ProgramAsk(name: "Shelf", token: token, zones: ["Books"], sharing: true))
    try ask(ana, "program", "list")
    for words in [
      ["status"], ["zones"], ["schema", path],
      ["stat", path], ["inspect"], ["doctor"], ["log-level"],
      ["doctor", "--report", people.root.path + "/report"], ["quota"], ["log", path],
      ["changes", path], ["why", path + "/d/note"], ["why", "/nowhere"], ["history", path],
      ["transfers"], ["ls", "-r", path], ["can", path], ["can", "modify"],
      ["user", "list"], ["user", "verify", "bob"], ["share", "list"], ["share", "show", path],
      ["share", "participants", path], ["share", "of", path], ["events"], ["verify", path],
      ["repair"], ["gc", "--dry-run"], ["held"], ["conflicts"], ["rescue"], ["device", "list"],
      ["share", "policy", path], ["history", "policy", path],
      ["program", "allow", "Shelf"], ["program", "revoke", "Shelf"],
    ] {
      let outcome = try ana.run(words + ["--json"])
      book.take(outcome, of: words)
    }
    try ask(bob, "select", bob.folder.path, "--without", "d")
    try ask(bob, "status")
    try ask(bob, "select", bob.folder.path)
    try ask(bob, "get", bob.folder.path + "/d/note")
    try ask(bob, "select", bob.folder.path, "--all")
    try ask(bob, "metadata", bob.folder.path, "--full")
    try people.settle()
    try openFile()
    try ask(ana, "quota", path, "--limit", "1")
    try ana.folder.write("too much", to: "more")
    try ana.awaitEvent(.problem)
    try ask(ana, "events")
    try ask(ana, "transfers")
    try ask(ana, "transfers", "--first", path + "/more")
    try ask(ana, "quota", path, "--limit", "none")
    try ask(ana, "pause", path, "--for", "1h")
    try ask(ana, "status", path)
    try ask(ana, "resume")
    try ask(ana, "pause")
    try ask(ana, "status")
    try ask(ana, "resume")
    let missing = Control.ErrorCode.unknownItem.exitStatus
    try ask(ana, "share", "show", "/nowhere", status: missing)
    try ask(ana, "console")
    try ask(ana, "mount")
  }

  /// Bob has a file open, as an office program tells.
  private func openFile() throws {
    try bob.folder.write("Bob,his,machine,now;", to: "d/.~lock.note#")
    try ana.awaitEvent(.fileOpened)
    try ask(ana, "stat", path + "/d/note")
    try ask(ana, "ls", path + "/d")
    try bob.folder.remove("d/.~lock.note#")
    try ana.awaitEvent(.fileClosed)
  }

  /// Bob makes unusually many changes, which are reverted. Versions are listed and forgotten.
  func changePast() throws {
    for number in 0..<110 { try bob.folder.write("bad \(number)", to: "d/\(number)") }
    try bob.folder.write("two", to: "d/note")
    try people.settle()
    try ana.awaitEvent(.changesMany)
    let status = try ask(ana, "status")
    let bursts = try ControlJSON.decode(Control.StatusReply.self, from: status.output).bursts
    let before = "@\(try #require(bursts.first).before)"
    let note = path + "/d/note"
    try ask(ana, "ls", "--at", before, path)
    try ask(ana, "show", note, "--at", before)
    try ask(ana, "diff", note, "--at", before)
    try ask(ana, "restore", note, "--at", before, "--to", people.root.path + "/was")
    try ask(ana, "restore", note, "--at", before, "--dry-run")
    try bob.folder.move("d/note", to: "note")
    try people.settle()
    try ask(ana, "history", "list", path)
    try ask(ana, "rewind", path, "--to", before)
    try people.settle()
    try ask(ana, "history", "list", note)
    try ask(ana, "history", "policy", path, "--all", "30d", "--dry-run")
    try ask(ana, "history", "policy", path, "--versions", "0")
    try ask(ana, "gc", "--dry-run")
    try ask(
      ana, "history", "policy", path, "--all", "30d", "--daily", "1y", "--versions", "9")
    try ask(ana, "history", "forget", note, "--yes")
    try ask(ana, "gc")
    // Ana deletes so much that it awaits her confirmation, twice.
    var last: UInt64 = 0
    for word in ["undo", "confirm"] {
      for number in 0..<115 { try ana.folder.remove(Name(Array("d/\(number)".utf8))) }
      last = try ana.awaitEvent(.deletionsHeld, after: last).number
      try ask(ana, "status")
      try ask(ana, "why", path + "/d/1")
      try ask(ana, "held", "list")
      try ask(ana, "held", word, path)
      try people.settle()
    }
  }

  /// Plays permissions, links, requests, and their ends.
  func letIn() throws {
    let carol = try people.another("carol")
    defer { people.end(carol) }
    try ask(ana, "share", "set-permission", path, "bob", "read-only")
    try ask(ana, "share", "set-role", path, "bob", "administrator")
    try ask(ana, "share", "set-permission", path, "bob", "read-write")
    try ask(ana, "share", "policy", path, "--participants-invite", "yes")
    try ask(ana, "share", "policy", path, "--permission", "read-write")
    try ask(ana, "share", "policy", path, "--permission", "any")
    let made = try ask(
      ana, "share", "invite", path, "--link", "--expires", "7d", "--from-now")
    let link = try ControlJSON.decode(Control.LinkReply.self, from: made.output)
    try ask(ana, "share", "uninvite", path, link.id)
    let asked = try ask(ana, "share", "set-requests", path, "on")
    let share = try ControlJSON.decode(Control.ShareReply.self, from: asked.output).share
    try ask(carol, "share", "request", share.link)
    try ask(ana, "share", "requests")
    try ask(ana, "share", "deny", path, "carol")
    try ask(carol, "share", "request", share.link)
    try ask(ana, "share", "block", path, "carol")
    try ask(ana, "share", "unblock", path, "carol")
    try ask(carol, "share", "request", share.link)
    try ask(ana, "share", "approve", path, "carol")
    try ask(ana, "share", "uninvite", path, "carol")
    // Once somebody is verified, others aren't.
    for (person, user) in [(ana, "bob"), (carol, "bob")] {
      let number = try person.answer(Control.UserVerifyReply.self, "user", "verify", user).number
      try ask(person, "user", "verify", user, "--match", number)
    }
    try ask(ana, "share", "invite", path, "carol", "--unverified", "--from-now")
    try ask(carol, "share", "accept")
    try ask(carol, "status")
    try ask(carol, "share", "decline", share.link)
    try ask(ana, "share", "uninvite", path, "carol")
    try ask(ana, "share", "invite", path, "carol", "--unverified", "--from-now")
    try ask(carol, "share", "accept", share.link, "--at", carol.folder.path, "--dry-run")
    try ask(
      carol, "share", "accept", share.link, "--at", carol.folder.path, "--wait", "--unverified")
    try ask(ana, "share", "set-permission", path, "carol", "read-only", "--until", "7d")
    try ask(ana, "share", "participants", path)
    try ask(ana, "user", "show", "carol")
    try ask(carol, "history", "list", carol.folder.path)
    try ask(ana, "share", "remove", path, "carol")
    try carol.awaitEvent(.shareRevoked)
    try ask(carol, "events")
    let refused = try carol.run("share", "request", share.link, "cairn:nonsense", "--json")
    book.take(refused, of: ["share", "request"])
    try endAccess(of: carol)
    try inviteGroup()
    try dropFiles()
    try people.root.make("Second")
    try ask(ana, "share", "create", second, "--invite", "bob")
    try people.root.make("Third")
    try ask(ana, "share", "add", second, people.root.path + "/Third")
    try ask(ana, "share", "set-public", second, "read-only", "--yes")
    try ask(ana, "share", "link", second)
  }

  /// A person comes back by a link, and one command ends all that they can see.
  private func endAccess(of carol: Person) throws {
    let made = try ask(ana, "share", "invite", path, "--link")
    let link = try ControlJSON.decode(Control.LinkReply.self, from: made.output)
    try ask(
      carol, "share", "accept", link.link, "--at", people.root.path + "/carol-again", "--wait",
      "--unverified")
    try people.settle()
    try ask(ana, "user", "show", "carol")
    try ask(ana, "user", "remove", "carol")
  }

  /// A share is given to a group, and people join and leave it.
  private func inviteGroup() throws {
    let folder = people.root.path + "/Team"
    try people.root.make("Team")
    try ask(ana, "share", "create", folder)
    try ask(ana, "group", "create", "team")
    try ask(ana, "share", "invite", folder, "@team")
    try ask(ana, "group", "add", "team", "bob")
    try ask(ana, "group", "list")
    try ask(ana, "group", "show", "team")
    try ask(ana, "group", "remove", "team", "bob")
    try ask(ana, "group", "delete", "team")
    try ask(ana, "share", "invite", folder, "bob")
    try ask(ana, "share", "invite", folder, "bob", "--permission", "read-only")
    try ask(ana, "share", "stop", folder, "--yes")
  }

  /// People put files into a drop box, and its owner decides about them.
  private func dropFiles() throws {
    let made = try ask(ana, "drop", "create", path, "--until", "7d")
    let reply = try ControlJSON.decode(Control.DropsReply.self, from: made.output)
    let box = try #require(reply.boxes.first)
    try people.root.write("a letter", to: "letter")
    let file = people.root.path + "/letter"
    try ask(bob, "drop", "put", box.link, file)
    try ask(bob, "drop", "put", box.link, file, "--anonymous")
    try ana.awaitEvent(.dropReceived)
    try ask(ana, "status")
    let listed = try ask(ana, "drop", "list")
    let list = try ControlJSON.decode(Control.DropsReply.self, from: listed.output)
    try ask(ana, "drop", "accept", try #require(list.drops.first?.id))
    try ask(ana, "drop", "discard", "--all")
    try ask(ana, "drop", "end", box.id, "--yes")
    try people.settle()
  }

  /// Plays conflicts, and the contents of the rescue folder.
  func setAside() throws {
    for file in ["first", "second"] {
      let name = Name(Array(file.utf8))
      try ana.folder.write("before", to: name)
      try people.settle()
      for person in [ana, bob] { try ask(person, "stop") }
      try ana.folder.write("of ana", to: name)
      try bob.folder.write("of bob", to: name)
      try ana.startDaemon()
      try ana.wait()
      try bob.startDaemon()
      try people.settle()
      let listed = try ask(bob, "conflicts", "list")
      let list = try ControlJSON.decode(Control.ConflictsReply.self, from: listed.output)
      let copy = try #require(list.conflicts.first?.copy.path.text)
      try ask(bob, "conflicts", "diff", copy)
      try ask(bob, "conflicts", "merge", copy)
      try ask(bob, "conflicts", "keep", "mine", copy)
      try people.settle()
    }
    try takeNotice(to: bob)
    try ask(bob, "status")
    let listed = try ask(bob, "rescue", "list")
    let list = try ControlJSON.decode(Control.RescueReply.self, from: listed.output)
    try ask(bob, "rescue", "restore", try #require(list.entries.first?.rescued.path.text))
    try ask(bob, "rescue", "clear", "--all", "--yes")
  }

  /// Takes a person's first notification about an event: a command that runs until it is ended.
  private func takeNotice(to person: Person) throws {
    let script = """
      mkfifo told && { "$0" events --notify --since 0 --json > told & } && process=$!
      head -n 1 told; kill $process; wait $process; rm told; exit 0
      """
    let outcome = try person.run(
      program: "/bin/sh", "-c", "cd \"$HOME\"; " + script, person.program)
    book.take(outcome, of: ["events", "--notify"])
  }

  /// Plays the public database.
  func publish() throws {
    let mine = people.root.path + "/public"
    try ask(ana, "public", "mount", mine)
    try Folder(mine).write("ana's", to: "file")
    try Folder(mine).link("link", to: "file")
    try ana.wait()
    try ask(ana, "quota")
    let source = path + "/first"
    try ask(ana, "public", "put", source, "--as", "docs/first")
    try ask(bob, "public", "list", "ana")
    try ask(bob, "public", "get", "ana/docs/first", "--output", people.root.path + "/got")
    try ask(bob, "public", "export", people.root.path + "/export")
    try ask(ana, "public", "remove", "ana/docs/first")
    try ask(ana, "public", "unmount", mine)
  }

  /// Plays another device of Ana's, which lets somebody in and is revoked.
  func useDevices() throws {
    let laptop = try Person(
      "ana", in: people.root, folder: "laptop-folders", home: "laptop")
    let made = try ask(ana, "device", "link")
    let code = try ControlJSON.decode(Control.DeviceLinkReply.self, from: made.output).code
    try ask(
      laptop, "device", "join", code, "--device-name", "laptop", "--at", laptop.folder.path)
    defer {
      do { try laptop.killDaemon() } catch { Issue.record("the laptop's daemon: \(error)") }
    }
    try laptop.wait()
    try people.settle()
    try ask(ana, "status")
    try ask(ana, "share", "set-public", second, "none", "--yes")
    let dora = try people.another("eve")
    defer { people.end(dora) }
    try laptop.wait()
    let shares = try ask(laptop, "share", "list")
    let list = try ControlJSON.decode(Control.ShareListReply.self, from: shares.output).shares
    let share = try #require(list.first { $0.title == "Second" })
    try ask(laptop, "share", "invite", share.id, "eve", "--unverified")
    try ask(dora, "share", "accept", share.link, "--at", people.root.path + "/eve-second")
    try ana.wait()
    try recover()
    try ask(ana, "device", "list")
    try ask(ana, "device", "rename", "laptop", "old")
    try ask(ana, "device", "revoke", "old", "--yes")
  }

  /// Plays a third device of Ana's, which comes by a recovery sheet.
  private func recover() throws {
    let sheet = people.root.path + "/sheet"
    try ask(ana, "device", "recovery", "--name", "sheet", "--to", sheet)
    let desk = try Person("ana", in: people.root, folder: "desk-folders", home: "desk")
    for (person, words) in [
      (ana, ["device", "recovery", "--test", "--json"]),
      (
        desk,
        [
          "init", "--recover", "--container", people.container.path, "--at", desk.folder.path,
          "--json",
        ]
      ),
    ] {
      let outcome = try person.run(typing: sheet, words)
      #expect(outcome.status == 0, "cairn \(words): \(outcome.text) \(outcome.errors)")
      book.take(outcome, of: words)
    }
    try desk.stopDaemon()
  }

  /// Revokes a device while the log of a zone is damaged.
  private func missZone() throws {
    let made = try ask(ana, "device", "link")
    let code = try ControlJSON.decode(Control.DeviceLinkReply.self, from: made.output).code
    let tablet = try Person(
      "ana", in: people.root, folder: "tablet-folders", home: "tablet")
    try ask(
      tablet, "device", "join", code, "--device-name", "tablet", "--at", tablet.folder.path)
    try tablet.killDaemon()
    try ask(
      ana, "device", "revoke", "tablet", "--yes",
      status: Control.ErrorCode.partialFailure.exitStatus)
  }

  /// Makes Bob the owner. Ana leaves, and he ends the share.
  func end() throws {
    try ask(ana, "share", "successor", path, "bob", "--yes")
    try people.settle()
    try ask(bob, "share", "successor", bob.folder.path, "--claim")
    try ask(bob, "share", "successor", bob.folder.path)
    try ask(bob, "status")
    try ask(ana, "share", "transfer", path, "bob", "--yes")
    try people.settle()
    try ask(bob, "status")
    try ask(bob, "share", "transfer", bob.folder.path, "--accept")
    try people.settle()
    try ask(ana, "share", "leave", path, "--keep-copy", "--yes")
    try bob.wait()
    try ask(bob, "share", "stop", bob.folder.path, "--yes")
    let part = Folder(people.root.path + "/Part")
    try part.make("")
    try ask(ana, "share", "add", second, part.path)
    try ask(ana, "share", "take-out", part.path, "--yes")
    try ask(ana, "share", "stop", second, "--yes")
    try Folder(second).write("kept", to: "kept")
    try ana.wait()
    try ask(ana, "purge", second, status: Control.ErrorCode.invalidArguments.exitStatus)
    try ask(ana, "purge", second, "--yes")
    try ask(bob, "move", bob.folder.path, bob.folder.path + "-moved")
    try ask(bob, "move", bob.folder.path + "-moved", bob.folder.path)
    try ask(bob, "remove", bob.folder.path)
    try ask(ana, "status")
  }

  /// Damages the container: it loses the end of a log, and bytes.
  func harm() throws {
    let folder = Folder(people.root.path + "/Fourth")
    try folder.make("")
    try ask(ana, "add", folder.path)
    for name: Name in ["one", "two", "three"] {
      try folder.write("text", to: name)
      try ana.wait()
    }
    let log = try ControlJSON.decode(
      Control.LogReply.self, from: ask(ana, "log", folder.path).output)
    for entry in log.entries.sorted(by: { $0.sequence < $1.sequence }).suffix(2) {
      try people.container.remove(Name(Array(try #require(entry.object).utf8)))
    }
    try folder.write("edited", to: "one")
    try ana.awaitEvent(.containerDamaged)
    try ask(ana, "status")
    try ask(ana, "events")
    try missZone()
    book.take(try ana.run("doctor", "--json"), of: ["doctor"])
    book.take(try ana.run("verify", folder.path, "--json"), of: ["verify"])
    try ask(ana, "repair", folder.path, status: Control.ErrorCode.partialFailure.exitStatus)
    try ask(ana, "repair", folder.path, "--yes")
    try folder.write(Samples.noise(300_000), to: "large")
    try ana.wait()
    let copy = Folder(people.root.path + "/Copy")
    try ask(ana, "container", "copy", copy.path)
    for pack in try copy.files(below: "users").filter(\.isPack) {
      try copy.truncate(pack, to: 1000)
    }
    let partial = Control.ErrorCode.partialFailure.exitStatus
    try ask(ana, "container", "copy", copy.path, "--check", status: partial)
    try ask(ana, "container", "policy", "bob")
    try ask(ana, "container", "move", people.root.path + "/Moved", "--dry-run")
    for pack in try people.container.files(below: "users").filter(\.isPack) {
      try people.container.truncate(pack, to: 1000)
    }
    let damaged = Control.ErrorCode.assetNotAvailable.exitStatus
    try ask(ana, "verify", folder.path, status: damaged)
  }
}
