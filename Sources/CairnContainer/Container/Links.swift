import CairnIdentity
import CairnReplica
import CairnStore
public import CairnZone
import Synchronization

/// The links to shares: making them, taking them back, and following those of others.
///
/// It uses these parts of the container: `accepting`, `account`, `accountZone`, `close`, `id`,
/// `inbox`, `isAnonymous`, `participation`, `people`, `remember`, `requireAccount`, `sharing`,
/// `store`, `zone`.
public struct Links: Sendable {
  let container: Container

  /// In that container.
  public init(_ container: Container) { self.container = container }

  // MARK: Making links

  /// Returns the link for anyone to a share that this person owns or administers: the same again
  /// until access is narrowed, it expires, or another time is requested.
  /// - Parameters:
  ///   - zone: The zone of the share.
  ///   - expires: Nanoseconds since 1970; nil for the time of the existing link, or never.
  ///   - fromNow: Whether a person who joins by it sees nothing of the past; otherwise as the
  ///     existing
  ///     link has it.
  /// - Returns: The link's secret.
  /// - Throws: `CloudError`, `.invalidArguments` while only invited people may join.
  public func publicLink(
    to zone: Zone, expires: Int64? = nil, fromNow: Bool = false
  ) throws -> SecretBytes {
    try zone.pull()
    guard let share = zone.header.share else { throw Self.notShared }
    guard zone.header.rights(of: container.account.user).contains(.administer) else {
      throw CloudError(
        .permissionFailure, "only the owner and administrators have the link for anyone",
        remedy: "ask one of them for it")
    }
    guard share.publicPermission != .none else {
      throw CloudError(
        .invalidArguments,
        "only invited people may join “\(share.title)”, so no link lets anyone in",
        remedy: "allow it by `cairn share set-public SHARE read-only` (or read-write), or make a "
          + "link for one person by `cairn share invite SHARE --link`")
    }
    let first = try fromNow ? container.sharing.closePast(of: zone) : nil
    var old: Link?
    if let known = try AccountZone.link(to: zone.id, in: container.accountZone) {
      old = share.links[LinkKeys(secret: known.secret).id]
      if let old, Self.isAlive(old), expires == nil || expires == old.expires,
        first == nil || first == old.firstEpoch
      {
        return known.secret
      }
    }
    let secret = SecretBytes.random()
    // Remembered first: a link that nobody remembers couldn't be given out again.
    try AccountZone.add(RememberedLink(zone: zone.id, secret: secret), to: container.accountZone)
    let link = Link(
      id: LinkKeys(secret: secret).id, boxKey: LinkKeys(secret: secret).box.publicKey,
      isOneTime: false, permission: share.publicPermission, expires: expires,
      firstEpoch: first ?? old?.firstEpoch ?? 0)
    try add(link, to: zone, replacing: old)
    return secret
  }

  /// Creates a link for one person who needn't be in the container yet: the author of the first
  /// claim in the log becomes a participant.
  /// - Parameters:
  ///   - zone: The zone of the share.
  ///   - permission: The permission of the claimer.
  ///   - expires: The expiry time in nanoseconds since 1970; nil for never.
  ///   - fromNow: A Boolean value that indicates whether the claimer sees the present contents and
  ///     later changes of the zone, but nothing of its past.
  ///   - secret: The secret of the new link.
  /// - Returns: The link's secret, which is stored nowhere, and its id.
  /// - Throws: `CloudError`.
  public func oneTimeLink(
    to zone: Zone, permission: Permission, expires: Int64? = nil, fromNow: Bool = false,
    secret: SecretBytes = .random()
  ) throws -> (secret: SecretBytes, id: LinkID) {
    try zone.pull()
    guard zone.header.share != nil else { throw Self.notShared }
    try zone.requireGiving(permission, isByName: false)
    let first = try fromNow ? container.sharing.closePast(of: zone) : 0
    let keys = LinkKeys(secret: secret)
    try add(
      Link(
        id: keys.id, boxKey: keys.box.publicKey, isOneTime: true, permission: permission,
        expires: expires, firstEpoch: first), to: zone, replacing: nil)
    return (secret, keys.id)
  }

  /// The id that a link with that secret has in its share.
  public static func linkID(of secret: SecretBytes) -> LinkID { LinkKeys(secret: secret).id }

  private static let notShared = CloudError(
    .zoneNotFound, "the folder isn't shared", remedy: "run `cairn share create` first")

  /// Returns whether a claim now would come before the link's end.
  static func isAlive(_ link: Link) -> Bool { link.expires.map { $0 > WallClock.now } ?? true }

