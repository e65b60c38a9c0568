import CairnControl
import CairnZone
import Foundation
import Testing

@testable import CairnDaemon

/// The memory of shares that ended, through restarts of the daemon.
final class EndedSharesTests {
  private let root = NSTemporaryDirectory() + "cairn-ended-\(UUID())"
  private let zone = ZoneID(.zero)
  private let home: Home

  init() throws {
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    home = try Home(environment: ["CAIRN_HOME": root])
  }

  // In the temporary folder.
  deinit { try? FileManager.default.removeItem(atPath: root) }

  private func event() -> Control.Event {
    Control.Event(
      number: 4, time: .now(), kind: "share.left", path: "/home/bob/B", text: "you left “A”")
  }

  @Test func `a command that nobody got an answer to is answered once when it is given again`()
    throws
  {
    let reply = Control.LeaveReply(
      id: zone.description, title: "A", path: "/home/bob/B", kept: false)
    EndedShares(home).begin(zone, "shareLeave", at: "/home/bob/B", reply)

    // The daemon ended, and the next one saw the end by itself.
    let ended = EndedShares(home)
    #expect(ended.newest.isEmpty && ended.refusal(at: "/home/bob/B") == nil)
    ended.add(zone, event())
    for reference in [.path("/home/bob/B"), .id(String(zone.description.prefix(12)))]
      as [Control.ShareReference]
    {
      let found = ended.unanswered("shareLeave", reference, Control.LeaveReply.self)
      #expect(found?.reply == reply && found?.zone == zone && found?.isTold == true)
      #expect(ended.unanswered("purge", reference, Control.LeaveReply.self) == nil)
    }
    ended.answer(zone)

    let later = EndedShares(home)
    #expect(
      later.unanswered("shareLeave", .path("/home/bob/B"), Control.LeaveReply.self) == nil)
    #expect(later.refusal(at: "/home/bob/B")?.code == .zoneNotFound)
    // The person who got the answer isn't told again.
    #expect(later.newest.isEmpty)
  }

  @Test func `an end that no command of this device answered is told`() throws {
    let ended = EndedShares(home)
    ended.add(zone, event())
    ended.answer(zone)
    #expect(EndedShares(home).newest.map(\.text) == ["you left “A”"])
  }

  @Test func `a share that goes on is not over`() throws {
    let ended = EndedShares(home)
    ended.begin(zone, "shareStop", at: "/home/bob/B", "reply")
    ended.drop(zone)
    #expect(ended.unanswered("shareStop", .path("/home/bob/B"), String.self) == nil)
  }
}
