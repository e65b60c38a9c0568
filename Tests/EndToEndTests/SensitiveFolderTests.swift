import CairnControl
import Testing

extension EndToEnd {
  /// Folders with a home or secrets in them: each command that gives or deletes one asks for a
  /// confirmation of its own.
  @Suite struct SensitiveFolderTests {
    @Test func `a folder with secrets needs a confirmation to be mirrored or deleted`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        let home = ana.scratch
        for name: Name in [".ssh", ".config", ".config/editor", "Documents"] { try home.make(name) }
        try home.write("key", to: ".ssh/id")
        try home.write("dark", to: ".config/editor/theme")
        let before = try ana.answer(Control.ZonesReply.self, "zones")
        for (path, words) in [
          (home.path, "is your home folder"), (people.root.path, "contains your home folder"),
          (home.path + "/.ssh", "holds secrets"), (home.path + "/.config", "holds the settings"),
          ("/etc/dpkg", "belongs to the system"),
        ] {
          for command in [["add"], ["share", "create"]] {
            let refused = try ana.fails(.invalidArguments, command + [path])
            // A folder around Cairn's own files is always refused.
            let isAround = refused.errors.contains("Cairn's own files")
            #expect(
              isAround || refused.errors.contains(words) && refused.errors.contains("--sensitive"),
              "\(refused.errors)")
          }
        }
        let file = try ana.fails(.invalidArguments, "share", "create", "/etc/hosts")
        #expect(file.errors.contains("belongs to the system"), "\(file.errors)")
        #expect(try ana.answer(Control.ZonesReply.self, "zones") == before)
        try ana.cairn("add", home.path + "/Documents")
        try ana.cairn("add", home.path + "/.config/editor")

        try ana.fails(
          .invalidArguments, "move", home.path + "/Documents", home.path + "/.ssh/Documents")

        let secrets = home.path + "/.ssh"
        try ana.cairn("add", secrets, "--sensitive")
        try ana.wait()
        try ana.fails(.invalidArguments, "share", "create", secrets)
        let refused = try ana.fails(.invalidArguments, "purge", secrets, "--yes")
        #expect(refused.errors.contains("holds secrets"), "\(refused.errors)")
        try ana.fails(.invalidArguments, "purge", secrets, "--sensitive")
        #expect(try home.text(".ssh/id") == "key")
        let reply = try ana.answer(
          Control.PurgeReply.self, "purge", secrets, "--yes", "--sensitive")
        #expect(try Folder(#require(reply.rescued?.text)).text("id") == "key")
        #expect(!home.exists(".ssh"))
      }
    }

    @Test func `an inner folder can't be purged, and naming it loses nothing`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.make("old")
        try ana.folder.write("precious", to: "file")
        try people.settle()
        for name in ["old", "nosuch", "file", "old/deep/nosuch"] {
          let path = "\(ana.folder.path)/\(name)"
          let refused = try ana.fails(.invalidArguments, "purge", path, "--yes")
          #expect(refused.errors.contains(path) && refused.errors.contains("--yes") == false)
          try bob.fails(.invalidArguments, "purge", "\(bob.folder.path)/\(name)", "--yes")
        }
        try people.settle()
        #expect(try ana.folder.text("file") == "precious" && bob.folder.text("file") == "precious")
        // A participant's part ends by it, and the files are still there.
        let reply = try bob.answer(Control.PurgeReply.self, "purge", bob.folder.path, "--yes")
        #expect(try Folder(#require(reply.rescued?.text)).text("file") == "precious")
        #expect(!bob.folder.exists(""))
        #expect(try ana.folder.text("file") == "precious")
      }
    }
  }
}
