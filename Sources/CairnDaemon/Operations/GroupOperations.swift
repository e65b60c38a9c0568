import CairnContainer
import CairnControl
import CairnIdentity
import CairnReplica
import CairnZone

/// The operations on groups of people.
struct GroupOperations: Operations {
  let one: OpenContainer
  let persons: Persons
  let shares: Shares

  private var groups: Groups { one.container.groups }

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.Group.self) { request, _ in try change(request) }
  }

  private func change(_ request: Control.Group) throws -> Control.GroupReply {
    let view = try persons.everybodyKnown()
    let people = request.people ?? []
    guard let name = request.name else {
      guard request.act == .show else { throw Self.unnamed }
      return try reply(groups.all(), Groups.Outcome(), view)
    }
    var outcome = Groups.Outcome()
    if request.act != .create { try requireGroup(name) }
    switch request.act {
    case .show: break
    case .create:
      try checkNew(name, people, view)
      try groups.create(name)
      if !people.isEmpty { outcome = try add(people, to: name, request, view) }
    case .add: outcome = try add(people, to: name, request, view)
    case .remove:
      let users = try people.map { try persons.known($0, in: view).id }
      outcome = try groups.remove(Set(users), from: name)
    case .delete:
      outcome = try groups.delete(name)
      if outcome.missed.isEmpty { return try reply([], told(outcome), view) }
    }
    return try reply([groups.group(name)], told(outcome), view)
  }

  private static let unnamed = ControlError(
    .invalidArguments, "No group is named.", remedy: "`cairn group list` lists your groups.")

  /// Refuses the name of no group, and names the group with a similar one.
  private func requireGroup(_ name: String) throws {
    let names = try groups.all().map(\.name)
    guard !names.contains(name), let near = Resemblance.nearest(name, among: names) else { return }
    throw ControlError(
      .unknownItem, "There is no group \(Control.Path(name)).",
      remedy: "Did you mean \(Control.Path(near))? `cairn group list` lists your groups.")
  }

  /// Refuses to create a group that exists, unless it has just these people and no share: then the
  /// command is repeated.
  private func checkNew(_ name: String, _ people: [String], _ view: PeopleView) throws {
    guard let known = try groups.all().first(where: { $0.name == name }) else { return }
    let wanted = try people.map { try persons.known($0, in: view, isInvited: true).id }
    guard known.members != Set(wanted) || !known.shares.isEmpty else { return }
    let members = known.members.sorted().map { persons.name(of: $0) }
    let who = members.isEmpty ? "nobody" : members.joined(separator: ", ")
    throw ControlError(
      .alreadyExists, "You have a group \(Control.Path(name)) already, with \(who).",
      remedy: "`cairn group add` adds people to it. For another group, choose another name.")
  }

  private func add(
    _ people: [String], to name: String, _ request: Control.Group, _ view: PeopleView
  ) throws -> Groups.Outcome {
    let named = try people.map { try persons.known($0, in: view, isInvited: true) }
    if let me = named.first(where: { $0.id == one.container.account.user }) {
      throw ControlError(
        .invalidArguments, "\(Control.Path(me.handle)) is you.",
        remedy: "A group has other people, whom you invite.")
    }
    let doubts = named.compactMap { PeopleWatch.doubt(about: $0, view) }
    guard request.unverified == true || doubts.isEmpty else {
      throw ControlError(
        .participantMayNeedVerification,
        doubts.map(\.message).joined(separator: " ") + " Nobody was added.",
        remedy: doubts.map(\.remedy).joined(separator: " ")
          + " To add them as they are, repeat it with --unverified.")
    }
    return try groups.add(named.map(\.id), to: name)
  }

  /// Reports the changed shares in the events.
  private func told(_ outcome: Groups.Outcome) throws -> Groups.Outcome {
    for id in Set(outcome.changed.map(\.zone)) {
      guard let zone = try one.container.zone(id) else { continue }
      shares.changed(zone, "a group of yours changed")
    }
    return outcome
  }

  private func reply(
    _ groups: [Groups.Description], _ outcome: Groups.Outcome, _ view: PeopleView
  ) throws -> Control.GroupReply {
    Control.GroupReply(
      groups: try groups.map { group in
        Control.PeopleGroup(
          name: group.name, members: group.members.sorted().map { persons.told($0, view) },
          shares: try group.shares.map { share in
            Control.GroupShare(
              share: share.zone.description, title: try title(of: share.zone),
              permission: Control.Permission(share.permission))
          }.sorted { $0.title < $1.title })
      },
      changed: try outcome.changed.map { change in
        Control.GroupChange(
          user: persons.told(change.user, view), share: change.zone.description,
          title: try title(of: change.zone))
      },
      missed: try outcome.missed.map { missed in
        Control.MissedZone(
          zone: missed.zone.description, title: try title(of: missed.zone),
          reason: Failures.sentence(missed.reason))
      })
  }

  private func title(of zone: ZoneID) throws -> String {
    try one.container.zone(zone).map { one.title(of: $0) } ?? ""
  }
}
