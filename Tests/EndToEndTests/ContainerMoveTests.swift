import BuiltPrograms
import CairnControl
import Testing

extension EndToEnd {
  /// People who go on with their container at another site.
  @Suite struct ContainerMoveTests {
    private static let server = BucketServer()

    @Test func `they go on in a bucket, each with their own key`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let place =
          "s3:http://127.0.0.1:\(Self.server.port)/bucket/\(UInt32.random(in: 0 ... .max))"
        let key = ["--credentials", try ana.bucketKey()]
        try ana.folder.write("hers", to: "hers")
        try people.settle()
        // Without a key nothing ends here, and nothing begins there.
        try ana.fails(.permissionFailure, "container", "move", place)
        try ana.folder.write("still here", to: "still")
        try people.settle()
        try people.expectSame(count: 2)

        try ana.cairn(["container", "move", place] + key)
        try ana.folder.write("after", to: "after")
        try ana.cairn("wait", "--timeout", "60")
        try bob.awaitState(.elsewhere)
        try bob.fails(.permissionFailure, "container", "move", place)
        #expect(try bob.folder.text("still") == "still here")
        try bob.cairn(["container", "move", place, "--credentials", bob.bucketKey()])
        try bob.folder.write("his", to: "his")
        try people.settle()
        try people.expectSame(count: 4)
        for person in [ana, bob] {
          #expect(try person.cairn("verify").text.contains("all in order"))
          let status = try person.answer(Control.StatusReply.self, "status")
          #expect(status.container.path == Control.Path(place))
        }
      }
    }

    @Test func `after one person's move the other's changes wait until they follow`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let place = people.root.path + "/there"
        try ana.folder.write("hers", to: "hers")
        try people.settle()
        let plan = try ana.answer(
          Control.ContainerMoveReply.self, "container", "move", place, "--dry-run")
        #expect(plan.dryRun && plan.isNew && !plan.isDone && plan.own.count == 1)
        #expect(plan.staying.isEmpty && !people.root.exists("there"))
        try ana.fails(.invalidArguments, "container", "move", people.container.path)

        let outcome = try ana.cairn("container", "move", place)
        #expect(outcome.text.contains("Moved to \(place)"))
        // Her home is there, and her changes go there.
        try ana.folder.write("after", to: "after")
        try ana.cairn("wait", "--timeout", "60")
        let status = try ana.answer(Control.StatusReply.self, "status")
        #expect(status.container.path == Control.Path(place))
        #expect(try ana.home.text("cairn.conf.old").contains(people.container.path))

        // His changes wait, and he is told so.
        try bob.folder.write("his", to: "his")
        try bob.awaitState(.elsewhere)
        let told = try bob.cairn("status").text
        #expect(told.contains("cairn container move \(place)"))
        #expect(try bob.folder.text("hers") == "hers" && !bob.folder.exists("after"))

        // A stop in the middle of it changes nothing.
        try bob.stopDaemon()
        try bob.startDaemon()
        try bob.cairn("container", "move", place)
        try people.settle()
        try people.expectSame(count: 3)
        for person in [ana, bob] {
          #expect(try person.cairn("verify").text.contains("all in order"))
        }

        // A newcomer joins at the new site.
        let carol = try Person("carol", in: people.root, folder: "C")
        defer { people.end(carol) }
        try carol.cairn("init", "--container", place, "--name", "Carol", "--handle", "carol")
        let link = try ana.cairn("share", "invite", ana.folder.path, "carol").lastLine
        try carol.cairn("share", "accept", link, "--at", carol.folder.path, "--wait")
        #expect(try carol.folder.text("his") == "his")
      }
    }
  }
}

extension Person {
  /// Waits until the folder is in this state.
  fileprivate func awaitState(_ state: Control.LogState) throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try mount().state != state, ContinuousClock.now < deadline {}
    #expect(try mount().state == state)
  }
}
