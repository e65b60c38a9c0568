import BuiltPrograms
import CairnControl
import Testing

extension EndToEnd {
  /// Backups of a container, and their use.
  @Suite struct ContainerCopyTests {
    private static let server = BucketServer()

    @Test func `people go on in a copy`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let copy = people.root.path + "/copy"
        try ana.folder.write(String(repeating: "long ", count: 200_000), to: "large")
        try people.settle()
        let first = try ana.answer(Control.ContainerCopyReply.self, "container", "copy", copy)
        #expect(first.isNew && first.there.objects == 0 && first.problems.isEmpty)
        #expect(first.copied.objects > 10)
        #expect(try ana.cairn("container", "copy", copy).lastLine.contains("Copied 0 objects"))

        // A person who may read may copy, and only new objects are copied.
        try bob.folder.write("his", to: "his")
        try people.settle()
        let second = try bob.answer(Control.ContainerCopyReply.self, "container", "copy", copy)
        #expect(!second.isNew && second.copied.objects > 0)
        #expect(second.copied.objects < first.copied.objects / 2)
        let third = try bob.cairn("container", "copy", copy, "--check")
        #expect(third.text.contains("Copied 0 objects") && third.text.contains(": the same."))

        // The container is lost.
        for person in [ana, bob] { try person.stopDaemon() }
        try people.root.move("c", to: "lost")
        for person in [ana, bob] { try person.useContainer(people.container.path, now: copy) }
        try ana.folder.write("new", to: "in the copy")
        for person in [ana, bob] { try person.startDaemon() }
        try people.settle()
        try people.expectSame(count: 3)
        #expect(try bob.folder.text("in the copy") == "new")
        for person in [ana, bob] {
          #expect(try person.cairn("verify").text.contains("all in order"))
        }

        // A newcomer goes on, too.
        let carol = try Person("carol", in: people.root, folder: "C")
        defer { people.end(carol) }
        try carol.cairn("init", "--container", copy, "--name", "Carol", "--handle", "carol")
        let link = try ana.cairn("share", "invite", ana.folder.path, "carol").lastLine
        try carol.cairn("share", "accept", link, "--at", carol.folder.path, "--wait")
        #expect(try carol.folder.text("his") == "his")

        // Objects that the container has lost are restored from the copy.
        try people.root.make("c")
        let back = try ana.answer(
          Control.ContainerCopyReply.self, "container", "copy", people.container.path)
        #expect(back.isNew && back.problems.isEmpty)
      }
    }

    @Test func `an object that differs is named, and stays`() throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        let copy = Folder(people.root.path + "/copy")
        try ana.cairn("container", "copy", copy.path)
        let user = try ana.answer(Control.ShareReply.self, "share", "show", ana.folder.path)
          .share.owner.user
        let name: Name = "users/\(user)/log/start"
        try copy.flip(name)
        let bytes = try copy.read(name)
        // It has the same size.
        try ana.cairn("container", "copy", copy.path)
        let outcome = try ana.fails(.partialFailure, "container", "copy", copy.path, "--check")
        #expect(outcome.text.contains("differs: users/\(user)/log/start"))
        try copy.truncate(name, to: bytes.count - 1)
        let short = try ana.fails(.partialFailure, "container", "copy", copy.path, "--json")
        let reply = try ControlJSON.decode(Control.ContainerCopyReply.self, from: short.output)
        #expect(reply.problems.map(\.object) == ["users/\(user)/log/start"])
        #expect(reply.problems.allSatisfy(\.differs) && reply.problemCount == 1)
        #expect(try copy.read(name) == bytes.dropLast())
        try copy.remove(name)
        try ana.cairn("container", "copy", copy.path, "--check")
      }
    }

    @Test func `an impossible place is refused, and nothing is created`() throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        let inside = people.container.path + "/copy"
        for place in [people.container.path, inside, people.root.path] {
          let outcome = try ana.fails(.invalidArguments, "container", "copy", place)
          #expect(outcome.errors.contains("is the container itself, in it or around it"))
        }
        let shared = try ana.fails(
          .invalidArguments, "container", "copy", ana.folder.path + "/copy")
        #expect(shared.errors.contains("mirrored to the container"))
        try ana.fails(.permissionFailure, "container", "copy", people.root.path + "/no/copy")
        try ana.fails(.invalidArguments, "container", "copy", "s3:nowhere")
        #expect(!people.root.exists("no") && !people.container.exists("copy"))
        #expect(!ana.folder.exists("copy"))

        // The place of another container.
        let carol = try Person("carol", in: people.root, folder: "C")
        defer { people.end(carol) }
        let other = people.root.path + "/other"
        try carol.cairn("init", "--container", other, "--name", "Carol", "--handle", "carol")
        try ana.fails(.badContainer, "container", "copy", other)
      }
    }

    @Test func `a copy may be in a bucket, and a copy of a bucket in a directory`() throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        try ana.folder.write(String(repeating: "long ", count: 200_000), to: "large")
        try people.settle()
        let place =
          "s3:http://127.0.0.1:\(Self.server.port)/bucket/\(UInt32.random(in: 0 ... .max))"
        try ana.fails(.permissionFailure, "container", "copy", place)
        let key = ["--credentials", try ana.bucketKey()]
        try ana.cairn(["container", "copy", place] + key)
        let again = try ana.cairn(["container", "copy", place, "--check"] + key)
        #expect(again.text.contains("Copied 0 objects") && again.text.contains(": the same."))

        // A person without an account reads it there, and copies it back.
        let reader = try Person("reader", in: people.root, folder: "R")
        defer { people.end(reader) }
        try reader.cairn(["init", "--container", place, "--anonymous"] + key)
        let back = people.root.path + "/back"
        try reader.cairn("container", "copy", back)
        try ana.cairn("container", "copy", back, "--check")
        let status = try reader.answer(Control.StatusReply.self, "status").container.id
        #expect(try ana.answer(Control.StatusReply.self, "status").container.id == status)
      }
    }

    @Test func `a policy is for participants in a bucket, and for a directory it is text`() throws {
      let prefix = "policy-\(UInt32.random(in: 0 ... .max))"
      try TwoPeople.play(
        bucket: "s3:http://127.0.0.1:\(Self.server.port)/bucket/\(prefix)"
      ) { people in
        let arn = "arn:aws:iam::1:user/bob"
        let outcome = try people.ana.cairn("container", "policy", "bob", "--principal", arn)
        let status = try people.bob.answer(Control.StatusReply.self, "status")
        let user = status.account.user
        #expect(outcome.text.hasPrefix("{") && outcome.text.contains("\"\(arn)\""))
        #expect(outcome.text.contains("arn:aws:s3:::bucket/\(prefix)/users/\(user)/*"))
        #expect(outcome.text.contains("s3:if-none-match"))
        #expect(outcome.errors.contains("note: "))
        let ceph = try people.ana.answer(
          Control.ContainerPolicyReply.self, "container", "policy", "--engine", "ceph")
        #expect(ceph.person.handle == "ana" && ceph.document?.contains("if-none-match") == false)
        try people.ana.fails(.unknownItem, "container", "policy", "nobody")
      }
      try TwoPeople.play { people in
        let words = try people.ana.cairn("container", "policy").text
        #expect(words.contains("chmod 3770") && words.contains(people.container.path))
      }
    }
  }
}

extension Person {
  /// Writes another place of the container into the configuration.
  func useContainer(_ old: String, now new: String) throws {
    let text = try home.text("cairn.conf")
    let changed = text.replacing(old, with: new)
    try #require(changed != text)
    try home.write(changed, to: "cairn.conf")
  }
}
