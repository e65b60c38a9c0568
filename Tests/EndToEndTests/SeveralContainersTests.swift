import CairnControl
import Glibc
import Testing

extension EndToEnd {
  /// Two containers in one home, and one daemon for both.
  @Suite struct SeveralContainersTests {
    /// Gives both people a second container, and Ana a shared folder in each, which Bob accepts.
    private static func play(_ body: (TwoPeople, _ hers: Folder, _ his: Folder) throws -> Void)
      throws
    {
      try TwoPeople.play { people in
        let (ana, bob, root) = (people.ana, people.bob, people.root)
        for person in [ana, bob] {
          try person.cairn(
            "init", "--container", root.path + "/second", "--as", "office", "--name", "At work",
            "--handle", person.handle)
        }
        let (hers, his) = (Folder(root.path + "/AW"), Folder(root.path + "/BW"))
        for folder in [ana.folder, hers] { try folder.make("") }
        // A new folder could go into each of them.
        let asked = try ana.fails(.ambiguousContainer, "share", "create", ana.folder.path)
        #expect(asked.errors.contains("the containers default and office"), "\(asked.errors)")
        try ana.cairn("--container", "default", "share", "create", ana.folder.path)
        try ana.cairn("share", "create", hers.path, "--container=office")
        // The folder, the link and the invitation say which container is meant.
        for (from, to) in [(ana.folder, bob.folder), (hers, his)] {
          let link = try ana.cairn(
            "share", "invite", from.path, "bob", "--permission", "read-write"
          ).lastLine
          try bob.cairn("share", "accept", link, "--at", to.path, "--wait")
        }
        try body(people, hers, his)
      }
    }

    /// Returns when each has all changes of the other, in both containers.
    private static func settle(_ people: TwoPeople) throws {
      for person in [people.ana, people.bob, people.ana, people.bob] {
        try person.cairn("wait", "--timeout", "60")
      }
    }

    @Test func `one daemon follows folders of two containers, and both people write`() throws {
      try Self.play { people, hers, his in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("at home", to: "home")
        try hers.write("at work", to: "job")
        try bob.folder.write("from him", to: "his")
        try his.write("his work", to: "his")
        try Self.settle(people)
        try people.expectSame(count: 2)
        #expect(try his.text("job") == "at work" && hers.text("his") == "his work")

        let status = try bob.cairn("status").text
        #expect(status.hasPrefix("default:\n") && status.contains("\noffice:\n"), "\(status)")
        #expect(status.contains(bob.folder.path) && status.contains(his.path), "\(status)")
        let lines = try bob.cairn("status", "--json").text.split(separator: "\n")
        for (line, name) in zip(lines, ["default", "office"]) {
          #expect(line.contains(#""containerName":"\#(name)""#), "\(line)")
        }
        #expect(lines.count == 2)
        let events = try bob.cairn("events", "--json").text
        #expect(events.contains(#""containerName":"default""#))
        #expect(events.contains(#""containerName":"office""#))
        #expect(try bob.cairn("events").text.contains("  office  share."))
        #expect(try bob.run("doctor").text.contains("\noffice:\n"))
        #expect(try bob.cairn("ls", his.path).text.contains("job"))
        #expect(try bob.cairn("stat", bob.folder.path).status == 0)
        let list = try bob.cairn("container", "list").text
        #expect(list.contains("default  bob  1 folder") && list.contains("office"), "\(list)")
        try bob.fails(.unknownItem, "--container", "nosuch", "status")
      }
    }

    @Test func `no folder is in two containers`() throws {
      try Self.play { people, _, _ in
        let ana = people.ana
        try ana.folder.make("inner")
        try ana.fails(.alreadyMirrored, "--container", "office", "add", ana.folder.path + "/inner")
        try ana.fails(.alreadyMirrored, "--container", "office", "add", ana.folder.path)
        // A folder around the other container would send that container into itself.
        try people.root.make("around")
        let around = people.root.path + "/around"
        try ana.cairn(
          "init", "--container", around + "/third", "--as", "third", "--name", "Ana", "--handle",
          "ana")
        let refused = try ana.fails(.invalidArguments, "--container", "office", "add", around)
        #expect(refused.errors.contains("the container"), "\(refused.errors)")
        // A person has one account in a container.
        try ana.fails(
          .alreadyExists, "init", "--container", around + "/third", "--as", "again", "--name",
          "Ana", "--handle", "ana")
      }
    }

    @Test func `a container is renamed, removed without a loss, and brought back`() throws {
      try Self.play { people, hers, his in
        let (ana, second) = (people.ana, people.root.path + "/second")
        try ana.cairn("container", "rename", "default", "home")
        try ana.fails(.alreadyExists, "container", "rename", "home", "office")
        #expect(try ana.cairn("status").text.hasPrefix("home:\n"))

        try ana.cairn("container", "remove", "office")
        try hers.write("while it is away", to: "later")
        // With one container left, nothing is asked and nothing is named.
        #expect(try !ana.cairn("status").text.contains("home:\n"))
        try ana.fails(.unknownItem, "ls", hers.path)
        try ana.fails(.invalidArguments, "container", "remove", "home")

        try ana.cairn(
          "init", "--container", second, "--as", "office", "--name", "At work", "--handle", "ana")
        try Self.settle(people)
        #expect(try his.text("later") == "while it is away")
      }
    }

