import BuiltPrograms
import CairnControl
import Testing

extension EndToEnd {
  /// Two people whose container is in a bucket.
  @Suite struct BucketTests {
    private static let server = BucketServer()

    private static func place() -> String {
      let prefix = String(UInt64.random(in: 0 ... .max), radix: 36)
      return "s3:http://127.0.0.1:\(server.port)/bucket/\(prefix)"
    }

    @Test func `they share a folder as on one machine`() throws {
      let place = Self.place()
      try TwoPeople.play(bucket: place) { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.make("d")
        try ana.folder.write("x", to: "d/file")
        try people.share("read-write")
        try ana.awaits("share.accepted")
        #expect(try bob.folder.text("d/file") == "x")
        try bob.folder.write("his", to: "d/his")
        try bob.folder.write(String(repeating: "long ", count: 500_000), to: "large")
        try people.settle()
        try people.expectSame(count: 4)
        let status = try ana.answer(Control.StatusReply.self, "status")
        #expect(status.container.path.text == place && status.container.reachable)
        let news = try #require(status.container.news)
        #expect(!news.told && !news.deaf && news.longestSeconds == 60)
        #expect(try ana.cairn("status").text.contains("updates checked every"))

        // A change marker announces a new file, so nobody waits for it.
        try ana.folder.write("heard", to: "dropped")
        let deadline = ContinuousClock.now + .seconds(60)
        while !bob.folder.exists("dropped"), ContinuousClock.now < deadline {
          try bob.cairn("status")
        }
        #expect(try bob.folder.text("dropped") == "heard")
        try ana.cairn("verify")
        try bob.cairn("doctor")

        // A link contains the place of the container, and nobody's key.
        let carol = try Person("carol", in: people.root, folder: "C")
        defer { people.end(carol) }
        let link = try ana.cairn(
          "share", "invite", ana.folder.path, "--link", "--print-link"
        ).lastLine
        let who = ["--name", "Carol", "--handle", "carol", "--at", carol.folder.path, "--wait"]
        let keyless = try carol.run(["share", "accept", link] + who)
        #expect(keyless.status != 0 && keyless.errors.contains("no key for the bucket"))
        try carol.cairn(
          ["share", "accept", link, "--credentials", try carol.bucketKey()] + who)
        #expect(try carol.folder.text("d/his") == "his")
        for person in [ana, bob, carol] {
          for name in try person.home.files() where name != "cairnd.sock" {
            let text = String(decoding: try person.home.read(name), as: UTF8.self)
            #expect(!text.contains(BucketServer.key.id), "\(person.handle)'s \(name)")
          }
        }
      }
    }

    @Test func `accepting again ignores a share whose end isn't known yet`()
      throws
    {
      try TwoPeople.play(bucket: Self.place()) { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("")
        try ana.folder.write("x", to: "file")
        try people.share("read-write")
        for round in 0..<4 {
          if round % 2 == 0 {
            try ana.cairn("share", "remove", ana.folder.path, "bob")
          } else {
            try ana.cairn("share", "stop", ana.folder.path)
            try ana.cairn("share", "create", ana.folder.path)
          }
          // Nobody waits until Bob's daemon has polled the bucket.
          try people.inviteAndAccept(round == 3 ? "read-only" : "read-write")
          #expect(try bob.folder.text("file") == "x")
          #expect(try bob.answer(Control.StatusReply.self, "status").mounts.count == 1)
        }
        try ana.folder.write("on", to: "more")
        try people.settle()
        #expect(try bob.folder.text("more") == "on")
      }
    }

    @Test func `an impossible location, and one without an answer, create nothing`() throws {
      try TwoPeople.play { people in
        let carol = try Person("carol", in: people.root, folder: "C")
        let who = ["--name", "Carol", "--handle", "carol"]
        let wrong = try carol.fails(.invalidArguments, ["init", "--container", "s3:x"] + who)
        #expect(wrong.errors.contains("s3:https://HOST/BUCKET/PREFIX"))
        let key = try carol.bucketKey()
        let nobody = try carol.fails(
          .networkUnavailable,
          ["init", "--container", "s3:http://127.0.0.1:1/bucket", "--credentials", key] + who)
        #expect(nobody.errors.contains("127.0.0.1:1"))
        try carol.folder.make("")
        let open = try carol.bucketKey(mode: 0o644)
        let read = try carol.fails(
          .permissionFailure, ["init", "--container", Self.place(), "--credentials", open] + who)
        #expect(read.errors.contains("chmod 600"))
        #expect(!people.root.exists("carol/cairn.conf"))
      }
    }
  }
}

extension Person {
  /// Returns a file with the key of the tests' bucket.
  func bucketKey(mode: UInt32 = 0o600) throws -> String {
    let name: Name = "bucket-key"
    let key = BucketServer.key
    try scratch.write(
      "[default]\naws_access_key_id = \(key.id)\n"
        + "aws_secret_access_key = \(key.secret)\n", to: name)
    try scratch.change(mode: mode, of: name)
    return scratch.path + "/bucket-key"
  }
}
