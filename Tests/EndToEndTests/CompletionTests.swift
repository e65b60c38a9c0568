import APIDescription
import CairnControl
import Glibc
import Testing

extension EndToEnd {
  /// The completions of the scripts for shells, from the shells themselves.
  @Suite struct CompletionTests {
    @Test func `bash offers commands, options, values, shares, people and ids`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let share = ana.folder.path
        let tab = try Bash(ana)
        #expect(try tab.offers(["sha"]) == ["share"])
        #expect(try tab.offers(["share", "set-p"]) == ["set-permission", "set-public"])
        #expect(try tab.offers(["status", "--js"]) == ["--json"])
        #expect(try tab.offers(["zones", "--scope", "p"]) == ["private", "public"])
        #expect(try tab.offers(["share", "set-permission", ""]) == [share])
        #expect(try tab.offers(["share", "set-permission", share, ""]) == ["bob"])
        #expect(
          try tab.offers(["share", "set-permission", share, "bob", "read-"])
            == ["read-only", "read-write"])
        #expect(try tab.offers(["share", "invite", share, ""]) == ["bob"])
        #expect(try tab.offers(["user", "verify", "b"]) == ["bob"])
        #expect(try tab.offers(["remove", ""]) == [share])
        #expect(try tab.offers(["rewind", share, "--by", ""]) == ["bob"])
        let id = try ana.answer(Control.ShareListReply.self, "share", "list").shares[0].id
        let shown = String(id.prefix(12))
        #expect(try tab.offers(["share", "show", String(id.prefix(3))]) == [shown])
        #expect(try tab.offers(["add", "/x", "--zone", String(id.prefix(3))]) == [shown])

