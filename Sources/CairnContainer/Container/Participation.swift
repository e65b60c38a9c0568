import CairnIdentity
import CairnIndex
import CairnReplica
import CairnStore
public import CairnZone
import Synchronization

/// The participation in shares of others: invitations, acceptance, and leaving.
///
/// It uses these parts of the container: `accepting`, `account`, `accountPast`, `accountZone`,
/// `close`, `entries`, `erase`, `forget`, `id`, `inbox`, `isAnonymous`, `isLive`, `links`, `open`,
/// `people`, `remember`, `removeMount`, `reopen`, `store`, `zone`, `zones`.
public struct Participation: Sendable {
  let container: Container

  /// Creates a value for a container.
  public init(_ container: Container) { self.container = container }

  /// Accepts a share. When this returns, its log contains the acceptance, and the account contains
  /// the zone. The owner's devices may be off. A second acceptance changes nothing.
  /// - Parameters:
  ///   - zone: The zone.
  ///   - agree: A function that gets the invitation preview before anything is accepted. If it
  ///     throws, nothing is accepted. It isn't called if this person has accepted already.
  /// - Returns: The zone.
  /// - Throws: `CloudError` with `.permissionFailure` if there is no invitation for this person.
  public func accept(
    _ zone: ZoneID, if agree: (Offer) throws -> Void = { _ in }
  ) throws -> Zone {
    try container.accepting.withLock { _ in
      if let known = try takingPart(in: zone) { return known }
      let invitations = try container.inbox.invitations().filter { $0.zone == zone }
      guard !invitations.isEmpty else {
        throw CloudError(
          .permissionFailure, "there is no invitation to this share for you",
          remedy: "ask its owner to invite you; `cairn share invitations` lists what you have")
      }
      return try accept(zone, by: invitations, agree)
    }
  }

  /// Returns the zone if it is in the account and this person hasn't been removed from it.
  func takingPart(in id: ZoneID) throws -> Zone? {
    guard let known = try container.zone(id) else { return nil }
    guard try !isTakingPart(in: known) else { return known }
    container.close(id)
    return nil
  }

  /// Returns whether this person is a participant of a zone in the account at present, by its log.
  /// If the container doesn't answer, the last known state counts.
  func isTakingPart(in known: Zone) throws -> Bool {
    guard known.scope == .shared else { return true }
    do { try known.pull() } catch let error as CloudError {
      guard error.isWorthRetrying else { throw error }
      return true
    }
    let mine = known.header.share?.participants[container.account.user]
    return known.canReadOn
      && (mine?.acceptance == .accepted || known.header.owner == container.account.user)
  }

  /// Accepts with the newest valid invitation. Anybody can write an invitation, with keys that are
  /// wrong or only partly right. An invitation is valid if its keys open the zone's log, and the
  /// log names this person as a participant.
  private func accept(
    _ zone: ZoneID, by invitations: [Invitation], _ agree: (Offer) throws -> Void
  ) throws -> Zone {
    var tried: [Keyring] = []
    var damage: CloudError?
    for invitation in invitations.reversed() where !tried.contains(invitation.keyring) {
      tried.append(invitation.keyring)
      guard try opensFirstEntry(invitation) else { continue }
      do {
        if let found = try accept(zone, by: invitation, agree) { return found }
      } catch let error as CloudError where error.code == .assetNotAvailable {
        damage = error
      }
    }
    throw damage
      ?? CloudError(
        .permissionFailure, "the invitation was withdrawn, or it isn't from the share's owner",
        remedy: "ask the owner of the share to invite you again")
  }

  /// Accepts with one invitation. Returns nil, without a trace, if the invitation's keys don't lead
  /// to an entry that names this person as a participant.
  private func accept(
    _ zone: ZoneID, by invitation: Invitation, _ agree: (Offer) throws -> Void
  ) throws -> Zone? {
    let before = try keysInAccount(of: zone)
    let found = try tryZone(invitation)
    do {
      try found.pull()
      guard let mine = found.header.share?.participants[container.account.user] else {
        try abandon(zone, before)
        return nil
      }
      try agree(Offer(found, by: invitation, mine.permission))
      found.dropUnprovenKeys()
      if mine.acceptance != .accepted { _ = try found.changeShare([.accept]) }
      try container.remember(found, owner: invitation.owner)
    } catch {
      try abandon(zone, before)
      throw error
    }
    try container.inbox.forgetInvitations(to: zone)
    return found
  }

