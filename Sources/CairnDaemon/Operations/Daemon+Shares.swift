import CairnCloud
import CairnControl
import CairnFolders
import CairnZone
import Glibc
import Synchronization

extension Daemon {
  func invite(_ request: Control.ShareInvite) throws -> Control.InviteReply {
    let zone = try upToDate(request.share)
    let people = try request.people.map { try knownPerson($0) }
    guard !people.isEmpty else {
      throw ControlError(
        .invalidArguments, "Nobody is named.", remedy: "Name people by handle or id.")
    }
    let warning = try warning(about: people)
    let permission = try Self.granted(request.permission)
    var users: [UserID] = []
    for person in people where !users.contains(person.id) { users.append(person.id) }
    _ = try container.invite(users, to: zone, permission: permission)
    let share = try describe(zone)
    let invited = users.compactMap { user in
      share.participants.first { $0.user == user.description }
    }
    shareChanged(zone, "invited \(people.map(\.handle).joined(separator: ", "))")
    return Control.InviteReply(
      share: share, invited: invited, link: share.link, delivered: true, warning: warning)
  }

  /// What an invitation may give.
  static func granted(_ permission: Control.Permission) throws(ControlError) -> Permission {
    switch permission {
    case .readOnly: return .readOnly
    case .readWrite: return .readWrite
    case .none:
      throw ControlError(
        .invalidArguments, "A participant needs a permission.",
        remedy: "Use read-only or read-write.")
    }
  }

  func invitations() throws -> Control.InvitationsReply {
    Control.InvitationsReply(
      invitations: try container.invitations().map { invitation in
        Control.Invitation(
          id: invitation.id, title: invitation.title, from: person(invitation.inviter),
          permission: Self.permission(invitation.permission), zone: invitation.zone.description,
          time: Control.Time(nanoseconds: invitation.time))
      })
  }

  func accept(
    _ request: Control.ShareAccept, _ stream: ResponseStream
  ) throws -> Control.AcceptReply {
    let link = try link(invitedBy: request.invitation)
    let zoneID = link.zone
    if let known = mount(of: zoneID) {
      // Accepting twice is the same as once.
      if request.wait { try settle([known], until: nil, stream) }
      return try accepted(known, isComplete: request.wait)
    }
    let mount = try request.at.map { try accept(link, at: $0) } ?? acceptAnywhere(link)
    if request.wait { try settle([mount], until: nil, stream) }
    return try accepted(mount, isComplete: request.wait)
  }

  /// Accepts into a folder that is ready before the log says that anybody accepted: a refusal comes
  /// first, and takes back what was made.
  private func accept(_ link: ShareLink, at path: Control.Path) throws -> Mount {
    let place = try mounting.withLock { _ in try prepare(path, for: ZonePart(link.zone)) }
    let zone: Zone
    do { zone = try container.accept(link) } catch {
      takeBack(place)
      throw error
    }
    return try mounting.withLock { _ in
      // Another device of this person may have accepted it at the same time.
      if let known = mount(of: link.zone) {
        if known.path != path.bytes { takeBack(place) }
        return known
      }
      return try mirrorAccepted(zone, at: path)
    }
  }

  /// Accepts into a folder by the share's title, which is only known then; a name that is taken
  /// gets a number.
  private func acceptAnywhere(_ link: ShareLink) throws -> Mount {
    let home = try homeFolder()
    let zone = try container.accept(link)
    return try mounting.withLock { _ in
      if let known = mount(of: link.zone) { return known }
      let path = try freeFolder(for: zone, in: home)
      try prepare(path, for: ZonePart(zone.id))
      return try mirrorAccepted(zone, at: path)
    }
  }

  private func mirrorAccepted(_ zone: Zone, at path: Control.Path) throws -> Mount {
    try container.addMount(zone.id, path: path.bytes)
    let mount = try startMount(zone, path: path.bytes)
    events.add(
      .shareAccepted, mount: mount, path: path.bytes,
      text: "accepted “\(zone.header.share?.title ?? "")”")
    return mount
  }

