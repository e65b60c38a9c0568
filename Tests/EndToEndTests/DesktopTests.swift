import APIDescription
import CairnControl
import Glibc
import Testing

extension EndToEnd {
  /// The requests of file managers: `cairn stat --stream`, and the extension that uses it.
  @Suite struct DesktopTests {
    /// A line of the answers.
    private struct Answer: Decodable {
      var path: Control.Path
      var shared: Control.Sharing?
      var state: Control.EntryState?
      var title: String?
      var error: ControlError?
    }

    /// Gives the program these bytes, and reads its answers.
    private func stream(
      _ bytes: [UInt8], _ options: String = "", by person: Person
    ) throws -> [Answer] {
      try person.scratch.write(bytes, to: "asked")
      let outcome = try person.run(
        program: "/bin/sh", "-c", "exec \"$0\" stat --stream \(options) < \"$HOME/asked\"",
        person.program)
      #expect(outcome.status == 0, "\(outcome.errors)")
      return try outcome.output.split(separator: UInt8(ascii: "\n")).map {
        let line = try ControlJSON.decode(JSONValue.self, from: $0)
        AnswerBook.shared.takePath(line, of: "cairn stat --stream")
        return try ControlJSON.decode(Answer.self, from: $0)
      }
    }

    @Test func `each path gets a line, in its order, with its state`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("both", to: "file")
        try ana.folder.write("x", to: "name\nwith a line")
        try people.settle()
        try bob.cairn("pause")
        try ana.folder.write("hers", to: "file")
        try ana.wait()
        try bob.folder.write("his", to: "file")
        try bob.folder.write("new", to: "new")
        try bob.folder.write("old", to: "file~")
        let folder = bob.folder.path
        let names = ["", "/new", "/file~", "/.cairn", "/missing", "/name\nwith a line"]
        let text = names.map { folder + $0 + "\0" }.joined() + "/etc/passwd\0\0relative"
        let answers = try stream(Array(text.utf8), "-0", by: bob)
        #expect(answers.count == 9)
        #expect(answers.prefix(6).map(\.path) == names.map { .init(folder + $0) })
        let states = answers.map(\.state)
        #expect(Array(states[1...4]) == [.sending, .ignored, .ignored, nil])
        #expect(states[5] == .synced)
        #expect(answers[0].shared == .participant && answers[0].title == "A")
        #expect(answers[6].shared == .no && answers[6].state == nil)
        #expect(answers[7].error?.code == .invalidArguments)
        #expect(answers[8].path.text?.hasSuffix("/relative") == true)

        try bob.cairn("resume")
        try people.settle()
        let copies = try bob.folder.tree().keys.filter(\.isConflictCopy)
        let copy = String(decoding: try #require(copies.first).bytes, as: UTF8.self)
        let lines = "\(folder)/file\n\(folder)/\(copy)\n\(folder)/new\n"
        #expect(
          try stream(Array(lines.utf8), by: bob).map(\.state) == [.conflict, .conflict, .synced])
      }
    }

    @Test func `a thousand paths, and an endless one, are answered in step`() throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        let names = (0..<1_300).map { "\(ana.folder.path)/file \($0)" }
        for number in stride(from: 0, to: 1_300, by: 100) {
          try ana.folder.write("x", to: "file \(number)")
        }
        try ana.wait()
        let endless = String(repeating: "a", count: 300_000)
        let text = (names + [endless] + names).joined(separator: "\n")
        let answers = try stream(Array(text.utf8), by: ana)
        #expect(answers.count == 2_601)
        #expect(answers.prefix(1_300).map(\.path.text) == names)
        #expect(answers.suffix(1_300).map(\.path.text) == names)
        #expect(answers[1_300].error?.code == .invalidArguments)
        for (number, answer) in answers.prefix(1_300).enumerated() {
          #expect(answer.state == (number % 100 == 0 ? .synced : nil))
        }
      }
    }

    @Test func `deletions that await confirmation are held`() throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        try ana.folder.make("many")
        for number in 0..<200 { try ana.folder.write("x", to: "many/\(number)") }
        try people.settle()
        try ana.folder.remove("many")
        try ana.awaits("deletions.held")
        let paths = [ana.folder.path, ana.folder.path + "/many/7"].joined(separator: "\n")
        #expect(try stream(Array(paths.utf8), by: ana).map(\.state) == [.held, .held])
        try ana.cairn("held", "undo", ana.folder.path)
        try ana.wait()
        #expect(try stream(Array(paths.utf8), by: ana).map(\.state) == [.synced, .synced])
      }
    }

    @Test func `without a daemon each line says so, and none is started`() throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        try ana.stopDaemon()
        let answers = try stream(Array("/a\n/b\n".utf8), by: ana)
        #expect(answers.map(\.path.text) == ["/a", "/b"])
        #expect(answers.allSatisfy { $0.error?.code == .notRunning })
        #expect(try ana.cairn("stop").text == "No cairnd is running.\n")
      }
    }

    @Test(arguments: ["Nautilus", "Nemo", "Caja"])
    func `the extension shows emblems and a menu, and learns about changes`(name: String) throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        try ana.folder.write("x", to: "file")
        try ana.folder.write("x", to: "b\u{fc} %")
        try ana.folder.write("x", to: "left~")
        try ana.wait()
        try ana.cairn("share", "set-public", ana.folder.path, "read-only", "--yes")
        let folder = ana.folder.path
        // Stand-ins for the desktop's programs keep their arguments.
        try ana.scratch.make("bin")
        try ana.scratch.write(
          "#!/bin/sh\ncp \"$1\" \"$HOME/opened.new\" && mv \"$HOME/opened.new\" \"$HOME/opened\"\n",
          to: "bin/xdg-open")
        try ana.scratch.write(
          "#!/bin/sh\ncat >\"$HOME/copied.new\" && mv \"$HOME/copied.new\" \"$HOME/copied\"\n",
          to: "bin/xclip")
        for program: Name in ["bin/xdg-open", "bin/xclip"] {
          try ana.scratch.change(mode: 0o755, of: program)
        }
        let programs = ana.program.split(separator: "/").dropLast().joined(separator: "/")
        let here = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let missing = "\(folder)/missing"
        let outcome = try ana.run(
          program: "/usr/bin/env", "DISPLAY=:99",
          "PATH=\(ana.scratch.path)/bin:/\(programs):/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE=1",
          "python3", "/\(here)/Desktop/file_manager.py", name, folder,
          folder, "default", "\(folder)/file", "default", "\(folder)/b\u{fc} %", "default",
          "\(folder)/left~", "-", "/etc/passwd", "-", missing, "-")
        #expect(outcome.status == 0, "\(outcome.text)\(outcome.errors)")
      }
    }
  }
}
