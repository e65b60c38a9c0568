import CairnIdentity
import CairnReplica
import CairnStore
public import CairnZone

/// Shares a zone, and invites people to it (CKShare).
///
/// It uses these parts of the container: `account`, `id`, `people`, `refreshMe`, `sites`, `store`.
public struct Sharing: Sendable {
  let container: Container

  /// Creates a value for a container.
  public init(_ container: Container) { self.container = container }

  /// Shares a zone of this person, or changes the title of its share. Sharing a shared zone with
  /// the same title changes nothing.
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
    let clean = try Self.checked(title)
    if let share = zone.header.share, share.title == clean { return share }
    guard try zone.header.share != nil || zone.read({ try $0.references().isEmpty }) else {
      throw CloudError(
        .alreadyShared, "something in the folder is in a share already",
        remedy: "stop that share first")
    }
    guard let share = try zone.changeShare([.title(clean)]).share else {
      preconditionFailure("a share that isn't there after it was made")
    }
    return share
  }

  /// Returns the title without spaces in front, if a share can have it.
  static func checked(_ title: String) throws -> String {
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
    return String(clean)
  }

  /// Invites people of this container, all or none. Their right is written to the zone's log, and a
  /// sealed message with the keys to their inbox. Another invitation changes a permission only if
  /// it names one.
  /// - Parameters:
  ///   - users: The people.
  ///   - zone: The zone, read to its end.
  ///   - permission: Their permission; nil: people in the share keep theirs, and others may write.
  ///   - fromNow: A Boolean value that indicates whether they see the present contents and later
  ///     changes of the zone, but nothing of its past.
  /// - Returns: The share.
  /// - Throws: `CloudError`, `.tooManyParticipants` if there is no space for all of them.
  public func invite(
    _ users: [UserID], to zone: Zone, permission: Permission?, fromNow: Bool = false
  ) throws -> Share {
    let present = zone.header.share?.participants ?? [:]
    let given = Dictionary(
      users.map { ($0, permission ?? present[$0]?.permission ?? .readWrite) }
    ) { first, _ in first }
    for permission in Set(given.values) { try zone.requireGiving(permission, isByName: true) }
    let invited = try users.map { user in
      guard let (person, held) = try container.people.read(user, as: nil) else {
        throw CloudError(
          .participantMayNeedVerification, "no person with the id \(user) is in this container",
          remedy: "ask them to run `cairn init` with this container first")
      }
      // Behind an entry that blocks the chain, or a hidden one, a later entry may have replaced the
      // key.
      if let held { throw held.error }
      if let trouble = container.people.troubles[user], trouble.kind != .damaged {
        throw trouble.error
      }
      guard try container.sites.trail().keeps(person.site) else { throw Self.elsewhere(person) }
      return person
    }
    try checkFirstKey(for: users, in: zone)
    if fromNow { try checkNew(users, in: zone) }
    let first = try fromNow ? closePast(of: zone) : 0
    let before = zone.header.share
    // While anyone may join, the log refuses a permission for all people.
    let changed = users.filter {
      before?.participants[$0]?.permission != given[$0]
        || before?.publicPermission != Permission.none
    }
    if !changed.isEmpty {
      try zone.changeShare(
        changed.map {
          .invite(user: $0, permission: given[$0] ?? .readWrite, firstEpoch: first)
        })
    }
    guard let share = zone.header.share else { throw Self.notSharedYet }
    for person in invited {
      guard let one = share.participants[person.id], one.acceptance == .pending else { continue }
      try send(
        invitation(
          to: zone, permission: one.permission,
          firstEpoch: zone.header.firstEpoch(of: person.id)),
        to: person, isNew: changed.contains(person.id))
    }
    return share
  }

  /// Sends an invitation that waits again, with the present permission.
  func renewInvitation(of user: UserID, to zone: Zone) throws {
    guard let one = zone.header.share?.participants[user], one.acceptance == .pending,
      let (person, held) = try container.people.read(user, as: nil), held == nil
    else { return }
    try send(
      invitation(
        to: zone, permission: one.permission, firstEpoch: zone.header.firstEpoch(of: user)),
      to: person, isNew: true)
  }

  /// The error for a message that would be stored where nobody looks for it.
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

  /// Returns the invitation to a zone: its keys, and this person's position in its log and their
  /// own chain.
  /// - Parameters:
  ///   - zone: The zone.
  ///   - permission: The permission.
  ///   - firstEpoch: The first epoch whose key they get; 0 for each.
  /// - Returns: The invitation.
  /// - Throws: `CloudError`, `.permissionFailure` for a person without the first key of the zone.
  func invitation(
    to zone: Zone, permission: Permission, firstEpoch: UInt64 = 0
  ) throws -> Invitation {
    let header = zone.header
    let keys = zone.keyring()
    guard keys[1] != nil else { throw Self.noFirstKey }
    let nonce = try firstEpoch == 0 ? nil : self.nonce(of: zone, keys)
    // The first entry proves the founder, also after the zone has got another owner.
    guard let share = header.share, let founder = header.genesis?.owner else {
      throw Self.notSharedYet
    }
    let me = try container.refreshMe().me
    return Invitation(
      id: .random(), container: container.id, zone: zone.id, owner: founder,
      keyring: keys.from(firstEpoch),
      title: share.title, permission: permission, inviter: container.account.author,
      time: WallClock.now,
      zoneHead: LogAnchor(sequence: header.sequence, digest: header.head),
      chainHead: ChainHead(length: me.length, head: me.head), nonce: nonce)
  }

  /// Invites one person, like the other `invite`.
  public func invite(
    _ user: UserID, to zone: Zone, permission: Permission, fromNow: Bool = false
  ) throws -> Share {
    try invite([user], to: zone, permission: permission, fromNow: fromNow)
  }

  /// Puts an invitation under the first free one of its names, and removes the invitations that it
  /// replaces.
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
      // The same invitation is there already.
      guard isNew || older.isEmpty else { return }
      // A former participant can fill all names with objects that they may remove later, and a name
      // is never checked twice. Then a random name is used. The only difference is that nobody can
      // withdraw the invitation from there.
      invitation.id = free ?? .random()
      let bytes = try invitation.sealed(to: person, by: container.account)
      _ = try container.store.puts(Inbox.key(of: person.id, invitation.id), bytes)
      for key in older { try takeAwayIfOurs(key) }
    } catch let error as StoreError {
      throw CloudError(error)
    } catch let error as Invitation.Failure {
      throw CloudError(
        .participantMayNeedVerification, error.description,
        remedy: "ask \(person.handle) to check their account")
    }
  }

  /// Returns the first free one of these names in an inbox, and the objects under the others.
  private func slots(
    _ names: [Bytes16], of user: UserID
  ) throws(StoreError) -> (free: Bytes16?, taken: [ObjectKey]) {
    var (free, taken) = (Bytes16?.none, [ObjectKey]())
    let keys = names.map { Inbox.key(of: user, $0) }
    for (number, answer) in container.store.get(each: keys, range: 0..<1).enumerated() {
      do throws(StoreError) {
        if try answer.get() == nil {
          free = free ?? names[number]
        } else {
          taken.append(keys[number])
        }
      } catch {
        // There is no object, but the name isn't free either: somebody created something else
        // there.
        guard error.code == .corrupt else { throw error }
      }
    }
    return (free, taken)
  }

  /// Removes an object, unless it is for another device, another administrator or a stranger.
  private func takeAwayIfOurs(_ key: ObjectKey) throws(StoreError) {
    do throws(StoreError) { try container.store.delete(key) } catch {
      guard !error.isWorthRetrying else { throw error }
    }
  }

  /// Removes the invitations to the zone from a person's inbox.
  func withdrawInvitations(of user: UserID, to zone: Zone) throws {
    let known = zone.keyring()
    let firstKeys = ([0] + zone.header.closings.map(\.epoch)).compactMap { known[$0 + 1] }
    let keys = firstKeys.flatMap { key in
      (0..<Invitation.slots).map {
        Inbox.key(of: user, Invitation.name($0, to: user, zoneKey: key))
      }
    }
    do { try Inbox.delete(keys, in: container.store) } catch { throw CloudError(error) }
  }

  // MARK: What newcomers are given

  /// Closes the past of a zone to people who join with the returned epoch; the owner only.
  /// - Parameter zone: The zone.
  /// - Returns: The first epoch whose key they get.
  /// - Throws: `CloudError`: `.permissionFailure` for everybody else, `.serverRejectedRequest` if
  ///   the zone had another owner before.
  func closePast(of zone: Zone) throws -> UInt64 {
    try zone.pull()
    guard zone.header.rights(of: container.account.user).contains(.own) else {
      throw CloudError(
        .permissionFailure, "only the owner of a share can hide its history from new participants",
        remedy: "ask the owner to do it, or leave --from-now away")
    }
    guard zone.header.genesis?.owner == zone.header.owner else {
      throw CloudError(
        .serverRejectedRequest,
        "the share had another owner before: who sees no past of it couldn't tell whose it is",
        remedy: "share a copy of the folder anew, or leave --from-now away")
    }
    return try zone.exclusively { try PastClosing($0, at: WallClock.seconds).close() }
  }

  static let noFirstKey = CloudError(
    .permissionFailure,
    "the first key of the zone isn't known here: you see it from when you came in",
    remedy: "let the owner invite")

  /// Ensures that this person has the first key of the zone, which new participants need, before
  /// the log contains any part of the invitation.
  func checkFirstKey(for users: [UserID], in zone: Zone) throws {
    let isIn = users.allSatisfy {
      zone.header.share?.participants[$0]?.acceptance == .accepted
    }
    guard !isIn else { return }
    // A zone that was only just opened has no keys before its log is read.
    if zone.keyring()[1] == nil { try zone.pull() }
    guard zone.keyring()[1] != nil else { throw Self.noFirstKey }
  }

  /// Refuses to show people less of the past than they can read already.
  func checkNew(_ users: [UserID], in zone: Zone) throws {
    let known = users.filter {
      zone.header.share?.participants[$0] != nil && zone.header.firstEpoch(of: $0) == 0
    }
    guard !known.isEmpty else { return }
    throw CloudError(
      .participantAlreadyInvited,
      "they are in the share, or invited to it, and have the keys of its past: "
        + known.map(\.description).joined(separator: ", "),
      remedy: "nobody was invited; leave --from-now away, or name others")
  }

  /// Returns the nonce of the zone's id, from its first entry, wherever that is.
  func nonce(of zone: Zone, _ keys: Keyring) throws -> Bytes16 {
    let entries = try Floors(folder: zone.folder, store: zone.store).firstEntries(keys)
    for entry in entries {
      if let nonce = EntryCodec.nonce(of: entry, zone: zone.id, keys: keys) { return nonce }
    }
    throw CloudError(
      .assetNotAvailable, "the first entry of the log of zone \(zone.id.digits) can't be read",
      remedy: "run `cairn verify`")
  }
}
