import CairnControl
import CairnReplica

/// A container that a daemon has open.
struct DaemonContainer: ContainerEngine {
  let session: ProgramSession
  let me: PersonID

  init(_ session: ProgramSession, me: PersonID) { (self.session, self.me) = (session, me) }

  func person(_ handle: String) throws -> PersonID? {
    let request = Control.ProgramPerson(token: session.secret, handle: handle)
    return try session.ask(request).person.map { try PersonID(wire: $0) }
  }

  func profile(of person: PersonID) throws -> (handle: String, name: String)? {
    let request = Control.ProgramPerson(token: session.secret, person: person.description)
    let reply = try session.ask(request)
    guard let handle = reply.handle, let name = reply.name else { return nil }
    return (handle, name)
  }

  func invitations() throws -> [ShareInvitation] {
    try session.ask(Control.ProgramInvitations(token: session.secret)).invitations.map {
      try ShareInvitation($0)
    }
  }

  func accept(_ zone: ZoneID) throws -> any ZoneEngine {
    try only(
      session.ask(Control.ProgramAccept(token: session.secret, zone: zone.description)))
  }

  func invitation(link: String) throws -> ShareInvitation {
    let request = Control.ProgramInvitations(token: session.secret, link: link)
    guard let invitation = try session.ask(request).invitations.first else {
      throw CloudError(.unknownItem, "the share was stopped meanwhile")
    }
    return try ShareInvitation(invitation)
  }

  func accept(link: String) throws -> any ZoneEngine {
    try only(session.ask(Control.ProgramAccept(token: session.secret, link: link)))
  }

  func publicZone(of person: PersonID) throws -> any ZoneEngine {
    try only(
      session.ask(
        Control.ProgramZones(
          token: session.secret, scope: .public, person: person.description)))
  }

  func zones(in scope: DatabaseScope) throws -> [any ZoneEngine] {
    try session.ask(Control.ProgramZones(token: session.secret, scope: scope.wire)).zones.map {
      try DaemonZone($0, session)
    }
  }

  func zone(_ id: ZoneID, in scope: DatabaseScope) throws -> (any ZoneEngine)? {
    let request = Control.ProgramZones(
      token: session.secret, scope: scope.wire, zone: id.description)
    return try session.ask(request).zones.first.map { try DaemonZone($0, session) }
  }

  func zone(named name: String, in scope: DatabaseScope) throws -> any ZoneEngine {
    try only(
      session.ask(Control.ProgramZones(token: session.secret, scope: scope.wire, name: name)))
  }

  func delete(_ zone: ZoneID, in scope: DatabaseScope) throws {
    try scope.requireDeletable()
    _ = try session.ask(Control.ProgramDelete(token: session.secret, zone: zone.description))
  }

  func follow(
    in scope: DatabaseScope, _ hint: @escaping @Sendable () -> Void
  ) throws -> [any Sendable] {
    try zones(in: scope).map { try session.followed.follow($0.id, hint) }
  }

  func changes(in scope: DatabaseScope, since token: DatabaseToken?) throws -> DatabaseChanges {
    let reply = try session.ask(
      Control.ProgramDatabase(token: session.secret, scope: scope.wire, since: token?.text))
    return DatabaseChanges(
      changed: try reply.changed.map { try ZoneID(wire: $0) },
      deleted: try reply.deleted.map { try ZoneID(wire: $0) },
      token: DatabaseToken(text: reply.token))
  }

  private func only(_ reply: Control.ProgramZonesReply) throws -> any ZoneEngine {
    guard let zone = reply.zones.first else {
      throw CloudError(.zoneNotFound, "the zone was deleted meanwhile")
    }
    return try DaemonZone(zone, session)
  }
}
