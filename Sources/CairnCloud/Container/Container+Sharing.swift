import CairnStore
public import CairnZone
import Synchronization

/// An invitation that waits in this person's inbox (CKShare.Metadata).
public struct PendingInvitation: Hashable, Sendable {
  /// The invitation's id, in hexadecimal.
  public var id: String
  /// The zone that is shared.
  public var zone: ZoneID
  /// The zone's owner.
  public var owner: UserID
  /// Who invites.
  public var inviter: UserID
  /// The share's title when the invitation was written.
  public var title: String
  /// What the invited person may do.
  public var permission: Permission
  /// The inviter's clock, in nanoseconds since 1970.
  public var time: Int64
}

extension Container {
  /// Shares a zone of this person's, or gives its share another title. Sharing what is shared
  /// changes nothing.
  public func share(_ zone: Zone, title: String) throws -> Share {
    guard zone.scope != .public else {
      throw CloudError(
        .badDatabase, "the public database has no shares: everybody reads it",
        remedy: "put what only some shall see into a folder of its own, and share that")
    }
    guard zone.scope == .private else {
      throw CloudError(
        .permissionFailure, "only its owner can share a folder",
        remedy: "ask the owner to invite whom you have in mind")
    }
    let clean = title.trimmingPrefix { $0 == " " }
    guard !clean.isEmpty else {
      throw CloudError(
        .invalidArguments, "a share needs a title", remedy: "give one with --title")
    }
    guard clean.utf8.count <= Share.maximumTitleSize else {
      throw CloudError(
        .invalidArguments, "a title has at most \(Share.maximumTitleSize) bytes",
        remedy: "give a shorter one with --title")
    }
    if let share = zone.header.share, share.title == String(clean) { return share }
    guard try zone.header.share != nil || zone.read({ try $0.references().isEmpty }) else {
      throw CloudError(
        .alreadyShared, "something in the folder is in a share already",
        remedy: "stop that share first")
    }
    guard let share = try zone.changeShare([.title(String(clean))]).share else {
      preconditionFailure("a share that isn't there after it was made")
    }
    return share
  }

  /// Invites people of this container, all or none: their right stands in the zone's log, and a
  /// sealed message with the keys in their inbox. Inviting somebody again changes the permission.
  /// - Parameters:
  ///   - users: whom.
  ///   - zone: into which.
  ///   - permission: what they may do.
  ///   - fromNow: whether they see what is in the zone from now on, and nothing of its past.
  /// - Returns: the share.
  /// - Throws: `CloudError`, `.tooManyParticipants` where there is no room for all of them.
  public func invite(
    _ users: [UserID], to zone: Zone, permission: Permission, fromNow: Bool = false
  ) throws -> Share {
    let invited = try users.map { user in
      guard let (person, held) = try people.read(user, as: nil) else {
        throw CloudError(
          .participantMayNeedVerification, "nobody with the id \(user) is in this container",
          remedy: "ask them to run `cairn init` with this container first")
      }
      // Behind what holds it, or is hidden, may stand that the key isn't theirs any more.
      if let held { throw held.error }
      if let trouble = people.troubles[user], trouble.kind != .damaged { throw trouble.error }
      guard try sites.trail().keeps(person.site) else { throw Self.elsewhere(person) }
      return person
    }
    try checkFirstKey(for: users, in: zone)
    if fromNow { try checkNew(users, in: zone) }
    let first = try fromNow ? closePast(of: zone) : 0
    let before = zone.header.share
    // While anyone may join, the log refuses it, whoever they are.
    let changed = users.filter {
      before?.participants[$0]?.permission != permission
        || before?.publicPermission != Permission.none
    }
    if !changed.isEmpty {
      try zone.changeShare(
        changed.map { .invite(user: $0, permission: permission, firstEpoch: first) })
    }
    guard let share = zone.header.share else { throw Self.notSharedYet }
    for person in invited where share.participants[person.id]?.acceptance == .pending {
      try send(
        invitation(
          to: zone, permission: permission, firstEpoch: zone.header.firstEpoch(of: person.id)),
        to: person, isNew: changed.contains(person.id))
    }
    return share
  }

