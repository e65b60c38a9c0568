import CairnZone
import Testing

/// Access for anyone, links, requests, transfer, the end of a zone, devices and limits: each rule
/// of them in the fold.
struct SharingModelTests {
  private static let no: Refusal.Code = .permissionFailure
  private static let roles = [ana, adam, bob, cleo, dan, eve]

  private func link(
    _ number: UInt64, oneTime: Bool = true, _ permission: Permission = .readWrite,
    expires: Int64? = nil
  ) -> Link {
    Link(
      id: LinkID(number32(number)), boxKey: number32(number + 1), isOneTime: oneTime,
      permission: permission, expires: expires)
  }

  @Test func `each change has its authors`() {
    let no = Self.no
    let rows: [(ShareChange, [Refusal.Code?])] = [
      (.setPermission(user: bob, permission: .readOnly), [nil, nil, no, no, no, no]),
      (.setPermission(user: cleo, permission: .readWrite), [nil, no, no, no, no, no]),
      (.setPermission(user: adam, permission: .readWrite), [nil, no, no, no, no, no]),
      (.setPermission(user: ana, permission: .readOnly), [.invalidArguments, no, no, no, no, no]),
      (.setRole(user: cleo, role: .administrator), [nil, no, no, no, no, no]),
      (.setRole(user: ana, role: .privateUser), [.invalidArguments, no, no, no, no, no]),
      (.setPublic(.readOnly), [nil, nil, no, no, no, no]),
      (.setPublic(.readWrite), [nil, no, no, no, no, no]),
      (.addLink(link(50, .readOnly)), [nil, nil, no, no, no, no]),
      (.addLink(link(50)), [nil, no, no, no, no, no]),
      (.setAccessRequests(true), [nil, nil, no, no, no, no]),
      (.block(user: eve), [nil, nil, no, no, no, .some(no)]),
      (.block(user: ana), [.invalidArguments, no, no, no, no, no]),
      (.offer(to: bob), [nil, no, no, no, no, no]),
      (.offer(to: nil), [nil, no, no, no, no, no]),
      (.takeOver, [no, no, no, no, no, no]),
      (.zone(.succession(Succession(people: [bob]))), [nil, no, no, no, no, no]),
      (.zone(.succession(nil)), [nil, no, no, no, no, no]),
      (.zone(.confirm(bob)), [no, no, no, no, no, no]),
      (.purge, [nil, no, no, no, no, no]),
      (.quota(1), [nil, no, no, no, no, no]),
      (.revokeDevice(DeviceID(number16(77))), [nil, nil, nil, nil, nil, no]),
    ]
    for (change, codes) in rows {
      for (user, code) in zip(Self.roles, codes) {
        var log = Log.shared()
        #expect(log.append(by: user, share: [change]).code == code, "\(change) by \(user)")
      }
    }
  }

  @Test func `a permission is in force from its commit on, without accepting again`() {
    var log = Log.shared()
    #expect(log.append(by: cleo, [.typed(1)]).code == .permissionFailure)
    #expect(log.append(share: [.setPermission(user: cleo, permission: .readWrite)]).isApplied)
    #expect(log.append(by: cleo, [.typed(1)]).isApplied)
    #expect(log.append(share: [.setPermission(user: cleo, permission: .readOnly)]).isApplied)
    #expect(log.append(by: cleo, [.typed(2)]).code == .permissionFailure)
  }

