import CairnZone
import Testing

/// The successors that an owner names, their claims, and the change of the owner without the
/// owner's help.
struct SuccessionTests {
  private static let no: Refusal.Code = .permissionFailure

  /// Ana's share after she named successors.
  private func named(_ people: Set<UserID>, needed: UInt32? = nil) -> Log {
    var log = Log.shared()
    let succession = Succession(people: people, needed: needed, wait: 60)
    #expect(log.append(share: [.zone(.succession(succession))]).isApplied)
    return log
  }

  private func confirm(_ user: UserID?) -> [ShareChange] { [.zone(.confirm(user))] }

  private func succession(_ people: Set<UserID>, needed: UInt32? = nil) -> [ShareChange] {
    [.zone(.succession(Succession(people: people, needed: needed)))]
  }

  @Test func `only the owner names successors, and only people who could own the zone`() {
    for user in [adam, bob, cleo, dan, eve] {
      var log = Log.shared()
      for change in [succession([bob]), [.zone(.succession(nil))]] {
        #expect(log.append(by: user, share: change).code == Self.no, "\(user)")
      }
    }
    var log = Log.shared()
    #expect(log.append(share: succession([bob, adam, cleo])).isApplied)
    #expect(log.zone.header.share?.succession?.needed == 2)
    for wrong in [[dan], [eve], [ana], [bob, dan], []] as [Set<UserID>] {
      #expect(log.append(share: succession(wrong, needed: 9)).code == .invalidArguments)
    }
    // Two groups of successors could confirm two claims.
    #expect(log.append(share: succession([bob, adam], needed: 1)).code == .invalidArguments)
    #expect(log.append(share: succession([bob], needed: 0)).code == .invalidArguments)
    #expect(log.append(share: succession([bob, adam], needed: .max)).isApplied)
    #expect(log.append(share: [.zone(.succession(nil))]).isApplied)
    #expect(log.zone.header.share?.succession == nil)
    #expect(log.append(share: [.stop]).isApplied)
    #expect(log.append(share: succession([bob])).code == .zoneNotFound)
  }

  @Test func `a successor takes over after a claim in an earlier commit`() {
    var log = named([bob])
    for user in [ana, adam, cleo, dan, eve] {
      #expect(log.append(by: user, share: confirm(user)).code == Self.no, "\(user)")
      #expect(log.append(by: user, share: confirm(nil)).code == Self.no, "\(user)")
    }
    #expect(log.append(by: bob, share: [.takeOver]).code == Self.no)
    #expect(log.append(by: bob, share: confirm(bob) + [.takeOver]).code == Self.no)
    #expect(log.append(by: bob, share: confirm(cleo)).code == .invalidArguments)
    #expect(log.append(by: bob, share: confirm(bob)).isApplied)
    let claim = log.zone.header.share?.succession?.claim(of: bob)
    #expect(claim?.sequence == log.zone.header.sequence)
    #expect(log.append(by: bob, share: confirm(bob)).isApplied)
    #expect(log.zone.header.share?.succession?.claim(of: bob) == claim)
    #expect(log.append(by: cleo, share: [.takeOver]).code == Self.no)
    #expect(log.append(by: bob, share: [.takeOver]).isApplied)
    #expect(log.zone.header.owner == bob && log.zone.header.share?.owner == bob)
    #expect(log.zone.header.share?.succession == nil && !log.zone.header.isRekeyDue)
    #expect(log.zone.header.rights(of: ana) == [.read, .write])
    #expect(log.append(share: succession([ana])).code == Self.no)
  }

  @Test func `the owner refuses, and a successor withdraws, until the last commit`() {
    let ends: [(UserID, (Log) -> [ShareChange])] = [
      (ana, { [.zone(.succession($0.zone.header.share?.succession?.refused))] }),
      (ana, { _ in [.zone(.succession(nil))] }),
      (bob, { _ in [.zone(.confirm(nil))] }),
      (ana, { _ in [.remove(user: bob)] }), (adam, { _ in [.block(user: bob)] }),
      (bob, { _ in [.remove(user: bob)] }), (ana, { _ in [.stop] }),
      (ana, { _ in [.setPublic(.readOnly), .setPublic(.none)] }),
    ]
    for (user, changes) in ends {
      var log = named([bob])
      #expect(log.append(by: bob, share: confirm(bob)).isApplied)
      #expect(log.append(by: user, share: changes(log)).isApplied, "\(changes(log))")
      #expect(!log.append(by: bob, share: [.takeOver]).isApplied, "\(changes(log))")
      #expect(log.zone.header.owner == ana)
    }
    var log = named([bob])
    log.append(by: bob, share: confirm(bob))
    log.append(share: [.zone(.succession(log.zone.header.share?.succession?.refused))])
    #expect(log.zone.header.share?.succession?.people == [bob])
    #expect(log.append(by: bob, share: confirm(bob)).isApplied)
    #expect(log.append(by: bob, share: [.takeOver]).isApplied)
  }

