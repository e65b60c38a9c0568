import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnThreads
import CairnZone
import Glibc

/// The operation that accepts a share.
struct AcceptOperation: Operations {
  let mirrors: Mirrors
  let departures: Departures
  let shares: Shares
  let places: Places
  let teller: MountPresenter
  let settling: Settling
  let persons: Persons
  let inbox: InboxWatch

  private var one: OpenContainer { mirrors.one }
  private var mounts: Mounts { mirrors.mounts }
  private var events: EventLog { mirrors.events }

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ShareAccept.self) { try accept($0, $1) }
    routes.answer(Control.ShareOffer.self) { request, _ in try offer(request) }
  }

  func accept(
    _ request: Control.ShareAccept, _ stream: ResponseStream
  ) throws -> Control.AcceptReply {
    let link = try link(invitedBy: request.invitation)
    let zoneID = link.zone
    try departures.settle(zoneID, in: mirrors)
    if let known = mounts.first(of: zoneID) {
      guard known.zone.header.owner != one.container.account.user else {
        let title = Control.Path(one.title(of: known.zone))
        throw ControlError(
          .invalidArguments, "You own “\(title)”: its folder is \(Control.Path(known.path)).",
          remedy: "Send the link to others. `cairn move` moves your folder.")
      }
      // Accepting twice has the same effect as once.
      try check(request.at, of: known)
      if let change = try request.select?.request() { try select(change, in: known) }
      if request.fullMetadata == true { try known.ask { try $0.chooseMetadata(true) } }
      if request.wait { try settling.settle([known], until: nil, stream) }
      return try accepted(known, from: nil, isComplete: request.wait)
    }
    let (mount, inviter) = try acceptAgain(link, request)
    inbox.hint()
    if request.fullMetadata == true { try mount.ask { try $0.chooseMetadata(true) } }
    if request.wait { try settling.settle([mount], until: nil, stream) }
    return try accepted(mount, from: inviter, isComplete: request.wait)
  }

  /// Accepts a share. A person who left it by themself a short time ago needs no new invitation by
  /// a person: the devices of those who may invite are asked.
  private func acceptAgain(
    _ link: ShareLink, _ request: Control.ShareAccept
  ) throws -> (Mount, Control.Person?) {
    do { return try accept(link, request) } catch let error as CloudError {
      guard error.code == .permissionFailure, link.secret == nil,
        mounts.ended.link(leftAs: link.zone.description) != nil
      else { throw error }
    }
    try comeBack(by: link)
    return try accept(link, request)
  }

  /// Asks to be let in again, and returns when there is an invitation.
  private func comeBack(by link: ShareLink) throws {
    let news = Mailbox<Bool>(limit: 1, overflow: true)
    let following = try one.container.follow { news.hint([true]) }
    defer { withExtendedLifetime(following) {} }
    try one.container.requests.askToReturn(by: link)
    let deadline = Monotonic.now + Self.patience
    while Monotonic.now < deadline {
      let waiting = try one.container.participation.invitations()
      if waiting.contains(where: { $0.zone == link.zone }) { return }
      _ = news.take(until: min(deadline, Monotonic.now + 1_000_000_000))
    }
    throw ControlError(
      .timedOut, "You left this share, and no device of its people has let you in again yet.",
      remedy: "Run this again when a device of its owner or of an administrator is on. You have "
        + "seven days; after that they invite you.")
  }

  /// The time in nanoseconds that a command waits to be let in again.
  private static let patience: Int64 = 20_000_000_000

  /// Refuses another place for a share that has a folder already.
  private func check(_ place: Control.Path?, of known: Mount) throws {
    let path = Control.Path(known.path)
    guard let place, place != path else { return }
    throw ControlError(
      .invalidArguments,
      "You have accepted “\(Control.Path(one.title(of: known.zone)))” already: it is at \(path).",
      remedy: "To move it, run `cairn move \(path.typed) \(place.typed)`.", path: path)
  }

  private func select(_ change: SelectionRequest, in mount: Mount) throws {
    do { try mount.ask { try $0.select(change) } } catch let error as FolderError
      where error.code == .notFound
    { throw Control.InitialSelection.missing(error.path) }
  }

  /// Accepts into a prepared folder before the log says that anybody accepted: a refusal comes
  /// first, and undoes the preparation. Without a path, the folder gets the share's title, which is
  /// known once the zone is read; a taken name gets a number.
  private func accept(
    _ link: ShareLink, _ request: Control.ShareAccept
  ) throws -> (Mount, Control.Person?) {
    let part = ZonePart(link.zone)
    let selection = try request.select?.request()
    let folder = request.at == nil ? try places.receivingFolder() : ""
    var place = try request.at.map { path in
      try mirrors.changing { try places.prepare(path, for: part, isNested: true) }
    }
    var inviter: Control.Person?
    let zone: Zone
    do {
      zone = try one.container.links.accept(link) { offer in
        inviter = try checked(offer, isMeant: request.unverified ?? false)
        if let selection { _ = try Control.InitialSelection.make(selection, of: offer.contents) }
        guard place == nil else { return }
        place = try mirrors.changing {
          let path = try places.freeFolder(for: offer.zone, offer.title, in: folder)
          return try places.prepare(path, for: part, in: folder)
        }
      }
    } catch {
      if let place { places.takeBack(place) }
      throw error
    }
    if let place, place.hidden != nil, mounts.first(of: link.zone) == nil {
      return (try mirrorInside(zone, place, selection), inviter)
    }
    let mount = try mirrors.changing {
      // Another device of this person may have accepted it at the same time.
      if let known = mounts.first(of: link.zone) {
        if let place, place.hidden != nil || known.path != place.path.bytes {
          places.takeBack(place)
        }
        return known
      }
      let ready =
        try place
        ?? places.prepare(places.freeFolder(for: zone, in: folder), for: part, in: folder)
      if let selection {
        try InitialSelection.write(
          Control.InitialSelection.make(selection, of: zone), to: ready.path.bytes)
      }
      return try mirrorAccepted(zone, at: ready.path)
    }
    return (mount, inviter)
  }

  /// Mirrors an accepted share inside of another mirrored folder. The folder is shown there once
  /// the intent is noted: then a mount around it never takes it for a directory of its own, also
  /// after an interruption.
  private func mirrorInside(
    _ zone: Zone, _ place: Places.PreparedPlace, _ selection: SelectionRequest?
  ) throws -> Mount {
    if let selection, let hidden = place.hidden {
      try InitialSelection.write(
        Control.InitialSelection.make(selection, of: zone), to: hidden)
    }
    let item = MountIntent.Item(part: ZonePart(zone.id), path: place.path.bytes, isMade: true)
    do {
      let mount = try mirrors.mirror(MountIntent(zone: zone.id, items: [item]))
      tellAccepted(zone, mount)
      return mount
    } catch {
      mirrors.clean {
        guard try !one.container.intents().contains(where: { $0.zone == zone.id }) else { return }
        places.takeBack(place)
      }
      throw error
    }
  }

  /// Refuses an offer of a person who may have taken the place of another, before anything is
  /// accepted. A missing verification is only reported: a link is as trustworthy as the channel
  /// that carried it.
  private func checked(_ offer: Offer, isMeant: Bool) throws -> Control.Person {
    let view = try one.container.acquaintances.seePeople()
    let person = persons.told(offer.inviter, view)
    guard !isMeant, let doubt = doubt(about: offer.inviter, view) else { return person }
    throw ControlError(
      .participantMayNeedVerification, doubt.message + " Nothing was accepted.",
      remedy: doubt.remedy + " To accept it as it is, repeat it with --unverified.")
  }

  private func doubt(
    about user: UserID, _ view: PeopleView
  ) -> (message: String, remedy: String)? {
    guard let person = view.everybody.first(where: { $0.id == user }),
      view.doubt(about: user) != .notVerified
    else { return nil }
    return PeopleWatch.doubt(about: person, view)
  }

  /// Returns the offer and the path that it would get; nothing is changed.
  func offer(_ request: Control.ShareOffer) throws -> Control.OfferReply {
    let link = try link(invitedBy: request.invitation)
    try departures.settle(link.zone, in: mirrors)
    let view = try one.container.acquaintances.seePeople()
    guard let offer = try one.container.links.offer(link) else {
      guard let zone = try one.container.zone(link.zone) else { throw Self.vanished }
      let (header, me) = (zone.header, one.container.account.user)
      let owner = header.owner ?? me
      let known = mounts.first(of: zone.id).map { Control.Path($0.path) }
      return Control.OfferReply(
        id: zone.id.description, title: one.title(of: zone), owner: persons.told(owner, view),
        from: persons.told(owner, view),
        permission: Control.Permission(of: me, header, one),
        amount: Control.Amount(try zone.read { try $0.summary() }),
        at: try known ?? place(zone.id, one.title(of: zone), request.at), isAccepted: true)
    }
    let doubt = doubt(about: offer.inviter, view)
    return Control.OfferReply(
      id: offer.zone.description, title: offer.title, owner: persons.told(offer.owner, view),
      from: persons.told(offer.inviter, view), permission: Control.Permission(offer.permission),
      amount: Control.Amount(offer.summary), at: try place(offer.zone, offer.title, request.at),
      isAccepted: false, warning: doubt.map { "\($0.message) \($0.remedy)" })
  }

  private static let vanished = ControlError(
    .zoneNotFound, "The share isn't among yours any more.", remedy: "Try again.")

  private func place(
    _ zone: ZoneID, _ title: String, _ wanted: Control.Path?
  ) throws -> Control.Path {
    if let wanted {
      try places.checkReceivable(wanted, isNested: true)
      return wanted
    }
    let folder = try places.receivingFolder()
    let path = try places.freeFolder(for: zone, title, in: folder)
    if ReceivingFolder.look(folder) == .folder { try places.checkReceivable(path) }
    return path
  }

  private func mirrorAccepted(_ zone: Zone, at path: Control.Path) throws -> Mount {
    try one.container.addMount(zone.id, path: path.bytes)
    let mount = try mirrors.start(zone, path: path.bytes)
    tellAccepted(zone, mount)
    return mount
  }

  private func tellAccepted(_ zone: Zone, _ mount: Mount) {
    events.add(
      .shareAccepted, mount: mount.id, path: mount.path,
      text: "accepted “\(zone.header.share?.title ?? "")”")
  }

  private func accepted(
    _ mount: Mount, from inviter: Control.Person?, isComplete: Bool
  ) throws -> Control.AcceptReply {
    Control.AcceptReply(
      share: try shares.describe(mount.zone), mount: try teller.describe(mount),
      complete: isComplete, from: inviter)
  }

  /// Returns the link in a text, or of the share with an invitation's id.
  private func link(invitedBy text: String) throws -> ShareLink {
    // Also an accepted one: an interrupted command is repeated with it.
    if let link = try one.container.participation.link(invitedBy: text) { return link }
    let link = try shares.parse(mounts.ended.link(leftAs: text) ?? text)
    try shares.checkContainer(of: link)
    return link
  }
}

extension Control.Amount {
  init(_ summary: ZoneSummary) {
    self.init(files: summary.files, directories: summary.directories, bytes: summary.bytes)
  }
}
