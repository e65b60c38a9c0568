import CairnControl
import Testing

extension EndToEnd {
  /// Two people whose container has no notifications. Their devices notify each other.
  @Suite struct WakeTests {
    /// Makes a device listen, without notifications from its container.
    private func listen(_ person: Person) throws {
      try person.stopDaemon()
      let text = try person.home.text("cairn.conf")
        .replacing("notifies = true", with: "notifies = false")
      try person.home.write(text + "\n[wake]\nlisten = \"127.0.0.1:0\"\n", to: "cairn.conf")
      try person.startDaemon()
    }

    private func wakes(_ person: Person) throws -> Control.Wakes {
      let status = try person.answer(Control.StatusReply.self, "status")
      return try #require(status.container.news?.wakes)
    }

    @Test func `one person's new file wakes the other's device`() throws {
      try TwoPeople.playSharing { people in
        let (ana, bob) = (people.ana, people.bob)
        #expect(try ana.answer(Control.StatusReply.self, "status").container.news?.wakes == nil)
        // Bob is first, so that Ana finds his address when she begins.
        try listen(bob)
        let deadline = ContinuousClock.now + .seconds(60)
        while try people.container.names("").allSatisfy({ $0 != "wakes" }),
          ContinuousClock.now < deadline
        {}
        try listen(ana)
        while try wakes(ana).devices == 0, ContinuousClock.now < deadline {}
        #expect(try wakes(ana).devices == 1)

        try ana.folder.write("heard", to: "dropped")
        try people.settle()
        #expect(try bob.folder.text("dropped") == "heard")
        while try wakes(bob).heard == 0, ContinuousClock.now < deadline {}
        #expect(try wakes(bob).heard >= 1 && wakes(ana).sent >= 1)
        let text = try bob.cairn("status").text
        #expect(text.contains("push messages at 127.0.0.1:"))
        #expect(text.contains("1 other device listens") || text.contains("0 other devices"))
        // An ending device announces it.
        try bob.stopDaemon()
        try ana.stopDaemon()
        #expect(try people.container.names("wakes").isEmpty)
        try bob.startDaemon()
        try ana.startDaemon()
        try ana.cairn("verify")
      }
    }
  }
}
