import CairnCloud
import CairnControl
import CairnFolders
import CairnZone
import Glibc

/// The operation that accepts a share.
struct AcceptOperation: Operations {
  let mirrors: Mirrors
  let shares: Shares
  let places: Places
  let teller: MountTeller
  let settling: Settling

  private var one: OpenContainer { mirrors.one }
  private var mounts: Mounts { mirrors.mounts }
  private var events: EventLog { mirrors.events }

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ShareAccept.self) { try accept($0, $1) }
  }

  func accept(
    _ request: Control.ShareAccept, _ stream: ResponseStream
  ) throws -> Control.AcceptReply {
    let link = try link(invitedBy: request.invitation)
    let zoneID = link.zone
    if let known = mounts.first(of: zoneID) {
      // Accepting twice is the same as once.
      if request.wait { try settling.settle([known], until: nil, stream) }
      return try accepted(known, isComplete: request.wait)
    }
    let mount = try request.at.map { try accept(link, at: $0) } ?? acceptAnywhere(link)
    if request.wait { try settling.settle([mount], until: nil, stream) }
    return try accepted(mount, isComplete: request.wait)
  }

  /// Accepts into a folder that is ready before the log says that anybody accepted: a refusal comes
  /// first, and takes back what was made.
  private func accept(_ link: ShareLink, at path: Control.Path) throws -> Mount {
    let place = try mirrors.changing { try places.prepare(path, for: ZonePart(link.zone)) }
    let zone: Zone
    do { zone = try one.container.accept(link) } catch {
      places.takeBack(place)
      throw error
    }
    return try mirrors.changing {
      // Another device of this person may have accepted it at the same time.
      if let known = mounts.first(of: link.zone) {
        if known.path != path.bytes { places.takeBack(place) }
        return known
      }
      return try mirrorAccepted(zone, at: path)
    }
  }

  /// Accepts into a folder by the share's title, which is only known then; a name that is taken
  /// gets a number.
  private func acceptAnywhere(_ link: ShareLink) throws -> Mount {
    let home = try places.homeFolder()
    let zone = try one.container.accept(link)
    return try mirrors.changing {
      if let known = mounts.first(of: link.zone) { return known }
      let path = try places.freeFolder(for: zone, in: home)
      try places.prepare(path, for: ZonePart(zone.id))
      return try mirrorAccepted(zone, at: path)
    }
  }

  private func mirrorAccepted(_ zone: Zone, at path: Control.Path) throws -> Mount {
    try one.container.addMount(zone.id, path: path.bytes)
    let mount = try mirrors.start(zone, path: path.bytes)
    events.add(
      .shareAccepted, mount: mount, path: path.bytes,
      text: "accepted “\(zone.header.share?.title ?? "")”")
    return mount
  }

  private func accepted(_ mount: Mount, isComplete: Bool) throws -> Control.AcceptReply {
    Control.AcceptReply(
      share: try shares.describe(mount.zone), mount: try teller.describe(mount),
      complete: isComplete)
  }

  /// The link that a text is, or whose share an invitation's id stands for.
  private func link(invitedBy text: String) throws -> ShareLink {
    // Also one that was accepted: whoever interrupted the command says the same again.
    if let link = try one.container.link(invitedBy: text) { return link }
    let link = try shares.parse(text)
    try shares.checkContainer(of: link)
    return link
  }
}
