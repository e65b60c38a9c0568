import CairnIdentity
import CairnReplica
import CairnStore
public import CairnZone

/// Requests for access to shares (CKShareRequestAccessOperation): their senders, receivers and
/// results.
///
/// It uses these parts of the container: `access`, `account`, `id`, `inbox`, `participation`,
/// `people`, `sharing`, `sites`, `store`, `zone`.
public struct AccessRequests: Sendable {
  let container: Container

  /// Creates a value for a container.
  public init(_ container: Container) { self.container = container }

  /// The answer to every request if none are accepted, whether or not the share exists.
  private static let closed = CloudError(
    .permissionFailure, "there is no such share, or it takes no requests for access",
    remedy: "check the link, or ask its sender to invite you")

  // MARK: The owner's side

  /// Allows access requests by people who only know the address of the share, or ends that.
  public func setAllowed(_ isAllowed: Bool, of zone: Zone) throws {
    try zone.require(.administer, to: "allow or refuse requests for access")
    if isAllowed, zone.header.firstReceiver == nil {
      throw CloudError(
        .serverRejectedRequest,
        "the share's first owner, who would receive the requests, doesn't take part any more",
        remedy: "share a copy of the folder anew, or invite people yourself")
    }
    if zone.header.share?.allowsAccessRequests != isAllowed {
      try zone.changeShare([.setAccessRequests(isAllowed)])
    }
    try tendDoor(of: zone)
  }

  /// Creates or removes the door of a zone, which names the receiver of requests: it exists exactly
  /// while the share accepts requests, and its first owner, who receives them, is a participant.
  public func tendDoor(of zone: Zone) throws {
    let key = zone.folder.door
    do {
      guard zone.header.takesRequests, let founder = zone.header.firstReceiver else {
        return try container.store.delete(key)
      }
      guard try container.store.size(of: key) == nil else { return }
      // Before the log start the first entry is gone from its position.
      let nonce = try container.sharing.nonce(of: zone, zone.keyring())
      _ = try container.store.puts(key, Door(owner: founder, nonce: nonce).encoded())
    } catch let error as StoreError {
      throw CloudError(error)
    }
  }

  /// Returns the people who request access to shares that this person owns or administers, oldest
  /// first. Each person is returned once for a share, with the latest request, in the order in
  /// which this process saw them arrive. For older requests the senders' clocks decide.
  public func waiting() throws -> [AccessRequest] {
    var newest: [[UInt8]: Received] = [:]
    for received in try openRequests() where mayAnswer(received.zone) {
      let about = received.zone.id.bytes + received.request.author.user.bytes
      if newest[about].map(received.came(after:)) ?? true { newest[about] = received }
    }
    return newest.values.map(\.request).sorted { ($0.time, $0.id) < ($1.time, $1.id) }
  }

  /// Passes the requests that this person received first on to the owner and the administrators of
  /// each share, who can answer them. The senders know only the share's first owner, who may have
  /// transferred it.
  /// - Parameter passed: The keys where a request was put already. It may have been answered there
  ///   since.
  /// - Throws: `CloudError` if the container can't be used. The rest is passed on the next time.
  public func passOn(_ passed: inout Set<ObjectKey>) throws {
    for open in try openRequests() where open.request.recipient == container.account.user {
      for user in whoMayInvite(to: open.zone) where user != container.account.user {
        let key = Inbox.key(of: user, open.request.id)
        guard !passed.contains(key) else { continue }
        do {
          if let person = try container.people.person(user),
            let sealed = open.message.passedOn(
              by: container.account.user, key: person.encryptionKey)
          {
            _ = try container.store.puts(key, sealed)
          }
        } catch let error as StoreError {
          // An inbox that accepts nothing is a problem of its person, and of no other
          // administrator.
          guard !error.isWorthRetrying else { throw CloudError(error) }
        }
        passed.insert(key)
      }
    }
  }

  /// A request, with its key, the check that first saw it, and the requested share.
  private struct Received {
    var key: ObjectKey
    var request: AccessRequest
    var message: SealedMessage
    var zone: Zone
    var look: Int

    func came(after other: Received) -> Bool {
      (other.look, other.request.time, other.request.id) < (look, request.time, request.id)
    }
  }

