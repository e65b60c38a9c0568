import CairnStore
public import CairnZone

/// Requests for access to shares (CKShareRequestAccessOperation): who asks, whom, and what becomes
/// of it.
extension Container {
  /// What everybody gets who asks where no requests are taken, whether or not there is such a
  /// share.
  private static let closed = CloudError(
    .permissionFailure, "there is no such share, or it takes no requests for access",
    remedy: "check the link, or ask whoever gave it to you to invite you")

  // MARK: The owner's side

  /// Lets people who only know where the share is ask for access, or ends that.
  public func setAccessRequests(_ isAllowed: Bool, of zone: Zone) throws {
    guard zone.header.share?.allowsAccessRequests != isAllowed else {
      return try tendDoor(of: zone)
    }
    if isAllowed, let founder = zone.header.genesis?.owner, founder != zone.header.owner {
      throw CloudError(
        .serverRejectedRequest,
        "the share had another owner before, so who asks couldn't tell whom to trust",
        remedy: "share a copy of the folder anew, or invite people yourself")
    }
    try zone.changeShare([.setAccessRequests(isAllowed)])
    try tendDoor(of: zone)
  }

  /// Makes the door of a zone, which says whom to ask, stand exactly while the share takes
  /// requests.
  public func tendDoor(of zone: Zone) throws {
    let key = zone.folder.door
    do {
      guard zone.header.share?.allowsAccessRequests == true,
        zone.header.owner == zone.header.genesis?.owner
      else { return try store.delete(key) }
      guard try store.size(of: key) == nil, let founder = zone.header.genesis?.owner,
        let first = try zone.exclusively({ try $0.fetch(1) }),
        let nonce = EntryCodec.nonce(of: first, zone: zone.id, keys: zone.keyring())
      else { return }
      _ = try store.puts(key, Door(owner: founder, nonce: nonce).encoded())
    } catch let error as StoreError {
      throw CloudError(error)
    }
  }

  /// Who asks for access to shares of this person's, oldest first, each person once for a share.
  public func accessRequests() throws -> [AccessRequest] {
    var newest: [[UInt8]: AccessRequest] = [:]
    var handled: [ObjectKey] = []
    for (key, request) in try receivedRequests() {
      guard let zone = try zone(request.zone), zone.header.owner == account.user else { continue }
      let share = zone.header.share
      let user = request.author.user
      // Asked and answered, or not to be asked.
      guard let share, share.allowsAccessRequests, share.participant(user) == nil,
        !share.blocked.contains(user)
      else {
        handled.append(key)
        continue
      }
      let about = zone.id.bytes + user.bytes
      if (newest[about]?.time ?? .min) <= request.time { newest[about] = request }
    }
    do { try Inbox.delete(handled, in: store) } catch { throw CloudError(error) }
    return newest.values.sorted { ($0.time, $0.id) < ($1.time, $1.id) }
  }

  private func receivedRequests() throws -> [(key: ObjectKey, request: AccessRequest)] {
    do {
      return try inbox.items().compactMap { item in
        if case .request(let request) = item.message { (item.key, request) } else { nil }
      }
    } catch {
      throw CloudError(error)
    }
  }

  /// Drops the requests of somebody for a share; they may ask again.
  /// - Returns: whether there were any.
  @discardableResult
  public func denyRequests(of user: UserID, to zone: Zone) throws -> Bool {
    let keys = try receivedRequests()
      .filter { $0.request.zone == zone.id && $0.request.author.user == user }.map(\.key)
    do { try Inbox.delete(keys, in: store) } catch { throw CloudError(error) }
    return !keys.isEmpty
  }

  /// Shuts somebody out of a share: they are no participant any more, and can't ask.
  public func block(_ user: UserID, in zone: Zone) throws {
    let share = zone.header.share
    guard share?.blocked.contains(user) != true else { return }
    let narrows =
      share?.participants[user] != nil || share?.links.values.contains { !$0.isOneTime } == true
    try change(zone, .block(user: user), rekey: narrows)
    try denyRequests(of: user, to: zone)
  }

  /// Takes a block back; the person isn't in the share by it.
  public func unblock(_ user: UserID, in zone: Zone) throws {
    try change(zone, .unblock(user: user))
  }

  // MARK: The other side

  /// Asks the owner of a share for access.
  /// - Throws: `CloudError`: `.participantAlreadyInvited` for who is in or invited;
  ///   `.permissionFailure`, always the same, where nobody can be asked.
  public func requestAccess(to link: ShareLink, text: String) throws {
    let zone = link.zone
    guard text.utf8.count <= AccessRequest.textLimit else {
      throw CloudError(
        .limitExceeded, "the message has \(text.utf8.count) bytes", remedy: "say it in 1,000 bytes")
    }
    if try takingPart(in: zone) != nil {
      throw CloudError(
        .participantAlreadyInvited, "you take part in this share already",
        remedy: "see `cairn share list`")
    }
    if try invitations().contains(where: { $0.zone == zone }) {
      throw CloudError(
        .participantAlreadyInvited, "you are invited to this share already",
        remedy: "accept the invitation: see `cairn share invitations`")
    }
    do {
      let door = ZoneFolder(zone: zone, founder: link.founder).door
      guard let bytes = try store.get(door, upTo: Door.limit),
        let owner = try people.refresh(try Door(bytes, of: zone).owner), owner.id != account.user
      else { throw Self.closed }
      let request = AccessRequest(
        id: .random(), container: id, zone: zone, text: text, author: account.author,
        time: WallClock.now)
      guard let sealed = request.sealed(to: owner, by: account) else { throw Self.closed }
      _ = try store.puts(Inbox.key(of: owner.id, request.id), sealed)
    } catch let error as StoreError {
      throw CloudError(error)
    } catch is FormatError {
      throw Self.closed
    } catch is IdentityError {
      throw Self.closed
    }
  }
}
