import CairnControl
import Testing

/// Folders, deep trees, sockets and FIFOs of strangers, in places where the container has objects
/// and folders. They hinder nobody.
extension EndToEnd {
  @Suite struct StrangersThingsTests {
    /// Puts one thing of each kind into a folder of the container.
    private func plant(in folder: Name, of people: TwoPeople) throws {
      let container = people.container
      let digits = [2, 8, 32, 64]
      for (index, count) in digits.enumerated() {
        func name(_ digit: String) -> Name {
          folder / Name(Array(String(repeating: digit, count: count).utf8))
        }
        try container.pipe(name("a"))
        try container.make(name("b"))
        guard index == 2 else { continue }
        // The path of a socket is short, so that it is moved into place.
        try people.root.socket("s")
        try people.root.move("s", to: "c" / folder / "cc")
        // A deep tree, with something that is no object.
        var inner = name("d")
        for _ in 0..<60 {
          try container.make(inner)
          inner = inner / "dd"
        }
        try container.write("garbage", to: inner)
      }
    }

    /// Returns the folders in which objects stand. A daemon may remove an entry meanwhile.
    private func folders(of people: TwoPeople) throws -> [Name] {
      var found: [Name] = []
      var open: [Name] = ["users", "bells", "wakes"].filter { people.container.exists($0) }
      while let name = open.popLast() {
        found.append(name)
        for child in try people.container.names(name) {
          if people.container.isFolder(name / child) { open.append(name / child) }
        }
      }
      return found
    }

    @Test func `what strangers leave in each folder of a container hinders nobody`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write(Samples.noise(300_000), to: "large")
        try ana.cairn("share", "invite", ana.folder.path, "--link")
        try people.settle()
        // What seems to begin an identity.
        let stranger: Name = "users/\(String(repeating: "f", count: 64))"
        try people.container.make(stranger)
        try people.container.make(stranger / "log")
        try people.container.pipe(stranger / "log/start")
        for folder in try folders(of: people) {
          try plant(in: folder, of: people)
        }

        try ana.folder.write("small", to: "small")
        try ana.folder.write(Samples.noise(400_000), to: "larger")
        try bob.folder.write(Samples.noise(200_000), to: "his")
        try people.settle()
        try people.expectSame(count: 4)
        for permission in ["read-only", "read-write"] {
          try ana.cairn("share", "set-permission", ana.folder.path, "bob", permission)
          try people.settle()
        }
        try bob.folder.write("after a new key", to: "small")
        try people.settle()
        #expect(try ana.folder.text("small") == "after a new key")
        try ana.cairn("device", "link")
        for person in [ana, bob] {
          for command in ["verify", "repair", "share requests", "share invitations"] {
            let outcome = try person.run(command.split(separator: " ").map(String.init))
            #expect(outcome.status == 0, "\(command): \(outcome.text)\(outcome.errors)")
          }
        }
        try ana.cairn("gc")
        try ana.cairn("share", "stop", ana.folder.path)
      }
    }
  }
}
