import CairnZone
import Testing

/// Who may change what: each share change and each kind of commit, for each role.
struct ShareRulesTests {
  private static let roles: [(String, UserID)] = [
    ("owner", ana), ("administrator", adam), ("writer", bob), ("reader", cleo), ("pending", dan),
    ("stranger", eve),
  ]

  private func expect(
    _ what: String, _ codes: [Refusal.Code?], _ append: (inout Log, UserID) -> Verdict
  ) {
    for ((role, user), code) in zip(Self.roles, codes) {
      var log = Log.shared([.typed(1)])
      #expect(append(&log, user).code == code, "\(what) by the \(role)")
    }
  }

  @Test func `rights follow role, permission and acceptance`() {
    let header = Log.shared().zone.header
    let expected: [Set<Right>] = [
      [.read, .write, .administer, .own], [.read, .administer], [.read, .write], [.read], [], [],
    ]
    for ((role, user), rights) in zip(Self.roles, expected) {
      #expect(header.rights(of: user) == rights, "\(role)")
      #expect(header.mayWrite(user) == rights.contains(.write), "\(role)")
    }
    #expect(Log.founded().zone.header.rights(of: bob).isEmpty)
    #expect(ZoneHeader(zone: ZoneID(number32(7))).rights(of: ana).isEmpty)
  }

  @Test func `an administrator with read-write writes`() {
    var log = Log.shared()
    #expect(log.append(share: [.invite(user: adam, permission: .readWrite)]).isApplied)
    #expect(log.zone.header.share?.participants[adam]?.role == .administrator)
    #expect(log.append(by: adam, [.typed(1)]).isApplied)
  }

  @Test func `each change has its authors`() {
    let no: Refusal.Code = .permissionFailure
    let rows: [(String, ShareChange, [Refusal.Code?])] = [
      ("a title", .title("New"), [nil, no, no, no, no, no]),
      ("an empty title", .title(""), [.invalidArguments, no, no, no, no, no]),
      (
        "an invitation", .invite(user: person(9), permission: .readOnly),
        [nil, nil, no, no, no, no]
      ),
      ("a permission", .invite(user: bob, permission: .readOnly), [nil, nil, no, no, no, no]),
      (
        "a permission that an administrator hasn't",
        .invite(user: cleo, permission: .readWrite), [nil, no, no, no, no, no]
      ),
      (
        "an invitation for nothing", .invite(user: person(9), permission: .none),
        [.invalidArguments, .invalidArguments, no, no, no, no]
      ),
      (
        "an invitation of the owner", .invite(user: ana, permission: .readOnly),
        [.invalidArguments, .invalidArguments, no, no, no, no]
      ),
      ("accepting", .accept, [no, nil, nil, nil, nil, no]),
      ("removing Bob", .remove(user: bob), [nil, nil, nil, no, no, no]),
      ("removing Dan", .remove(user: dan), [nil, nil, no, no, no, no]),
      (
        "removing the owner", .remove(user: ana),
        [.invalidArguments, no, no, no, no, no]
      ),
      (
        "removing somebody unknown", .remove(user: person(9)),
        [.unknownItem, .unknownItem, no, no, no, no]
      ),
      ("stopping", .stop, [nil, no, no, no, no, no]),
    ]
    for (what, change, codes) in rows {
      expect(what, codes) { log, user in log.append(by: user, share: [change]) }
    }
  }

  @Test func `leaving is for those who take part`() {
    expect("leaving", [.invalidArguments, nil, nil, nil, .permissionFailure, .unknownItem]) {
      log, user in log.append(by: user, share: [.remove(user: user)])
    }
  }

  @Test func `only those who may write change records`() {
    let no: Refusal.Code = .permissionFailure
    let codes: [Refusal.Code?] = [nil, no, nil, no, no, no]
    expect("a new record", codes) { log, user in log.append(by: user, [.typed(2)]) }
    expect("a deletion", codes) { log, user in log.append(by: user, [.delete(1)]) }
    expect("a chunk", codes) { log, user in log.append(by: user, chunks: [chunk(1)]) }
    expect("an empty commit", codes) { log, user in log.append(by: user) }
  }

