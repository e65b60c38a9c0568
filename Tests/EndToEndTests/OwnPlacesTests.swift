import CairnControl
import Testing

extension EndToEnd {
  /// Keys, index and container are never mirrored or shared, whatever path leads there.
  @Suite struct OwnPlacesTests {
    @Test func `the topmost folder is neither mirrored nor shared`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        for command in [["add"], ["add", "--dry-run"], ["share", "create"]] {
          let outcome = try ana.run(command + ["/"])
          #expect(outcome.status == Control.ErrorCode.invalidArguments.exitStatus)
          #expect(outcome.errors.contains("/ is around Cairn's own files"), "\(outcome.errors)")
        }
        try ana.folder.make("")
        try ana.cairn("add", ana.folder.path)
        try ana.fails(.alreadyMirrored, "add", "/")
        try ana.fails(.alreadyMirrored, "share", "create", "/")
        #expect(try ana.answer(Control.StatusReply.self, "status").mounts.count == 1)
      }
    }

    @Test func `a container that is named through a link isn't mirrored into itself`() throws {
      try TwoPeople.play { people in
        let root = people.root
        try root.make("R")
        try root.make("R/cloud")
        try root.link("named", to: "R/cloud")
        let carol = try Person("carol", in: root, folder: "C")
        defer { people.end(carol) }
        try carol.cairn(
          "init", "--container", root.path + "/named", "--name", "Carol", "--handle", "carol")
        for path in ["/R", "/R/cloud", "/R/cloud/users"] {
          let outcome = try carol.fails(.invalidArguments, "add", root.path + path)
          #expect(outcome.errors.contains("the container"), "\(outcome.errors)")
        }
        #expect(try carol.answer(Control.StatusReply.self, "status").mounts.isEmpty)
      }
    }

    @Test func `a mirror is recognized through a link, and isn't mirrored again`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        try ana.folder.make("")
        try ana.folder.make("inner")
        try ana.cairn("share", "create", ana.folder.path)
        try people.root.make("outer")
        try people.root.link("outer/link", to: "../A")
        let link = people.root.path + "/outer/link"
        let outcome = try ana.fails(.alreadyShared, "add", link)
        #expect(outcome.errors.contains("is in a share already"), "\(outcome.errors)")
        try ana.fails(.alreadyShared, "share", "create", link + "/inner")
        #expect(try ana.answer(Control.StatusReply.self, "status").mounts.count == 1)
      }
    }

    @Test(.enabled(if: Mounts.arePossible, Mounts.comment))
    func `keys, container and mirrors are recognized in a bind mount`() throws {
      try TwoPeople.play { people in
        let (ana, root) = (people.ana, people.root)
        try ana.folder.make("")
        try ana.folder.make("inner")
        try ana.cairn("add", ana.folder.path)
        let own: Control.ErrorCode = .invalidArguments
        let cases: [(what: String, code: Control.ErrorCode, words: String)] = [
          ("ana/keys", own, "Cairn's own files"), ("ana", own, "Cairn's own files"),
          ("ana/index", own, "Cairn's own files"), ("c", own, "the container"),
          ("c/users", own, "the container"), ("A", .alreadyMirrored, "mirrored already"),
          ("A/inner", .alreadyMirrored, "mirrored already"),
        ]
        for number in cases.indices {
          try root.make("R\(number)")
          try root.make("R\(number)/bound")
        }
        try ana.stopDaemon()
        let mounts = cases.enumerated().map { number, bound in
          "mount --bind '\(root.path)/\(bound.what)' '\(root.path)/R\(number)/bound'"
        }
        try ana.startDaemon(after: mounts.joined(separator: " && "))
        for (number, (what, code, words)) in cases.enumerated() {
          for place in ["/R\(number)/bound", "/R\(number)"] {
            for command in [["add"], ["share", "create"]] {
              let outcome = try ana.run(command + [root.path + place])
              #expect(outcome.status == code.exitStatus, "\(what) \(place): \(outcome.errors)")
              #expect(outcome.errors.contains(words), "\(what) \(place): \(outcome.errors)")
            }
          }
        }
        #expect(try ana.answer(Control.StatusReply.self, "status").mounts.count == 1)
      }
    }

    @Test func `a home folder that is a link gives no keys away`() throws {
      try TwoPeople.play { people in
        let (root, ana) = (people.root, people.ana)
        try root.make("data")
        try root.make("data/eve")
        try root.link("home", to: "data/eve")
        let home = root.path + "/home"
        func eve(_ command: String) throws -> Program.Outcome {
          let script = "unset CAIRN_HOME; HOME=$1; export HOME; cairn() { \"$0\" \"$@\"; }; "
          return try ana.run(
            program: "/bin/sh", "-c", script + command, ana.program, home, root.path + "/other")
        }
        // The test is over. A daemon that has already ended is fine.
        defer { _ = try? eve("cairn stop") }
        let made = try eve("cairn init --container \"$2\" --name Eve --handle eve")
        try #require(made.status == 0, "\(made.errors)")
        for command in ["share create .", "add .", "add ..", "add .local"] {
          let outcome = try eve("cd \"$HOME\" && cairn \(command)")
          #expect(outcome.status == Control.ErrorCode.invalidArguments.exitStatus, "\(command)")
          #expect(outcome.errors.contains("Cairn's own files"), "\(outcome.errors)")
        }
        let linked = try eve("cairn add \"$HOME\"")
        #expect(linked.status == Control.ErrorCode.invalidArguments.exitStatus)
        #expect(linked.errors.contains("is a symbolic link to the folder"), "\(linked.errors)")
        #expect(linked.errors.contains("/data/eve"))
      }
    }
  }
}