        try people.root.make("other")
        try ana.cairn("share", "create", people.root.path + "/other")
        try ana.cairn("share", "invite", people.root.path + "/other", "bob")
        let asked = try bob.answer(Control.InvitationsReply.self, "share", "invitations")
        let invitation = String(try #require(asked.invitations.first).id.prefix(12))
        #expect(
          try Bash(bob).offers(["share", "accept", String(invitation.prefix(2))]) == [invitation])
      }
    }

    @Test func `bash offers requests, invitations, versions, devices and publications`()
      throws
    {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        let share = ana.folder.path
        let carol = try people.another("carol")
        defer { people.end(carol) }
        let tab = try Bash(ana)
        try ana.cairn("share", "set-requests", share, "on")
        let link = try ana.answer(Control.ShareReply.self, "share", "show", share).share.link
        #expect(try tab.offers(["share", "approve", share, ""]) == [])
        try carol.cairn("share", "request", link)
        for command in ["approve", "deny"] {
          #expect(try tab.offers(["share", command, share, ""]) == ["carol"], "\(command)")
        }
        #expect(try tab.offers(["share", "block", share, ""]) == ["bob", "carol"])
        #expect(try tab.offers(["share", "unblock", share, ""]) == [])
        try ana.cairn("share", "block", share, "carol")
        #expect(try tab.offers(["share", "unblock", share, ""]) == ["carol"])
        try ana.cairn("share", "unblock", share, "carol")
        try ana.cairn("share", "invite", share, "carol")
        let made = try ana.answer(Control.LinkReply.self, "share", "invite", share, "--link")
        #expect(
          try tab.offers(["share", "uninvite", share, ""])
            == [String(made.id.prefix(12)), "carol"].sorted())
        #expect(try tab.offers(["container", "policy", ""]) == ["bob", "carol"])

        for text in ["one", "two"] {
          try ana.folder.write(text, to: "file")
          try people.settle()
        }
        let file = share + "/file"
        let past = try ana.answer(Control.HistoryReply.self, "history", file)
        let versions = past.entries.map { String($0.version) }.sorted()
        #expect(versions.count == 2)
        for line in [["restore"], ["show"], ["history", "forget"]] {
          #expect(try tab.offers(line + [file, "--version", ""]) == versions, "\(line)")
        }
        let device = try ana.answer(Control.DeviceListReply.self, "device", "list").devices[0].name
        #expect(try tab.offers(["history", "list", file, "--device", ""]) == [device])

        try ana.cairn("public", "put", file, "--as", "docs/file")
        #expect(try tab.offers(["public", "mount", "/x", "--author", ""]) == ["ana"])
        let top = try ana.answer(Control.PublicListReply.self, "public", "list").entries[0].path
          .text
        #expect(try tab.offers(["public", "list", "a"]) == [top])
        #expect(try tab.offers(["public", "get", "ana/docs/"]) == ["ana/docs/file"])
        #expect(try tab.offers(["public", "remove", "ana/"]) == ["ana/docs", "ana/docs/file"])
      }
    }

    @Test func `each option with a value offers some, unless only its person knows them`() throws {
      struct Argument: Decodable {
        struct Name: Decodable { var name: String }
        var kind: String
        var names: [Name]?
        var valueName: String?
        var completionKind: JSONValue?
      }
      struct Command: Decodable {
        var commandName: String
        var arguments: [Argument]?
        var subcommands: [Command]?
      }
      struct Dump: Decodable { var command: Command }
      func silent(_ command: Command, _ path: String) -> [String] {
        let path = path + command.commandName
        let here = (command.arguments ?? []).filter {
          $0.kind != "flag" && $0.completionKind == nil
        }
        .map { $0.names?.last?.name ?? "<\($0.valueName ?? "")>" }
        .filter { !Self.free.contains($0) }.map { path + " " + $0 }
        return here + (command.subcommands ?? []).flatMap { silent($0, path + " ") }
      }
      try TwoPeople.play { people in
        let dump = try people.ana.cairn("--experimental-dump-help")
        let all = try ControlJSON.decode(Dump.self, from: dump.output).command
        #expect((all.subcommands ?? []).count > 30)
        #expect(silent(all, "").isEmpty)
      }
    }

    /// The arguments that only the person can know: new names, times, spans, numbers, secrets.
    private static let free: Set<String> = [
      "name", "handle", "device-name", "title", "message", "<name>", "profile", "region",
      "principal", "as", "at", "since", "until", "to", "for", "expires", "older-than", "all",
      "daily", "poll", "timeout", "versions", "limit", "match", "<links>", "<code>",
      "<subcommands>", "max-size", "max-files", "<link>", "after",
    ]

    @Test func `no text in a name is run, and the name is offered unchanged`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        let hostile = [
          "a$(touch hit)", "b`touch hit`", "c\"d'e\\f",
          "g h;i|j&k", "l{m,n}~*?[o]",
        ]
        try ana.folder.make("")
        for name in hostile {
          try ana.folder.make("\(name)")
          try ana.cairn("add", ana.folder.path + "/" + name)
        }
        let tab = try Bash(ana)
        let offered = try tab.offers(["remove", ana.folder.path + "/"])
        #expect(Set(offered) == Set(hostile.map { ana.folder.path + "/" + $0 }))
        #expect(!people.root.exists("hit") && !ana.folder.exists("hit"))
        #expect(!tab.person.scratch.exists("hit"))
      }
    }

    @Test func `without a daemon nothing is printed, and none is started`() throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        try ana.stopDaemon()
        let tab = try Bash(ana)
        for line in [["share", "invite", ""], ["remove", ""], ["share", "accept", ""]] {
          #expect(try tab.offers(line) == [])
        }
        #expect(try ana.cairn("stop").text == "No cairnd is running.\n")
        let stranger = try Person("eve", in: people.root, folder: "E")
        #expect(try Bash(stranger).offers(["share", "invite", ""]) == [])
        #expect(!people.root.exists("eve"))
      }
    }

    @Test(.enabled(if: access("/usr/bin/fish", X_OK) == 0, "fish isn't installed"))
    func `fish offers the same`() throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        let functions = try ana.cairn("--generate-completion-script", "fish").output
        try ana.scratch.write(functions, to: "cairn.fish")
        // A line is typed on a terminal, with tabs in it. The resulting line is recorded.
        let script = """
          export TERM=dumb PATH=\(programs(of: ana)):$PATH
          printf 'cairn share set-perm\\t\(ana.folder.path) b\\tread-w\\t\\nexit\\n' |
            script -qec "fish --no-config -i -C 'source \(ana.scratch.path)/cairn.fish
              function cairn; echo cairn \\$argv > \(ana.scratch.path)/line; end'" /dev/null
          """
        let outcome = try ana.run(program: "/bin/bash", "-c", script)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
          try ana.scratch.text("line")
            == "cairn share set-permission \(ana.folder.path) bob read-write\n", "\(outcome.text)")
      }
    }

    @Test(.enabled(if: access("/usr/bin/zsh", X_OK) == 0, "zsh isn't installed"))
    func `zsh completes the same`() throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        let functions = try ana.cairn("--generate-completion-script", "zsh").output
        try ana.scratch.write(functions, to: "_cairn")
        // A line is typed on a terminal, with tabs in it. The resulting line is recorded.
        let typed = "cairn share set-perm\\t\(ana.folder.path) b\\tread-w\\t"
        let script = """
          zmodload zsh/zpty zsh/zselect
          zpty z zsh -f -i
          zpty -w z 'path=(\(programs(of: ana)) $path); PROMPT=; fpath=(\(ana.scratch.path) $fpath)'
          zpty -w z 'autoload -U compinit; compinit -u -D; finish() { print -r -- "$BUFFER"'\\
          ' > \(ana.scratch.path)/line; exit }; zle -N finish; bindkey "^G" finish'
          zpty -w z ': > \(ana.scratch.path)/ready'
          while [[ ! -e \(ana.scratch.path)/ready ]] { zselect -t 2; zpty -rt z }
          zpty -wn z $'\(typed)\\a'
          while [[ ! -s \(ana.scratch.path)/line ]] { zselect -t 2; zpty -rt z }
          """
        let outcome = try ana.run(program: "/usr/bin/zsh", "-f", "-c", script)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(
          try ana.scratch.text("line").split(whereSeparator: \.isWhitespace).joined(separator: " ")
            == "cairn share set-permission \(ana.folder.path) bob read-write")
      }
    }

    private func programs(of person: Person) -> String {
      "/" + person.program.split(separator: "/").dropLast().joined(separator: "/")
    }
  }
}

/// A bash with the script, and a person who presses Tab in it.
private struct Bash {
  let person: Person
  private let script: String

  init(_ person: Person) throws {
    self.person = person
    let outcome = try person.cairn("--generate-completion-script", "bash")
    try person.scratch.write(outcome.output, to: "cairn.bash")
    script = person.scratch.path + "/cairn.bash"
  }

  /// Returns the completions of the last of these words, in order.
  func offers(_ words: [String]) throws -> [String] {
    let ask = """
      source "$0"
      COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"
      COMP_POINT=${#COMP_LINE}
      complete -p cairn >/dev/null || exit 1
      _cairn cairn "${COMP_WORDS[-1]}" "${COMP_WORDS[-2]}"
      ((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
      """
    let outcome = try Program.run(
      "/bin/bash", ["--norc", "-c", ask, script, person.program] + words,
      environment: person.environment, scratch: person.scratch)
    try #require(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome.errors)")
    return outcome.text.split(separator: "\n").map(String.init).sorted()
  }
}
