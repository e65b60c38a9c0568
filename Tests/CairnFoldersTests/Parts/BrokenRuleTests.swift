import CairnPlan
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

  @Test func `a rule that is broken within a sync cycle stops the mount, and is named`() throws {
    let ana = try OwnFolder()
    let state = ana.engine.state
    let token = state.transfers.token(.download, alone: nil, state.report.board, state.clock)
    state.transfers.handOut(.download, [], size: 0, memory: 0) {
      var result = DownloadJob.Result(files: [], isReadOnly: false, token: token)
      result.error = BrokenRule("a directory is staged")
      return .received(result)
    }
    let error = try #require(throws: CloudError.self) { try ana.engine.turn() }
    #expect(error.code == .internalError && error.message.contains("(a directory is staged)"))
    #expect(ana.engine.brokenRule == "a directory is staged")
    #expect(throws: error) { try ana.engine.turn() }
  }

  @Test func `a step that must stage a directory breaks a rule`() throws {
    let ana = try OwnFolder()
    let place = Place(parent: .root, name: try #require(FileName(Array("x".utf8))))
    let attributes = Attributes(isExecutable: false, modified: 0)
    let node = Node(place: place, kind: .directory, attributes: attributes)
    #expect(throws: BrokenRule.self) {
      try FolderSteps(ana.engine.state).carryOut([.install(.root, node)], following: [:])
    }
  }

  @Test func `a step without its staged file breaks a rule`() throws {
    let ana = try OwnFolder()
    let state = ana.engine.state
    let (root, staging) = (try #require(state.root), try #require(try state.staging))
    let ignores = try #require(state.scanner).ignores
    let place = Place(parent: .root, name: try #require(FileName(Array("x".utf8))))
    let attributes = Attributes(isExecutable: false, modified: 0)
    let node = Node(place: place, kind: .symlink(Array("y".utf8)), attributes: attributes)
    try state.write { tree in
      let applier = Applier(
        root: root, staging: staging, tree: AppliedRows(tree), ignores: ignores,
        date: state.clock.date, isReadOnly: false)
      #expect(throws: BrokenRule.self) {
        try applier.apply(.install(.root, node), staged: nil)
      }
    }
  }

  @Test func `a text with no bytes is an empty C string`() {
    #expect([UInt8]().withCString { $0[0] } == 0)
    #expect(Array("ab".utf8).withCString { String(cString: $0) } == "ab")
  }
}
