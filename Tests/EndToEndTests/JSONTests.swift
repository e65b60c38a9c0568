import CairnControl
import JSONPage
import Testing

extension EndToEnd {
  /// cairn-json(7) is true: people play through all commands, and each object of the page comes.
  @Suite struct JSONTests {
    /// Keys that come in this story only by chance, or for which it would need another machine.
    private static let seldom: Set<String> = [
      // While something is under way, which may be over before anybody asks.
      "Progress.total", "Progress.bytes", "Progress.allBytes", "Progress.bytesPerSecond",
      "Progress.secondsLeft", "Work.looked", "Work.sending", "Work.receiving",
      "Work.bytesPerSecond", "Work.secondsLeft",
      // Of a bucket, after an upgrade, where the kernel watches no more, without the container.
      "ContainerPolicyReply.document", "DaemonStatus.replacedBy", "Watching.note",
      "UserListReply.isRecalled", "User.isHidden",
      // Of versions in a zone that something moved from.
      "Shown.zone", "HistoryEntry.zone", "FileVersion.zone", "PastEntry.zone", "FetchReply.zone",
      "LogPlace.zone",
      // Where a person claims another's handle, or wrote false data.
      "OfferReply.warning", "LogEntry.problem",
    ]

    @Test func `each object of cairn-json(7) comes, as the page says`() throws {
      try TwoPeople.play { people in
        let story = JSONStory(people)
        try story.begin()
        try story.look()
        try story.changePast()
        try story.letIn()
        try story.setAside()
        try story.publish()
        try story.useDevices()
        try story.end()
        try story.harm()
        let page = try JSONPage()
        let missing = Set(page.objects.keys).subtracting(story.book.objects)
        #expect(missing.isEmpty, "\(missing.sorted()) never came")
        let unasked = page.promises.subtracting(story.book.answers)
        #expect(unasked.isEmpty, "\(unasked.sorted()) never came")
        let unseen = page.optional.subtracting(story.book.optional).subtracting(Self.seldom)
        #expect(unseen.isEmpty, "\(unseen.sorted()) never came")
      }
    }

    @Test func `what can't be understood is an error in JSON, too`() throws {
      try TwoPeople.play { people in
        let story = JSONStory(people)
        for words in [
          ["status", "--no-such-option"], ["share", "set-permission", "x", "bob", "all"],
          ["nonsense"],
        ] {
          let outcome = try people.ana.run(words + ["--json"])
          #expect(outcome.status == 64 && outcome.errors.isEmpty, "\(words): \(outcome.errors)")
          story.book.take(outcome, of: words)
          #expect(outcome.text.contains(#""code":"invalidArguments""#), "\(outcome.text)")
        }
        #expect(story.book.objects == ["ControlError"])
        // Without it, for people.
        let outcome = try people.ana.run("status", "--no-such-option")
        #expect(outcome.status == 64 && outcome.output.isEmpty && !outcome.errors.isEmpty)
      }
    }

    @Test func `a list with nothing in it says so`() throws {
      try TwoPeople.play { people in
        let (ana, empty) = (people.ana, people.root.path + "/Empty")
        try people.root.make("Empty")
        for words in [
          ["status"], ["zones"], ["share", "list"], ["share", "invitations"],
          ["share", "requests"], ["share", "of", empty], ["held"], ["conflicts"], ["rescue"],
          ["events"], ["quota"], ["public", "list"],
        ] {
          #expect(try !ana.cairn(words).text.isEmpty, "\(words) says nothing")
        }
        try ana.cairn("add", empty)
        try ana.wait()
        for words in [["log", empty], ["history", empty], ["changes", empty]] {
          #expect(try !ana.cairn(words).text.isEmpty, "\(words) says nothing")
        }
        // What is printed there are names, and nothing else.
        for words in [["ls", empty], ["ls", "--scope", "shared"]] {
          let listed = try ana.cairn(words)
          #expect(listed.text.isEmpty && listed.errors.contains("Nothing"), "\(words)")
        }
      }
    }
  }
}
