import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnZone

/// Shares of several folders and files. All are in one zone, and each is a mount of its own on this
/// device.
struct ShareParts {
  let mirrors: Mirrors
  let shares: Shares
  let places: Places
  let teller: MountPresenter
  let settling: Settling
  let nested: NestedShares

  private var one: OpenContainer { mirrors.one }
  private var mounts: Mounts { mirrors.mounts }
  private var events: EventLog { mirrors.events }

  func create(
    _ request: Control.ShareCreate, _ stream: ResponseStream
  ) throws -> Control.ShareReply {
    for path in request.paths { try checkAddable(path) }
    try checkApart(request.paths)
    let outers = try request.paths.map { try nested.outer(of: $0) }
    if let outer = outers[0], outers.allSatisfy({ $0 === outer }) {
      return try nested.share(request.paths, title: request.title, stream)
    }
    let apart = zip(request.paths, outers).filter { $0.1 == nil }.map(\.0)
    try settling.settleBriefly(apart.compactMap { mirror(at: $0) }, stream)
    let title = request.title ?? request.paths[0].title
    let old = try apart.compactMap { try marked($0) }.first?.zone
    // Items inside mirrored folders come first: they can be moved back completely.
    var zone = try old.flatMap { try one.container.zone($0) }
    do {
      var done: Set<ZonePart> = []
      for outer in outers.compactMap({ $0?.part }) where done.insert(outer).inserted {
        let inside = zip(request.paths, outers).filter { $0.1?.part == outer }.map(\.0)
        let target = zone.map { NestingTarget.zone($0) } ?? .new(title: title, isShared: false)
        zone = try nested.zone(of: nested.nest(inside, into: target, stream))
      }
      let intent: MountIntent
      if let id = zone?.id {
        intent = MountIntent(zone: id, title: title, items: try items(apart, in: id))
      } else {
        let new = try one.container.newZone(named: title)
        intent = MountIntent(new: new, title: title, items: try items(apart, in: new.id))
      }
      let shared = try IntendedMounts(mirrors: mirrors).carryOut(intent)
      return Control.ShareReply(share: try shares.describe(shared), created: true)
    } catch {
      if let zone { mirrors.clean { try takeBack(zone, isOld: old != nil) } }
      throw error
    }
  }

  /// Returns the future parts of a zone. A folder with the mark of such a part becomes that part.
  private func items(_ paths: [Control.Path], in zone: ZoneID) throws -> [MountIntent.Item] {
    try paths.map { path in
      let mark = try marked(path).flatMap { $0.zone == zone ? $0 : nil }
      return MountIntent.Item(
        part: mark ?? ZonePart(zone, base: .random()), path: path.bytes, isFile: path.isFile,
        source: mirror(at: path)?.zone.id, wasMarked: mark != nil)
    }
  }

  /// Moves items back into the mirrored folders around them, unless the daemon completes the share.
  private func takeBack(_ zone: Zone, isOld: Bool) throws {
    let isCompleted = try one.container.intents().contains {
      $0.zone == zone.id && !$0.isWithdrawn
    }
    guard !isCompleted else { return }
    if zone.header.share == nil {
      try NestedZones(mirrors: mirrors).returnToOuterZones(zone, hadReaders: false)
    }
    if !isOld, mounts.of(zone.id).isEmpty { try one.container.forget(zone.id) }
  }

