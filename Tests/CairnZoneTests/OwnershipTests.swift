import CairnZone
import Testing

/// The offer of a zone to a participant, and its end.
struct OwnershipTests {
  private func offered() -> Log {
    var log = Log.shared()
    #expect(log.append(share: [.offer(to: bob)]).isApplied)
    return log
  }

  @Test func `only the person with the offer takes a zone over`() {
    for user in [ana, adam, cleo, dan, eve] {
      var log = offered()
      #expect(log.append(by: user, share: [.takeOver]).code == .permissionFailure, "\(user)")
      #expect(log.zone.header.owner == ana && log.zone.header.share?.offered == bob)
    }
    var log = offered()
    #expect(log.append(by: bob, share: [.takeOver]).isApplied)
    #expect(!log.zone.header.isRekeyDue)
    // An offer serves once.
    #expect(log.append(share: [.takeOver]).code == .permissionFailure)
    #expect(log.append(by: bob, share: [.offer(to: ana)]).isApplied)
    #expect(log.append(share: [.takeOver]).isApplied)
    #expect(log.zone.header.owner == ana && log.zone.header.share?.owner == ana)
  }

  @Test func `an offer is withdrawn by the owner, and declined by the person who has it`() {
    for user in [ana, bob] {
      var log = offered()
      #expect(log.append(by: user, share: [.offer(to: nil)]).isApplied)
      #expect(log.zone.header.share?.offered == nil)
      #expect(log.append(by: bob, share: [.takeOver]).code == .permissionFailure)
    }
    for user in [adam, cleo, dan, eve] {
      var log = offered()
      #expect(log.append(by: user, share: [.offer(to: nil)]).code == .permissionFailure)
    }
    var log = offered()
    #expect(log.append(by: bob, share: [.offer(to: cleo)]).code == .permissionFailure)
    #expect(log.append(share: [.offer(to: cleo)]).isApplied)
    #expect(log.append(by: bob, share: [.takeOver]).code == .permissionFailure)
    #expect(log.append(by: cleo, share: [.takeOver]).isApplied)
    #expect(log.zone.header.rights(of: cleo) == Set(Right.allCases))
  }

  @Test func `an offer ends with the participation, and doesn't come back`() {
    let ends: [(UserID, [ShareChange])] = [
      (ana, [.remove(user: bob)]), (adam, [.remove(user: bob)]), (bob, [.remove(user: bob)]),
      (adam, [.block(user: bob)]), (ana, [.stop]), (ana, [.stop, .title("Trip")]),
    ]
    for (user, changes) in ends {
      var log = offered()
      #expect(log.append(by: user, share: changes).isApplied, "\(changes)")
      #expect(log.zone.header.share?.offered == nil)
      log.append(share: [.title("Trip"), .unblock(user: bob)])
      log.append(share: [.title("Trip")])
      #expect(log.append(share: [.invite(user: bob, permission: .readWrite)]).isApplied)
      #expect(log.append(by: bob, share: [.accept]).isApplied)
      #expect(log.append(by: bob, share: [.takeOver]).code == .permissionFailure, "\(changes)")
    }
    // A person who leaves and takes over in one commit stays outside.
    var log = offered()
    #expect(log.append(by: bob, share: [.remove(user: bob), .takeOver]).code == .permissionFailure)
  }

  @Test func `a changed offer is a change of the share, and a repeated one isn't`() {
    var log = offered()
    let first = log.zone.header.share?.changed
    #expect(first?.sequence == log.zone.header.sequence)
    #expect(log.append(share: [.offer(to: bob)]).isApplied)
    #expect(log.zone.header.share?.changed == first)
    #expect(log.append(share: [.offer(to: nil), .offer(to: bob)]).isApplied)
    #expect(log.zone.header.share?.changed == first)
    #expect(log.append(share: [.offer(to: nil)]).isApplied)
    #expect(log.zone.header.share?.changed.sequence == log.zone.header.sequence)
  }
}

extension Log {
  /// Appends the offer of the owner, Ana, and the acceptance.
  mutating func transfer(to user: UserID) {
    append(share: [.offer(to: user)])
    append(by: user, share: [.takeOver])
  }
}
