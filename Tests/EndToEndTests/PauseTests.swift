import CairnControl
import Testing

extension EndToEnd {
  /// Traffic that its person has paused.
  @Suite struct PauseTests {
    /// Returns when that many changes wait to be sent.
    private func awaits(_ count: Int, of person: Person) throws {
      let deadline = ContinuousClock.now + .seconds(60)
      while try person.mount().work.pendingLocal < count, ContinuousClock.now < deadline {}
      #expect(try person.mount().work.pendingLocal == count)
    }

    @Test func `nothing is sent during a pause, even after a restart, and all goes then`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try bob.folder.write("before", to: "before")
        try people.settle()
        #expect(try bob.cairn("pause").text.contains("All traffic is paused since"))
        try ana.folder.write("hers", to: "hers")
        try bob.folder.write("his", to: "his")
        try ana.wait()
        try awaits(1, of: bob)
        let reason = try bob.fails(.partialFailure, "wait")
        #expect(reason.errors.contains("it is paused since"))
        #expect(reason.errors.contains("cairn resume"))

        try bob.stopDaemon()
        try bob.startDaemon()
        try bob.folder.write("his, again", to: "his")
        try bob.folder.write("more", to: "more")
        try bob.fails(.partialFailure, "wait")
        try ana.wait()
        #expect(try Set(ana.folder.tree().keys) == ["before", "hers"])
        #expect(try Set(bob.folder.tree().keys) == ["before", "his", "more"])

        let status = try bob.answer(Control.StatusReply.self, "status")
        #expect(
          status.container.traffic?.paused != nil && status.container.traffic?.paused?.until == nil)
        #expect(status.mounts.map(\.phase) == [.paused])
        #expect(status.mounts.allSatisfy { $0.problems.isEmpty })
        #expect(try bob.cairn("status").text.contains("run `cairn resume` to continue"))
        // Commands that need the container give the reason for the refusal.
        let refused = try bob.fails(.networkUnavailable, "share", "leave", bob.folder.path)
        #expect(refused.errors.contains("cairn resume"))

        #expect(try bob.cairn("resume").text.contains("All traffic continues"))
        try people.settle()
        try people.expectSame(count: 4)
        try people.expectNoConflicts()
        #expect(try ana.folder.text("his") == "his, again")
        #expect(try bob.answer(Control.StatusReply.self, "status").container.traffic == nil)
        #expect(try bob.count(of: "traffic.resumed") == 1)
        #expect(try bob.cairn("resume").text == "Nothing was paused.\n")
      }
    }

    @Test func `one folder is paused by itself, and everything else goes on`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let (more, bobs) = (Folder(people.root.path + "/A2"), Folder(people.root.path + "/B2"))
        try people.root.make("A2")
        try ana.cairn("share", "create", more.path)
        let link = try ana.cairn("share", "invite", more.path, "bob").lastLine
        try bob.cairn("share", "accept", link, "--at", bobs.path, "--wait")

        try bob.cairn("pause", bob.folder.path + "/")
        #expect(try bob.count(of: "traffic.paused") == 1)
        try ana.folder.write("x", to: "paused")
        try more.write("x", to: "goes on")
        try ana.wait()
        try bob.cairn("wait", bobs.path)
        #expect(try bobs.text("goes on") == "x")
        try bob.fails(.partialFailure, "wait", bob.folder.path)
        #expect(!bob.folder.exists("paused"))
        let mounts = try bob.answer(Control.StatusReply.self, "status").mounts
        #expect(mounts.filter { $0.phase == .paused }.map(\.path.text) == [bob.folder.path])
        #expect(try bob.cairn("status").text.contains("paused   \(bob.folder.path), since"))

        // A pause of everything isn't ended in part.
        try bob.cairn("pause", "--for", "2h")
        #expect(
          try bob.answer(Control.StatusReply.self, "status").container.traffic?.paused?.until != nil
        )
        try bob.fails(.serviceUnavailable, "resume", bob.folder.path)
        try bob.cairn("resume")
        try bob.cairn("pause", bob.folder.path)
        try bob.cairn("resume", bob.folder.path)
        try people.settle()
        try people.expectSame()
      }
    }

    @Test func `a pause ends by itself when its time is over`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let home = try Home(environment: ["CAIRN_HOME": bob.home.path])
        _ = try ControlClient(home: home).call(Control.Pause(seconds: 1))
        try ana.folder.write("x", to: "later")
        try ana.wait()
        try bob.awaits("traffic.resumed")
        try people.settle()
        #expect(try bob.folder.text("later") == "x")
        #expect(!bob.home.exists("paused.json"))
      }
    }

    @Test func `limits are set in cairn.conf, and status shows them`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.stopDaemon()
        let text = try ana.home.text("cairn.conf")
        let limits = "\n[network]\nupload-limit = \"50M\"\ndownload-limit = 1048576\n"
        try ana.home.write(text + limits, to: "cairn.conf")
        try ana.startDaemon()
        try ana.folder.write(String(repeating: "long ", count: 500_000), to: "large")
        try people.settle()
        try people.expectSame()
        #expect(bob.folder.exists("large"))
        let status = try ana.answer(Control.StatusReply.self, "status")
        #expect(
          status.container.traffic?.limits
            == .init(upload: 50_000_000, download: 1_048_576, times: [], active: true))
        #expect(try ana.cairn("status").text.contains("upload at most 50.0 MB/s"))
        try ana.stopDaemon()
        try ana.home.write(text + "\n[network]\nupload-limit = 5\n", to: "cairn.conf")
        let refused = try ana.fails(.invalidArguments, "start")
        #expect(refused.errors.contains("upload-limit"))
        try ana.home.write(text, to: "cairn.conf")
      }
    }
  }
}
