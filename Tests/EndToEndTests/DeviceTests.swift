import CairnControl
import Testing

extension EndToEnd {
  /// One person on two machines.
  struct DeviceTests {
    @Test func `a second device has the same folders and shares, and later ones, too`() throws {
      try TwoPeople.playSharing { people in
        try people.ana.folder.write("from the first", to: "a.txt")
        try people.ana.wait()
        try people.withDevice(of: people.ana) { laptop in
          try laptop.awaitEvent(.mountAdded)
          try laptop.wait()
          let mirror = Folder(try #require(laptop.mount().path.text))
          #expect(mirror.path == laptop.folder.path + "/A")
          #expect(try mirror.text("a.txt") == "from the first")
          try mirror.write("from the second", to: "b.txt")
          try laptop.wait()
          try people.settle()
          #expect(try people.ana.folder.text("b.txt") == "from the second")
          #expect(try people.bob.folder.text("b.txt") == "from the second")
          let me = try laptop.answer(Control.WhoAmIReply.self, "status")
          #expect(me.account.handle == "ana")
        }
      }
    }

    @Test func `a share accepted on one device appears on the other without a command`() throws {
      try TwoPeople.play { people in
        try people.withDevice(of: people.bob) { laptop in
          try people.ana.folder.make("")
          try people.ana.folder.write("x", to: "a.txt")
          try people.share("read-write")
          try laptop.awaitEvent(.mountAdded)
          try laptop.wait()
          #expect(try Folder(laptop.folder.path + "/A").text("a.txt") == "x")
          let share = try laptop.answer(
            Control.ShareReply.self, "share", "show", laptop.folder.path + "/A"
          ).share
          // Row 43: the same person, not the owner.
          #expect(share.me.role == .privateUser && share.scope == .shared)
          try people.ana.cairn("share", "stop", people.ana.folder.path)
          for device in [people.bob, laptop] { try device.awaitEvent(.shareStopped) }
          for folder in [people.bob.folder, Folder(laptop.folder.path + "/A")] {
            #expect(!folder.exists("a.txt"))
          }
        }
      }
    }

    @Test func `a first device knows the second one's new and accepted shares`() throws {
      try TwoPeople.play { people in
        let (ana, bob) = (people.ana, people.bob)
        try people.withDevice(of: bob) { laptop in
          // A wait right after joining includes entries that haven't arrived yet.
          #expect(try laptop.cairn("wait", "--timeout", "60").text.contains("0 folders"))
          try ana.folder.make("")
          try ana.cairn("share", "create", ana.folder.path, "--title", "Hers")
          let link = try ana.cairn("share", "invite", ana.folder.path, "bob").lastLine
          let place = laptop.folder.path + "/Hers"
          try laptop.cairn("share", "accept", link, "--at", place, "--wait")
          try people.root.make("own")
          try laptop.cairn("share", "create", people.root.path + "/own", "--title", "His")
          let shares = try bob.answer(Control.ShareListReply.self, "share", "list").shares
          #expect(shares.map(\.title) == ["Hers", "His"] && shares.allSatisfy { $0.path == nil })
          #expect(try bob.answer(Control.ZonesReply.self, "zones").zones.count == 2)
          let shown = try bob.answer(
            Control.ShareReply.self, "share", "show", shares[0].id
          ).share
          #expect(shown.owner.handle == "ana" && shown.me.acceptance == .accepted)
        }
      }
    }

    @Test func `a wait right after joining waits for the folders of the other device`() throws {
      try TwoPeople.playSharing { people in
        for number in 0..<20 { try people.ana.folder.write("text", to: "\(number)") }
        try people.ana.wait()
        try people.withDevice(of: people.ana) { laptop in
          let waited = try laptop.cairn("wait", "--timeout", "60")
          #expect(waited.text.contains("1 folder"))
          #expect(try Folder(laptop.folder.path + "/A").names("").count == 21)
        }
      }
    }

    @Test func `a revoked device says so, keeps its files, and gets nothing any more`() throws {
      try TwoPeople.playSharing { people in
        try people.ana.folder.write("before", to: "a.txt")
        try people.ana.wait()
        try people.withDevice(of: people.ana) { laptop in
          try laptop.awaitEvent(.mountAdded)
          try laptop.wait()
          let listed = try people.ana.answer(Control.DeviceListReply.self, "device", "list")
          #expect(listed.devices.map(\.name).contains("laptop"))
          try people.ana.cairn("device", "rename", "laptop", "old laptop")
          let reply = try people.ana.answer(
            Control.DeviceRevokeReply.self, "device", "revoke", "old laptop")
          #expect(reply.pending == 0 && reply.zones == 1 && !reply.device.isActive)
          #expect(!reply.before && reply.device.revoked != nil)
          let again = try people.ana.answer(
            Control.DeviceRevokeReply.self, "device", "revoke", "Old Laptop")
          #expect(again.before && again.device == reply.device)
          try people.ana.awaitEvent(.deviceRevoked, "old laptop")
          HomeLock.waitUntilFree(try Home(environment: ["CAIRN_HOME": laptop.home.path]))
          try people.ana.folder.write("secret", to: "b.txt")
          try people.settle()
          #expect(try people.bob.folder.text("b.txt") == "secret")
          for command in ["status", "start"] { try laptop.fails(.notAuthenticated, command) }
          try laptop.fails(.notAuthenticated, "share", "list")
          let mirror = Folder(laptop.folder.path + "/A")
          #expect(try mirror.text("a.txt") == "before")
          #expect(!mirror.exists("b.txt"))
          try people.ana.fails(.unknownItem, "device", "rename", "old laptop", "x")
        }
      }
    }

    @Test func `codes that are mistyped, used or for another home are refused clearly`() throws {
      try TwoPeople.play { people in
        try people.ana.fails(.alreadyExists, "device", "join", "cairn:device/abc")
        try people.withDevice(of: people.ana) { laptop in
          let code = try laptop.cairn("device", "link").lastLine
          let third = try Person("ana", in: people.root, folder: "third", home: "ana-third")
          try third.fails(.invalidArguments, "device", "join", code + "x")
          try third.fails(.invalidArguments, "device", "join", "something")
          try third.fails(
            .networkUnavailable, "device", "join", code, "--container",
            people.root.path + "/nowhere")
          let join = ["--at", third.folder.path, "--device-name", "third"]
          try third.cairn("device", "join", code, join[0], join[1], join[2], join[3])
          try third.stopDaemon()
          let fourth = try Person("ana", in: people.root, folder: "fourth", home: "ana-fourth")
          try fourth.fails(.permissionFailure, "device", "join", code, join[0], join[1])
          let list = try laptop.answer(Control.DeviceListReply.self, "device", "list")
          #expect(list.devices.filter(\.isActive).count == 3)
          #expect(list.devices.filter(\.isThis).map(\.name) == ["laptop"])
        }
      }
    }

    @Test func `a folder that is removed on the second device doesn't come back`() throws {
      try TwoPeople.play { people in
        try people.withDevice(of: people.ana) { laptop in
          for name in ["one", "two"] {
            let folder = Folder(people.root.path + "/" + name)
            try folder.make("")
            try people.ana.cairn("add", folder.path)
          }
          for name in ["/one", "/two"] { try laptop.awaitEvent(.mountAdded, name) }
          try laptop.wait()
          try laptop.cairn("remove", laptop.folder.path + "/one")
          try laptop.stopDaemon()
          try laptop.startDaemon()
          try people.ana.cairn("add", people.root.path + "/one")
          let status = try laptop.answer(Control.StatusReply.self, "status")
          #expect(status.mounts.map(\.path.text) == [laptop.folder.path + "/two"])
        }
      }
    }

    @Test func `without its keys a home does nothing, and goes on with them`() throws {
      try TwoPeople.playSharing { people in
        let ana = people.ana
        try ana.folder.write("x", to: "a.txt")
        try people.settle()
        try ana.stopDaemon()
        try ana.home.move("keys/account", to: "account.away")
        try ana.folder.write("y", to: "b.txt")
        try ana.fails(.notAuthenticated, "share", "invite", ana.folder.path, "bob")
        try ana.fails(.notAuthenticated, "share", "accept", "cairn:share/abc")
        try ana.fails(.notAuthenticated, "add", ana.folder.path)
        #expect(try ana.folder.text("a.txt") == "x")
        try ana.home.move("account.away", to: "keys/account")
        try people.settle()
        #expect(try people.bob.folder.text("b.txt") == "y")
        // Nothing is created in the place of the copy's folder, or the copy would be moved into it.
        try ana.stopDaemon()
        try ana.home.move("keys", to: "keys.away")
        try ana.fails(.notAuthenticated, "status")
        #expect(!ana.home.exists("keys"))
        try ana.home.move("keys.away", to: "keys")
        try ana.wait()
      }
    }

    @Test func `another device of a verified person is reported until it is acknowledged`()
      throws
    {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        func state(_ handle: String) throws -> Control.User? {
          try ana.answer(Control.UserListReply.self, "user", "list").users
            .first { $0.handle == handle }
        }
        #expect(try state("bob")?.verification == .notVerified)
        let theirs = try bob.answer(Control.UserVerifyReply.self, "user", "verify", "ana").number
        #expect(theirs.split(separator: " ").map(\.count) == Array(repeating: 5, count: 12))
        var wrong = Array(theirs)
        wrong[7] = wrong[7] == "0" ? "1" : "0"
        try ana.fails(
          .participantMayNeedVerification, "user", "verify", "bob", "--match", String(wrong))
        #expect(try state("bob")?.verification == .notVerified)
        try ana.cairn("user", "verify", "bob", "--match", theirs)
        #expect(try state("bob")?.verification == .verified)
        try people.withDevice(of: bob) { _ in
          try ana.awaitEvent(.userChanged, "bob")
          #expect(try state("bob")?.verification == .changed)
          let problems = try ana.answer(Control.StatusReply.self, "status").problems
          #expect(problems.map(\.code) == [.participantMayNeedVerification])
          #expect(
            try ana.cairn("share", "invite", ana.folder.path, "bob").errors
              .contains("has changed"))
          try ana.cairn("user", "verify", "bob", "--acknowledge")
          #expect(try state("bob")?.verification == .notVerified)
          #expect(try ana.answer(Control.StatusReply.self, "status").problems.isEmpty)
        }
      }
    }