  @Test func `going public keeps who accepted, voids who didn't, and loses every name`() throws {
    var log = Log.shared()
    #expect(log.append(share: [.setPublic(.readOnly)]).isApplied)
    let share = try #require(log.zone.header.share)
    #expect(Set(share.participants.keys) == [bob, cleo, adam])
    #expect(share.participants.values.allSatisfy { $0.role == .publicUser })
    #expect(log.zone.header.isRekeyDue)
    #expect(log.append(by: bob, [.typed(1)]).code == .permissionFailure)
    #expect(log.append(by: dan, share: [.accept]).code == .permissionFailure)
    #expect(
      log.append(share: [.invite(user: eve, permission: .readOnly)]).code == .invalidArguments)
    #expect(log.append(share: [.setPublic(.readWrite)]).isApplied)
    #expect(log.append(by: bob, [.typed(1)]).isApplied)
    #expect(
      log.append(share: [.setPermission(user: bob, permission: .readOnly)]).code
        == .invalidArguments)
    #expect(
      log.append(share: [.setPublic(.none), .invite(user: bob, permission: .readOnly)]).isApplied)
    #expect(log.zone.header.share?.participants.keys.map { $0 } == [bob])
    #expect(log.zone.header.rights(of: bob).isEmpty)
  }

  @Test func `a one-time link is for the first who claims it`() throws {
    var log = Log.shared()
    let link = link(50, .readOnly)
    #expect(log.append(share: [.addLink(link)]).isApplied)
    #expect(log.append(by: eve, share: [.claim(link: link.id, proof: [])]).isApplied)
    #expect(log.append(by: person(9), share: [.claim(link: link.id, proof: [])]).code == Self.no)
    let participant = try #require(log.zone.header.share?.participants[eve])
    #expect(participant.role == .privateUser && participant.permission == .readOnly)
    #expect(log.zone.header.rights(of: eve) == [.read])
    #expect(!log.zone.header.isRekeyDue)
  }

  @Test func `a link that was withdrawn, has expired or is for another mode lets nobody in`() {
    var log = Log.shared()
    let (first, late) = (link(50), link(60, expires: 999))
    #expect(log.append(share: [.addLink(first), .addLink(late)]).isApplied)
    #expect(log.append(share: [.addLink(link(70, oneTime: false))]).code == .invalidArguments)
    #expect(log.append(share: [.addLink(first)]).code == .invalidArguments)
    #expect(log.append(share: [.removeLink(first.id)]).isApplied)
    #expect(log.zone.header.isRekeyDue)
    #expect(log.append(share: [.removeLink(first.id)]).code == .unknownItem)
    #expect(log.append(by: eve, share: [.claim(link: first.id, proof: [])]).code == Self.no)
    // The tests' commits are dated 1000.
    #expect(log.append(by: eve, share: [.claim(link: late.id, proof: [])]).code == Self.no)
    #expect(log.append(by: bob, share: [.claim(link: late.id, proof: [])]).code != nil)
    #expect(log.append(share: [.setPublic(.readOnly)]).isApplied)
    #expect(log.zone.header.share?.links.isEmpty == true)
    #expect(log.append(share: [.addLink(link(80))]).code == .invalidArguments)
  }

  @Test func `narrowing access kills the links for anyone, widening doesn't`() {
    let narrowing: [ShareChange] = [
      .setPublic(.readOnly), .setPublic(.none), .remove(user: bob), .block(user: eve),
    ]
    for change in narrowing {
      var log = Log.shared()
      log.append(share: [.setPublic(.readWrite), .addLink(link(50, oneTime: false))])
      #expect(log.zone.header.share?.links.count == 1)
      #expect(log.append(share: [change]).isApplied)
      #expect(log.zone.header.share?.links.isEmpty == true, "\(change)")
    }
    var log = Log.shared()
    log.append(share: [.setPublic(.readOnly), .addLink(link(50, oneTime: false))])
    #expect(log.append(by: eve, share: [.claim(link: link(50).id, proof: [])]).isApplied)
    #expect(log.append(share: [.setPublic(.readWrite)]).isApplied)
    #expect(log.zone.header.share?.links.count == 1)
    #expect(log.zone.header.share?.participants[eve]?.permission == .readWrite)
    #expect(log.append(by: eve, share: [.remove(user: eve)]).isApplied)
    #expect(log.zone.header.share?.links.count == 1)
  }

  @Test func `a policy forbids what it doesn't name, and lets participants invite`() {
    let no: Refusal.Code = .managedAccountRestricted
    func codes(_ policy: SharePolicy) -> [Refusal.Code?] {
      let changes: [(UserID, ShareChange)] = [
        (ana, .invite(user: eve, permission: .readWrite)),
        (ana, .invite(user: eve, permission: .readOnly)), (ana, .addLink(link(50))),
        (ana, .setPublic(.readOnly)), (bob, .invite(user: eve, permission: .readWrite)),
        (cleo, .invite(user: eve, permission: .readWrite)),
        (cleo, .invite(user: eve, permission: .readOnly)),
        (bob, .invite(user: cleo, permission: .readWrite)),
      ]
      return changes.map { user, change in
        var log = Log.shared()
        #expect(log.append(share: [.setPolicy(policy)]).isApplied)
        return log.append(by: user, share: [change]).code
      }
    }
    let closed = Self.no
    #expect(codes(.standard) == [nil, nil, nil, nil, closed, closed, closed, closed])
    #expect(
      codes(SharePolicy(access: .anyone)) == [no, no, no, nil, closed, closed, closed, closed])
    #expect(codes(SharePolicy(access: .named))[3] == no)
    #expect(codes(SharePolicy(permission: .readOnly)).prefix(4) == [no, nil, no, nil])
    #expect(
      codes(SharePolicy(allowsParticipantsToInvite: true)).suffix(4)
        == [nil, closed, nil, closed])
    var log = Log.shared()
    #expect(log.append(by: adam, share: [.setPolicy(.standard)]).code == closed)
  }

  @Test func `who is blocked is out, and can't come back until unblocked`() {
    var log = Log.shared()
    #expect(log.append(share: [.addLink(link(50)), .block(user: bob)]).isApplied)
    #expect(log.zone.header.rights(of: bob).isEmpty)
    #expect(log.append(by: bob, share: [.claim(link: link(50).id, proof: [])]).code == Self.no)
    #expect(
      log.append(share: [.invite(user: bob, permission: .readOnly)]).code == .invalidArguments)
    #expect(log.append(share: [.unblock(user: bob)]).isApplied)
    #expect(log.append(share: [.unblock(user: bob)]).code == .unknownItem)
    #expect(log.append(share: [.invite(user: bob, permission: .readOnly)]).isApplied)
    #expect(log.append(share: [.block(user: ana)]).code == .invalidArguments)
  }

  @Test func `links that wait for their person count as participants`() {
    var log = Log.founded(share: [.title("T")])
    let links = (0..<100).map { ShareChange.addLink(link(1000 + 2 * UInt64($0))) }
    #expect(log.append(share: links).isApplied)
    #expect(
      log.append(share: [.invite(user: bob, permission: .readOnly)]).code == .tooManyParticipants)
    #expect(log.append(by: eve, share: [.claim(link: link(1000).id, proof: [])]).isApplied)
    #expect(log.append(share: [.addLink(link(5000))]).code == .tooManyParticipants)
  }

  @Test func `the new owner has all rights, and the old one stays as who may write`() {
    var log = Log.shared()
    #expect(log.append(share: [.offer(to: dan)]).code == .invalidArguments)
    #expect(log.append(share: [.offer(to: ana)]).code == .invalidArguments)
    #expect(log.append(share: [.offer(to: bob)]).isApplied)
    #expect(log.zone.header.owner == ana && log.zone.header.rights(of: bob) == [.read, .write])
    #expect(log.append(by: bob, share: [.takeOver]).isApplied)
    #expect(log.zone.header.owner == bob && log.zone.header.share?.offered == nil)
    #expect(log.zone.header.rights(of: bob) == Set(Right.allCases))
    #expect(log.zone.header.rights(of: ana) == [.read, .write])
    #expect(log.append(share: [.stop]).code == .permissionFailure)
    #expect(log.append(by: bob, share: [.remove(user: ana)]).isApplied)
    #expect(!log.append([.typed(1)]).isApplied)
  }

  @Test func `nothing is valid in a zone that its owner ended`() {
    var log = Log.shared()
    #expect(log.append(share: [.purge]).isApplied)
    #expect(log.zone.header.isPurged && log.zone.header.share == nil)
    for user in [ana, bob] {
      #expect(log.append(by: user, [.typed(1)]).code == .userDeletedZone)
      #expect(log.zone.header.rights(of: user).isEmpty)
    }
  }

  @Test func `beyond the owner's limit nothing grows, and all else goes on`() {
    let (small, large) = (content([chunk(1)]), content([chunk(1), chunk(2), chunk(3)]))
    var log = Log.shared()
    log.append([.file(1, .root, "a", small)], chunks: [chunk(1), chunk(2), chunk(3)])
    #expect(log.append(share: [.quota(2)]).isApplied)
    #expect(log.append(by: bob, [.file(2, .root, "b", large)]).code == .quotaExceeded)
    #expect(log.append(by: bob, [.file(2, .root, "b", small)]).isApplied)
    #expect(log.zone.header.bytes == 2)
    #expect(log.append(by: bob, [.file(3, .root, "c", small)]).code == .quotaExceeded)
    #expect(log.append(by: bob, [.move(1, .root, "d"), .typed(9)]).isApplied)
    // What takes as much as it gives is no growth, and deleting makes room.
    #expect(log.append(by: bob, [.delete(2), .file(4, .root, "c", small)]).isApplied)
    #expect(log.append(by: bob, [.delete(4)]).isApplied)
    #expect(log.append(by: bob, [.file(5, .root, "e", small)]).isApplied)
    #expect(log.append(share: [.quota(nil)]).isApplied)
    #expect(log.append(by: bob, [.file(6, .root, "f", large)]).isApplied)
    #expect(log.zone.header.bytes == 5)
  }

  @Test func `a revoked device signs nothing more, and its person's others do`() {
    var log = Log.shared()
    let lost = DeviceID(number16(77))
    var commit = log.next(by: bob, records: [.typed(1)])
    commit.author.device = lost
    #expect(log.append(commit).isApplied)
    #expect(log.append(by: bob, share: [.revokeDevice(lost)]).isApplied)
    #expect(log.zone.header.isRekeyDue)
    commit = log.next(by: bob, records: [.typed(2)])
    commit.author.device = lost
    #expect(log.append(commit).code == .permissionFailure)
    // Nobody can revoke the devices of others, though they bear the same name.
    commit = log.next(by: cleo, share: [.setAccessRequests(true)])
    commit.author.device = lost
    #expect(log.append(commit).code == .permissionFailure)
    #expect(log.zone.header.revokedDevices == [Author(user: bob, device: lost)])
    #expect(log.append(by: bob, [.typed(3)]).isApplied)
    #expect(
      log.append(by: bob, share: [.revokeDevice(DeviceID(number16(8)))]).code == .invalidArguments)
  }

  @Test func `whoever can't read any more makes a new key due, until the epoch rises`() {
    let rows: [(UserID, [ShareChange], Bool)] = [
      (ana, [.remove(user: bob)], true), (bob, [.remove(user: bob)], true), (ana, [.stop], true),
      (ana, [.remove(user: dan)], true), (ana, [.block(user: cleo)], true),
      (ana, [.invite(user: eve, permission: .readOnly)], false),
      (ana, [.setPermission(user: bob, permission: .readOnly)], false),
      (ana, [.offer(to: bob)], false), (ana, [.setRole(user: bob, role: .administrator)], false),
    ]
    for (user, changes, isDue) in rows {
      var log = Log.shared()
      #expect(log.append(by: user, share: changes).isApplied)
      #expect(log.zone.header.isRekeyDue == isDue, "\(changes)")
      #expect(log.append(log.next(raising: true)).isApplied)
      #expect(!log.zone.header.isRekeyDue)
      log = Log.shared()
      if user == ana { #expect(log.append(log.next(raising: true, share: changes)).isApplied) }
      #expect(!log.zone.header.isRekeyDue, "\(changes) with a new key")
    }
  }

  @Test func `a link that is withdrawn makes a new key due, whoever comes in by the same commit`() {
    var log = Log.shared()
    let (first, second) = (link(50), link(60))
    #expect(log.append(share: [.addLink(first), .addLink(second)]).isApplied)
    // Dan is invited already: claiming lets nobody out.
    #expect(log.append(by: dan, share: [.claim(link: second.id, proof: [])]).isApplied)
    #expect(!log.zone.header.isRekeyDue)
    let changes: [ShareChange] = [
      .removeLink(first.id), .invite(user: eve, permission: .readOnly),
    ]
    #expect(log.append(share: changes).isApplied)
    #expect(log.zone.header.isRekeyDue)
  }

  @Test func `nobody gets by a commit what the same commit needs`() {
    var log = Log.shared()
    let one = link(50)
    #expect(log.append(share: [.addLink(one)]).isApplied)
    #expect(log.append(by: dan, share: [.accept, .remove(user: dan)]).code == Self.no)
    let lost = DeviceID(number16(77))
    let changes: [ShareChange] = [.claim(link: one.id, proof: []), .revokeDevice(lost)]
    #expect(log.append(by: eve, share: changes).code == Self.no)
    #expect(log.append(by: dan, share: [.accept, .revokeDevice(lost)]).isApplied)
  }

  @Test func `in a public zone nobody but its author has an effect`() {
    var zone = MemoryZone(zone: ZoneID(number32(7)), kind: .public)
    func append(
      _ user: UserID, _ records: [RecordChange], share: [ShareChange] = [],
      genesis: Genesis? = nil, lock: Bytes32? = number32(3)
    ) -> Refusal.Code? {
      let sequence = zone.header.sequence + 1
      return zone.fold(
        Commit(
          previous: zone.header.head, author: Author(user: user, device: DeviceID(number16(8))),
          time: 1, genesis: genesis, epoch: 1, records: records, share: share,
          lock: lock),
        at: sequence, digest: number32(sequence)
      ).code
    }
    #expect(append(ana, [], genesis: Genesis(owner: ana, name: "public")) == nil)
    #expect(append(ana, [.directory(1, .root, "d"), .file(2, record(1), "f")]) == nil)
    let foreign: [RecordChange] = [
      .file(3, record(1), "g"), .move(2, .root, "x"), .delete(2),
      RecordChange(id: record(2), act: .update, content: empty),
    ]
    for change in foreign { #expect(append(bob, [change]) == .permissionFailure) }
    #expect(append(bob, []) == .permissionFailure)
    let lost = ShareChange.revokeDevice(DeviceID(number16(7)))
    #expect(append(bob, [], share: [lost]) == .permissionFailure)
    #expect(append(ana, [.move(2, .root, "x")], lock: nil) == .invalidArguments)
    #expect(append(ana, [.move(2, .root, "x")], lock: number32(4)) == nil)
    #expect(zone.header.lock == number32(4))
    #expect(append(ana, [.delete(2)]) == nil)
    #expect(append(ana, [], share: [.title("T")]) == .invalidArguments)
    #expect(append(ana, [], share: [.quota(1)]) == .invalidArguments)
    #expect(append(ana, [], share: [.revokeDevice(DeviceID(number16(9)))]) == nil)
    #expect(zone.header.owner == nil)
    #expect(
      zone.header.rights(of: bob) == [.read] && zone.header.rights(of: ana) == [.read, .write])
  }

  @Test func `only entries of public zones lock the next place`() {
    var log = Log.founded()
    var commit = log.next(records: [.directory(1, .root, "d")])
    commit.lock = number32(3)
    #expect(log.append(commit).code == .invalidArguments)
  }

  @Test func `a reference has a place and names a zone and a record`() {
    var log = Log.founded()
    func reference(_ target: [UInt8]?) -> RecordChange {
      RecordChange(
        id: record(5), act: .create(.reference), place: at(.root, "r"), target: target)
    }
    #expect(log.append([reference(nil)]).code == .invalidArguments)
    #expect(log.append([reference([1])]).code == .invalidArguments)
    let target = ZonePart(ZoneID(number32(3)), base: record(9))
    #expect(log.append([reference(target.bytes)]).isApplied)
    #expect(log.zone.record(record(5))?.target.flatMap { ZonePart(bytes: $0) } == target)
    #expect(log.append([.file(6, record(5), "below")]).code == .referenceViolation)
  }
}
