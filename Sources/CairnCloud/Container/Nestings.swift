import CairnStore
public import CairnZone

/// Moving records between zones of this person's: directories and files of a private zone go to a
/// zone that is shared, their own or one that they come together in.
public struct Nestings: Sendable {
  let container: Container

  /// In that container.
  public init(_ container: Container) { self.container = container }

  /// All directories and files that went to other zones.
  public func all() throws -> [Nesting] { try AccountZone.nestings(in: container.accountZone) }

  /// Those that this device made, and no other one has touched.
  public func own() throws -> [Nesting] {
    try AccountZone.nestings(madeBy: container.account.device.id, in: container.accountZone)
  }

  /// Returns the origin of a part of a zone in another one; nil if it has none.
  public func nesting(of part: ZonePart) throws -> Nesting? {
    try AccountZone.nesting(of: part, in: container.accountZone)
  }

  /// Returns the parts of a zone that came from others, in one order on all devices.
  public func all(of zone: ZoneID) throws -> [Nesting] {
    try all().filter { $0.part.zone == zone }.sorted { $0.part.base < $1.part.base }
  }

  /// Shares a directory or file of a zone by itself.
  /// - Parameters:
  ///   - record: the directory or file.
  ///   - outer: its zone: this person's own, and not shared.
  ///   - title: the share's.
  ///   - path: where this device has it.
  /// - Returns: what was made.
  /// - Throws: as the other `nest`.
  public func nest(
    _ record: RecordID, of outer: Zone, title: String, path: [UInt8]
  ) throws -> Nesting {
    try nest(
      [Nestling(record, path: path)], of: outer, into: .new(title: title, isShared: true))[0]
  }

  /// Moves directories and files of a zone to another one. That one is complete before one commit
  /// in the outer one puts references in the place of the records: that commit is the moment of the
  /// move. An interruption before it leaves nothing but an entry in the account, and perhaps what
  /// the other zone got, which `Returning.dropUnlinkedZones` takes away.
  /// - Parameters:
  ///   - items: which; none is inside of another one.
  ///   - outer: their zone: this person's own, and not shared.
  ///   - target: where they go. Alone in a new share, a directory is its root; otherwise each is in
  ///     the root.
  /// - Returns: what was made, in the order of the items.
  /// - Throws: `CloudError` with `.alreadyShared` if the zone is shared, or something below is.
  public func nest(
    _ items: [Nestling], of outer: Zone, into target: NestingTarget
  ) throws -> [Nesting] {
    try outer.pull()
    guard outer.scope == .private, outer.header.share == nil else {
      throw CloudError(
        .alreadyShared, "the folder is in a share already",
        remedy: "invite people to that share, or stop it first")
    }
    let subtrees = try NestingWork.subtrees(of: items.map(\.record), in: outer)
    try NestingWork.check(subtrees)
    let founding: Founding? =
      switch target {
      case .new(let title, let isShared):
        Founding(title, isShared: isShared, by: container.account.user)
      case .zone(let zone): try checkTarget(zone, outer)
      }
    guard let id = founding?.zone ?? target.zone?.id else { return [] }
    let isWhole =
      founding?.isShared == true && items.count == 1 && subtrees[0].top.type == .directory
    let nestings = subtrees.map { subtree in
      Nesting(
        part: ZonePart(id, base: isWhole ? .root : subtree.top.id), outer: outer.id,
        reference: .random(), record: subtree.top.id, device: container.account.device.id,
        isFile: subtree.top.type == .file, founds: founding != nil)
    }
    let mounts = zip(nestings, items).map { nesting, item in
      container.mountEntry(nesting.part, path: item.path, isFile: nesting.isFile)
    }
    try AccountZone.add(nestings, founding?.entry, mounts, to: container.accountZone)
    for mount in mounts { try container.note(mount) }
    let work = NestingWork(outer: outer, nestings: nestings)
    do {
      let zone: Zone
      if let founding {
        zone = try found(founding, work, of: outer, with: subtrees)
      } else if let known = target.zone {
        try work.add(subtrees, to: known)
        zone = known
      } else {
        return []
      }
      try work.link(zone, subtrees)
    } catch {
      try container.returning.dropIfUnlinked(nestings, outer)
      throw error
    }
    return nestings
  }

  /// A zone that is about to be made.
  private struct Founding {
    let zone: ZoneID
    let title: String
    let isShared: Bool
    let nonce: Bytes16
    let entry: AccountZone.Entry

    init(_ title: String, isShared: Bool, by user: UserID) {
      self.title = title
      self.isShared = isShared
      nonce = Bytes16.random()
      zone = ZoneID.derive(owner: user, nonce: nonce)
      var keys = Keyring()
      keys.insert(.random(epoch: 1))
      entry = AccountZone.Entry(
        zone: zone, founder: user, owner: user, scope: .private, keys: keys)
    }
  }

  /// Refuses a zone to which nothing can go that stays in its place here.
  private func checkTarget(_ zone: Zone, _ outer: Zone) throws -> Founding? {
    try zone.pull()
    guard zone.scope == .private, zone.header.owner == container.account.user, zone.id != outer.id
    else {
      throw CloudError(
        .serverRejectedRequest,
        "the share is somebody else's: nothing in it can stay in a mirrored folder of yours",
        remedy: "copy it into the share's folder")
    }
    return nil
  }

  /// Makes the new zone, complete.
  private func found(
    _ founding: Founding, _ work: NestingWork, of outer: Zone, with subtrees: [Subtree]
  ) throws -> Zone {
    let id = founding.zone
    let replica = try container.openReplica(id, in: .private, keys: founding.entry.keys)
    let batches = try work.batches(of: subtrees)
    // Where packs were closed before, the new zone closes the same ones: what it brings isn't
    // stored anew then. The first entry has no records: it stays when the log's beginning goes.
    let closed = try outer.closedPacks()
    _ = try replica.commit(
      records: [],
      share: (founding.isShared ? [.title(founding.title)] : [])
        + (closed.map { [.zone(.retire($0))] } ?? []),
      expecting: 0, genesis: Genesis(owner: container.account.user, name: founding.title),
      nonce: founding.nonce)
    for batch in batches {
      _ = try replica.commit(
        records: batch.records, share: [], expecting: replica.header.sequence,
        bringing: batch.chunks)
    }
    let zone = Zone(
      id, scope: .private, store: container.store.part(id.description), replica: replica)
    container.keep(zone)
    return zone
  }

  /// Takes the references away to a zone that is ended, or that this person has no part in any
  /// more, and what the account knows of it. The devices take the files away as if they had been
  /// deleted, but for those that its mounts set free before.
  public func unlink(_ nestings: [Nesting]) throws {
    for nesting in nestings {
      guard let outer = try container.zone(nesting.outer) else { continue }
      try outer.save {
        try outer.read { try $0.record(nesting.reference) } == nil
          ? [] : [RecordChange(id: nesting.reference, act: .delete)]
      }
    }
    for id in Set(nestings.map(\.part.zone)) {
      try AccountZone.removeNested(id, from: container.accountZone)
      try container.dropMounts { $0.zone == id }
      container.close(id)
    }
  }

  /// Has what went to a zone stand by itself: the zone that it came out of is gone.
  public func release(_ nesting: Nesting) throws {
    try AccountZone.removeNesting(nesting.part, from: container.accountZone)
  }
}

extension NestingTarget {
  fileprivate var zone: Zone? {
    switch self {
    case .new: nil
    case .zone(let zone): zone
    }
  }
}