  /// Returns whether the zone begins, with the invitation's key, with a commit by its claimed
  /// owner. A person without the first key recognizes the owner by the zone's id, and by the fact
  /// that their first entry is by the same person.
  func opensFirstEntry(_ invitation: Invitation) throws -> Bool {
    if invitation.keyring[1] == nil {
      return invitation.nonce.map { ZoneID.derive(owner: invitation.owner, nonce: $0) }
        == invitation.zone
    }
    let folder = ZoneFolder(zone: invitation.zone, founder: invitation.owner)
    let entries = try Floors(folder: folder, store: container.store).firstEntries(
      invitation.keyring)
    return try entries.contains { bytes in
      do {
        let commit = try EntryCodec.open(
          bytes, zone: invitation.zone, sequence: 1, keys: invitation.keyring
        ) { try container.people.signKey(of: $0) }
        return commit.genesis?.owner == invitation.owner && commit.author.user == invitation.owner
      } catch is EntryProblem {
        return false
      } catch let error as StoreError {
        throw CloudError(error)
      }
    }
  }

  // MARK: Invitations

  /// Deletes the invitations to a zone from this person's inbox. Nobody else learns of it. A new
  /// invitation works again.
  /// - Throws: `CloudError` if the container can't be used now.
  public func decline(_ zone: ZoneID) throws { try container.inbox.forgetInvitations(to: zone) }

  /// Returns the invitations in this person's inbox, the newest last, without the accepted ones.
  /// Messages that can't be opened, or that aren't signed by the claimed sender, are skipped.
  public func invitations() throws -> [PendingInvitation] {
    let known = Set(try container.zones(.shared).map(\.id))
    return try container.inbox.invitations().filter { invitation in
      // A zone in the account may have removed this person since.
      guard known.contains(invitation.zone), let zone = try container.zone(invitation.zone) else {
        return true
      }
      do { return try !isTakingPart(in: zone) } catch is CloudError {
        // A zone that can't be checked is in the state that it had when this person accepted.
        return false
      }
    }.map(Self.pending)
  }

  /// Returns the link to the share of an invitation to this person, accepted or not; nil if there
  /// is no such invitation. The first six or more digits of its id are enough.
  /// - Throws: `CloudError` with `.invalidArguments` if several begin with these digits.
  public func link(invitedBy text: String) throws -> ShareLink? {
    let id = text.lowercased()
    // Nobody sends anything to an anonymous home.
    guard id.allSatisfy(\.isHexDigit), !container.isAnonymous else { return nil }
    let found = try container.inbox.invitations().filter {
      beginsAsTyped(hexadecimal($0.id.bytes), id)
    }
    guard Set(found.map(\.zone)).count <= 1 else {
      throw CloudError(
        .invalidArguments, "the ids of several invitations begin with \(id)",
        remedy: "give more of it: `cairn share invitations --json` has all digits")
    }
    if let waiting = found.first {
      return ShareLink(container: container.id, founder: waiting.owner, zone: waiting.zone)
    }
    // An accepted invitation isn't in the inbox any more.
    let accepted = try container.zones(.shared).first { zone in
      let first = max(1, zone.header.firstEpoch(of: container.account.user))
      guard let zoneKey = zone.keyring()[first] else { return false }
      return (0..<Invitation.slots).contains {
        hexadecimal(Invitation.name($0, to: container.account.user, zoneKey: zoneKey).bytes)
          .hasPrefix(id)
      }
    }
    return accepted.map { container.links.link(to: $0) }
  }

  private static func pending(_ invitation: Invitation) -> PendingInvitation {
    PendingInvitation(
      id: hexadecimal(invitation.id.bytes), zone: invitation.zone, owner: invitation.owner,
      inviter: invitation.inviter.user, title: invitation.title,
      permission: invitation.permission, time: invitation.time)
  }

  // MARK: Taking part no longer

  /// Leaves a share: this is written to its log. Leaving twice, or after a removal, changes
  /// nothing. If the log doesn't exist any more, nobody has to be told.
  /// - Throws: `CloudError`, with `.permissionFailure` for the owner, who can stop a share and
  ///   can't leave it.
  public func leave(_ zone: Zone) throws {
    guard try zone.isToBeRead() else { return }
    guard zone.header.owner != container.account.user else {
      throw CloudError(
        .permissionFailure, "the owner of a share can't leave it",
        remedy: "run `cairn share stop`, or `cairn share transfer` first")
    }
    guard zone.header.share?.participants[container.account.user] != nil else { return }
    do { try zone.changeShare([.remove(user: container.account.user)]) } catch let error
      as CloudError
    {
      // If a member ends the epoch right after the entry, the entry is read again when this person
      // isn't a participant any more.
      guard zone.header.share?.participants[container.account.user] == nil else { throw error }
    }
  }

