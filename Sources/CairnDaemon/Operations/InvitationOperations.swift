import CairnCloud
import CairnControl
import CairnZone
import Glibc

/// The operations that show shares, and invite people to them.
struct InvitationOperations: Operations {
  let one: OpenContainer
  let shares: Shares
  let persons: Persons
  let people: PeopleWatch

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ShareInvite.self) { request, _ in try invite(request) }
    routes.answer(Control.ShareInvitations.self) { _, _ in try invitations() }
    routes.answer(Control.ShareList.self) { _, _ in try list() }
    routes.answer(Control.ShareShow.self) { request, _ in
      Control.ShareReply(share: try shares.describe(shares.zone(of: request.share)), created: false)
    }
    routes.answer(Control.ShareParticipants.self) { request, _ in
      let share = try shares.describe(shares.zone(of: request.share))
      return Control.ParticipantsReply(id: share.id, participants: share.participants)
    }
  }

  func invite(_ request: Control.ShareInvite) throws -> Control.InviteReply {
    let zone = try shares.upToDate(request.share)
    let named = try request.people.map { try persons.known($0) }
    guard !named.isEmpty else {
      throw ControlError(
        .invalidArguments, "Nobody is named.", remedy: "Name people by handle or id.")
    }
    let warning = try people.warning(about: named)
    let permission = try Permission(granted: request.permission)
    var users: [UserID] = []
    for person in named where !users.contains(person.id) { users.append(person.id) }
    _ = try one.container.invite(users, to: zone, permission: permission)
    let share = try shares.describe(zone)
    let invited = users.compactMap { user in
      share.participants.first { $0.user == user.description }
    }
    shares.changed(zone, "invited \(named.map(\.handle).joined(separator: ", "))")
    return Control.InviteReply(
      share: share, invited: invited, link: share.link, delivered: true, warning: warning)
  }

  func invitations() throws -> Control.InvitationsReply {
    Control.InvitationsReply(
      invitations: try one.container.invitations().map { invitation in
        Control.Invitation(
          id: invitation.id, title: invitation.title, from: persons.told(invitation.inviter),
          permission: Control.Permission(invitation.permission), zone: invitation.zone.description,
          time: Control.Time(nanoseconds: invitation.time))
      })
  }

  func list() throws -> Control.ShareListReply {
    let zones = try one.container.privateDatabase.zones() + one.container.sharedDatabase.zones()
    return Control.ShareListReply(
      shares: try zones.filter { $0.header.share != nil }.map { try shares.describe($0) }
        .sorted { $0.title < $1.title })
  }
}
