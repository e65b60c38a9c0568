import CairnContainer
import CairnControl
import CairnIdentity
import CairnReplica
import CairnZone
import Glibc

/// The operations that show shares, and invite people to them.
struct InvitationOperations: Operations {
  let one: OpenContainer
  let shares: Shares
  let persons: Persons
  let inbox: InboxWatch

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ShareDecline.self) { request, _ in try decline(request) }
    routes.answer(Control.ShareInvite.self) { request, _ in try invite(request) }
    routes.answer(Control.ShareInvitations.self) { _, _ in try invitations() }
    routes.answer(Control.ShareList.self) { _, _ in try list() }
    routes.answer(Control.ShareShow.self) { request, _ in
      Control.ShareReply(
        share: try shares.describe(shares.zone(of: request.share, for: Control.ShareShow.self)))
    }
    routes.answer(Control.ShareParticipants.self) { request, _ in
      let share = try shares.describe(
        shares.zone(of: request.share, for: Control.ShareParticipants.self))
      return Control.ParticipantsReply(id: share.id, participants: share.participants)
    }
  }

  func invite(_ request: Control.ShareInvite) throws -> Control.InviteReply {
    let zone = try shares.shared(request)
    let permission = try request.permission.map { try Permission(granted: $0) }
    try zone.requireGiving(permission ?? .readOnly, isByName: true)
    let before = zone.header.share?.participants ?? [:]
    let view = try one.container.acquaintances.lookAtPeople()
    let groups = try request.people.compactMap { Groups.name(in: $0) }
      .map { try one.container.groups.group($0) }
    let members = groups.reduce(Set<UserID>()) { $0.union($1.members) }
    let named = try request.people.filter { Groups.name(in: $0) == nil }.map {
      try persons.known($0, in: view, isInvited: true)
    }
    guard !request.people.isEmpty else {
      throw ControlError(
        .invalidArguments, "No person is named.", remedy: "Name people by handle or id.")
    }
    if let owner = named.first(where: { $0.id == zone.header.owner }) {
      let isMe = owner.id == one.container.account.user
      throw ControlError(
        .invalidArguments,
        "\(isMe ? "You own" : "\(Control.Path(owner.handle)) owns") this share already.",
        remedy: "Nobody was invited. Leave out \(isMe ? "yourself" : "the owner").")
    }
    let warning = try checked(
      named + view.everybody.filter { members.contains($0.id) }, view, in: zone,
      isMeant: request.unverified ?? false)
    var users: [UserID] = []
    for person in named where !users.contains(person.id) { users.append(person.id) }
    let (end, fromNow) = (request.until?.nanoseconds, request.fromNow ?? false)
    if !users.isEmpty {
      _ = try one.container.access.inviting(until: end, users, to: zone) {
        try one.container.sharing.invite(
          users, to: zone, permission: permission, fromNow: fromNow)
      }
      try one.container.groups.keep(users, in: zone)
    }
    for group in groups {
      users += try one.container.groups.invite(
        group.name, to: zone, permission: permission, until: end, fromNow: fromNow
      ).changed.map(\.user)
    }
    let share = try shares.describe(zone)
    let invited = users.compactMap { user -> Control.Participant? in
      var participant = share.participants.first { $0.user == user.description }
      participant?.verification = view.trust[user].map { Control.Verification($0) }
      let former = before[user].map { Control.Permission($0.permission) }
      if former != participant?.permission { participant?.formerPermission = former }
      return participant
    }
    shares.changed(zone, "invited \(request.people.joined(separator: ", "))")
    // One amount is shown for several people: that of the person who sees most.
    let past = try shares.past(
      of: zone, from: users.map { zone.header.firstEpoch(of: $0) }.min() ?? 0)
    return Control.InviteReply(
      share: share, invited: invited, link: share.link, delivered: true, warning: warning,
      past: past.seen, hidden: past.hidden)
  }

  /// Refuses, before anything is sealed, people that must be checked first. A person who is in the
  /// share already has its keys: that is reported.
  private func checked(
    _ people: [Claimant], _ view: PeopleView, in zone: Zone, isMeant: Bool
  ) throws(ControlError) -> String? {
    var told: [String] = []
    var refused: [(message: String, remedy: String)] = []
    for person in people {
      guard let doubt = PeopleWatch.doubt(about: person, view) else { continue }
      let isIn = zone.header.share?.participants[person.id]?.acceptance == .accepted
      if isIn || isMeant {
        told.append("\(doubt.message) \(doubt.remedy)")
      } else {
        refused.append(doubt)
      }
    }
    guard refused.isEmpty else {
      throw ControlError(
        .participantMayNeedVerification,
        refused.map(\.message).joined(separator: " ") + " Nobody was invited.",
        remedy: refused.map(\.remedy).joined(separator: " ")
          + " To invite them as they are, repeat it with --unverified.")
    }
    return told.isEmpty ? nil : told.joined(separator: " ")
  }

  func invitations() throws -> Control.InvitationsReply {
    let view: PeopleView
    do { view = try one.container.acquaintances.seePeople() } catch let error as CloudError {
      guard error.isAway else { throw error }
      view = try one.container.acquaintances.recallPeople()
    }
    let found = try one.container.participation.invitations()
    // Without this, a person would be told that no invitation waits.
    if found.isEmpty, inbox.isFlooded {
      throw ControlError(
        InboxWatch.flood.code, InboxWatch.flood.message, remedy: InboxWatch.flood.remedy)
    }
    return Control.InvitationsReply(
      invitations: found.map { Control.Invitation($0, from: persons.told($0.inviter, view)) })
  }

  private func decline(_ request: Control.ShareDecline) throws -> Control.DeclineReply {
    let participation = one.container.participation
    let known = try participation.link(invitedBy: request.invitation)
    guard known != nil || !request.invitation.allSatisfy(\.isHexDigit) else {
      throw ControlError(
        .unknownItem, "No invitation \(request.invitation) waits for you.",
        remedy: "`cairn share invitations` lists the ones that wait.")
    }
    let id = try (known ?? shares.parse(request.invitation)).zone
    guard let found = try participation.invitations().last(where: { $0.zone == id }) else {
      let title = try one.container.zone(id).map { one.title(of: $0) }
      throw ControlError(
        .unknownItem,
        title.map { "You have accepted “\(Control.Path($0))” already." }
          ?? "This invitation doesn't wait for you.",
        remedy: title == nil
          ? "`cairn share invitations` lists the ones that wait."
          : "`cairn share leave \(id.digits)` ends your part in it.")
    }
    try participation.decline(id)
    inbox.hint()
    return Control.DeclineReply(
      id: id.description, title: found.title, from: persons.told(found.inviter))
  }

  func list() throws -> Control.ShareListReply {
    let zones = try one.container.privateDatabase.zones() + one.container.sharedDatabase.zones()
    return Control.ShareListReply(
      shares: try zones.map { try shares.current($0) }.filter { $0.header.share != nil }.map {
        try shares.describe($0)
      }
      .sorted { $0.title < $1.title })
  }
}