  /// Opens a zone that isn't in the account any more: another device of this person saw its end, or
  /// removed it. The index of this device knows the zone, or one of the keys that the account had
  /// opens it.
  /// - Returns: The zone; nil if nothing opens it.
  /// - Throws: `CloudError` if the container has to be read, and can't be now.
  public func leftOver(_ id: ZoneID) throws -> Zone? { try ZoneFinder(container).open(id) }

  /// Returns a zone of the account, without any replayed entry here, as its log confirms it. The
  /// account's records may have named several founders or keys, and only one is right.
  /// - Throws: `CloudError` if the container has to be read, and can't be now.
  public func confirmed(_ zone: Zone) throws -> Zone {
    let finder = ZoneFinder(container)
    guard try finder.isDisputed(zone.id) else { return zone }
    return try finder.open(zone.id) ?? zone
  }

  /// Returns whether this person is the owner or a participant of a zone, by its present log in the
  /// container.
  /// - Throws: `CloudError` if the log can't be read now.
  public func isLive(_ zone: Zone) throws -> Bool {
    do { try zone.pull() } catch let error as CloudError {
      if zone.trouble?.kind == .held { return container.isLive(zone) }
      guard !error.isWorthRetrying else { throw error }
      return false
    }
    return zone.trouble == nil && container.isLive(zone)
  }

  /// Returns the device that removed a zone from the account; nil if the account has the zone, or
  /// never had it.
  public func taker(of zone: ZoneID) throws -> DeviceID? {
    let last = try container.accountPast().versions(of: AccountZone.zoneEntryID(zone)).last
    return last.flatMap { $0.fields == nil ? $0.device : nil }
  }

  /// Deletes all data of a zone from this account and this device: its mount, the zone with its
  /// keys, and its index. A person who is invited again starts from the beginning.
  public func forgetEverything(of zone: Zone) throws {
    try container.removeMount(zone.id)
    try AccountZone.forgetFormers(of: zone.id, in: container.accountZone)
    try container.forget(zone.id)
    try container.erase(zone.id, in: zone.scope)
  }

  // MARK: Trying a zone

  /// Opens a shared zone from the beginning of its log, with keys that may prove wrong. Earlier
  /// knowledge of it doesn't count; `remember` adds it to the account. The keys of links open those
  /// of later epochs, beside the account's. Other callers get the same object meanwhile, because a
  /// zone has one owner; `abandon` ends that.
  func tryZone(
    _ invitation: Invitation, links: [BoxKey] = [], readBy link: LinkID? = nil
  ) throws -> Zone {
    guard try container.people.passes(invitation.chainHead, of: invitation.inviter.user) else {
      throw CloudError(
        .assetNotAvailable,
        "disputed: the identity of who invites isn't in this container what they themselves know "
          + "of it",
        remedy: "tell the inviter; nothing was accepted")
    }
    return try container.open.withLock { open in
      // Another device of this person was faster, and this device has opened the zone from the
      // account.
      if let known = open[invitation.zone] { return known }
      let zone = try container.reopen(
        invitation.zone, founder: invitation.owner, owner: invitation.owner, in: .shared,
        keys: invitation.keyring, links: links, readBy: link)
      try zone.exclusively { $0.anchor = invitation.zoneHead }
      open[zone.id] = zone
      return zone
    }
  }

  /// Returns the keys of a zone in the account; nil if the account doesn't have the zone.
  func keysInAccount(of id: ZoneID) throws -> Keyring? {
    try container.entries().first { $0.zone == id }?.keys
  }

  /// Forgets a zone that was only tried, unless another device has accepted it meanwhile. If the
  /// account had the zone with these keys before, this person was a participant once. The next
  /// invitation must not be tried with the remains of this one.
  func abandon(_ id: ZoneID, _ before: Keyring?) throws {
    try container.open.withLock { open in
      guard try keysInAccount(of: id) == before else { return }
      open[id] = nil
      try container.erase(id, in: .shared)
    }
  }
}
