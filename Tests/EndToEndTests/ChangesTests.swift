import CairnControl
import Testing

extension EndToEnd {
  @Suite struct ChangesTests {
    @Test func `a token gives the later changes, once, and belongs to one zone`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        func changes(_ person: Person, since token: String? = nil) throws -> Control.ChangesReply {
          guard let token else {
            return try person.answer(Control.ChangesReply.self, "changes", person.folder.path)
          }
          return try person.answer(
            Control.ChangesReply.self, "changes", person.folder.path, "--since", token)
        }
        try ana.folder.make("d")
        for name: Name in ["d/kept", "gone", "moved"] { try ana.folder.write("1", to: name) }
        try people.settle()
        let all = try changes(ana)
        let paths = Set(all.changes.compactMap(\.path))
        #expect(paths == ["d", "d/kept", "gone", "moved"])
        #expect(try changes(ana, since: all.token).changes.isEmpty)
        // The same token gives everybody the same answer.
        #expect(try changes(bob).token == all.token)

        let gone = all.changes.first { $0.path == "gone" }?.record
        try ana.folder.remove("gone")
        try ana.folder.move("moved", to: "d/moved")
        try ana.folder.write("2", to: "new")
        try people.settle()
        try ana.folder.write("3", to: "new")
        try people.settle()
        for person in [ana, bob] {
          let later = try changes(person, since: all.token)
          #expect(Set(later.changes.compactMap(\.path)) == ["d", "d/moved", "new"])
          #expect(later.changes.filter(\.deleted).map(\.record) == [gone])
          #expect(later.changes.allSatisfy { $0.deleted || $0.changedBy?.handle == "ana" })
        }
        let token = try changes(ana).token
        let told = try ana.cairn("changes", ana.folder.path, "--since", all.token)
        #expect(told.lastLine == token)

        let other = Folder(people.root.path + "/other")
        try other.make("")
        try ana.cairn("add", other.path)
        try ana.fails(.changeTokenExpired, "changes", other.path, "--since", token)
        try ana.fails(.invalidArguments, "changes", ana.folder.path, "--since", token + "a")
        var edited = Array(token)
        edited[70] = edited[70] == "a" ? "b" : "a"
        try ana.fails(.invalidArguments, "changes", ana.folder.path, "--since", String(edited))
      }
    }

    @Test func `known changes are listed while the container is away`() throws {
      try TwoPeople.play { people in
        let ana = people.ana
        try ana.folder.make("")
        try ana.folder.write("123", to: "f")
        try ana.cairn("add", ana.folder.path)
        try ana.wait()
        let before = try ana.answer(Control.ChangesReply.self, "changes", ana.folder.path)
        let quota = try ana.answer(Control.QuotaReply.self, "quota")
        #expect(quota.stored != nil)
        try people.root.move("c", to: "away")
        #expect(
          try ana.answer(Control.ChangesReply.self, "changes", ana.folder.path) == before)
        let now = try ana.answer(Control.QuotaReply.self, "quota")
        #expect(now.zones == quota.zones && now.stored == nil)
        #expect(try ana.cairn("quota").lastLine.contains("can't be reached"))
        try people.root.move("away", to: "c")
      }
    }

    @Test func `people, devices, invitations and logs are listed without the container`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        try ana.folder.write("123", to: "f")
        try people.settle()
        try people.root.make("more")
        try ana.cairn("share", "create", people.root.path + "/more")
        try ana.cairn("share", "invite", people.root.path + "/more", "bob")
        let users = try bob.answer(Control.UserListReply.self, "user", "list").users
        let devices = try bob.answer(Control.DeviceListReply.self, "device", "list")
        let waiting = try bob.answer(Control.InvitationsReply.self, "share", "invitations")
        let log = try bob.answer(Control.LogReply.self, "log", bob.folder.path)
        #expect(users.count == 2 && waiting.invitations.map(\.title) == ["more"])
        try people.root.move("c", to: "away")
        let told = try bob.answer(Control.UserListReply.self, "user", "list")
        #expect(told.isRecalled == true && told.users == users)
        #expect(try bob.cairn("user", "list").text.contains("can't be reached"))
        #expect(try bob.answer(Control.DeviceListReply.self, "device", "list") == devices)
        #expect(
          try bob.answer(Control.InvitationsReply.self, "share", "invitations") == waiting)
        #expect(try bob.answer(Control.LogReply.self, "log", bob.folder.path) == log)
        // A restarted daemon remembers the contents of the index.
        try bob.killDaemon()
        #expect(try bob.answer(Control.UserListReply.self, "user", "list").users == users)
        #expect(try bob.answer(Control.LogReply.self, "log", bob.folder.path) == log)
        try people.root.move("away", to: "c")
        #expect(try bob.answer(Control.UserListReply.self, "user", "list").isRecalled == nil)
      }
    }
  }
}
