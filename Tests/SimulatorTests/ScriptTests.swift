import Foundation
import Testing

@testable import Simulator

/// The language of scripts: what it means, and what is an error.
@Suite(.serialized) struct ScriptTests {
  private static let head = "seed: 1\npeople: ana, bob\n\n"

  /// Returns the violation by a script; nil if it keeps the rules.
  private func play(_ steps: String) throws -> String? {
    var campaign = Campaign()
    let script = try ScriptParser.parse(Self.head + steps)
    return try campaign.play(script).violation?.description
  }

  @Test(arguments: [
    "ana creates a",
    "ana creates a, 10 bytes, twice",
    "ana creates a, ten bytes",
    "ana creates ../a, 10 bytes",
    "ana eats a",
    "cleo deletes file a",
    "bob invites ana to write",
    "ana's daemon works 3",
    "ana's daemon works, hints upside down",
    "ana's cat works",
    "wait 3 s",
    "   ana's daemon works",
    "ana's daemon works\n  fails: rename a to b",
    "ana's daemon works\n  fails: rename a to b, ENOTHING",
    "ana's daemon works\n  fails: remake a, EIO",
    "ana's daemon works\n  ends after: put entry",
    "ana's daemon works\n  ends",
    "ana's daemon works\n  before: open a; bob deletes file a",
    "ana's daemon works\n  ends before: open a\n    left: a, zeros",
    "ana's daemon works\n  power cut before: open a\n    left: a, half",
    "  ends before: open a",
    "ana creates \"a, 10 bytes",
  ])
  func `what isn't in the language is an error, with its line`(steps: String) throws {
    let error = #expect(throws: ScriptError.self) {
      _ = try ScriptParser.parse(Self.head + steps)
    }
    #expect(try #require(error).line >= 4)
  }

  @Test(arguments: 0..<5, ["ana", "bob"])
  func `what a thief brings along behind the revocation is believed by nobody`(
    number: Int, victim: String
  ) throws {
    func forgery(_ time: Int) -> String {
      "\(victim)'s laptop forges, number \(number + 6 * time)"
    }
    let lines = [
      "\(victim)'s laptop is stolen", forgery(0), forgery(1), "\(victim) revokes the laptop",
      forgery(2), forgery(3),
    ]
    let work = "\nana's daemon works\nbob's daemon works\n"
    let script = try ScriptParser.parse(
      Self.head + "ana creates a, 10 bytes" + work + lines.joined(separator: work) + work)
    #expect(script.steps.map(\.text).filter { $0.contains("laptop") } == lines)
    var campaign = Campaign()
    let (violation, story) = try campaign.play(script)
    #expect(violation == nil)
    #expect(story.faults["forgery brought along"] == 2)
    #expect(!story.planted.isEmpty)
  }

  @Test(arguments: 0..<6)
  func `what an administrator does against the others is undone by the owner`(
    number: Int
  ) throws {
    let mad = "bob goes mad, number \(number)"
    let work = "\nana's daemon works\nbob's daemon works\ncleo's daemon works\n"
    let script = try ScriptParser.parse(
      "seed: 1\npeople: ana, bob, cleo\n\nana creates a, 10 bytes" + work
        + "cleo creates b, 10 bytes\n" + mad + work + "ana creates c, 10 bytes" + work)
    #expect(script.steps.map(\.text).contains(mad))
    var campaign = Campaign()
    let (violation, story) = try campaign.play(script)
    #expect(violation == nil)
    #expect(story.faults["administrator mad"] == 1)
  }

  @Test func `a fault that isn't hit, or not so often, fails the script`() throws {
    let work = "ana creates a, 100 bytes\nana's daemon works\nbob's daemon works\n"
    let rename = "rename .cairn/staging/* to a, ENOSPC\nbob's daemon works\n"
    #expect(try play(work + "  fails: \(rename)") == nil)
    let twice = try #require(try play(work + "  fails: 2nd \(rename)"))
    #expect(twice.hasPrefix("script: line 7:") && twice.contains("rename .cairn/staging/* to a"))
    let other = try play(work + "  fails: rename .cairn/staging/* to b, ENOSPC")
    #expect(other?.hasPrefix("script: line 7:") == true)
  }

  @Test func `a fault that no disk has fails the script`() throws {
    let impossible = try play("ana's daemon works\n  fails: fstat ., ENOSPC")
    #expect(impossible?.contains("can't fail like that") == true)
  }

  @Test(arguments: [
    "ana edits a, 10 bytes", "ana makes directory a/b",
    "ana creates a, 1 bytes\nana creates a, 1 bytes",
    "ana creates a, 1 bytes\nana creates b, 1 bytes\nana renames a to b",
    "ana creates a, 1 bytes\nana renames a over b", "ana finishes writing",
    "ana creates a, 1 bytes\nana deletes directory a",
  ])
  func `a deed that can't be done fails the script`(steps: String) throws {
    #expect(try play(steps)?.hasPrefix("script: line") == true)
  }

  @Test func `a power cut leaves what the script says, or the script fails`() throws {
    let begun = "ana creates a, 100 bytes\nana's daemon works\n  power cut before: read a\n"
    #expect(try play(begun + "    undone since: making a") == nil)
    #expect(try play(begun + "    left: a, zeros") == nil)
    #expect(try play(begun + "    left: b, zeros")?.hasPrefix("script: line 6:") == true)
    #expect(try play(begun + "    undone since: making b")?.hasPrefix("script: line 6:") == true)
    #expect(try play(begun + "    left: the index as noted")?.hasPrefix("script: line 6:") == true)
  }

  @Test(arguments: [21, 22, 23, 24, 25, 26])
  func `what is drawn is written by names, and each fault is hit again`(seed: Int) throws {
    let file = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).script"
    defer { try? FileManager.default.removeItem(atPath: file) }
    let drawn = try simulate(["--replay", "\(seed)", "--kind", "everything", "--write", file])
    #expect(drawn.status == 0)
    let text = try String(contentsOfFile: file, encoding: .utf8)
    let script = try ScriptParser.parse(text)
    #expect(script.steps.count > 30 && script.faults.count > 3, "\(text)")
    let (status, said) = try simulate(["--script", file])
    #expect(status == 0, "\(said)")
  }
}