  func add(
    _ request: Control.ShareAdd, _ stream: ResponseStream
  ) throws -> Control.ShareAddReply {
    let zone = try shares.zone(of: request.share, for: Control.ShareAdd.self)
    try zone.pull()
    guard zone.header.share != nil else { throw shares.notShared(zone) }
    guard zone.header.mayWrite(one.container.account.user) else {
      throw ControlError(
        .permissionFailure, "This share lets you read, not add.",
        remedy: "Ask its owner for the permission.")
    }
    try checkExistence(request.path)
    try checkAddable(request.path)
    try SensitiveFolder.check([request.path], isMeant: request.sensitive ?? false)
    let isInside = try nested.outer(of: request.path) != nil
    let part =
      isInside
      ? try addNested(request.path, to: zone, stream)
      : try addByItself(request.path, to: zone, stream)
    guard let mount = mounts[part] else {
      throw ControlError(.interrupted, "The daemon is ending.", remedy: "Start it.")
    }
    let place = try zone.read { try $0.record(part.base)?.place }
    if isInside {
      events.add(
        .shareSaved, mount: mount.id, path: request.path.bytes,
        text: "added to “\(zone.header.share?.title ?? "")”")
    }
    return Control.ShareAddReply(
      share: try shares.describe(zone), mount: try teller.describe(mount),
      name: place.map { Control.Path($0.name.bytes) }
        ?? Control.Path(request.path.lastName))
  }

  private func addByItself(
    _ path: Control.Path, to zone: Zone, _ stream: ResponseStream
  ) throws -> ZonePart {
    try settling.settleBriefly(mirror(at: path).map { [$0] } ?? [], stream)
    let items = try items([path], in: zone.id)
    _ = try IntendedMounts(mirrors: mirrors).carryOut(MountIntent(zone: zone.id, items: items))
    return items[0].part
  }

  /// Adds the items that stay inside a mirrored folder.
  private func addNested(
    _ path: Control.Path, to zone: Zone, _ stream: ResponseStream
  ) throws -> ZonePart {
    guard zone.header.owner == one.container.account.user else {
      throw ControlError(
        .serverRejectedRequest,
        "The share belongs to another person, so nothing in it can stay in a folder of yours.",
        remedy: "Copy it into the share's folder.", path: path)
    }
    return try nested.nest([path], into: .zone(zone), stream)[0].part
  }

  func checkAddable(_ path: Control.Path) throws {
    try places.checkUnshared(path)
    guard mirror(at: path) == nil, try nested.outer(of: path) == nil else { return }
    if path.isFile { try places.checkPlace(path) } else { try places.checkFree(path) }
    try places.checkMark(path)
  }

  /// Refuses a path without an entry, and says so of a handle in its place.
  func checkExistence(_ path: Control.Path) throws {
    guard !path.exists else { return }
    guard let handle = Persons(container: one.container).handle(at: path) else {
      throw path.missing(.invalidArguments, "Name a folder or a file that exists.")
    }
    throw ControlError(
      .invalidArguments, "There is no \(path), but a person with the handle \(handle).",
      remedy: "To invite people at once, add --invite HANDLE; later, use `cairn share invite`.",
      path: path)
  }

  /// Refuses to share a directory together with one of its entries.
  private func checkApart(_ paths: [Control.Path]) throws {
    let all = paths.map { ($0, Whereabouts($0.bytes)) }
    for (path, place) in all {
      // One file may have two names, each of them shared.
      guard
        let other = all.first(where: { other, whereabouts in
          other != path && !(other.isFile && path.isFile) && place.isInside(whereabouts)
        })
      else { continue }
      throw ControlError(
        .invalidArguments, "\(path) is inside of \(other.0), and shared with it.",
        remedy: "Name the outer one alone.", path: path)
    }
  }

  /// Returns the mount that mirrors just that folder into a private zone of its own: it becomes
  /// part of the share.
  private func mirror(at path: Control.Path) -> Mount? {
    guard let (mount, relative) = mounts.find(path.bytes), relative.isEmpty, mount.part.isWhole,
      mount.zone.scope == .private, mount.zone.header.share == nil
    else { return nil }
    return mount
  }

  /// Returns the part of a known zone that a folder mirrored for an earlier home, by its mark.
  private func marked(_ path: Control.Path) throws -> ZonePart? {
    guard !path.isFile, let mark = try MountMark.mark(on: path.bytes), !mark.isWhole,
      try one.container.zone(mark.zone) != nil
    else { return nil }
    return mark
  }
}
