import CairnControl
import Testing

extension EndToEnd {
  /// Links that let a person in.
  @Suite struct LinkTests {
    /// Shares Ana's folder with contents.
    private func prepare(_ people: TwoPeople) throws {
      let folder = people.ana.folder
      try folder.make("")
      try folder.make("deep")
      try folder.make("deep/empty")
      for number in 0..<50 {
        let name: Name = number % 2 == 0 ? "\(number)" : "deep/\(number)"
        try folder.write("before \(number)", to: name)
      }
      try people.ana.cairn("share", "create", folder.path)
      try people.ana.wait()
    }

    @Test func `a person who joins by the link for anyone gets all earlier contents`()
      throws
    {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        let path = ana.folder.path
        try prepare(people)
        let refused = try ana.fails(.invalidArguments, "share", "link", path)
        #expect(refused.errors.contains("share set-public"))
        try ana.cairn("share", "set-public", path, "read-write", "--yes")
        let printed = try ana.cairn("share", "link", path)
        #expect(printed.text == printed.lastLine + "\n", "one line, for machines")
        #expect(try ana.cairn("share", "link", path).lastLine == printed.lastLine)
        // Only Bob's own daemon runs.
        try ana.stopDaemon()
        try bob.cairn("share", "accept", printed.lastLine, "--at", bob.folder.path, "--wait")
        try people.expectSame(count: 52)
        let mine = try bob.answer(Control.ShareReply.self, "share", "show", bob.folder.path)
        #expect(mine.share.me.role == .publicUser && mine.share.me.permission == .readWrite)
        try bob.folder.write("from Bob", to: "bob")
        try people.settle()
        try people.expectSame(count: 53)
        try ana.fails(.invalidArguments, "share", "invite", path, "bob")
      }
    }

    @Test func `a link for one person lets in the first and lists the awaited people`()
      throws
    {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        let path = ana.folder.path
        try prepare(people)
        let link = try ana.cairn("share", "invite", path, "--link", "--print-link")
        #expect(link.text == link.lastLine + "\n")
        let made = try ana.answer(
          Control.LinkReply.self, "share", "invite", path, "--link", "--expires", "7d")
        let shown = try ana.answer(
          Control.ParticipantsReply.self, "share", "participants", path
        ).participants
        let awaited = shown.filter { $0.user == nil }
        #expect(awaited.count == 2)
        #expect(awaited.allSatisfy { $0.acceptance == .pending && $0.name == nil })
        #expect(awaited.contains { $0.link == made.id })
        #expect(made.expires != nil)
        try ana.cairn("share", "uninvite", path, String(made.id.prefix(12)))
        try bob.fails(.permissionFailure, "share", "accept", made.link, "--at", bob.folder.path)
        #expect(!bob.folder.exists(""))
        try bob.cairn("share", "accept", link.lastLine, "--at", bob.folder.path, "--wait")
        try people.expectSame(count: 52)
        let carol = try people.another("carol")
        defer { people.end(carol) }
        try carol.fails(
          .permissionFailure, "share", "accept", link.lastLine, "--at", carol.folder.path)
        try ana.wait()
        let now = try ana.answer(
          Control.ParticipantsReply.self, "share", "participants", path
        ).participants
        #expect(now.map(\.handle) == ["ana", "bob"] && now.allSatisfy { $0.link == nil })
      }
    }

    @Test func `a link expires by itself`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.cairn("share", "create", ana.folder.path)
        let past = try ana.fails(
          .invalidArguments, "share", "invite", ana.folder.path, "--link", "--expires",
          "2001-01-01")
        #expect(past.errors.contains("expired"))
        let client = ControlClient(home: try Home(environment: ["CAIRN_HOME": ana.home.path]))
        let soon = Control.Time(nanoseconds: Control.Time.now().nanoseconds + 1_000_000_000)
        let link = try client.call(
          Control.ShareInviteLink(share: .path(Control.Path(ana.folder.path)), expires: soon)
        ).reply
        #expect(link.share.links.map(\.id) == [link.id])
        let cairn = try Program.built("cairn")
        let outcome = try ana.run(
          program: "/bin/bash", "-c",
          "grep -q -m 1 'has expired' < <(\(cairn) events --follow --since 0)")
        #expect(outcome.status == 0)
        let share = try ana.answer(
          Control.ShareReply.self, "share", "show", ana.folder.path
        ).share
        #expect(share.links.isEmpty && share.participants.count == 1)
        try bob.fails(.permissionFailure, "share", "accept", link.link, "--at", bob.folder.path)
      }
    }

    @Test func `a file for a link is closed to others, and a pipe stays as it is`()
      throws
    {
      try TwoPeople.play { people in
        let ana = people.ana
        try prepare(people)
        let script = """
          cd "$2" && touch open && chmod 644 open && mkfifo -m 666 pipe && cat pipe > got &
          cd "$2" && while [ ! -p pipe ]; do :; done
          for name in open pipe; do "$0" share invite "$1" --link --output $name || exit; done
          wait; stat -c %a open pipe
          """
        let outcome = try ana.run(
          program: "/bin/sh", "-c", script, ana.program, ana.folder.path, people.root.path)
        #expect(outcome.text.hasSuffix("600\n666\n"), "\(outcome.text)\(outcome.errors)")
        #expect(try people.root.text("got").hasPrefix("cairn:share/"))
      }
    }

    @Test func `a link arrives by argument, mail, file and pipe, with and without a daemon`()
      throws
    {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        let path = ana.folder.path
        try prepare(people)
        let file = people.root.path + "/link"
        let (carol, dave) = (try people.another("carol"), try people.another("dave"))
        defer { for person in [carol, dave] { people.end(person) } }
        for (person, way) in [(bob, "mail"), (carol, "file"), (dave, "pipe")] {
          let outcome = try ana.cairn(
            "share", "invite", path, "--link", "--output", file, "--qr")
          #expect(outcome.text.contains("▄") && !outcome.text.contains("cairn:share/"))
          let link = try people.root.text("link").split(separator: "\n").joined()
          let place = person.folder.path
          switch way {
          case "mail":
            try person.startDaemon()
            let (head, tail) = (link.prefix(76), link.dropFirst(76))
            try person.cairn(
              "share", "accept", "<\(head)=\n\(tail)>\n", "--at", place, "--wait")
          case "file":
            try person.cairn("share", "accept", file, "--at", place, "--wait")
          default:
            let cairn = try Program.built("cairn")
            let outcome = try person.run(
              program: "/bin/sh", "-c", "\(cairn) share accept - --at \(place) --wait <\(file)")
            #expect(outcome.status == 0, "\(outcome.errors)")
          }
          #expect(try person.folder.tree() == ana.folder.tree(), "\(way)")
        }
        try bob.fails(.invalidArguments, "share", "accept", "cairn:share/aaisem2ekv")
      }
    }
  }
}

extension TwoPeople {
  /// Returns one more person of the container. The test ends their daemon.
  func another(_ handle: String) throws -> Person {
    let person = try Person(handle, in: root, folder: handle.uppercased())
    try person.cairn(
      "init", "--container", container.path, "--name", handle.uppercased(), "--handle", handle)
    return person
  }

  /// Ends a person's daemon, if one runs.
  func end(_ person: Person) {
    do {
      let outcome = try person.run("stop")
      #expect(outcome.status == 0, "\(outcome.errors)")
    } catch {
      Issue.record("\(person.handle)'s daemon can't be ended: \(error)")
    }
  }
}