  /// Returns the requests that wait for an answer of this person. Answered requests are deleted.
  private func openRequests() throws -> [Received] {
    var (open, handled): ([Received], [ObjectKey]) = ([], [])
    for received in try receivedRequests() {
      let user = received.request.author.user
      // The request was answered, or isn't allowed.
      guard let share = received.zone.header.share, share.participant(user) == nil,
        !share.blocked.contains(user),
        try share.allowsAccessRequests || formerPermission(of: user, in: received.zone) != nil
      else {
        handled.append(received.key)
        continue
      }
      open.append(received)
    }
    do { try Inbox.delete(handled, in: container.store) } catch {
      // The next look deletes them.
      guard error.isWorthRetrying else { throw CloudError(error) }
    }
    return open
  }

  private func mayAnswer(_ zone: Zone) -> Bool {
    zone.header.rights(of: container.account.user).contains(.administer)
  }

  /// Returns the requests that this person may answer or pass on. They were sent to the owner, or
  /// to the first owner of a share that was transferred.
  private func receivedRequests() throws -> [Received] {
    do {
      return try container.inbox.items().compactMap { item in
        guard case .request(let request, let message) = item.message,
          let zone = try container.zone(request.zone),
          request.recipient == zone.header.owner || request.recipient == zone.header.firstReceiver,
          mayAnswer(zone) || request.recipient == container.account.user
        else { return nil }
        return Received(
          key: item.key, request: request, message: message, zone: zone, look: item.look)
      }
    } catch let error as StoreError {
      throw CloudError(error)
    }
  }

  /// Returns the owner of a share and its administrators, in no order.
  private func whoMayInvite(to zone: Zone) -> [UserID] {
    let header = zone.header
    let all =
      [header.owner].compactMap(\.self) + (header.share?.participants.keys.map(\.self) ?? [])
    return all.filter { header.rights(of: $0).contains(.administer) }
  }

  /// Deletes a person's requests for a share, including passed-on copies. The person may ask again.
  /// - Returns: Whether there were any.
  @discardableResult
  public func deny(_ user: UserID, to zone: Zone) throws -> Bool {
    let found = try receivedRequests()
      .filter { $0.zone.id == zone.id && $0.request.author.user == user }
    do { try Inbox.delete(found.map(\.key), in: container.store) } catch { throw CloudError(error) }
    let receivers = Set(whoMayInvite(to: zone) + [zone.header.firstReceiver].compactMap(\.self))
    for other in receivers where other != container.account.user {
      for received in found {
        do {
          try container.store.delete(Inbox.key(of: other, received.request.id))
        } catch {
          // Not every container allows others to delete it: then the other administrators have to
          // answer it.
        }
      }
    }
    return !found.isEmpty
  }

  /// Blocks a person from a share: they stop being a participant, and can't request access.
  public func block(_ user: UserID, in zone: Zone) throws {
    try zone.require(.administer, to: "block people")
    let share = zone.header.share
    guard share?.blocked.contains(user) != true else { return }
    let narrows =
      share?.participants[user] != nil || share?.links.values.contains { !$0.isOneTime } == true
    try container.access.change(zone, .block(user: user), rekey: narrows)
    try deny(user, to: zone)
  }

  /// Reverts a block. The person doesn't become a participant by that.
  public func unblock(_ user: UserID, in zone: Zone) throws {
    try container.access.change(zone, .unblock(user: user))
  }

  // MARK: The other side

  /// Requests access from the owner of a share.
  /// - Throws: `CloudError`: `.participantAlreadyInvited` for a participant or invitee;
  ///   `.permissionFailure`, always the same, if nobody can be asked.
  public func requestAccess(to link: ShareLink, text: String) throws {
    let zone = link.zone
    guard text.utf8.count <= AccessRequest.textLimit else {
      throw CloudError(
        .limitExceeded, "the message has \(text.utf8.count) bytes", remedy: "say it in 1,000 bytes")
    }
    if let known = try container.zone(zone), try container.participation.isTakingPart(in: known) {
      throw CloudError(
        .participantAlreadyInvited, "you take part in this share already",
        remedy: "see `cairn share list`")
    }
    if try container.participation.invitations().contains(where: { $0.zone == zone }) {
      throw CloudError(
        .participantAlreadyInvited, "you are invited to this share already",
        remedy: "accept the invitation: see `cairn share invitations`")
    }
    do {
      let door = ZoneFolder(zone: zone, founder: link.founder).door
      guard let bytes = try container.store.get(door, upTo: Door.limit) else { throw Self.closed }
      try send(text, about: zone, to: try Door(bytes, of: zone).owner)
    } catch let error as StoreError {
      throw CloudError(error)
    } catch is FormatError {
      throw Self.closed
    }
  }

