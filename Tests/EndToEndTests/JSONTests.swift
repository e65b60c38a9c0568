import APIDescription
import CairnControl
import Testing

extension EndToEnd {
  /// cairn-json(7) is true: people use every command, and each object of the page occurs.
  @Suite struct JSONTests {
    /// Keys that occur in this story only by chance, or that would need another machine.
    private static let seldom: Set<String> = [
      // Work in progress may be over before anybody asks.
      "Progress.total", "Progress.bytes", "Progress.allBytes", "Progress.bytesPerSecond",
      "Progress.secondsLeft", "Work.looked", "Work.sending", "Work.receiving",
      "Work.bytesPerSecond", "Work.secondsLeft", "Transfer.bytesPerSecond",
      // These need a bucket, an upgrade, a kernel without watches left, or an absent container.
      "ContainerPolicyReply.document", "DaemonStatus.replacedBy", "Watching.note",
      "Watching.scanSeconds",
      // These need a file system that keeps less.
      "Watching.fileSystem",
      "UserListReply.isRecalled", "User.isHidden",
      // Versions in a zone from which something moved.
      "Shown.zone", "HistoryEntry.zone", "FileVersion.zone", "PastEntry.zone", "FetchReply.zone",
      "LogPlace.zone",
      // A person who claims another's handle, or wrote false data.
      "OfferReply.warning", "LogEntry.problem",
    ]

    @Test func `each object of cairn-json(7) occurs, as the page says`() throws {
      try TwoPeople.play { people in
        let story = JSONStory(people)
        try story.begin()
        try story.look()
        try story.changePast()
        try story.letIn()
        try story.setAside()
        try story.publish()
        try story.useDevices()
        try story.useContainers()
        try story.end()
        try story.harm()
        let api = try OpenAPI()
        let missing = Set(api.objects.keys).subtracting(story.book.objects)
        #expect(missing.isEmpty, "\(missing.sorted()) never came")
        let unasked = api.promises.subtracting(story.book.answers)
        #expect(unasked.isEmpty, "\(unasked.sorted()) never came")
        let unseen = api.optional.subtracting(story.book.optional).subtracting(Self.seldom)
        #expect(unseen.isEmpty, "\(unseen.sorted()) never came")
      }
    }

    @Test func `a misunderstood command is an error in JSON, too`() throws {
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
        // Without it, the error is for people.
        let outcome = try people.ana.run("status", "--no-such-option")
        #expect(outcome.status == 64 && outcome.output.isEmpty && !outcome.errors.isEmpty)
      }
    }

    @Test func `an empty list is reported as empty`() throws {
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
        // The output consists of names, and nothing else.
        for words in [["ls", empty], ["ls", "--scope", "shared"]] {
          let listed = try ana.cairn(words)
          #expect(listed.text.isEmpty && listed.errors.contains("Nothing"), "\(words)")
        }
      }
    }
  }
}
