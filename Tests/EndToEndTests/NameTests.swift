import CairnControl
import Testing

extension EndToEnd {
  @Suite struct NameTests {
    /// Names that break naive programs, each valid on Linux.
    static let names: [Name] = [
      "new\nline", "\n", "-rf", "--help", Name([0xFF, 0xFE]), Name([0x61, 0xC3]),
      Name([0xC0, 0xAF, 0xED, 0xA0, 0x80]), "trailing ", " leading", " ",
      Name([UInt8](repeating: 0x78, count: 255)),
      Name([UInt8](repeating: 0xE2, count: 255)), "caf\u{E9}", "cafe\u{301}", "Case", "case",
      "CASE", "tab\there", "\"quoted\"", "it's", "back\\slash", "*", "?[a]{b}", "$HOME `id`",
      "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}", "a (conflict, bob on host, 2026-11-21 14.03)",
      "...", "CON", "a:b|c<d>", "\u{202E}txt.exe", "\u{1B}[31mred", Name([0x01, 0x7F]), "#", "!x",
      "nul\\0", ".hidden", "zone", "%2F", "\r",
    ]

    @Test func `names that break naive programs arrive unharmed`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        #expect(Self.names.count >= 30 && Set(Self.names).count == Self.names.count)
        for (number, name) in Self.names.enumerated() {
          if number.isMultiple(of: 3) {
            try ana.folder.make(name)
            try ana.folder.write("in \(number)", to: name / name)
          } else {
            try ana.folder.write("\(number)", to: name)
          }
        }
        try people.settle()
        #expect(Set(try bob.folder.names("")) == Set(Self.names + [".cairn"]))
        try people.expectSame(count: Self.names.count)

        let prefix = Array((bob.folder.path + "/").utf8)
        let listed = try bob.answer(Control.ListReply.self, "ls", bob.folder.path).entries
        #expect(Set(listed.map(\.path.bytes)) == Set(Self.names.map { prefix + $0.bytes }))
        // A name decides what is shown as a conflict copy.
        #expect(
          listed.filter { $0.state != .synced }.map(\.path.bytes)
            == [prefix + Array("a (conflict, bob on host, 2026-11-21 14.03)".utf8)])
        let raw = try bob.cairn("ls", "-0", bob.folder.path).output
        #expect(
          Set(raw.split(separator: 0).map { Name(Array($0)) })
            == Set(Self.names.map { Name(prefix + $0.bytes) }))
        let shown = try bob.cairn("ls", bob.folder.path).text
        #expect(shown.split(separator: "\n").count == Self.names.count)
      }
    }

    @Test func `such names are renamed and removed like others`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        for name in Self.names { try ana.folder.write("x", to: name) }
        try people.settle()
        try bob.folder.make("box")
        for (number, name) in Self.names.enumerated() {
          if number.isMultiple(of: 2) {
            try bob.folder.move(name, to: "box" / name)
          } else {
            try bob.folder.remove(name)
          }
        }
        try people.settle()
        try people.expectSame(count: Self.names.count / 2)
        #expect(Set(try ana.folder.names("")) == ["box", ".cairn"])
        try people.expectNoConflicts()
      }
    }
  }
}