    @Test func `an object that holds an identity is named until it is taken away`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let me = try ana.answer(Control.StatusReply.self, "status").account
        let log: Name = "c/users/\(me.user)/log"
        let before = try Set(people.root.names(log))
        try bob.stopDaemon()
        try ana.cairn("device", "rename", me.deviceName, "old desk")
        let place = try #require(try Set(people.root.names(log)).subtracting(before).first)
        let object = String(decoding: place.bytes, as: UTF8.self)
        // Bob hasn't read the entry there.
        try people.root.move(log / place, to: "hidden")
        try people.root.write("rubbish", to: log / place)
        try bob.startDaemon()
        try bob.awaitEvent(.problem, "The identity of ana: held: ")
        #expect(try bob.containerState() == .held)
        let status = try bob.answer(Control.StatusReply.self, "status")
        #expect(status.problems.contains { $0.message.contains(object) })
        let verified = try bob.run("verify")
        #expect(verified.status != 0 && verified.text.contains(object))
        let repaired = try bob.run("repair", "--yes")
        #expect(repaired.status != 0 && repaired.text.contains(object))
        // It goes on by itself. Only another look reports that.
        try people.root.remove(log / place)
        try people.root.move("hidden", to: log / place)
        try bob.cairn("user", "list")
        #expect(try bob.containerState() == nil)
        try ana.folder.write("still here", to: "a.txt")
        try people.settle()
        #expect(try bob.folder.text("a.txt") == "still here")
      }
    }

    @Test func `a handle that two people claim causes a warning`() throws {
      try TwoPeople.playSharing { people in
        // Anybody with access to the container can take any handle. Only `init` refuses.
        let other = try Person("bob", in: people.root, folder: "O", home: "bob-again")
        let hidden = Folder(people.root.path + "/c/users")
        let bobs = try #require(
          try people.ana.answer(Control.UserListReply.self, "user", "list").users
            .first { $0.handle == "bob" })
        try hidden.move("\(bobs.user)", to: "../away")
        try other.cairn(
          "init", "--container", people.container.path, "--name", "Bob", "--handle", "bob")
        try hidden.move("../away", to: "\(bobs.user)")
        try people.ana.awaitEvent(.userChanged, "2 persons claim the handle bob")
        let users = try people.ana.answer(Control.UserListReply.self, "user", "list").users
        #expect(users.filter { $0.handle == "bob" }.map(\.claimedBy) == [2, 2])
        try people.ana.fails(
          .participantMayNeedVerification, "share", "invite", people.ana.folder.path, "bob")
        let outcome = try people.ana.cairn("share", "invite", people.ana.folder.path, bobs.user)
        #expect(outcome.errors.contains("2 persons claim"))
        #expect(
          try people.ana.answer(Control.StatusReply.self, "status").problems.count == 1)
      }
    }
  }
}
