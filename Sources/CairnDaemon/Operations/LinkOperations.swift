import CairnContainer
import CairnControl
import CairnIdentity
import CairnReplica
import CairnZone

/// The operations on links and unused invitations.
struct LinkOperations: Operations {
  let one: OpenContainer
  let shares: Shares
  let persons: Persons

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ShareLink.self) { [self] request, _ in try publicLink(request) }
    routes.answer(Control.ShareInviteLink.self) { [self] request, _ in try oneTimeLink(request) }
    routes.answer(Control.ShareUninvite.self) { [self] request, _ in try uninvite(request) }
  }

  func publicLink(_ request: Control.ShareLink) throws -> Control.LinkReply {
    let zone = try shares.shared(request)
    let before = zone.header.share?.links
    let secret = try one.container.links.publicLink(
      to: zone, expires: request.expires?.nanoseconds, fromNow: request.fromNow ?? false)
    if zone.header.share?.links != before {
      shares.changed(zone, "created a link for anyone")
    }
    return try reply(zone, secret)
  }

  func oneTimeLink(_ request: Control.ShareInviteLink) throws -> Control.LinkReply {
    let zone = try shares.shared(request)
    let permission = try Permission(granted: request.permission)
    let made = try one.container.links.oneTimeLink(
      to: zone, permission: permission, expires: request.expires?.nanoseconds,
      fromNow: request.fromNow ?? false)
    shares.changed(zone, "created a one-time link")
    return try reply(zone, made.secret)
  }

  private func reply(_ zone: Zone, _ secret: SecretBytes) throws -> Control.LinkReply {
    let link = shares.link(to: zone, secret: secret)
    let id = Links.linkID(of: secret)
    let made = zone.header.share?.links[id]
    let past = try shares.past(of: zone, from: made?.firstEpoch ?? 0)
    return Control.LinkReply(
      share: try shares.describe(zone), link: link.text, id: id.description,
      expires: (made?.expires).map { Control.Time(nanoseconds: $0) }, past: past.seen,
      hidden: past.hidden)
  }

  func uninvite(_ request: Control.ShareUninvite) throws -> Control.ShareReply {
    let zone = try shares.shared(request)
    try zone.require(.administer, to: "revoke an invitation")
    if let link = try link(named: request.invited, in: zone) {
      try one.container.links.removeLinks([link], from: zone)
      shares.changed(zone, "revoked a link")
      return Control.ShareReply(share: try shares.describe(zone))
    }
    let person = try persons.known(request.invited)
    switch zone.header.share?.participants[person.id]?.acceptance {
    case .pending: break
    case .accepted:
      throw ControlError(
        .invalidArguments, "\(person.handle) has accepted already.",
        remedy: "To remove \(person.handle), run `cairn share remove`.")
    case nil:
      throw ControlError(
        .unknownItem, "\(person.handle) isn't invited.",
        remedy: "`cairn share show` lists who is.")
    }
    try one.container.access.remove(person.id, from: zone)
    shares.changed(zone, "revoked the invitation of \(person.handle)")
    return Control.ShareReply(share: try shares.describe(zone))
  }

  /// Returns the link whose id begins with these six or more digits; nil if there is none.
  private func link(named text: String, in zone: Zone) throws(ControlError) -> LinkID? {
    guard let links = zone.header.share?.links.keys else { return nil }
    let found = links.filter { $0.begins(with: text) }
    guard found.count <= 1 else {
      throw ControlError(
        .invalidArguments, "The ids of \(found.count) links begin with \(text).",
        remedy: "Give more digits; `cairn share show` lists them.")
    }
    return found.first
  }
}
