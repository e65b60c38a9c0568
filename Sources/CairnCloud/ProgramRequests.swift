import CairnContainer
import CairnControl
import CairnIdentity
import CairnReplica
import CairnZone

/// The requests of a program, performed in the container of its person as far as the person has
/// allowed. It knows neither secrets nor the socket.
@_spi(Served) public struct ProgramRequests: Sendable {
  let container: LocalContainer
  let grant: any ProgramGrant
  let attempts: any CommitAttempts

  /// Creates a value for one program.
  /// - Parameters:
  ///   - container: The container of the person.
  ///   - grant: The zones that the program may use.
  ///   - attempts: The notes about the program's commits.
  public init(
    _ container: Container, grant: any ProgramGrant, attempts: any CommitAttempts
  ) {
    self.container = LocalContainer(inner: container)
    (self.grant, self.attempts) = (grant, attempts)
  }

  // MARK: Zones

  /// Lists zones, or creates one by its name.
  public func answer(_ request: Control.ProgramZones) throws -> Control.ProgramZonesReply {
    let scope = DatabaseScope(request.scope)
    if let person = request.person {
      return Self.reply([try container.publicZone(of: try PersonID(wire: person))])
    }
    if let name = request.name {
      guard grant.names.contains(name) else {
        throw Self.forbidden("the zone “\(name)”")
      }
      let zone = try container.zone(named: name, in: scope)
      try grant.add(zone.id.description)
      return Self.reply([zone])
    }
    if let text = request.zone {
      guard let zone = try container.zone(try ZoneID(wire: text), in: scope),
        try scope == .public || mayUse(zone.id)
      else { return Self.reply([]) }
      return Self.reply([zone])
    }
    return Self.reply(
      try container.zones(in: scope).filter { try scope == .public || mayUse($0.id) })
  }

  /// Lists the zones that changed since a token.
  public func answer(_ request: Control.ProgramDatabase) throws -> Control.ProgramDatabaseReply {
    let scope = DatabaseScope(request.scope)
    let changes = try container.changes(
      in: scope, since: request.since.map { DatabaseToken(text: $0) }
    ) { try scope == .public || mayUse($0) }
    return Control.ProgramDatabaseReply(
      changed: changes.changed.map(\.description), deleted: changes.deleted.map(\.description),
      token: changes.token.text)
  }

  /// Deletes a zone. A zone that is gone already counts as deleted: the request may be repeated.
  public func answer(_ request: Control.ProgramDelete) throws -> Control.ProgramZonesReply {
    let id = try ZoneID(wire: request.zone)
    guard try mayUse(id) else { throw Self.missing(id) }
    try requireSharing("delete zones")
    do { try container.delete(id, in: .private) } catch let error as CloudError {
      guard error.code == .zoneNotFound else { throw error }
    }
    return Self.reply([])
  }

  // MARK: People

  /// Finds a person, or names one. A program that knows an id, for example of an author, may see
  /// the person's name.
  public func answer(_ request: Control.ProgramPerson) throws -> Control.ProgramPersonReply {
    let person: PersonID?
    if let text = request.person {
      person = try PersonID(wire: text)
    } else {
      guard let handle = request.handle else {
        throw CloudError(.invalidArguments, "neither a handle nor a person was given")
      }
      try requireSharing("look for people")
      person = try container.person(handle)
    }
    guard let person, let profile = try container.profile(of: person) else {
      return Control.ProgramPersonReply()
    }
    return Control.ProgramPersonReply(
      person: person.description, handle: profile.handle, name: profile.name)
  }

  /// Lists invitations, or returns the offer of a link.
  public func answer(
    _ request: Control.ProgramInvitations
  ) throws -> Control.ProgramInvitationsReply {
    try requireSharing("see invitations")
    if let link = request.link {
      return Control.ProgramInvitationsReply(
        invitations: [try container.invitation(link: link).wire])
    }
    return Control.ProgramInvitationsReply(
      invitations: try container.invitations().map(\.wire))
  }

  /// Accepts an invitation or a link. An accepted one stays accepted: the request may be repeated.
  public func answer(_ request: Control.ProgramAccept) throws -> Control.ProgramZonesReply {
    try requireSharing("accept invitations")
    if let link = request.link { return try added(container.accept(link: link)) }
    guard let text = request.zone else {
      throw CloudError(.invalidArguments, "neither an invitation nor a link was given")
    }
    let id = try ZoneID(wire: text)
    if try mayUse(id), let known = try container.zone(id, in: .shared) {
      return Self.reply([known])
    }
    return try added(container.accept(id))
  }