  /// Puts a request into the inbox of a share's first owner.
  private func send(_ text: String, about zone: ZoneID, to user: UserID) throws {
    do {
      guard let owner = try container.people.refresh(user), owner.id != container.account.user
      else { throw Self.closed }
      guard try container.sites.trail().keeps(owner.site) else { throw Sharing.elsewhere(owner) }
      let request = AccessRequest(
        id: .random(), container: container.id, zone: zone, text: text,
        author: container.account.author,
        recipient: owner.id, time: WallClock.now)
      guard let sealed = request.sealed(to: owner, by: container.account) else { throw Self.closed }
      _ = try container.store.puts(Inbox.key(of: owner.id, request.id), sealed)
    } catch let error as StoreError {
      throw CloudError(error)
    } catch is IdentityError {
      throw Self.closed
    }
  }

  // MARK: Coming back

  /// The time in nanoseconds in which a person who left a share may return: seven days.
  public static let grace: Int64 = 7 * 86_400 * 1_000_000_000
  /// The number of entries in which the last change of a person's part is searched.
  private static let mostEntries: UInt64 = 2_000

  /// Asks to return to a share that this person left. No person has to answer: a device of somebody
  /// who may invite answers by `readmit`. The share needn't accept requests of others.
  /// - Parameter link: The share.
  /// - Throws: `CloudError` if the container can't be used, or the share's first owner isn't in it.
  public func askToReturn(by link: ShareLink) throws {
    try send("I left by accident.", about: link.zone, to: link.founder)
  }

  /// Invites people again who left by themselves within the grace period, and ask to return. They
  /// get the permission that they had.
  /// - Parameter seen: The requests that were examined before.
  /// - Throws: `CloudError` if the container can't be used. The rest is examined the next time.
  public func readmit(_ seen: inout Set<Bytes16>) throws {
    for received in try receivedRequests() where !seen.contains(received.request.id) {
      let (zone, user) = (received.zone, received.request.author.user)
      // The entry by which they left may be newer than the known part of the log.
      try zone.pull()
      defer { seen.insert(received.request.id) }
      guard mayAnswer(zone), let share = zone.header.share, share.participant(user) == nil,
        !share.blocked.contains(user), let former = try formerPermission(of: user, in: zone)
      else { continue }
      let mayGive = former == .readOnly || zone.mayWrite
      do {
        _ = try container.sharing.invite(
          [user], to: zone, permission: mayGive ? former : .readOnly)
      } catch let error as CloudError {
        // The policy allows no such person any more: then it is a request like others.
        guard !error.isWorthRetrying else { throw error }
        continue
      }
      try deny(user, to: zone)
    }
  }

  /// Returns the permission of a person who left by themself within the grace period, and whose
  /// part nobody has changed since; nil for anybody else.
  private func formerPermission(of user: UserID, in zone: Zone) throws -> Permission? {
    let head = zone.header.sequence
    var way = WayBack(user: user, now: WallClock.now)
    var end = head
    while end > 0, head - end < Self.mostEntries {
      let start = end > 64 ? end - 64 : 0
      for commit in try zone.log(after: start, limit: Int(end - start)).reversed() {
        if let answer = way.take(commit) { return answer.permission }
      }
      end = start
    }
    return way.hasLeft ? .readOnly : nil
  }
}

extension ZoneHeader {
  /// The person who receives requests for access: the zone's first owner, which its id
  /// proves. Nil if that person is neither the owner nor a participant any more.
  public var firstReceiver: UserID? {
    guard let founder = genesis?.owner else { return nil }
    let isThere = founder == owner || share?.participants[founder]?.acceptance == .accepted
    return isThere ? founder : nil
  }

  /// A Boolean value that indicates whether people without an invitation can request access.
  public var takesRequests: Bool { share?.allowsAccessRequests == true && firstReceiver != nil }
}