    @Test func `a folder of an ended share goes into another container`() throws {
      try Self.play { people, _, his in
        let bob = people.bob
        try bob.cairn("share", "leave", his.path)
        try his.make("")
        try his.write("his again", to: "new")
        try bob.cairn("--container", "default", "add", his.path)
        #expect(try bob.cairn("stat", his.path + "/new").status == 0)
        try bob.cairn("remove", his.path)
      }
    }

    @Test func `a container that can't be opened stops no other`() throws {
      try Self.play { people, _, _ in
        let (ana, bob) = (people.ana, people.bob)
        try ana.cairn("stop")
        try ana.home.write("[container]\n", to: "containers/office/cairn.conf")
        try ana.folder.write("goes on", to: "name")
        let status = try ana.fails(.invalidArguments, "status")
        #expect(status.text.contains(ana.folder.path) && status.errors.contains("cairn.conf"))
        try ana.cairn("--container", "default", "wait", "--timeout", "60")
        try bob.cairn("--container", "default", "wait", "--timeout", "60")
        #expect(try bob.folder.text("name") == "goes on")
        #expect(try ana.cairn("container", "list").text.contains("office isn't open: "))
      }
    }

    /// The ways in which a container can fail, by a file that is damaged: it can't be opened, or
    /// can't be started.
    enum Failure: String, CaseIterable {
      case opening = "containers/office/cairn.conf"
      case starting = "containers/office/mounts.json"
    }

    @Test(arguments: Failure.allCases)
    func `a container in trouble is named, stops no other, and continues by itself`(
      failure: Failure
    ) throws {
      try Self.play { people, hers, his in
        let ana = people.ana
        // Both containers watch the directory of these files.
        let files = Folder(people.root.path + "/files")
        try files.make("")
        for (name, container) in [("one", "default"), ("two", "office")] {
          try files.write("1", to: "\(name)")
          try ana.cairn("--container", container, "share", "create", "\(files.path)/\(name)")
        }
        let file: Name = "\(failure.rawValue)"
        let text = try ana.home.text(file)
        try ana.cairn("stop")
        try ana.home.write("[", to: file)
        let status = try ana.run("status")
        #expect(status.status != 0 && status.text.contains(ana.folder.path), "\(status)")
        #expect(status.errors.contains("It is tried again by itself."), "\(status.errors)")
        try ana.awaitEvent(.problem, "the container office isn't open")
        #expect(try ana.cairn("container", "list").text.contains("office isn't open: "))
        try ana.folder.write("goes on", to: "name")
        try hers.write("waits", to: "job")
        for person in [ana, people.bob] {
          try person.cairn("--container", "default", "wait", "--timeout", "60")
        }
        #expect(try people.bob.folder.text("name") == "goes on")

        try ana.home.write(text, to: file)
        try ana.awaitEvent(.problemSolved, "the container office is open now")
        try Self.settle(people)
        #expect(try his.text("job") == "waits" && !ana.cairn("status").text.isEmpty)
      }
    }

    @Test func `one watch program serves all containers, also two files of one directory`() throws {
      try Self.play { people, _, _ in
        let (ana, bob, root) = (people.ana, people.bob, people.root)
        let folder = Folder(root.path + "/files")
        try folder.make("")
        for (name, container) in [("one", "default"), ("two", "office")] {
          try folder.write("1", to: "\(name)")
          let link = try ana.cairn(
            "--container", container, "share", "create", "\(folder.path)/\(name)", "--invite",
            "bob"
          ).lastLine
          try bob.cairn("share", "accept", link, "--at", "\(root.path)/his-\(name)", "--wait")
        }
        try folder.write("2", to: "one")
        try folder.write("2", to: "two")
        try Self.settle(people)
        for name in ["one", "two"] {
          #expect(try root.text("his-\(name)/\(name)") == "2", "\(name)")
        }
        let daemon = try ana.answer(
          Control.StatusReply.self, "--container", "office", "status"
        ).daemon.pid
        let script = """
          for process in \(daemon) $(cat /proc/\(daemon)/task/*/children); do
            readlink /proc/$process/fd/* | grep inotify
          done
          """
        let instances = try ana.run(program: "/bin/sh", "-c", script).text
        #expect(instances.split(separator: "\n").count == 2, "\(instances)")
      }
    }

    @Test func `a file in a drop box is found by its id in any container`() throws {
      try Self.play { people, hers, _ in
        let (ana, bob) = (people.ana, people.bob)
        for folder in [ana.folder, hers] {
          let link = try ana.cairn("drop", "create", folder.path).lastLine
          try people.root.write("a letter", to: "letter")
          try bob.cairn("drop", "put", link, people.root.path + "/letter")
        }
        for (name, folder) in [("office", hers), ("default", ana.folder)] {
          let waiting = try ana.answer(
            Control.DropsReply.self, "--container", name, "drop", "list"
          ).drops
          let id = try #require(waiting.first?.id)
          #expect(try ana.cairn("drop", "accept", id).text == "\(folder.path)/letter\n")
        }
        try ana.fails(.ambiguousContainer, "drop", "accept", "--all")
      }
    }
  }
}
