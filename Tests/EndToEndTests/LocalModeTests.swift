import CairnControl
import Testing

extension EndToEnd {
  /// A file's mode on one device stays, whatever others do to the file.
  @Suite struct LocalModeTests {
    @Test func `a key file stays private through an edit, a restore and a conflict`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("key ana@desk", to: "key")
        try people.settle()
        try bob.folder.change(mode: 0o600, of: "key")
        try people.settle()

        try ana.folder.write("key ana@laptop", to: "key")
        try people.settle()
        #expect(try bob.folder.text("key") == "key ana@laptop")
        #expect(try bob.folder.node("key").mode == 0o600)

        try ana.folder.remove("key")
        try people.settle()
        #expect(!bob.folder.exists("key"))
        try ana.cairn("restore", ana.folder.path + "/key")
        try people.settle()
        #expect(try bob.folder.text("key") == "key ana@laptop")
        #expect(try bob.folder.node("key").mode == 0o600)

        // Both write before they know about each other's change.
        try bob.stopDaemon()
        try bob.folder.write("bob's", to: "key")
        try ana.folder.write("ana's", to: "key")
        try ana.wait()
        try bob.startDaemon()
        try people.settle()
        let names = try bob.folder.tree().keys
        #expect(names.count == 2 && names.contains { $0.isConflictCopy })
        for name in names { #expect(try bob.folder.node(name).mode == 0o600, "\(name)") }
        // Nobody asked for that on the other device.
        for name in names { #expect(try ana.folder.node(name).mode == 0o644, "\(name)") }
      }
    }

    /// The daemon has the umask of the shell that starts it.
    @Test(arguments: [0o002, 0o077] as [UInt32])
    func `a daemon's umask widens no file, and limits new ones`(umask: UInt32) throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        for name: Name in ["key", "plain"] { try ana.folder.write("one", to: name) }
        try people.settle()
        try bob.folder.change(mode: 0o600, of: "key")
        try bob.folder.change(mode: 0o640, of: "plain")
        try people.settle()
        try bob.stopDaemon()
        let command = "umask \(String(umask, radix: 8)) && exec \"$0\" start"
        #expect(try bob.run(program: "/bin/sh", "-c", command, bob.program).status == 0)

        for name: Name in ["key", "plain", "new"] { try ana.folder.write("two", to: name) }
        try people.settle()
        #expect(try bob.folder.text("key") == "two")
        #expect(try bob.folder.node("key").mode == 0o600)
        #expect(try bob.folder.node("plain").mode == 0o640)
        #expect(try bob.folder.node("new").mode == 0o666 & ~umask)
      }
    }
  }
}
