import CairnContainer
import CairnControl
import CairnIdentity
import CairnReplica
import CairnZone

/// The operations about requests for access.
struct RequestOperations: Operations {
  let one: OpenContainer
  let shares: Shares
  let persons: Persons
  let invitations: InvitationOperations

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ShareSetRequests.self) { [self] request, _ in try setRequests(request) }
    routes.answer(Control.ShareRequest.self) { [self] request, _ in try requestAccess(request) }
    routes.answer(Control.ShareRequests.self) { [self] request, _ in try requests(request) }
    routes.answer(Control.ShareApprove.self) { [self] request, _ in try approve(request) }
    routes.answer(Control.ShareDeny.self) { [self] request, _ in try deny(request) }
    routes.answer(Control.ShareBlock.self) { [self] request, _ in try block(request) }
    routes.answer(Control.ShareUnblock.self) { [self] request, _ in try unblock(request) }
  }

  private func setRequests(_ request: Control.ShareSetRequests) throws -> Control.ShareReply {
    let zone = try shares.shared(request)
    try one.container.requests.setAllowed(request.allowed, of: zone)
    return try told(zone, request.allowed ? "takes requests for access" : "takes no more requests")
  }

  private func requestAccess(_ request: Control.ShareRequest) throws -> Control.RequestReply {
    guard !request.links.isEmpty else {
      throw ControlError(.invalidArguments, "No link is given.", remedy: "Give one or more.")
    }
    var outcomes: [Control.RequestOutcome] = []
    for text in request.links {
      var name = text
      do {
        let link = try shares.parse(text)
        name = link.description
        try shares.checkContainer(of: link)
        try one.container.requests.requestAccess(to: link, text: request.message)
        outcomes.append(Control.RequestOutcome(link: name))
      } catch {
        guard request.links.count > 1 else { throw error }
        outcomes.append(Control.RequestOutcome(link: name, error: Failures.control(error)))
      }
    }
    return Control.RequestReply(outcomes: outcomes)
  }

  private func requests(_ request: Control.ShareRequests) throws -> Control.RequestsReply {
    let wanted = try request.share.map {
      try shares.sharedAsKnown($0, for: Control.ShareRequests.self).id
    }
    let view = try persons.everybodyKnown()
    let found = try one.container.requests.waiting().filter { wanted == nil || $0.zone == wanted }
    return Control.RequestsReply(
      requests: try found.map { request in
        Control.AccessRequest(
          id: hexadecimal(request.id.bytes), share: request.zone.description,
          title: try one.container.zone(request.zone)?.header.share?.title ?? "",
          from: persons.told(request.author.user, view), text: request.text,
          time: Control.Time(nanoseconds: request.time))
      })
  }

  private func approve(_ request: Control.ShareApprove) throws -> Control.InviteReply {
    let zone = try shares.shared(request)
    try zone.require(.administer, to: "answer a request for access")
    let user = try asker(request.person, of: zone)
    let requests = try one.container.requests.waiting()
    guard requests.contains(where: { $0.zone == zone.id && $0.author.user == user }) else {
      throw Self.noRequest(of: request.person)
    }
    let reply = try invitations.invite(
      Control.ShareInvite(
        share: request.share, people: [user.description], permission: request.permission,
        unverified: request.unverified))
    try one.container.requests.deny(user, to: zone)
    return reply
  }

  private func deny(_ request: Control.ShareDeny) throws -> Control.ShareReply {
    let zone = try shares.shared(request)
    try zone.require(.administer, to: "answer a request for access")
    let user = try asker(request.person, of: zone)
    guard try one.container.requests.deny(user, to: zone) else {
      throw Self.noRequest(of: request.person)
    }
    return Control.ShareReply(share: try shares.describe(zone))
  }

  private static func noRequest(of person: String) -> ControlError {
    ControlError(
      .unknownItem, "\(person) doesn't ask for access to this share.",
      remedy: "`cairn share requests` lists who does; `cairn share invite` needs no request.")
  }

  private func block(_ request: Control.ShareBlock) throws -> Control.ShareReply {
    let zone = try shares.shared(request)
    try zone.require(.administer, to: "block people")
    try one.container.requests.block(try asker(request.person, of: zone), in: zone)
    return try told(zone, "blocked \(request.person)")
  }

  private func unblock(_ request: Control.ShareUnblock) throws -> Control.ShareReply {
    let zone = try shares.shared(request)
    try zone.require(.administer, to: "take a block back")
    try one.container.requests.unblock(try persons.known(request.person).id, in: zone)
    return try told(zone, "unblocked \(request.person)")
  }

  /// Returns the person for a handle, an id, or the id of a request to that share.
  private func asker(_ text: String, of zone: Zone) throws -> UserID {
    let found = try one.container.requests.waiting().filter {
      $0.zone == zone.id && beginsAsTyped(hexadecimal($0.id.bytes), text)
    }
    if found.count == 1, let request = found.first { return request.author.user }
    return try persons.known(text).id
  }

  private func told(_ zone: Zone, _ text: String) throws -> Control.ShareReply {
    shares.changed(zone, text)
    return Control.ShareReply(share: try shares.describe(zone))
  }
}
