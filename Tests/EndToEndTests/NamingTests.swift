import CairnControl
import Testing

extension EndToEnd {
  /// The names of a share, a person, a device, an invitation and a link.
  @Suite struct NamingTests {
    @Test func `twelve digits of an id are shown, and six are accepted everywhere`() throws {
      try TwoPeople.playSharing { people in
        let (ana, path) = (people.ana, people.ana.folder.path)
        let share = try ana.answer(Control.ShareReply.self, "share", "show", path).share
        let bob = try #require(share.participants.first { $0.handle == "bob" }?.user)
        let devices = try ana.answer(Control.DeviceListReply.self, "device", "list").devices
        let device = try #require(devices.first).device
        let link = try ana.answer(Control.LinkReply.self, "share", "invite", path, "--link").id
        let listed = [
          (share.id, try ana.cairn("share", "list")), (share.id, try ana.cairn("zones")),
          (share.id, try ana.cairn("quota")), (share.id, try ana.cairn("share", "create", path)),
          (bob, try ana.cairn("user", "list")), (device, try ana.cairn("device", "list")),
          (link, try ana.cairn("share", "show", path)),
        ]
        for (id, outcome) in listed {
          #expect(outcome.text.contains(id.prefix(12)), "\(outcome.text)")
          #expect(!outcome.text.contains(id.prefix(13)), "\(outcome.text)")
        }

        func six(_ id: String) -> String { String(id.prefix(6)) }
        func five(_ id: String) -> String { String(id.prefix(5)) }
        for (id, words) in [
          (share.id, ["share", "show"]), (share.id, ["verify"]), (share.id, ["schema"]),
          (share.id, ["share", "participants"]), (bob, ["user", "verify"]),
        ] {
          try ana.cairn(words + [six(id)])
          #expect(try ana.run(words + [five(id)]).status != 0, "\(words)")
          // In the form in which somebody reads it aloud.
          try ana.cairn(words + [six(id).uppercased()])
        }
        #expect(try ana.run("device", "rename", five(device), "desk").status != 0)
        let renamed = try ana.cairn("device", "rename", six(device), "desk")
        #expect(renamed.text == "\(device.prefix(12)) is called desk now.\n")
        #expect(try ana.run("share", "uninvite", path, five(link)).status != 0)
        try ana.cairn("share", "uninvite", path, six(link))
        try ana.cairn("share", "set-permission", six(share.id), six(bob), "read-only")
      }
    }
  }
}
