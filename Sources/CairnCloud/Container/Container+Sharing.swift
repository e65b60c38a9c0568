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
      _ = try store.puts(key, try invitation.sealed(to: person, by: account))
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

  /// The zone that an invitation in this person's inbox is to, whether it was accepted or not; nil
  /// if there is no such invitation.
  public func zone(invitedBy id: String) throws -> ZoneID? {
    try openInvitations().first { hexadecimal($0.id.bytes) == id }?.zone
  }

  private static func pending(_ invitation: Invitation) -> PendingInvitation {
    PendingInvitation(
      id: hexadecimal(invitation.id.bytes), zone: invitation.zone, owner: invitation.owner,
      inviter: invitation.inviter.user, title: invitation.title,
      permission: invitation.permission, time: invitation.time)
  }

  private func openInvitations() throws -> [Invitation] {
    var found: [Invitation] = []
    do {
      var after: ObjectKey?
      while true {
        let keys = try store.list("users/\(account.user)/inbox/", after: after, limit: 1_000)
        for key in keys {
          guard let bytes = try store.get(key) else { continue }
          if let invitation = try open(bytes), invitation.container == id {
            found.append(invitation)
          }
        }
        guard let last = keys.last else { break }
        after = last
      }
    } catch let error as StoreError {
      throw CloudError(error)
    }
    return found.sorted { $0.time < $1.time }
  }

  /// Anybody can put anything into an inbox: what isn't an invitation is no error of ours.
  private func open(_ bytes: [UInt8]) throws -> Invitation? {
    do {
      return try Invitation.open(bytes, account: account) { try people.signKey(of: $0) }
    } catch is Invitation.Failure {
      return nil
    }
  }

  // MARK: Accepting

  /// Takes part in a share: the acceptance stands in its log and the zone in this account when this
  /// returns. Works while the owner's devices are off; accepting twice is the same as once.
  /// - Throws: `CloudError` with `.permissionFailure` if there is no invitation for this person.
  public func accept(_ zone: ZoneID) throws -> Zone {
    try accepting.withLock { _ in
      if let known = try self.zone(zone) { return known }
      let invitations = try openInvitations().filter { $0.zone == zone }
      guard !invitations.isEmpty else {
        throw CloudError(
          .permissionFailure, "there is no invitation to this share for you",
          remedy: "ask its owner to invite you; `cairn share invitations` lists what you have")
      }
      return try accept(zone, by: invitations)
    }
  }

  /// Anybody can write an invitation, with keys that are wrong or only partly right. The newest
  /// with which the zone's log opens, and says that this person takes part, counts.
  private func accept(_ zone: ZoneID, by invitations: [Invitation]) throws -> Zone {
    var tried: [Keyring] = []
    var damage: CloudError?
    for invitation in invitations.reversed() where !tried.contains(invitation.keyring) {
      tried.append(invitation.keyring)
      guard try opensFirstEntry(invitation) else { continue }
      let found = try tryZone(zone, owner: invitation.owner, keys: invitation.keyring)
      do { try found.pull() } catch let error as CloudError {
        guard error.code == .assetNotAvailable else { throw error }
        damage = error
        continue
      }
      guard let mine = found.header.share?.participants[account.user] else { continue }
      found.dropUnprovenKeys()
      if mine.acceptance != .accepted { _ = try found.changeShare([.accept]) }
      try remember(found, owner: invitation.owner)
      return found
    }
    try eraseSharedZone(zone)
    throw damage
      ?? CloudError(
        .permissionFailure, "the invitation was withdrawn, or it isn't from the share's owner",
        remedy: "ask the owner of the share to invite you again")
  }

  /// Whether the zone begins, under the invitation's key, with a commit by whom it calls the owner.
  private func opensFirstEntry(_ invitation: Invitation) throws -> Bool {
    do {
      guard let bytes = try store.get(ZoneReplica.key(invitation.zone, 1)) else { return false }
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
