import CairnCloud
import CairnControl
import CairnStore
import CairnZone

extension Daemon {
  /// The operations about links and invitations that nobody used yet.
  func addLinks(to routes: inout ControlRoutes) {
    routes.answer(Control.ShareLink.self) { [self] request, _ in try publicLink(request) }
    routes.answer(Control.ShareInviteLink.self) { [self] request, _ in try oneTimeLink(request) }
    routes.answer(Control.ShareUninvite.self) { [self] request, _ in try uninvite(request) }
  }

  /// The link to a zone of this container, with the container's place as this home knows it.
  func link(to zone: Zone, secret: SecretBytes? = nil) -> ShareLink {
    container.link(to: zone, location: configuration.location.text, secret: secret)
  }

  /// Refuses a link to a share of another container than this home's.
  func checkContainer(of link: ShareLink) throws(ControlError) {
    guard link.container != container.id else { return }
    let place = link.location.isEmpty ? "" : " at \(link.location)"
    throw ControlError(
      .badContainer,
      "The link is for the container \(link.container)\(place), and this home belongs to "
        + "\(container.id) at \(configuration.location).",
      remedy: "Use a home that belongs to that container: set CAIRN_HOME to another folder.")
  }

  func publicLink(_ request: Control.ShareLink) throws -> Control.LinkReply {
    let zone = try zone(of: request.share)
    let before = zone.header.share?.links
    let secret = try container.publicLink(to: zone, expires: request.expires?.nanoseconds)
    if zone.header.share?.links != before {
      shareChanged(zone, "made a link for anyone")
    }
    return try reply(zone, secret)
  }

  func oneTimeLink(_ request: Control.ShareInviteLink) throws -> Control.LinkReply {
    let zone = try zone(of: request.share)
    let permission = try Self.granted(request.permission)
    let made = try container.oneTimeLink(
      to: zone, permission: permission, expires: request.expires?.nanoseconds)
    shareChanged(zone, "made a link for one person")
    return try reply(zone, made.secret)
  }

  private func reply(_ zone: Zone, _ secret: SecretBytes) throws -> Control.LinkReply {
    let link = link(to: zone, secret: secret)
    let id = Container.linkID(of: secret)
    let expires = zone.header.share?.links[id]?.expires
    return Control.LinkReply(
      share: try describe(zone), link: link.text, id: id.description,
      expires: expires.map { Control.Time(nanoseconds: $0) })
  }

  func uninvite(_ request: Control.ShareUninvite) throws -> Control.ShareReply {
    let zone = try upToDate(request.share)
    if let link = try link(named: request.invited, in: zone) {
      try container.removeLinks([link], from: zone)
      shareChanged(zone, "withdrew a link")
      return Control.ShareReply(share: try describe(zone))
    }
    let person = try knownPerson(request.invited)
    switch zone.header.share?.participants[person.id]?.acceptance {
    case .pending: break
    case .accepted:
      throw ControlError(
        .invalidArguments, "\(person.handle) has accepted already.",
        remedy: "To take them out, run `cairn share remove`.")
    case nil:
      throw ControlError(
        .unknownItem, "\(person.handle) isn't invited.",
        remedy: "`cairn share show` lists who is.")
    }
    try container.remove(person.id, from: zone)
    shareChanged(zone, "withdrew the invitation of \(person.handle)")
    return Control.ShareReply(share: try describe(zone))
  }

  /// The link that an id, or the beginning of one (of six digits or more), names; nil if none does.
  private func link(named text: String, in zone: Zone) throws(ControlError) -> LinkID? {
    let digits = text.lowercased()
    guard digits.utf8.count >= 6, let links = zone.header.share?.links.keys else { return nil }
    let found = links.filter { $0.description.hasPrefix(digits) }
    guard found.count <= 1 else {
      throw ControlError(
        .invalidArguments, "The ids of \(found.count) links begin with \(text).",
        remedy: "Give more digits; `cairn share show` lists them.")
    }
    return found.first
  }

  /// The links of a share, as it shows them.
  func links(of share: Share) -> [Control.Link] {
    share.links.values.sorted { $0.id < $1.id }.map { link in
      Control.Link(
        id: link.id.description, oneTime: link.isOneTime,
        permission: Self.permission(link.isOneTime ? link.permission : share.publicPermission),
        expires: link.expires.map { Control.Time(nanoseconds: $0) })
    }
  }

  /// Those who aren't known yet: a link waits for each.
  func unclaimed(_ share: Share) -> [Control.Participant] {
    share.links.values.filter(\.isOneTime).sorted { $0.id < $1.id }.map { link in
      Control.Participant(
        role: .privateUser, permission: Self.permission(link.permission), acceptance: .pending,
        link: link.id.description)
    }
  }
}
