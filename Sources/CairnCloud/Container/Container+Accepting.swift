import CairnStore
public import CairnZone
import Synchronization

/// How somebody comes to take part in a share that they were invited to.
extension Container {
  /// Takes part in a share: the acceptance stands in its log and the zone in this account when this
  /// returns. Works while the owner's devices are off; accepting twice is the same as once.
  /// - Parameters:
  ///   - zone: which.
  ///   - agree: is told what is offered before anything is accepted; if it throws, nothing is. It
  ///     isn't asked where this person takes part already.
  /// - Returns: the zone.
  /// - Throws: `CloudError` with `.permissionFailure` if there is no invitation for this person.
  public func accept(
    _ zone: ZoneID, if agree: (Offer) throws -> Void = { _ in }
  ) throws -> Zone {
    try accepting.withLock { _ in
      if let known = try takingPart(in: zone) { return known }
      let invitations = try openInvitations().filter { $0.zone == zone }
      guard !invitations.isEmpty else {
        throw CloudError(
          .permissionFailure, "there is no invitation to this share for you",
          remedy: "ask its owner to invite you; `cairn share invitations` lists what you have")
      }
      return try accept(zone, by: invitations, agree)
    }
  }

  /// The zone, if it is in the account and this person isn't shut out of it by now.
  func takingPart(in id: ZoneID) throws -> Zone? {
    guard let known = try zone(id) else { return nil }
    guard try !isTakingPart(in: known) else { return known }
    close(id)
    return nil
  }

  /// Whether this person takes part in a zone of the account by now, as its log says. Where the
  /// container doesn't answer, what was heard of it counts.
  func isTakingPart(in known: Zone) throws -> Bool {
    guard known.scope == .shared else { return true }
    do { try known.pull() } catch let error as CloudError {
      guard error.isWorthRetrying else { throw error }
      return true
    }
    let mine = known.header.share?.participants[account.user]
    return known.canReadOn && (mine?.acceptance == .accepted || known.header.owner == account.user)
  }

  /// Anybody can write an invitation, with keys that are wrong or only partly right. The newest
  /// with which the zone's log opens, and says that this person takes part, counts.
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

  /// Nil, and nothing is left of it, if the invitation's keys don't lead to where this person takes
  /// part.
  private func accept(
    _ zone: ZoneID, by invitation: Invitation, _ agree: (Offer) throws -> Void
  ) throws -> Zone? {
    let before = try keysInAccount(of: zone)
    let found = try tryZone(invitation)
    do {
      try found.pull()
      guard let mine = found.header.share?.participants[account.user] else {
        try abandon(zone, before)
        return nil
      }
      try agree(Offer(found, by: invitation, mine.permission))
      found.dropUnprovenKeys()
      if mine.acceptance != .accepted { _ = try found.changeShare([.accept]) }
      try remember(found, owner: invitation.owner)
    } catch {
      try abandon(zone, before)
      throw error
    }
    try forgetInvitations(to: zone)
    return found
  }

  /// Whether the zone begins, under the invitation's key, with a commit by whom it calls the owner.
  /// Who isn't given the first key sees whose it is by its id, and that what they begin with is by
  /// the same person.
  func opensFirstEntry(_ invitation: Invitation) throws -> Bool {
    if invitation.keyring[1] == nil {
      return invitation.nonce.map { ZoneID.derive(owner: invitation.owner, nonce: $0) }
        == invitation.zone
    }
    let folder = ZoneFolder(zone: invitation.zone, founder: invitation.owner)
    let entries = try Floors(folder: folder, store: store).firstEntries(invitation.keyring)
    return try entries.contains { bytes in
      do {
        let commit = try EntryCodec.open(
          bytes, zone: invitation.zone, sequence: 1, keys: invitation.keyring
        ) { try people.signKey(of: $0) }
        return commit.genesis?.owner == invitation.owner && commit.author.user == invitation.owner
      } catch is EntryProblem {
        return false
      } catch let error as StoreError {
        throw CloudError(error)
      }
    }
  }

  // MARK: Trying a zone

  /// Opens a shared zone from the beginning of its log, with keys that may turn out to be wrong.
  /// Nothing that was known of it before counts; `remember` makes it one of the account's.
  /// The keys of links open those of later epochs, beside the account's. Whoever looks for the zone
  /// meanwhile gets the same object, since a zone has one owner; `abandon` ends that.
  func tryZone(
    _ invitation: Invitation, links: [BoxKey] = [], readBy link: LinkID? = nil
  ) throws -> Zone {
    guard try people.passes(invitation.chainHead, of: invitation.inviter.user) else {
      throw CloudError(
        .assetNotAvailable,
        "disputed: the identity of who invites isn't in this container what they themselves know "
          + "of it",
        remedy: "tell whoever invited you; nothing was accepted")
    }
    return try open.withLock { open in
      // Another device of this person was faster, and somebody here has seen it in the account.
      if let known = open[invitation.zone] { return known }
      let zone = try reopen(
        invitation.zone, founder: invitation.owner, owner: invitation.owner, in: .shared,
        keys: invitation.keyring, links: links, readBy: link)
      try zone.exclusively { $0.anchor = invitation.zoneHead }
      open[zone.id] = zone
      return zone
    }
  }

  /// The keys of a zone that the account has; nil if it hasn't got the zone.
  func keysInAccount(of id: ZoneID) throws -> Keyring? {
    try entries().first { $0.zone == id }?.keys
  }

  /// Forgets a zone that was only tried, unless another device has accepted it meanwhile. That the
  /// account had it with these keys before says only that this person was in it once: the next
  /// invitation mustn't be tried with what this one left.
  func abandon(_ id: ZoneID, _ before: Keyring?) throws {
    try open.withLock { open in
      guard try keysInAccount(of: id) == before else { return }
      open[id] = nil
      try erase(id, in: .shared)
    }
  }
}