  /// Nobody would look for a message where it would stand.
  static func elsewhere(_ person: Person) -> CloudError {
    let location = person.site.map(\.location) ?? ""
    return CloudError(
      .participantMayNeedVerification,
      "\(person.handle) isn't to be found in this container: "
        + (location.isEmpty
          ? "they haven't followed to where it was moved"
          : "they have moved to \(location)"),
      remedy: location.isEmpty
        ? "ask them to run `cairn container move` with the place of your container"
        : "run `cairn container move \(Site.word(location))`, too, and try again there")
  }

  private static let notSharedYet = CloudError(
    .zoneNotFound, "the folder isn't shared yet", remedy: "run `cairn share create` first")

  /// What lets somebody into a zone: its keys, and how far this person has read its log and knows
  /// their own chain.
  /// - Parameters:
  ///   - zone: which.
  ///   - permission: what they may do.
  ///   - firstEpoch: the first one whose key they are given; 0: each.
  /// - Returns: it.
  /// - Throws: `CloudError`, `.permissionFailure` for who hasn't the first key of the zone.
  func invitation(
    to zone: Zone, permission: Permission, firstEpoch: UInt64 = 0
  ) throws -> Invitation {
    let header = zone.header
    let keys = zone.keyring()
    guard keys[1] != nil else { throw Self.noFirstKey }
    let nonce = try firstEpoch == 0 ? nil : self.nonce(of: zone, keys)
    // Who founded the zone can be proven by its first entry, whoever owns it now.
    guard let share = header.share, let founder = header.genesis?.owner else {
      throw Self.notSharedYet
    }
    let me = try refreshMe().me
    return Invitation(
      id: .random(), container: id, zone: zone.id, owner: founder, keyring: keys.from(firstEpoch),
      title: share.title, permission: permission, inviter: account.author, time: WallClock.now,
      zoneHead: LogAnchor(sequence: header.sequence, digest: header.head),
      chainHead: ChainHead(length: me.length, head: me.head), nonce: nonce)
  }

  /// Invites one person, as the other `invite` does.
  public func invite(
    _ user: UserID, to zone: Zone, permission: Permission, fromNow: Bool = false
  ) throws -> Share {
    try invite([user], to: zone, permission: permission, fromNow: fromNow)
  }

  /// Puts an invitation under the first free of its names, and takes away those that it replaces.
  private func send(
    _ invitation: Invitation, to person: Person, isNew: Bool
  ) throws {
    guard let zoneKey = invitation.keyring.all.first else { throw Self.noFirstKey }
    var invitation = invitation
    do {
      let names = (0..<Invitation.slots).map {
        Invitation.name($0, to: person.id, zoneKey: zoneKey)
      }
      let (free, older) = try slots(names, of: person.id)
      // Said already, in the same words.
      guard isNew || older.isEmpty else { return }
      // Who took part once can fill all names, with what is theirs to take away, and what was
      // looked at under a name isn't looked at again. Another name does as well, but that nobody
      // can take back what stands there.
      invitation.id = free ?? .random()
      let bytes = try invitation.sealed(to: person, by: account)
      _ = try store.puts(Inbox.key(of: person.id, invitation.id), bytes)
      for key in older { try takeAwayIfOurs(key) }
    } catch let error as StoreError {
      throw CloudError(error)
    } catch let error as Invitation.Failure {
      throw CloudError(
        .participantMayNeedVerification, error.description,
        remedy: "ask \(person.handle) to check their account")
    }
  }

  /// Which of these names is the first free one in an inbox, and what stands under the others.
  private func slots(
    _ names: [Bytes16], of user: UserID
  ) throws(StoreError) -> (free: Bytes16?, taken: [ObjectKey]) {
    var (free, taken) = (Bytes16?.none, [ObjectKey]())
    for name in names {
      let key = Inbox.key(of: user, name)
      do throws(StoreError) {
        if try store.size(of: key) == nil { free = free ?? name } else { taken.append(key) }
      } catch {
        // No object, and no free place: something that somebody made there.
        guard error.code == .corrupt else { throw error }
      }
    }
    return (free, taken)
  }

