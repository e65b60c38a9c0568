import CairnControl
import CairnStore
import Foundation
import Synchronization
import Testing

@testable import CairnDaemon

/// Mistyped words in cairn.conf are reported, and have no effect.
struct ConfigurationKeyTests {
  private func text(path: String = "/c", _ more: String = "") -> String {
    "[container]\npath = \"\(path)\"\nid = \"5d1c0f8e2b7a49d38c6e1f0a9b4d7c52\"\n" + more
  }

  @Test(arguments: [
    ("flder = \"/x\"\n", "", ["flder"]), ("folder = 3\n", "", ["folder"]),
    ("", "notifies = \"yes\"\n", ["notifies in [container]"]),
    ("", "poll_seconds = 5\n[disc]\na = 1\n", ["[disc]", "poll_seconds in [container]"]),
    ("folder = \"/x\"\n", "poll-seconds = 5\n[disk]\nkeep-free-mib = 1\n", []),
  ]) func `keys without effect are named`(
    before: String, after: String, expected: [String]
  ) throws {
    #expect(try Configuration.keysWithoutEffect(in: before + text(after)) == expected)
  }

  @Test func `each key that a configuration writes has an effect`() throws {
    let all = Configuration(
      location: try #require(StoreLocation("/c")), containerID: "1", fileSystem: "ext4",
      notifies: true, pollSeconds: 7,
      deviceName: "laptop", folder: "/f", keepFree: 1 << 20, isAnonymous: true)
    #expect(try Configuration.keysWithoutEffect(in: all.text) == [])
  }

  @Test func `the pages name the default pause between polls`() throws {
    let read = try Configuration(text(), from: "cairn.conf")
    let manual = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../man").standardized
    let settings = try String(contentsOf: manual.appending(path: "cairn.conf.5"), encoding: .utf8)
    let parts = settings.components(separatedBy: ".It Li poll-seconds\n")
    #expect(parts.count == 2 && parts[1].contains("The default is \(read.pollSeconds).\n"))
    #expect(settings.contains("\npoll-seconds = \(read.pollSeconds)\n"))
    let command = try String(contentsOf: manual.appending(path: "cairn-init.1"), encoding: .utf8)
    #expect(command.contains("The default is \(read.pollSeconds) seconds, and 1800 with\n"))
  }

  @Test func `log levels are read, kept and checked`() throws {
    let more = "[log]\nlevel = \"warning,scan=debug\"\n"
    let read = try Configuration(text(more), from: "cairn.conf")
    #expect(read.logLevels == "warning,scan=debug")
    #expect(try Configuration(read.text, from: "cairn.conf") == read)
    #expect(try Configuration.keysWithoutEffect(in: text(more)) == [])
    let error = #expect(throws: ControlError.self) {
      try Configuration(text("[log]\nlevel = \"loud\"\n"), from: "cairn.conf")
    }
    #expect(error?.message.contains("no log level “loud”") == true)
  }

  @Test func `the folders that appear are read, kept and checked`() throws {
    let more = "[select]\nonly = [\"Photos\", \"Team/Films\"]\n"
    let read = try Configuration(text(more), from: "cairn.conf")
    #expect(try Configuration(read.text, from: "cairn.conf") == read)
    #expect(try Configuration.keysWithoutEffect(in: text(more)) == [])
    let only = try #require(read.choice)
    #expect(only.part(of: "Photos") == .everything && only.part(of: "Photo") == .nothing)
    #expect(only.part(of: "Team") == .selection(.only, ["Films"]))
    let without = FolderChoice(change: .without, paths: ["Photos", "Team/Films", "Team/Raw"])
    #expect(without.part(of: "Photos") == .nothing && without.part(of: "Other") == .everything)
    #expect(without.part(of: "Team") == .selection(.without, ["Films", "Raw"]))
    let both = "[select]\nonly = \"a\"\nwithout = \"b\"\n"
    #expect(throws: ControlError.self) { try Configuration(text(both), from: "cairn.conf") }
  }

  @Test func `the times of limits are read, kept and checked`() throws {
    let more = "[network]\nupload-limit = \"1M\"\nlimit-when = [\"8:00-18:00\", \"metered\"]\n"
    let read = try Configuration(text(more), from: "cairn.conf")
    #expect(read.limits.upload == 1_000_000)
    #expect(read.limits.times.texts == ["08:00-18:00", "metered"])
    #expect(try Configuration(read.text, from: "cairn.conf") == read)
    #expect(try Configuration.keysWithoutEffect(in: text(more)) == [])
    let one = "[network]\nlimit-when = \"metered\"\n"
    #expect(try Configuration(text(one), from: "cairn.conf").limits.times.isForMetered)
    for wrong in ["\"at night\"", "[3]", "[\"08:00\"]"] {
      let error = #expect(throws: ControlError.self) {
        try Configuration(text("[network]\nlimit-when = \(wrong)\n"), from: "cairn.conf")
      }
      #expect(error?.message.contains("limit-when") == true)
    }
  }

  @Test func `NetworkManager is asked at most twice a minute, and only if that decides`() throws {
    let (time, asked, isMetered) = (Number(), Number(), Number())
    let watch = LimitWatch(minute: { 600 }, now: { Int64(time.value) }) {
      asked.value += 1
      return isMetered.value == 1
    }
    func applies(_ texts: String...) throws -> Bool {
      watch.applies(try #require(LimitTimes(texts)))
    }
    #expect(try applies() && applies("09:00-11:00", "metered"))
    #expect(try !applies("11:00-12:00") && asked.value == 0)
    #expect(try !applies("11:00-12:00", "metered") && !applies("metered") && asked.value == 1)
    isMetered.value = 1
    time.value = 29_999_999_999
    #expect(try !applies("metered") && asked.value == 1)
    time.value = 30_000_000_000
    #expect(try applies("11:00-12:00", "metered") && asked.value == 2)
  }

  @Test func `a relative path of a container is refused`() throws {
    let error = #expect(throws: ControlError.self) {
      try Configuration(text(path: "rel/x"), from: "cairn.conf")
    }
    #expect(error?.code == .invalidArguments && error?.message.contains("rel/x") == true)
    #expect(try Configuration(text(), from: "cairn.conf").location.text == "/c")
  }
}

private final class Number: Sendable {
  private let state = Mutex(0)
  var value: Int {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}