  @Test func `the right to write is the one before the commit`() {
    var log = Log.shared()
    #expect(log.append(by: dan, [.typed(1)], share: [.accept]).code == .permissionFailure)
    #expect(
      log.append(by: adam, [.typed(1)], share: [.invite(user: adam, permission: .readWrite)]).code
        == .permissionFailure)
    #expect(log.append(by: dan, share: [.accept]).isApplied)
    #expect(log.append(by: dan, [.typed(1)]).isApplied)
    // And it holds to the commit's end: who leaves may take their records along.
    #expect(log.append(by: dan, [.delete(1)], share: [.remove(user: dan)]).isApplied)
    #expect(log.append(by: dan, [.typed(1)]).code == .permissionFailure)
  }

  @Test func `a share begins with a title and ends with a stop`() {
    var log = Log.founded()
    let changes: [ShareChange] = [
      .accept, .invite(user: bob, permission: .readOnly), .remove(user: bob), .stop,
    ]
    for change in changes { #expect(log.append(share: [change]).code == .zoneNotFound) }
    #expect(log.append(by: bob, share: [.title("Mine")]).code == .permissionFailure)
    #expect(log.append(share: [.title("Trip")]).isApplied)
    let share = log.zone.header.share
    #expect(share?.owner == ana)
    #expect(share?.title == "Trip")
    #expect(share?.publicPermission == Permission.none)
    #expect(share?.changed.sequence == log.zone.header.sequence)
    #expect(log.append(share: [.stop]).isApplied)
    #expect(log.zone.header.share == nil)
  }

  @Test func `a title, and the name of a zone, has 1024 bytes at most`() {
    var log = Log.shared()
    let longest = String(repeating: "ü", count: 512)
    #expect(log.append(share: [.title(longest)]).isApplied)
    #expect(log.append(share: [.title(longest + "x")]).code == .invalidArguments)
    #expect(log.zone.header.share?.title == longest)
    for (name, code) in [(longest, nil), (longest + "x", Refusal.Code.invalidArguments)] {
      var other = Log()
      var commit = other.next(epoch: 1)
      commit.genesis = Genesis(owner: ana, name: name)
      commit.keys[ana] = key(of: ana)
      #expect(other.append(commit).code == code)
    }
  }

  @Test func `changes apply in their order`() {
    var log = Log.founded()
    let invite = ShareChange.invite(user: bob, permission: .readOnly)
    #expect(log.append(share: [invite, .title("T")]).code == .zoneNotFound)
    #expect(log.append(share: [.title("T"), invite]).isApplied)
    #expect(log.append(share: [.stop, invite]).code == .zoneNotFound)
    #expect(log.append(share: [.stop, .title("T")]).isApplied)
    #expect(log.zone.header.share?.participants.isEmpty == true)
    var shared = Log.shared()
    let leaving: [ShareChange] = [.remove(user: bob), .accept]
    #expect(shared.append(by: bob, share: leaving).code == .permissionFailure)
  }

  @Test func `inviting someone again changes the permission and keeps the acceptance`() {
    var log = Log.shared()
    #expect(log.append(share: [.invite(user: bob, permission: .readOnly)]).isApplied)
    #expect(
      log.zone.header.share?.participants[bob]
        == Participant(user: bob, role: .privateUser, permission: .readOnly, acceptance: .accepted))
    #expect(log.append(by: bob, [.typed(1)]).code == .permissionFailure)
    #expect(log.append(share: [.invite(user: bob, permission: .readWrite)]).isApplied)
    #expect(log.append(by: bob, [.typed(1)]).isApplied)
  }

  @Test func `accepting twice changes nothing, not even the stamp`() {
    var log = Log.shared()
    let share = log.zone.header.share
    #expect(log.append(by: bob, share: [.accept]).isApplied)
    #expect(log.zone.header.share == share)
    #expect(log.append(by: dan, share: [.accept]).isApplied)
    #expect(log.zone.header.share?.changed.user == dan)
  }

  @Test func `who was removed must be invited again`() {
    var log = Log.shared()
    #expect(log.append(share: [.remove(user: bob)]).isApplied)
    #expect(log.append(by: bob, share: [.accept]).code == .permissionFailure)
    #expect(log.append(share: [.invite(user: bob, permission: .readOnly)]).isApplied)
    #expect(log.zone.header.share?.participants[bob]?.acceptance == .pending)
  }

  @Test func `nobody is invited by name into a public share`() {
    var log = Log.shared()
    var delta = Delta(
      header: Fold.advanced(
        at: log.zone.header.sequence + 1, digest: number32(5), on: log.zone.header))
    delta.header.share?.publicPermission = .readOnly
    log.zone.apply(delta)
    let invite = ShareChange.invite(user: eve, permission: .readOnly)
    #expect(log.append(share: [invite]).code == .invalidArguments)
  }

  @Test func `the hundredth participant comes in, the next doesn't`() {
    var log = Log.founded(share: [.title("T")])
    let invitations = (0..<100).map {
      ShareChange.invite(user: person(100 + $0), permission: .readOnly)
    }
    #expect(log.append(share: invitations).isApplied)
    let one = ShareChange.invite(user: bob, permission: .readOnly)
    #expect(log.append(share: [one]).code == .tooManyParticipants)
    #expect(log.zone.header.share?.participants.count == 100)
    #expect(log.append(share: [.invite(user: person(100), permission: .readWrite)]).isApplied)
    #expect(log.append(share: [.remove(user: person(100)), one]).isApplied)
  }

  @Test func `the share answers for the owner too`() {
    let share = Log.shared().zone.header.share
    #expect(share?.participant(ana)?.role == .owner)
    #expect(share?.participant(bob)?.permission == .readWrite)
    #expect(share?.participant(eve) == nil)
  }
}