  /// Takes an object away, unless that is for another device, another administrator or a stranger.
  private func takeAwayIfOurs(_ key: ObjectKey) throws(StoreError) {
    do throws(StoreError) { try store.delete(key) } catch {
      guard !error.isWorthRetrying else { throw error }
    }
  }

  /// Takes the messages that invited somebody to the zone out of their inbox.
  func withdrawInvitations(of user: UserID, to zone: Zone) throws {
    let known = zone.keyring()
    let firstKeys = ([0] + zone.header.closings.map(\.epoch)).compactMap { known[$0 + 1] }
    let keys = firstKeys.flatMap { key in
      (0..<Invitation.slots).map {
        Inbox.key(of: user, Invitation.name($0, to: user, zoneKey: key))
      }
    }
    do { try Inbox.delete(keys, in: store) } catch { throw CloudError(error) }
  }

  /// The invitations in this person's inbox, newest last; those that were accepted are left out.
  /// Messages that can't be opened or aren't signed by who they say are passed over.
  public func invitations() throws -> [PendingInvitation] {
    let known = Set(try zones(.shared).map(\.id))
    return try openInvitations().filter { invitation in
      // That one is in the account doesn't say that this person wasn't removed from it since.
      guard known.contains(invitation.zone), let zone = try zone(invitation.zone) else {
        return true
      }
      do { return try !isTakingPart(in: zone) } catch is CloudError {
        // What can't be looked at is as it was when this person accepted.
        return false
      }
    }.map(Self.pending)
  }

  /// The link to the share that an invitation to this person is to, whether it was accepted or not;
  /// nil if there is no such invitation. Of its id a beginning of six or more digits is enough.
  /// - Throws: `CloudError` with `.invalidArguments` if several begin so.
  public func link(invitedBy text: String) throws -> ShareLink? {
    let id = text.lowercased()
    // Nobody sends anything to a home that nobody knows.
    guard id.allSatisfy(\.isHexDigit), !isAnonymous else { return nil }
    let found = try openInvitations().filter { beginsAsTyped(hexadecimal($0.id.bytes), id) }
    guard Set(found.map(\.zone)).count <= 1 else {
      throw CloudError(
        .invalidArguments, "the ids of several invitations begin with \(id)",
        remedy: "give more of it: `cairn share invitations --json` has all digits")
    }
    if let waiting = found.first {
      return ShareLink(container: self.id, founder: waiting.owner, zone: waiting.zone)
    }
    // One that was accepted isn't in the inbox any more.
    let accepted = try zones(.shared).first { zone in
      let first = max(1, zone.header.firstEpoch(of: account.user))
      guard let zoneKey = zone.keyring()[first] else { return false }
      return (0..<Invitation.slots).contains {
        hexadecimal(Invitation.name($0, to: account.user, zoneKey: zoneKey).bytes).hasPrefix(id)
      }
    }
    return accepted.map { link(to: $0) }
  }

  private static func pending(_ invitation: Invitation) -> PendingInvitation {
    PendingInvitation(
      id: hexadecimal(invitation.id.bytes), zone: invitation.zone, owner: invitation.owner,
      inviter: invitation.inviter.user, title: invitation.title,
      permission: invitation.permission, time: invitation.time)
  }

  func openInvitations() throws -> [Invitation] {
    do {
      return try inbox.items().compactMap { item in
        if case .invitation(let invitation) = item.message { invitation } else { nil }
      }.sorted { $0.time < $1.time }
    } catch {
      throw CloudError(error)
    }
  }

  /// Takes this person's invitations to a zone out of the inbox: they were handled.
  /// That they can't be taken away is no failure: what was accepted isn't listed.
  func forgetInvitations(to zone: ZoneID) throws {
    do {
      let keys = try inbox.items().compactMap { item -> ObjectKey? in
        guard case .invitation(let invitation) = item.message, invitation.zone == zone else {
          return nil
        }
        return item.key
      }
      try Inbox.delete(keys, in: store)
    } catch {
      guard error.isWorthRetrying else { return }
      throw CloudError(error)
    }
  }
}
