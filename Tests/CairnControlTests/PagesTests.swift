import CairnControl
import Foundation
import Testing

/// The help texts and the manual are complete.
@Suite struct PagesTests {
  private static let manual = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appending(path: "man")

  private static func page(_ name: String) throws -> String {
    try String(contentsOf: manual.appending(path: name), encoding: .utf8)
  }

  /// Returns the words that are marked as literal on lines of their own.
  private static func literals(_ page: String) -> Set<String> {
    let lines = page.split(separator: "\n").filter { $0.hasPrefix(".Li ") }
    return Set(lines.map { String($0.dropFirst(4).prefix { $0 != " " }) })
  }

  /// Returns the pages that describe a command.
  private static func pages(of command: [String]) throws -> [String] {
    let text = command.joined(separator: " ")
    return try FileManager.default.contentsOfDirectory(atPath: manual.path)
      .filter { $0.hasPrefix("cairn") && $0.hasSuffix(".1") }.map(page)
      .filter { $0.contains("Nm \"cairn \(text)\"") || $0.contains(".Nm cairn \(text)\n") }
  }

  @Test(arguments: Commands.all) func `each command explains itself, and the manual knows it`(
    command: [String]
  ) throws {
    let program = try CairnProgram()
    defer { try? program.remove() }
    let help = try program.run(command + ["--help"])
    #expect(help.status == 0)
    #expect(help.text.contains("OVERVIEW: "))
    #expect(help.text.contains("USAGE: cairn " + command.joined(separator: " ")))
    #expect(help.text.contains("--json"))
    let pages = try Self.pages(of: command)
    #expect(!pages.isEmpty, "\(command) is in no synopsis")
    let usage = help.text[(help.text.range(of: "USAGE: ")?.lowerBound ?? help.text.startIndex)...]
    let flags = usage.matches(of: /(?:^|[\s\[|])(--?[a-z0-9][a-z-]*)/).map { $0.output.1 }
    #expect(flags.count > 2)
    for flag in Set(flags) {
      let isKnown = pages.contains { $0.contains("Fl " + flag.dropFirst()) }
      #expect(isKnown, "\(flag) of \(command)")
    }
  }

  /// `man cairn-wait` must find a page: one of that name, or a link that is installed.
  @Test func `each command has a page under its own name`() throws {
    let links = Process()
    links.executableURL = Self.manual.deletingLastPathComponent().appending(path: ".ci/pages")
    let output = Pipe()
    links.standardOutput = output
    try links.run()
    let text = try output.fileHandleForReading.readToEnd() ?? Data()
    links.waitUntilExit()
    var names = Set(try FileManager.default.contentsOfDirectory(atPath: Self.manual.path))
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: " ").map(String.init)
      try #require(parts.count == 2)
      #expect(names.contains(parts[1]) && !names.contains(parts[0]), "\(line)")
      names.insert(parts[0])
    }
    for command in Commands.all {
      let name = "cairn-" + command.joined(separator: "-") + ".1"
      #expect(names.contains(name), "there is no page \(name)")
    }
  }

  @Test func `cairn(1) lists the ten errors that people meet, with their exit statuses`() throws {
    let lines = try Self.page("cairn.1").split(separator: "\n")
    let listed = lines.filter { $0.hasPrefix(".It ") && $0.contains(" Pq Li ") }.map(String.init)
    let known = Control.ErrorCode.allCases.map { ".It \($0.exitStatus) Pq Li \($0.rawValue)" }
    #expect(listed.count == 10 && Set(listed).isSubset(of: known))
  }

  @Test func `cairn-errors(7) explains every error, and no other`() throws {
    let lines = try Self.page("cairn-errors.7").split(separator: "\n")
    let listed = lines.filter { $0.hasPrefix(".It ") }.map(String.init)
    let known = Control.ErrorCode.allCases.map { ".It \($0.exitStatus) Pq Li \($0.rawValue)" }
    #expect(Set(listed) == Set(known))
    #expect(listed.count == known.count, "an error is explained twice")
    for (place, line) in lines.enumerated() where line.hasPrefix(".It ") {
      // The explanation, the remedy, and the sentence about a repetition.
      let text = lines[(place + 1)...].prefix { !$0.hasPrefix(".It ") && !$0.hasPrefix(".El") }
      #expect(text.filter { $0.hasSuffix(".") }.count >= 3, "\(line)")
      let last = text.suffix(2).joined(separator: " ")
      let says = ["ried again", "by itself", "by themselves", "at again", "ead again"]
      #expect(says.contains { last.contains($0) }, "\(line) must say whether it is tried again")
    }
  }

  @Test func `cairnd(8) lists every operation, cairn-status(1) every event`() throws {
    let daemon = try Self.page("cairnd.8")
    let names = [
      Control.Status.name, Control.Wait.name, Control.List.name, Control.Add.name,
      Control.Remove.name, Control.Verify.name, Control.Repair.name, Control.ShareCreate.name,
      Control.ShareAdd.name, Control.ShareTakeOut.name,
      Control.ShareInvite.name, Control.ShareInvitations.name, Control.ShareAccept.name,
      Control.ShareDecline.name, Control.Move.name,
      Control.ShareList.name, Control.ShareShow.name, Control.ShareParticipants.name,
      Control.Ping.name, Control.Stop.name, Control.WhoAmI.name, Control.UserList.name,
      Control.Events.name, Control.ShareSetPermission.name, Control.ShareSetRole.name,
      Control.ShareSetPublic.name, Control.ShareRemove.name, Control.ShareTransfer.name,
      Control.ShareSuccessor.name,
      Control.Quota.name, Control.SharePolicy.name, Control.HistoryPolicy.name,
      Control.CollectGarbage.name, Control.ContainerCopy.name, Control.ContainerPolicy.name,
      Control.ContainerMove.name, Control.ContainerList.name, Control.ContainerRename.name,
      Control.ContainerRemove.name,
      Control.DeviceLink.name, Control.DeviceList.name, Control.DeviceRename.name,
      Control.DeviceRevoke.name, Control.DeviceRecovery.name, Control.DeviceRecoveryTest.name,
      Control.UserVerify.name,
      Control.Log.name, Control.Changes.name, Control.Why.name,
      Control.Zones.name, Control.Stat.name,
      Control.Inspect.name, Control.Doctor.name,
      Control.ShareLeave.name, Control.ShareStop.name, Control.Purge.name,
      Control.ShareLink.name, Control.ShareInviteLink.name,
      Control.ShareUninvite.name, Control.ShareSetRequests.name, Control.ShareRequest.name,
      Control.ShareRequests.name, Control.ShareApprove.name, Control.ShareDeny.name,
      Control.ShareBlock.name, Control.ShareUnblock.name,
      Control.PublicMount.name, Control.PublicUnmount.name,
      Control.PublicList.name, Control.PublicGet.name, Control.PublicPut.name,
      Control.PublicRemove.name, Control.PublicExport.name, Control.Can.name,
      Control.CanModify.name,
      Control.Select.name, Control.Get.name, Control.Metadata.name,
      Control.HeldList.name, Control.HeldConfirm.name, Control.HeldUndo.name,
      Control.ConflictList.name, Control.ConflictKeep.name,
      Control.ConflictMerge.name, Control.ConflictSave.name,
      Control.RescueList.name, Control.RescueRestore.name, Control.RescueClear.name,
      Control.History.name, Control.Tree.name, Control.Fetch.name, Control.Restore.name,
      Control.Rewind.name, Control.Console.name, Control.ReadContent.name,
      Control.DrawCode.name, Control.Pause.name, Control.Resume.name, Control.StatusWatch.name,
      Control.Transfers.name, Control.TransferFirst.name, Control.Directories.name,
      Control.Settings.name, Control.Upload.name, Control.Group.name, Control.UserRemove.name,
      Control.UserShow.name, Control.ViewFind.name, Control.ViewList.name,
      Control.ViewOpen.name, Control.ViewRead.name, Control.ViewPut.name,
      Control.ViewChange.name,
      Control.DropAccept.name, Control.DropCreate.name, Control.Drops.name,
    ]
    #expect(Set(names).count == names.count)
    let listed = Self.literals(daemon)
    for name in names { #expect(listed.contains(name), "\(name)") }
    let status = try Self.page("cairn-status.1")
    for kind in Control.EventKind.allCases {
      #expect(Self.literals(status).contains(kind.rawValue), "\(kind.rawValue)")
    }
    for phase in Control.Phase.allCases {
      #expect(status.contains(".It Li \(phase.rawValue)\n"), "\(phase.rawValue)")
    }
  }
}
