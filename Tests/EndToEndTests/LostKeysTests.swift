import CairnControl
import Testing

extension EndToEnd {
  @Suite struct LostKeysTests {
    @Test func `folders of a home with lost keys are mirrored again, and no file is lost`()
      throws
    {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.make("sub")
        try ana.folder.write("one", to: "one")
        try ana.folder.write("two", to: "sub/two")
        try ana.cairn("add", ana.folder.path)
        try ana.wait()
        try ana.cairn("share", "create", ana.folder.path + "/sub")
        try ana.wait()
        try ana.stopDaemon()
        try ana.folder.write("not lost", to: ".cairn/rescue/kept")
        try ana.home.remove("keys")

        let refused = try ana.fails(.notAuthenticated, "status")
        #expect(refused.errors.contains("LOST KEYS"))
        let again = try ana.fails(
          .alreadyExists, "init", "--container", people.container.path, "--name", "A",
          "--handle", "anew")
        #expect(again.errors.contains("its keys are gone"))
        try ana.home.remove("cairn.conf")
        try ana.home.remove("index")
        try ana.cairn(
          "init", "--container", people.container.path, "--name", "A", "--handle", "anew")
        let told = try ana.fails(.alreadyMirrored, "add", ana.folder.path)
        #expect(told.errors.contains("--anew"))
        try ana.fails(.alreadyMirrored, "share", "create", ana.folder.path)
        try ana.fails(.alreadyMirrored, "add", ana.folder.path, "--dry-run")
        #expect(try ana.answer(Control.ZonesReply.self, "zones").zones.isEmpty)
        let names: Set<Name> = ["one", "sub", "sub/two"]
        let before = try ana.folder.tree()
        try ana.cairn("add", ana.folder.path, "--anew")
        try ana.wait()
        let after = try ana.folder.tree()
        #expect(Set(after.keys) == names)
        for name in names { #expect(after[name] == before[name], "\(name)") }
        #expect(try ana.folder.text(".cairn/rescue/kept") == "not lost")
        // A part that was a share can be shared again.
        try ana.cairn("share", "create", ana.folder.path + "/sub")
        let link = try ana.cairn("share", "invite", ana.folder.path + "/sub", "bob").lastLine
        try bob.cairn("share", "accept", link, "--at", bob.folder.path, "--wait")
        try people.settle()
        #expect(try bob.folder.text("two") == "two")
        #expect(try ana.cairn("verify").text.contains("all in order"))
      }
    }

    @Test func `keys that were put back are used for their person only`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        try ana.folder.make("")
        try ana.folder.write("one", to: "one")
        try ana.cairn("add", ana.folder.path)
        try ana.wait()
        let before = try ana.answer(Control.StatusReply.self, "status").account
        try ana.stopDaemon()
        for name: Name in ["cairn.conf", "index", "mounts.json"] { try ana.home.remove(name) }

        let refused = try ana.fails(.notAuthenticated, "status")
        #expect(refused.errors.contains("has keys"))
        func arguments(_ handle: String, in container: String) -> [String] {
          ["init", "--container", container, "--name", "Another Name", "--handle", handle]
        }
        let here = arguments(ana.handle, in: people.container.path)
        let others = try ana.fails(
          .constraintViolation, arguments("anew", in: people.container.path))
        #expect(others.errors.contains("belong to \(ana.handle)"))
        #expect(try ana.run(here + ["--dry-run"]).text.contains("use the keys of \(ana.handle)"))
        // A mistyped container is a new one.
        let elsewhere = try ana.run(arguments(ana.handle, in: people.root.path + "/typo"))
        #expect(elsewhere.text.contains("Nothing of yours was in this container"))
        try ana.home.remove("cairn.conf")
        let reply = try ana.answer(Control.SetupReply.self, here)
        #expect(reply.keys == .found)
        #expect(reply.account == before)
        try ana.wait()
        #expect(try ana.mount().path.text == ana.folder.path)
        #expect(try ana.folder.text("one") == "one")
      }
    }

    @Test func `keys of a revoked device are refused with the way back`() throws {
      try TwoPeople.play { people in
        try people.withDevice(of: people.ana) { laptop in
          let device = try laptop.answer(Control.StatusReply.self, "status").account.device
          try laptop.stopDaemon()
          try people.ana.cairn("device", "revoke", device)
          for name: Name in ["cairn.conf", "index"] { try laptop.home.remove(name) }
          let refused = try laptop.fails(
            .notAuthenticated, "init", "--container", people.container.path, "--name", "Ana",
            "--handle", laptop.handle)
          #expect(refused.errors.contains("was revoked"))
          #expect(refused.errors.contains("cairn device join"))
        }
      }
    }

    @Test func `another home's folder isn't taken over without a confirmation`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.write("one", to: "one")
        try ana.cairn("add", ana.folder.path)
        try ana.wait()
        try bob.fails(.alreadyMirrored, "add", ana.folder.path)
        try ana.folder.write("two", to: "two")
        try ana.wait()
        try bob.cairn("add", ana.folder.path, "--anew")
        try bob.wait()
        try ana.folder.write("three", to: "three")
        try bob.wait()
        #expect(try bob.mount().files == 3)
        _ = try ana.run("wait", "--timeout", "1")
        #expect(try ana.mount().phase == .detached)
        #expect(try ana.folder.text("one") == "one")
      }
    }
  }
}
