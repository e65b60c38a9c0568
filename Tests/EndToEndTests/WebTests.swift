import BuiltPrograms
import CairnControl
import Testing

extension EndToEnd {
  /// A container that an ordinary web server shows to a person who only reads.
  @Suite struct WebTests {
    private func play(
      _ ways: [String] = [], _ body: (TwoPeople, Person, String) throws -> Void
    ) throws {
      try TwoPeople.play { people in
        let server = PythonServer("Buckets/web.py", [people.container.path] + ways)
        let reader = try Person("reader", in: people.root, folder: "R")
        defer {
          do { try reader.stopDaemon() } catch { Issue.record("the reader's daemon: \(error)") }
        }
        try withExtendedLifetime(server) {
          try body(people, reader, "http://127.0.0.1:\(server.port)")
        }
      }
    }

    /// Returns a link for anyone to Ana's folder.
    private func link(
      to people: TwoPeople, _ permission: String = "read-only"
    ) throws -> String {
      let path = people.ana.folder.path
      try people.ana.folder.make("")
      try people.ana.folder.write("hers", to: "plan")
      try people.ana.cairn("share", "create", path)
      try people.ana.cairn("share", "set-public", path, permission, "--yes")
      return try people.ana.cairn("share", "link", path).lastLine
    }

    @Test func `it shows public zones, and linked shares, and is never written to`()
      throws
    {
      try play { people, reader, address in
        let ana = people.ana
        let who = ["--name", "Reader", "--handle", "reader"]
        let refused = try reader.fails(
          .permissionFailure, ["init", "--container", address] + who)
        #expect(refused.errors.contains("it is read-only there"))
        try reader.fails(.badContainer, "init", "--container", address + "/elsewhere")
        #expect(!people.root.exists("reader/cairn.conf"))

        let link = try link(to: people)
        try ana.cairn("public", "put", ana.folder.path + "/plan", "--as", "docs/plan")
        try ana.wait()
        for person in [ana, people.bob] { try person.stopDaemon() }
        let before = try people.container.tree()
        try reader.cairn("init", "--container", address)
        let status = try reader.answer(Control.StatusReply.self, "status")
        #expect(status.container.path.text == address && status.container.reachable)
        #expect(try reader.cairn("public", "get", "ana/docs/plan", "--output", "-").text == "hers")

        try reader.cairn("share", "accept", link, "--at", reader.folder.path, "--wait")
        #expect(try reader.folder.text("plan") == "hers")
        #expect(try reader.mount().permission == .readOnly)
        #expect(try reader.folder.node("plan").mode == 0o444)
        try reader.folder.write("mine", to: "new")
        try reader.wait()
        #expect(try !reader.folder.exists("new") && reader.mount().rescued.count == 1)
        try reader.cairn("verify")
        let copy = people.root.path + "/copy"
        try reader.cairn("container", "copy", copy)
        try reader.fails(.invalidArguments, "container", "copy", address + "/elsewhere")
        try reader.fails(.notAuthenticated, "share", "create", reader.folder.path)
        #expect(try people.container.tree() == before)
        #expect(Folder(copy).exists("container"))
      }
    }

    @Test func `a reader by a link can read as long as the share has it`()
      throws
    {
      try play { people, reader, address in
        let ana = people.ana
        let link = try link(to: people, "read-write")
        try ana.wait()
        // The link alone creates the home, which only reads.
        let out = try reader.cairn(
          "share", "accept", link, "--container", address, "--at", reader.folder.path, "--wait")
        #expect(out.text.contains("is at \(reader.folder.path)"))
        try ana.folder.write("anew", to: "later")
        try ana.wait()
        try reader.stopDaemon()
        try reader.wait()
        #expect(try reader.folder.text("later") == "anew" && reader.mount().permission == .readOnly)
        // Nobody is told, and nobody can be told.
        let path = ana.folder.path
        let shown = try ana.answer(Control.ParticipantsReply.self, "share", "participants", path)
        #expect(shown.participants.count == 1)

        try ana.cairn("share", "set-public", ana.folder.path, "none", "--yes")
        try ana.folder.write("secret", to: "secret")
        try ana.wait()
        _ = try reader.run("wait", "--timeout", "60")
        try reader.awaits("share.revoked")
        #expect(!reader.folder.exists("secret"))
      }
    }

    @Test func `without lists a link's share is readable, and the public zone says why not`()
      throws
    {
      try play(["no-lists", "ranges"]) { people, reader, address in
        let link = try link(to: people)
        try people.ana.wait()
        try reader.cairn("init", "--container", address)
        try reader.cairn("share", "accept", link, "--at", reader.folder.path, "--wait")
        #expect(try reader.folder.text("plan") == "hers")
        try people.ana.folder.write("more", to: "more")
        try people.ana.wait()
        try reader.wait()
        #expect(try reader.folder.text("more") == "more")
        let said = try reader.fails(.serverRejectedRequest, "public", "list")
        #expect(said.errors.contains("no lists of its folders"))
      }
    }

    @Test func `a server without files, and a missing one, create no home`()
      throws
    {
      try play(["page-for-all"]) { people, reader, address in
        let page = try reader.fails(.badContainer, "init", "--container", address)
        #expect(page.errors.contains("404"))
        try reader.fails(.networkUnavailable, "init", "--container", "http://127.0.0.1:1/x")
        let elsewhere = try reader.fails(.badContainer, "init", "--container", address + "/x")
        #expect(elsewhere.errors.contains("404"))
        let plain = try reader.fails(
          .invalidArguments, "init", "--container", "http://example.org/cloud")
        #expect(plain.errors.contains("https://HOST/PATH"))
        #expect(!people.root.exists("reader/cairn.conf"))
        try reader.cairn("init", "--container", people.container.path, "--anonymous")
      }
    }
  }
}
