import CairnControl
import Testing

extension EndToEnd {
  /// Somebody with access to the container takes the handle of another person.
  struct ImpostorTests {
    /// Returns another person with that handle and name. `init` alone refuses it, as long as it
    /// sees the first person. `isHiding`: the first person stays hidden.
    private func impostor(
      of person: Control.Person, named name: String, in people: TwoPeople, isHiding: Bool = false
    ) throws -> Person {
      let handle = try #require(person.handle)
      let other = try Person(handle, in: people.root, folder: "O", home: handle + "-again")
      let users = Folder(people.root.path + "/c/users")
      try users.move("\(person.user)", to: "../away")
      try other.cairn(
        "init", "--container", people.container.path, "--name", name, "--handle", handle)
      if !isHiding { try users.move("../away", to: "\(person.user)") }
      return other
    }

    private func me(_ person: Person) throws -> Control.Person {
      let account = try person.answer(Control.WhoAmIReply.self, "status").account
      return Control.Person(user: account.user, handle: account.handle, name: account.name)
    }

    @Test func `the place of a verified person can't be taken by hiding them`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let him = try me(bob)
        let number = try bob.answer(Control.UserVerifyReply.self, "user", "verify", "ana").number
        try ana.cairn("user", "verify", "bob", "--match", number)
        let other = try impostor(of: him, named: "Bob", in: people, isHiding: true)
        defer { people.end(other) }
        let his = try me(other).user
        try people.root.make("S")
        try people.root.write("secret", to: "S/file")
        try ana.cairn("share", "create", people.root.path + "/S")
        func invite(_ words: String...) throws -> Program.Outcome {
          try ana.run(["share", "invite", people.root.path + "/S"] + words)
        }
        let code = Control.ErrorCode.participantMayNeedVerification.exitStatus
        let ambiguous = try invite("bob")
        #expect(ambiguous.status == code)
        for id in [him.user, his] { #expect(ambiguous.errors.contains(id.prefix(12))) }
        #expect(ambiguous.errors.contains("(verified, not in the container now)"))
        let named = try invite(his)
        #expect(named.status == code)
        #expect(named.errors.contains("isn't verified") && named.errors.contains("--unverified"))
        #expect(named.errors.contains("cairn user verify \(his.prefix(12))"))
        #expect(try invite(him.user).status == code)
        #expect(try people.root.names(Name("c/users/\(his)/inbox")).isEmpty)
        let share = try ana.answer(
          Control.ShareReply.self, "share", "show", people.root.path + "/S"
        ).share
        #expect(share.participants.count == 1)
        let list = try ana.run("user", "list").text
        #expect(list.contains("verified, handle claimed by 2, NOT IN THE CONTAINER"), "\(list)")
        let problems = try ana.answer(Control.StatusReply.self, "status").problems
        #expect(problems.contains { $0.message.contains("The identity of bob: lost end") })
        #expect(problems.contains { $0.message.contains("2 persons claim the handle bob") })
        // The inviter can say that it is intended.
        let meant = try invite(his, "--unverified")
        #expect(meant.status == 0 && meant.errors.contains("2 persons claim"), "\(meant.errors)")
        #expect(meant.text.contains("Bob (bob), \(his.prefix(12)), not verified, is invited"))
        try ana.cairn("repair", "--yes")
        #expect(people.root.exists(Name("c/users/\(him.user)/log")))
        try people.root.remove(Name("c/users/\(him.user)"))
        try people.root.move("c/away", to: Name("c/users/\(him.user)"))
      }
    }