  private func accepted(_ mount: Mount, isComplete: Bool) throws -> Control.AcceptReply {
    Control.AcceptReply(
      share: try describe(mount.zone), mount: try describe(mount), complete: isComplete)
  }

  /// The link that a text is, or whose share an invitation's id stands for.
  private func link(invitedBy text: String) throws -> ShareLink {
    // Also one that was accepted: whoever interrupted the command says the same again.
    if let zone = try container.zone(invitedBy: text) {
      return ShareLink(container: container.id, zone: zone)
    }
    let link = try parse(text)
    try checkContainer(of: link)
    return link
  }

  func parse(_ text: String) throws(ControlError) -> ShareLink {
    do { return try ShareLink(parsing: text) } catch {
      throw ControlError(
        .invalidArguments, Failures.sentence("\(error)"),
        remedy: "Copy the whole link, or take an id from `cairn share invitations`.")
    }
  }

  func shares() throws -> Control.ShareListReply {
    let zones = try container.privateDatabase.zones() + container.sharedDatabase.zones()
    return Control.ShareListReply(
      shares: try zones.filter { $0.header.share != nil }.map { try describe($0) }
        .sorted { $0.title < $1.title })
  }

  /// The zone that a path or an id stands for.
  func zone(of reference: Control.ShareReference) throws -> Zone {
    switch reference {
    case .path(let path): return try requiredMount(at: path).mount.zone
    case .id(let text):
      let zones = try container.privateDatabase.zones() + container.sharedDatabase.zones()
      let found = zones.filter { $0.id.description.hasPrefix(text) }
      guard text.count >= 6, found.count == 1, let zone = found.first else {
        throw ControlError(
          .unknownItem, "There is no share \(text) here.",
          remedy: "Take a path or an id from `cairn share list`.")
      }
      return zone
    }
  }

  /// The zone that a path or an id stands for, with everything that is in the container by now.
  func upToDate(_ reference: Control.ShareReference) throws -> Zone {
    let zone = try zone(of: reference)
    try zone.pull()
    return zone
  }

  /// Tells that this person changed a share, and has the steward look what follows from it.
  func shareChanged(_ zone: Zone, _ text: String) {
    let mount = mount(of: zone.id)
    events.add(.shareSaved, mount: mount, path: mount?.path, text: text)
    steward.hint(zone.id)
  }

  /// The share of a zone, as everybody who takes part sees it.
  func describe(_ zone: Zone) throws -> Control.Share {
    let header = zone.header
    guard let share = header.share, let founder = header.owner else {
      throw ControlError(
        .unknownItem, "The folder is not shared.", remedy: "Run `cairn share create` first.")
    }
    let me = container.account.user
    let owner = person(founder)
    var participants = [
      Control.Participant(
        user: owner.user, handle: owner.handle, name: owner.name, role: .owner,
        permission: .readWrite, acceptance: .accepted)
    ]
    participants += share.participants.values.sorted { $0.user < $1.user }.map { participant in
      let person = person(participant.user)
      return Control.Participant(
        user: person.user, handle: person.handle, name: person.name,
        role: role(of: participant.user, header),
        permission: Self.permission(participant.permission),
        acceptance: participant.acceptance == .accepted ? .accepted : .pending)
    }
    participants += unclaimed(share)
    let acceptance = founder == me ? .accepted : share.participants[me]?.acceptance
    return Control.Share(
      id: zone.id.description, title: share.title, owner: owner,
      me: Control.Membership(
        role: role(of: me, header), permission: permission(of: me, header),
        acceptance: acceptance == .accepted ? .accepted : acceptance == nil ? .removed : .pending),
      publicPermission: Self.permission(share.publicPermission),
      link: link(to: zone).description,
      participants: participants, path: mount(of: zone.id).map { Control.Path($0.path) },
      scope: zone.scope == .shared ? .shared : .private, links: links(of: share),
      takesRequests: share.allowsAccessRequests, blocked: share.blocked.sorted().map { person($0) })
  }
}
