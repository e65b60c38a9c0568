import CairnControl

extension Share.Permission {
  init(_ wire: Control.Permission) { self = wire == .readWrite ? .readWrite : .readOnly }

  var wire: Control.Permission { self == .readWrite ? .readWrite : .readOnly }
}

extension Share {
  /// Creates the share of an answer; nil if the zone isn't shared.
  init?(_ wire: Control.ProgramShareReply) throws {
    guard let title = wire.title, let owner = wire.owner else { return nil }
    self.init(
      title: title, owner: try PersonID(wire: owner),
      publicPermission: wire.publicPermission.map { Permission($0) },
      participants: try wire.participants.map {
        Participant(
          person: try PersonID(wire: $0.person), permission: Permission($0.permission),
          hasAccepted: $0.hasAccepted)
      })
  }

  var wire: Control.ProgramShareReply {
    Control.ProgramShareReply(
      title: title, owner: owner.description, publicPermission: publicPermission?.wire,
      participants: participants.map {
        Control.ProgramParticipant(
          person: $0.person.description, permission: $0.permission.wire,
          hasAccepted: $0.hasAccepted)
      })
  }
}

extension ShareInvitation {
  init(_ wire: Control.ProgramInvitation) throws {
    self.init(
      zone: try ZoneID(wire: wire.zone), title: wire.title,
      inviter: try PersonID(wire: wire.inviter), permission: .init(wire.permission))
  }

  var wire: Control.ProgramInvitation {
    Control.ProgramInvitation(
      zone: zone.description, title: title, inviter: inviter.description,
      permission: permission.wire)
  }
}

extension ShareAct {
  init(_ wire: Control.ProgramShare) throws {
    func person() throws -> PersonID {
      guard let id = wire.people.first, wire.people.count == 1 else {
        throw CloudError(.invalidArguments, "this action is for one person")
      }
      return try PersonID(wire: id)
    }
    func permission() throws -> Control.Permission {
      guard let permission = wire.permission else {
        throw CloudError(.invalidArguments, "this action needs a permission")
      }
      return permission
    }
    switch wire.act {
    case .show: self = .show
    case .share: self = .share(title: wire.title)
    case .invite:
      self = .invite(
        try wire.people.map { try PersonID(wire: $0) },
        wire.permission.map { Share.Permission($0) })
    case .permit: self = .setPermission(Share.Permission(try permission()), try person())
    case .setPublic:
      let permission = try permission()
      self = .setPublic(permission == .none ? nil : Share.Permission(permission))
    case .remove: self = .remove(try person())
    case .stop: self = .stop
    case .leave: self = .leave
    }
  }

  func wire(token: String, zone: ZoneID) -> Control.ProgramShare {
    var request = Control.ProgramShare(token: token, zone: zone.description, act: .show)
    switch self {
    case .show: break
    case .share(let title): (request.act, request.title) = (.share, title)
    case .invite(let people, let permission):
      (request.act, request.people) = (.invite, people.map(\.description))
      request.permission = permission?.wire
    case .setPermission(let permission, let person):
      (request.act, request.people) = (.permit, [person.description])
      request.permission = permission.wire
    case .setPublic(let permission):
      (request.act, request.permission) = (.setPublic, permission?.wire ?? Control.Permission.none)
    case .remove(let person): (request.act, request.people) = (.remove, [person.description])
    case .stop: request.act = .stop
    case .leave: request.act = .leave
    }
    return request
  }
}
