import CairnReplica
import CairnZone
import Foundation
import Testing

@testable import CairnFolders
@testable import CairnIdentity

/// A mount whose state breaks a rule.
struct BrokenRuleTests {
  @Test func `a mount whose state breaks a rule stops, and names the rule`() throws {
    let ana = try OwnFolder()
    let sequence = ana.zone.header.sequence
    ana.engine.state.report.held = MountReport.Held(files: 1, directories: 0, of: 2, since: 0)
    let error = try #require(throws: CloudError.self) { try ana.engine.turn() }
    #expect(error.code == .internalError)
    #expect(error.message.contains("people are told of deletions that don't wait"))
    ana.engine.state.report.held = nil
    try Data("new".utf8).write(to: URL(filePath: "\(ana.folder)/d/c"))
    ana.engine.hintEverything()
    #expect(throws: error) { try ana.engine.turn() }
    #expect(ana.zone.header.sequence == sequence, "nothing is planned from such a state")
    try ana.restartWithNewIndex()
    try ana.lookAgain()
    #expect(ana.zone.header.sequence > sequence)
  }

  @Test(
    arguments: [
      (.room, "wait for room"), (.notAllowed, "wait for an allowance"), (.failed, nil),
    ] as [(Wait.Reason, String?)])
  func `a record that waits for nothing known breaks a rule`(reason: Wait.Reason, rule: String?) {
    var retries = RetryQueue()
    retries[.root].wait = Wait(reason: reason, explanation: "", until: 0, tries: 1)
    #expect((retries.brokenRule != nil) == (rule != nil))
    if let rule { #expect(retries.brokenRule?.contains(rule) == true) }
    retries.release(.root)
    #expect(retries.brokenRule == nil)
  }
}
