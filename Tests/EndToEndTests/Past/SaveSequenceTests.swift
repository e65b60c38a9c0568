import CairnControl
import Testing

/// Programs that save a file under the name of the old one, which they move away before. The
/// sequences are those that the programs' makers and users have published. They are played by this
/// test, not by the programs.
extension EndToEnd {
  @Suite struct SaveSequenceTests {
    /// The published sequences. Each has calls in their order, and the files that it leaves.
    private enum Program: String, CaseIterable {
      case word = "report.docx"
      case excel = "table.xlsx"
      case blender = "scene.blend"
      case keePass = "keys.kdbx"
      case vim = "notes.txt"

      var name: Name { Name(Array(rawValue.utf8)) }

      /// Saves a text. `between` is called where a daemon may scan the folder.
      func save(_ text: String, in folder: Folder, _ between: () throws -> Void = {}) throws {
        let (temporary, backup): (Name, Name) =
          switch self {
          case .word: ("~WRD0001.tmp", "~WRL0002.tmp")
          case .excel: ("8A9B1C00", "5E2B2B10.tmp")
          case .blender: ("scene.blend@", "scene.blend1")
          case .keePass: ("keys.kdbx.tmp", "keys.kdbx.old")
          case .vim: ("notes.txt", "notes.txt.bak")
          }
        if self != .vim { try folder.write(text, to: temporary) }
        try between()
        if folder.exists(backup) { try folder.remove(backup) }
        if folder.exists(name) { try folder.move(name, to: backup) }
        try between()
        if self == .vim {
          try folder.write(text, to: name)
        } else {
          try folder.move(temporary, to: name)
        }
      }
    }

    @Test func `a file whose programs replace it has one history`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        try ana.folder.make("")
        try ana.cairn("add", ana.folder.path)
        for number in 1...4 {
          for program in Program.allCases {
            try program.save("\(program) \(number)", in: ana.folder) {
              if number == 2 { try ana.wait() }
            }
          }
          try ana.wait()
        }
        for program in Program.allCases {
          let path = ana.folder.path + "/" + program.rawValue
          let lines = try ana.answer(Control.HistoryReply.self, "history", path).entries
            .filter { $0.path?.printable == path }
          let shown = try lines.map { line in
            try ana.cairn("show", path, "--version", line.name).text
          }
          var saved = shown.filter { $0.hasPrefix("\(program)") }
          saved = saved.enumerated().filter { $0.offset == 0 || saved[$0.offset - 1] != $0.element }
            .map(\.element)
          #expect(saved == (1...4).reversed().map { "\(program) \($0)" })
        }
      }
    }

    @Test func `two people who save in turns get no conflict copies`() throws {
      try TwoPeople.playSharing { people in
        for number in 1...3 {
          for person in [people.ana, people.bob] {
            for program in Program.allCases {
              try program.save("\(program) \(number) \(person.handle)", in: person.folder)
            }
            try people.settle()
          }
        }
        try people.expectSame(count: Program.allCases.count * 2)
        try people.expectNoConflicts()
        for program in Program.allCases {
          #expect(try people.ana.folder.text(program.name) == "\(program) 3 bob")
        }
      }
    }
  }
}
