import CairnZone
import Testing

@testable import CairnDaemon

/// The news about a share, from its earlier and its present state.
struct ShareNewsTests {
  private let users: [UserID]
  private let stamp: Stamp

  init() throws {
    users = try (1...3).map { try #require(UserID(bytes: [UInt8](repeating: $0, count: 32))) }
    let device = try #require(DeviceID(bytes: [UInt8](repeating: 1, count: 16)))
    stamp = Stamp(sequence: 1, user: users[0], device: device, time: 1)
  }

  private func share(_ others: [(UserID, Acceptance)], title: String = "Trip") -> Share {
    var share = Share(owner: users[0], title: title, changed: stamp)
    for (user, acceptance) in others {
      share.participants[user] = Participant(
        user: user, role: .privateUser, permission: .readWrite, acceptance: acceptance)
    }
    return share
  }

  private func news(_ before: Share?, _ now: Share?, wasWhole: Bool = true) -> ShareNews {
    ShareNews(before: before, wasWhole: wasWhole, now: now, me: users[2])
  }

  @Test func `an acceptance is news, even if the share was never read before`() {
    let (bob, carol) = (users[1], users[2])
    let invited = share([(bob, .pending)])
    let accepted = share([(bob, .accepted), (carol, .pending)])
    #expect(news(invited, accepted).joined == [bob])
    #expect(news(nil, accepted).joined == [bob])
    #expect(!news(nil, accepted).isChanged && !news(invited, accepted).isChanged)
    #expect(news(accepted, share([(bob, .accepted), (carol, .accepted)])).joined == [carol])
  }

  @Test func `a log that wasn't read to its end makes nobody news`() {
    #expect(news(nil, share([(users[1], .accepted)]), wasWhole: false) == ShareNews.none)
    #expect(news(share([]), share([(users[1], .accepted)]), wasWhole: false).joined == [users[1]])
  }

  @Test func `any other change is one piece of news, and no change is none`() {
    let before = share([(users[1], .accepted)])
    #expect(news(before, before) == ShareNews.none)
    #expect(news(before, nil) == ShareNews.none)
    #expect(news(nil, share([])) == ShareNews.none)
    #expect(news(before, share([(users[1], .accepted)], title: "Tour")).isChanged)
  }

  @Test func `who changed this person's part is told, unless they did it themselves`() {
    let (ana, bob, me) = (users[0], users[1], users[2])
    func mine(_ role: Role, _ permission: Permission, by user: UserID, owner: UserID? = nil)
      -> Share
    {
      var share = share([(bob, .accepted)])
      share.participants[me] = Participant(
        user: me, role: role, permission: permission, acceptance: .accepted)
      share.owner = owner ?? ana
      share.participants[share.owner] = nil
      share.changed.user = user
      return share
    }
    let before = mine(.privateUser, .readWrite, by: ana)
    let viewing = news(before, mine(.privateUser, .readOnly, by: bob))
    #expect(viewing.own == [.canView] && viewing.author?.user == bob && !viewing.isChanged)
    #expect(news(before, mine(.administrator, .readWrite, by: ana)).own == [.administrator])
    #expect(news(mine(.administrator, .readWrite, by: ana), before).own == [.formerAdministrator])
    #expect(news(mine(.privateUser, .readOnly, by: ana), before).own == [.canEdit])
    let owning = news(before, mine(.privateUser, .readWrite, by: ana, owner: me))
    #expect(owning.own == [.owner] && owning.joined.isEmpty)
    #expect(news(before, mine(.privateUser, .readOnly, by: me)).own.isEmpty)
    var offered = before
    offered.offered = me
    #expect(news(before, offered).own == [.offered] && news(offered, before).own == [.offerEnded])
    var (offering, declined) = (before, before)
    (offering.owner, offering.offered) = (me, bob)
    (declined.owner, declined.changed.user) = (me, bob)
    #expect(news(offering, declined).own == [.offerEnded])
    #expect(news(declined, offering).own.isEmpty)
    for change in [ShareNews.OwnChange.owner, .formerOwner, .offered, .administrator, .canView] {
      #expect(change.text.hasPrefix("you "))
    }
  }

  @Test func `claims of others are told to everybody, and a change of the owner ends none`() {
    let (ana, bob, me) = (users[0], users[1], users[2])
    func share(_ succession: Succession?, by user: UserID) -> Share {
      var share = self.share([(bob, .accepted), (me, .accepted)])
      (share.succession, share.changed.user) = (succession, user)
      return share
    }
    func claim(_ user: UserID, _ claimant: UserID) -> Succession.Confirmation {
      Succession.Confirmation(
        claimant: claimant, since: Stamp(sequence: 1, user: user, device: stamp.device, time: 1))
    }
    let pair: Set = [bob, me]
    let named = share(Succession(people: pair, wait: 1), by: ana)
    let claimed = share(
      Succession(people: pair, wait: 1, confirmations: [bob: claim(bob, bob)]), by: bob)
    let both = [bob: claim(bob, bob), me: claim(me, bob)]
    let confirmed = share(Succession(people: pair, wait: 1, confirmations: both), by: ana)
    #expect(news(share(nil, by: ana), named).own == [.successor])
    #expect(news(named, share(nil, by: ana)).own == [.formerSuccessor])
    #expect(news(named, claimed).claims == [.made(bob, due: 1_000_000_001)])
    #expect(!news(named, claimed).isChanged && news(named, claimed).author?.user == bob)
    #expect(news(claimed, confirmed).claims == [.confirmed(bob)])
    #expect(news(confirmed, named).claims == [.ended(bob)])
    // The own claim is no news, and neither is one that was successful.
    #expect(news(named, share(Succession(people: pair), by: me)).claims.isEmpty)
    var over = share(nil, by: bob)
    (over.owner, over.participants[bob]) = (bob, nil)
    #expect(news(confirmed, over).claims.isEmpty)
    for change in [ShareNews.ClaimChange.made(bob, due: 0), .confirmed(bob), .ended(bob)] {
      #expect(change.text { _ in "Bob" }.contains("Bob"))
    }
  }

  @Test func `who was removed by somebody else is told, and who left isn't`() {
    let bob = users[1]
    let before = share([(bob, .accepted)])
    #expect(news(before, share([])).removed == [bob])
    var left = share([])
    left.changed.user = bob
    #expect(news(before, left).removed.isEmpty && news(before, left).isChanged)
  }
}

extension ShareNews {
  fileprivate static let none = ShareNews(before: nil, wasWhole: false, now: nil, me: UserID(.zero))
}