    @Test func `the inviter's id is shown, and an impostor's link is refused with a reason`()
      throws
    {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let her = try me(ana)
        let other = try impostor(of: her, named: "Ana Äpfel", in: people)
        defer { people.end(other) }
        let its = try me(other).user
        try people.root.make("evil")
        try people.root.write("#!/bin/sh", to: "evil/ls")
        let evil = people.root.path + "/evil"
        try other.cairn("share", "create", evil, "--title", "bin")
        let named = try other.cairn("share", "invite", evil, "bob").lastLine
        let once = try other.cairn("share", "invite", evil, "--link", "--print-link").lastLine
        let invitation = try #require(
          bob.answer(Control.InvitationsReply.self, "share", "invitations").invitations.first)
        #expect(invitation.from.user == its && invitation.from.verification == .notVerified)
        #expect(invitation.from.claimedBy == 2)
        let shown = try bob.run("share", "invitations").text
        #expect(shown.contains("\(its.prefix(12)), not verified, handle claimed by 2"), "\(shown)")
        for link in [named, once, invitation.id] {
          let refused = try bob.fails(.participantMayNeedVerification, "share", "accept", link)
          #expect(refused.errors.contains(its.prefix(12)), "\(refused.errors)")
          #expect(refused.errors.contains(her.user.prefix(12)), "\(refused.errors)")
          #expect(refused.errors.contains("Nothing was accepted"), "\(refused.errors)")
          let offer = try bob.answer(
            Control.OfferReply.self, "share", "accept", "--dry-run", link)
          #expect(offer.warning?.contains("2 persons claim the handle ana") == true)
          #expect(offer.from.user == its && !offer.isAccepted)
        }
        #expect(!people.root.exists("bob.out/Cairn") && !people.root.exists("bob.out/bin"))
        let reply = try bob.answer(
          Control.AcceptReply.self, "share", "accept", once, "--unverified", "--wait")
        #expect(reply.from?.user == its)
        #expect(reply.mount.path.text == people.root.path + "/bob.out/Cairn/bin")
        #expect(!people.root.exists("bob.out/bin"))
      }
    }

    @Test func `once somebody is verified, inviting others needs an option`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        let carol = try Person("carol", in: people.root, folder: "C")
        defer { people.end(carol) }
        try carol.cairn(
          "init", "--container", people.container.path, "--name", "Carol", "--handle", "carol")
        let first = try ana.answer(
          Control.InviteReply.self, "share", "invite", ana.folder.path, "carol")
        #expect(first.invited.map(\.verification) == [.notVerified] && first.warning == nil)
        try ana.cairn("share", "uninvite", ana.folder.path, "carol")
        let number = try bob.answer(Control.UserVerifyReply.self, "user", "verify", "ana").number
        try ana.cairn("user", "verify", "bob", "--match", number)
        let refused = try ana.fails(
          .participantMayNeedVerification, "share", "invite", ana.folder.path, "carol")
        #expect(refused.errors.contains("You have verified others"), "\(refused.errors)")
        #expect(refused.errors.contains("--unverified"), "\(refused.errors)")
        let carols = try me(carol).user
        #expect(try people.root.names("c/users/\(carols)/inbox").isEmpty)
        // A participant already has the keys, so this goes on.
        let again = try ana.cairn(
          "share", "invite", ana.folder.path, "bob", "--permission", "read-only")
        let changed = "verified, is in \"A\" already: changed from read-write to read-only."
        #expect(again.text.contains(changed), "\(again.text)")
        let meant = try ana.answer(
          Control.InviteReply.self, "share", "invite", ana.folder.path, "carol", "--unverified")
        #expect(meant.invited.map(\.user) == [carols])
        #expect(meant.warning?.contains("isn't verified") == true)
        // An unanswered question doesn't make anybody known either.
        try ana.cairn("share", "uninvite", ana.folder.path, "carol")
        try ana.cairn("share", "set-requests", ana.folder.path, "on")
        let share = try ana.answer(
          Control.ShareReply.self, "share", "show", ana.folder.path
        ).share
        try carol.cairn("share", "request", share.link)
        let asked = try ana.run("share", "requests").text
        #expect(asked.contains("\(carols.prefix(12)), not verified"), "\(asked)")
        try ana.fails(
          .participantMayNeedVerification, "share", "approve", ana.folder.path, "carol")
        try ana.cairn("share", "approve", ana.folder.path, "carol", "--unverified")
      }
    }
  }
}