  /// Stores the object that the link opens, then writes the link to the log: a person with the link
  /// finds everything.
  private func add(_ link: Link, to zone: Zone, replacing old: Link?) throws {
    guard Self.isAlive(link) else {
      throw CloudError(
        .invalidArguments, "the link would have expired already", remedy: "give a time to come")
    }
    guard zone.header.share != nil else { throw Self.notShared }
    let invitation = try container.sharing.invitation(
      to: zone, permission: link.permission, firstEpoch: link.firstEpoch)
    guard let bytes = invitation.sealed(to: link.id.bytes, key: link.boxKey, by: container.account)
    else {
      preconditionFailure("a key that was just made is one")
    }
    let key = zone.folder.link(link.id)
    do { _ = try container.store.puts(key, bytes) } catch { throw CloudError(error) }
    do {
      let removal = old.map { [ShareChange.removeLink($0.id)] } ?? []
      try zone.changeShare(removal + [.addLink(link)])
    } catch let error as CloudError {
      // The commit was refused, so nobody will ever look for the object. Otherwise the log may
      // contain the commit.
      if !error.isWorthRetrying { try deleteObject(of: link.id, in: zone.folder) }
      throw error
    }
    if let old { try deleteObject(of: old.id, in: zone.folder) }
  }

  /// Takes links back: they let nobody in any more.
  public func removeLinks(_ links: [LinkID], from zone: Zone) throws {
    try zone.changeShare(links.map { .removeLink($0) }, rekey: true)
    for link in links { try deleteObject(of: link, in: zone.folder) }
  }

  /// Removes expired links. If another administrator was faster, nothing changes.
  /// - Returns: The number of links that this call removed.
  /// - Throws: `CloudError`.
  @discardableResult
  public func removeExpiredLinks(from zone: Zone) throws -> Int {
    let expired = zone.header.share?.links.values.filter { !Self.isAlive($0) } ?? []
    guard !expired.isEmpty else { return 0 }
    do {
      try removeLinks(expired.map(\.id).sorted(), from: zone)
      return expired.count
    } catch let error as CloudError {
      guard error.code == .unknownItem || error.code == .zoneNotFound else { throw error }
      return 0
    }
  }

  /// Removes the object of a link. If it is gone already, nothing changes. If only its author or
  /// the founder may remove it, it remains: the log lets nobody in by it.
  func deleteObject(of link: LinkID, in folder: ZoneFolder) throws {
    do { try container.store.delete(folder.link(link)) } catch {
      guard !error.isWorthRetrying else { throw CloudError(error) }
    }
  }

  /// Returns the link to a zone of this container.
  /// - Parameters:
  ///   - zone: The zone.
  ///   - location: The place of the container, for people who aren't in it yet; empty to leave it
  ///     out.
  ///   - secret: The secret of a link that this person made; nil for a link that gives no access by
  ///     itself.
  /// - Returns: The link, which may be shown; its `text` has the secret.
  public func link(to zone: Zone, location: String = "", secret: SecretBytes? = nil) -> ShareLink {
    let founder = zone.folder.founder
    return ShareLink(
      container: container.id, founder: founder, zone: zone.id, location: location, secret: secret,
      inviter: secret == nil || founder == container.account.user
        ? nil : Bytes16(container.account.user.bytes.prefix(16)))
  }

  // MARK: Following links

  /// Takes part in a share by its link: one that lets somebody in by itself is claimed, any other
  /// needs an invitation. Works while everybody else's devices are off.
  /// - Parameters:
  ///   - link: which.
  ///   - agree: as for an invitation.
  /// - Returns: the zone.
  /// - Throws: `CloudError`, `.permissionFailure` if the link lets nobody in (any more), and what
  ///   `agree` throws.
  public func accept(
    _ link: ShareLink, if agree: (Offer) throws -> Void = { _ in }
  ) throws -> Zone {
    guard let secret = link.secret else {
      try container.requireAccount()
      return try container.participation.accept(link.zone, if: agree)
    }
    return try container.accepting.withLock { _ in
      if container.isAnonymous { return try read(by: secret, link, agree) }
      if let known = try container.participation.takingPart(in: link.zone) { return known }
      return try claim(LinkKeys(secret: secret), link, agree)
    }
  }

  private struct OnlyLooked: Error {}

  /// Returns the offer of a link, or the invitation to its share. Nothing is accepted.
  /// - Returns: The offer; nil if this person is a participant already.
  /// - Throws: `CloudError`, as `accept` does.
  public func offer(_ link: ShareLink) throws -> Offer? {
    var seen: Offer?
    do {
      _ = try accept(link) { offer in
        seen = offer
        throw OnlyLooked()
      }
    } catch is OnlyLooked {
      return seen
    }
    return nil
  }