  @Test func `more than half of several successors confirm a claim, each of them one`() {
    var log = named([adam, bob, cleo])
    #expect(log.append(by: bob, share: confirm(bob)).isApplied)
    #expect(log.append(by: bob, share: [.takeOver]).code == Self.no)
    #expect(log.append(by: adam, share: confirm(adam)).isApplied)
    #expect(log.append(by: cleo, share: confirm(bob)).isApplied)
    #expect(log.zone.header.share?.succession?.claimants == [bob, adam])
    #expect(log.append(by: cleo, share: confirm(adam)).isApplied)
    #expect(log.append(by: bob, share: [.takeOver]).code == Self.no)
    // A claim that is withdrawn takes its confirmations along, also if it is made again.
    #expect(log.append(by: adam, share: confirm(bob)).isApplied)
    #expect(log.zone.header.share?.succession?.confirmations[cleo] == nil)
    #expect(log.append(by: adam, share: confirm(adam)).isApplied)
    #expect(log.append(by: adam, share: [.takeOver]).code == Self.no)
    #expect(log.append(by: cleo, share: confirm(adam)).isApplied)
    #expect(log.append(by: adam, share: [.takeOver]).isApplied)
    #expect(log.zone.header.owner == adam && log.zone.header.rights(of: ana).contains(.write))
  }

  @Test func `fewer successors, and a refusal, don't lower the number of confirmations`() {
    var log = named([adam, bob, cleo])
    #expect(log.append(by: adam, share: [.remove(user: bob), .remove(user: cleo)]).isApplied)
    #expect(log.append(by: adam, share: confirm(adam)).isApplied)
    #expect(log.append(by: adam, share: [.takeOver]).code == Self.no)
    let succession = log.zone.header.share?.succession
    #expect(succession?.people == [adam] && succession?.isPossible == false)
    let refusal: [ShareChange] = [.zone(.succession(succession?.refused))]
    #expect(log.append(share: refusal).isApplied)
    #expect(log.append(by: adam, share: confirm(adam)).isApplied)
    #expect(log.append(by: adam, share: [.takeOver]).code == Self.no)
    // Who comes back is no successor.
    #expect(log.append(share: [.invite(user: bob, permission: .readWrite)]).isApplied)
    #expect(log.append(by: bob, share: [.accept]).isApplied)
    #expect(log.append(by: bob, share: confirm(adam)).code == Self.no)
  }

  @Test func `another owner by an offer ends the decision, and an old claim with it`() {
    var log = named([bob, cleo], needed: 2)
    log.append(by: bob, share: confirm(bob))
    log.append(by: cleo, share: confirm(bob))
    log.transfer(to: adam)
    #expect(log.zone.header.owner == adam && log.zone.header.share?.succession == nil)
    #expect(log.append(by: bob, share: [.takeOver]).code == Self.no)
    #expect(log.append(by: bob, share: confirm(bob)).code == Self.no)
  }

  @Test func `a revoked device of the owner refuses nothing, and another one does`() {
    var log = named([bob])
    let lost = DeviceID(number16(77))
    #expect(log.append(share: [.revokeDevice(lost)]).isApplied)
    #expect(log.append(by: bob, share: confirm(bob)).isApplied)
    var refusal = log.next(by: ana, share: [.zone(.succession(nil))])
    refusal.author.device = lost
    #expect(log.append(refusal).code == Self.no)
    #expect(log.zone.header.share?.succession?.claimants == [bob])
    #expect(log.append(share: [.zone(.succession(nil))]).isApplied)
  }

  @Test func `the waiting time ends late, and never overflows`() {
    let stamp = Stamp(sequence: 3, user: bob, device: DeviceID(number16(8)), time: 5)
    let own = Succession.Confirmation(claimant: bob, since: stamp)
    func due(_ wait: UInt64) -> Int64? {
      Succession(people: [bob], wait: wait, confirmations: [bob: own]).due(for: bob)
    }
    #expect(due(0) == 5 && due(2) == 2_000_000_005)
    #expect(due(.max) == .max && due(UInt64(Int64.max)) == .max)
    #expect(Succession(people: [bob]).due(for: bob) == nil)
    #expect(Succession(people: [bob]).wait == 1_209_600)
  }
}
