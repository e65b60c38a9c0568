import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnZone

/// The operations on one person's access to everything that this person owns.
struct UserAccessOperations: Operations {
  let one: OpenContainer
  let persons: Persons
  let shares: Shares

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.UserShow.self) { request, _ in try show(request) }
    routes.answer(Control.UserRemove.self) { request, _ in try remove(request) }
  }

  private func show(_ request: Control.UserShow) throws -> Control.UserShowReply {
    let view = try persons.everybodyKnown()
    let person = try other(request.user, view)
    let access = one.container.access
    return Control.UserShowReply(
      groups: try groups(of: person), user: persons.told(person.id, view),
      shares: try access.shares(with: person.id).map(describe),
      anyone: try access.sharesForAnyone().compactMap { zone in
        guard let share = zone.header.share else { return nil }
        return Control.UserAccess(
          share: zone.id.description, title: share.title, path: path(of: zone), role: .publicUser,
          permission: Control.Permission(share.publicPermission), acceptance: .accepted,
          isCurrent: true)
      })
  }

  private func remove(_ request: Control.UserRemove) throws -> Control.UserRemoveReply {
    let view = try persons.everybodyKnown()
    let person = try other(request.user, view)
    let groups = try groups(of: person)
    let (removed, missed) = try one.container.access.removeEverywhere(person.id)
    for access in removed {
      shares.changed(access.zone, "\(person.handle) was removed from everything of yours")
    }
    return Control.UserRemoveReply(
      groups: groups, user: persons.told(person.id, view),
      shares: removed.map(describe),
      missed: try missed.map { missed in
        let zone = try one.container.zone(missed.zone)
        return Control.MissedZone(
          zone: missed.zone.description, title: zone.map { one.title(of: $0) } ?? "",
          reason: Failures.sentence(missed.reason))
      })
  }

  private func groups(of person: Claimant) throws -> [String] {
    try one.container.groups.all().filter { $0.members.contains(person.id) }.map(\.name)
  }

  /// Returns the person with a name, who isn't this one.
  private func other(_ text: String, _ view: PeopleView) throws -> Claimant {
    let person = try persons.known(text, in: view)
    guard person.id != one.container.account.user else {
      throw ControlError(
        .invalidArguments, "That is you.", remedy: "Name another person; see `cairn user list`.")
    }
    return person
  }

  private static func role(_ role: Role) -> Control.Role {
    switch role {
    case .owner: .owner
    case .administrator: .administrator
    case .privateUser: .privateUser
    case .publicUser: .publicUser
    }
  }

  private func path(of zone: Zone) -> Control.Path? {
    shares.mounts.first(of: zone.id).map { Control.Path($0.path) }
  }

  private func describe(_ access: PersonAccess) -> Control.UserAccess {
    let (participant, header) = (access.participant, access.zone.header)
    return Control.UserAccess(
      share: access.zone.id.description, title: header.share?.title ?? one.title(of: access.zone),
      path: path(of: access.zone), role: Self.role(participant.role),
      permission: Control.Permission(participant.permission),
      acceptance: participant.acceptance == .accepted ? .accepted : .pending,
      since: access.admission.since.map { Control.Time(nanoseconds: $0) },
      by: access.admission.by.map { persons.told($0) },
      link: access.admission.link?.description,
      begins: header.closing(before: participant.firstEpoch)?.sequence,
      until: access.end.map { Control.Time(nanoseconds: $0) }, isCurrent: access.isCurrent)
  }
}