  /// Lets the program use a zone from now on.
  private func added(_ zone: any ZoneEngine) throws -> Control.ProgramZonesReply {
    try grant.add(zone.id.description)
    return Self.reply([zone])
  }

  /// Shows or changes the share of a zone.
  public func answer(_ request: Control.ProgramShare) throws -> Control.ProgramShareReply {
    let act = try ShareAct(request)
    if request.act != .show { try requireSharing("change shares") }
    let zone: LocalZone
    do { zone = try self.zone(request.zone) } catch let error as CloudError {
      // A zone that was left is gone.
      guard request.act == .leave, error.code == .zoneNotFound else { throw error }
      return Control.ProgramShareReply(participants: [])
    }
    return try zone.perform(act)?.wire ?? Control.ProgramShareReply(participants: [])
  }

  /// Returns the link to the share of a zone, or makes one for one person.
  public func answer(_ request: Control.ProgramLink) throws -> Control.ProgramLinkReply {
    try requireSharing("see and make links")
    let zone = try zone(request.zone)
    guard let text = request.secret else { return Control.ProgramLinkReply(link: try zone.link()) }
    guard let secret = readHexadecimal(Array(text.utf8)).flatMap({ SecretBytes($0) }) else {
      throw CloudError.unreadable("the secret of a link")
    }
    return Control.ProgramLinkReply(
      link: try zone.oneTimeLink(Share.Permission(request.permission), secret: secret))
  }

  /// Moves records to another zone. Records that are there already count as moved: the request may
  /// be repeated.
  public func answer(_ request: Control.ProgramMove) throws -> Control.ProgramZonesReply {
    let source = try writableZone(request.zone)
    let records = try request.records.map { try RecordID(wire: $0) }
    if let text = request.to {
      let target = try writableZone(text)
      do { try source.move(records, to: target.id) } catch {
        guard Self.isMissing(error), try target.hasAll(records) else { throw error }
      }
      return Self.reply([target])
    }
    try requireSharing("share records")
    let zone: any ZoneEngine
    do { zone = try source.share(records, title: request.title) } catch {
      guard Self.isMissing(error),
        let known = try container.inner.privateDatabase.zones().first(where: { zone in
          try zone.header.share?.title == request.title
            && LocalZone(zone, of: container.inner).hasAll(records)
        })
      else { throw error }
      zone = LocalZone(known, of: container.inner)
    }
    try grant.add(zone.id.description)
    return Self.reply([zone])
  }

  // MARK: Rights

  /// Returns a zone that the program may use. Everybody in the container reads public zones.
  /// - Throws: `CloudError` with `.zoneNotFound` for any other zone.
  func zone(_ text: String) throws -> LocalZone {
    let id = try ZoneID(wire: text)
    let isAllowed = try mayUse(id)
    guard let zone = try container.inner.zone(id.inner), isAllowed || zone.scope == .public else {
      throw Self.missing(id)
    }
    return LocalZone(zone, of: container.inner)
  }

  /// Returns a zone that the program may change. Records that it saves in a public zone are
  /// published.
  func writableZone(_ text: String) throws -> LocalZone {
    let zone = try zone(text)
    if zone.inner.scope == .public { try requireSharing("publish records") }
    return zone
  }

  /// Returns whether the program may use a zone. Another device may have made one with a name.
  private func mayUse(_ zone: ZoneID) throws -> Bool {
    if grant.mayUse(zone.description) { return true }
    let database = container.inner.privateDatabase
    for name in grant.names where try database.zone(ifNamed: name)?.id == zone.inner {
      try grant.add(zone.description)
      return true
    }
    return false
  }

  /// Returns whether an error says that a record isn't in a zone.
  private static func isMissing(_ error: any Error) -> Bool {
    CloudError(error).code == .unknownItem
  }

  private func requireSharing(_ what: String) throws {
    guard grant.mayShare else {
      throw CloudError(.permissionFailure, "the person has not allowed this program to \(what)")
    }
  }

  static func missing(_ zone: ZoneID) -> CloudError {
    CloudError(.zoneNotFound, "this program has no zone \(zone)")
  }

  private static func forbidden(_ what: String) -> CloudError {
    CloudError(.permissionFailure, "the person has not allowed this program to use \(what)")
  }

  private static func reply(_ zones: [any ZoneEngine]) -> Control.ProgramZonesReply {
    Control.ProgramZonesReply(
      zones: zones.map {
        Control.ProgramZone(
          id: $0.id.description, name: $0.name, owner: $0.owner.description, canEdit: $0.canEdit)
      })
  }
}
