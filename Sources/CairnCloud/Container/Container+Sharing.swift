import CairnStore
public import CairnZone

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
    if let share = zone.header.share, share.title == String(clean) { return share }
    guard let share = try zone.changeShare([.title(String(clean))]).share else {
      preconditionFailure("a share that isn't there after it was made")
    }
    return share
  }

  /// Invites a person of this container: their right stands in the zone's log, and a sealed message
  /// with the keys in their inbox. Inviting somebody again changes the permission.
  public func invite(_ user: UserID, to zone: Zone, permission: Permission) throws -> Share {
    guard let person = try people.person(user) else {
      throw CloudError(
        .participantMayNeedVerification, "nobody with the id \(user) is in this container",
        remedy: "ask them to run `cairn init` with this container first")
    }
    let before = zone.header.share?.participants[user]
    if before?.permission != permission {
      _ = try zone.changeShare([.invite(user: user, permission: permission)])
    }
    guard let share = zone.header.share, let owner = zone.header.genesis?.owner else {
      throw CloudError(
        .zoneNotFound, "the folder isn't shared yet", remedy: "run `cairn share create` first")
    }
    try send(
      Invitation(
        id: .random(), container: id, zone: zone.id, owner: owner, keyring: zone.keyring(),
        title: share.title, permission: permission, inviter: account.author,
        time: WallClock.now),
      to: person)
    return share
  }

  private func send(_ invitation: Invitation, to person: Person) throws {
    let name = hexadecimal(invitation.id.bytes)
    guard let key = ObjectKey("users/\(person.id)/inbox/\(name)") else {
      preconditionFailure("an inbox key that isn't a key")
    }
    do {
      _ = try store.put(key, try invitation.sealed(to: person, by: account))
    } catch let error as StoreError {
      throw CloudError(error)
    } catch let error as Invitation.Failure {
      throw CloudError(
        .participantMayNeedVerification, error.description,
        remedy: "ask \(person.handle) to check their account")
    }
  }

  /// The invitations in this person's inbox, newest last; those that were accepted are left out.
  /// Messages that can't be opened or aren't signed by who they say are passed over.
  public func invitations() throws -> [PendingInvitation] {
    let accepted = Set(try zones(.shared).map(\.id))
    return try openInvitations().filter { !accepted.contains($0.zone) }.map(Self.pending)
  }

  private static func pending(_ invitation: Invitation) -> PendingInvitation {
    PendingInvitation(
      id: hexadecimal(invitation.id.bytes), zone: invitation.zone, owner: invitation.owner,
      inviter: invitation.inviter.user, title: invitation.title,
      permission: invitation.permission, time: invitation.time)
  }

  private func openInvitations() throws -> [Invitation] {
    var found: [Invitation] = []
    do throws(StoreError) {
      let keys = try store.list("users/\(account.user)/inbox/", after: nil, limit: 10_000)
      for key in keys {
        guard let bytes = try store.get(key) else { continue }
        if let invitation = open(bytes), invitation.container == id { found.append(invitation) }
      }
    } catch {
      throw CloudError(error)
    }
    return found.sorted { $0.time < $1.time }
  }

  /// Anybody can put anything into an inbox: what isn't an invitation is no error of ours.
  private func open(_ bytes: [UInt8]) -> Invitation? {
    do {
      return try Invitation.open(bytes, account: account) { try people.signKey(of: $0) }
    } catch {
      return nil
    }
  }

  /// Takes part in a share: the acceptance stands in its log and the zone in this account when this
  /// returns. Works while the owner's devices are off; accepting twice is the same as once.
  /// - Throws: `CloudError` with `.permissionFailure` if there is no invitation for this person.
  public func accept(_ zone: ZoneID) throws -> Zone {
    if let known = try self.zone(zone) { return known }
    guard let invitation = try openInvitations().last(where: { $0.zone == zone }) else {
      throw CloudError(
        .permissionFailure, "there is no invitation to this share for you",
        remedy: "ask its owner to invite you; `cairn share invitations` lists what you have")
    }
    let found = try self.zone(
      zone, owner: invitation.owner, scope: .shared, keys: invitation.keyring)
    try found.pull()
    guard let mine = found.header.share?.participants[account.user] else {
      throw CloudError(
        .permissionFailure, "the invitation was withdrawn",
        remedy: "ask the owner of the share to invite you again")
    }
    if mine.acceptance != .accepted { _ = try found.changeShare([.accept]) }
    try remember(found, owner: invitation.owner)
    return found
  }
}