  private static let dead = CloudError(
    .permissionFailure,
    "the link no longer works: it was used, revoked, or has expired",
    remedy: "ask the sender for a new one")

  private func claim(
    _ keys: LinkKeys, _ text: ShareLink, _ agree: (Offer) throws -> Void
  ) throws -> Zone {
    let id = text.zone
    let folder = ZoneFolder(zone: id, founder: text.founder)
    let invitation = try opened(by: keys, in: folder)
    guard text.isBy(invitation.inviter.user),
      try container.participation.opensFirstEntry(invitation)
    else {
      throw Self.dead
    }
    let before = try container.participation.keysInAccount(of: id)
    let found = try container.participation.tryZone(invitation, links: [keys.box])
    do {
      try found.pull()
      let mine = found.header.share?.participants[container.account.user]
      // Claimed before, by a command that was interrupted.
      if mine?.acceptance == .accepted {
        try agree(Offer(found, by: invitation, mine?.permission ?? invitation.permission))
      } else {
        guard found.canReadOn, let link = found.header.share?.links[keys.id], Self.isAlive(link)
        else { throw Self.dead }
        try agree(Offer(found, by: invitation, link.permission))
        do {
          try found.changeShare([
            .claim(link: keys.id, proof: keys.proof(for: container.account.user, in: id))
          ])
        } catch {
          // Another device of this person was faster.
          let now = found.header.share?.participants[container.account.user]?.acceptance
          guard now == .accepted else { throw error }
        }
        if link.isOneTime { try deleteObject(of: keys.id, in: folder) }
      }
      found.dropUnprovenKeys()
      try container.remember(found, owner: invitation.owner)
    } catch {
      // The claim of somebody else came first.
      let isLost =
        (error as? CloudError)?.code == .permissionFailure
        && found.header.share?.links[keys.id] == nil
      try container.participation.abandon(id, before)
      throw isLost ? Self.dead : error
    }
    try container.inbox.forgetInvitations(to: id)
    return found
  }

  /// Reads a share by its link for anyone, in a home without an account: nobody is told, the log
  /// says nothing of it, and it ends with the link.
  private func read(
    by secret: SecretBytes, _ text: ShareLink, _ agree: (Offer) throws -> Void
  ) throws -> Zone {
    let keys = LinkKeys(secret: secret)
    if let known = try container.zone(text.zone), known.mayRead { return known }
    container.close(text.zone)
    let invitation = try opened(by: keys, in: ZoneFolder(zone: text.zone, founder: text.founder))
    guard text.isBy(invitation.inviter.user),
      try container.participation.opensFirstEntry(invitation)
    else {
      throw Self.dead
    }
    let before = try container.participation.keysInAccount(of: text.zone)
    let found = try container.participation.tryZone(invitation, links: [keys.box], readBy: keys.id)
    do {
      try found.pull()
      guard found.canReadOn, let link = found.header.share?.links[keys.id], Self.isAlive(link)
      else { throw Self.dead }
      guard !link.isOneTime else {
        throw CloudError(
          .notAuthenticated,
          "the link is for one person, who has to be in the container, and this home only reads it",
          remedy: "ask for the link for anyone, or accept this one where the container is written")
      }
      try agree(Offer(found, by: invitation, .readOnly))
      found.dropUnprovenKeys()
      // Its secret opens the keys of later epochs, too.
      try AccountZone.add(RememberedLink(zone: found.id, secret: secret), to: container.accountZone)
      try container.remember(found, owner: invitation.owner)
    } catch {
      try container.participation.abandon(text.zone, before)
      throw error
    }
    return found
  }

  /// Returns the invitation behind a link.
  private func opened(by keys: LinkKeys, in folder: ZoneFolder) throws -> Invitation {
    let key = folder.link(keys.id)
    do {
      guard let bytes = try container.store.get(key, upTo: SealedMessage.limit) else {
        throw Self.dead
      }
      let message = try SealedMessage(bytes) { keys.box.open($0) }
      let invitation = try Invitation(message, recipient: keys.id.bytes) {
        try container.people.signKey(of: $0)
      }
      guard invitation.container == container.id, invitation.zone == folder.zone,
        invitation.owner == folder.founder
      else { throw Self.dead }
      return invitation
    } catch let error as StoreError {
      throw CloudError(error)
    } catch is Invitation.Failure {
      throw Self.dead
    }
  }
}
