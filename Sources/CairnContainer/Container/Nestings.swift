import CairnIdentity
import CairnReplica
import CairnStore
public import CairnZone

/// Moves records between zones of this person: directories and files of a private zone move to a
/// shared zone, each to its own or several to a common one.
///
/// It uses these parts of the container: `account`, `accountZone`, `close`, `dropMounts`, `keep`,
/// `mountEntry`, `note`, `openReplica`, `returning`, `store`, `zone`.
public struct Nestings: Sendable {
  let container: Container

  /// Creates a value for a container.
  public init(_ container: Container) { self.container = container }

  /// Returns all directories and files that moved to other zones.
  public func all() throws -> [Nesting] { try AccountZone.nestings(in: container.accountZone) }

  /// Returns the nestings that this device made, and that no other device has changed.
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
  ///   - record: The directory or file.
  ///   - outer: Its zone, which this person owns and which isn't shared.
  ///   - title: The title of the share.
  ///   - path: Its path on this device.
  /// - Returns: The new nesting.
  /// - Throws: The errors of the other `nest`.
  public func nest(
    _ record: RecordID, of outer: Zone, title: String, path: [UInt8]
  ) throws -> Nesting {
    try nest(
      [Nestling(record, path: path)], of: outer, into: .new(title: title, isShared: true))[0]
  }

  /// Moves directories and files of a zone to another one. That zone is complete before one commit
  /// in the outer zone replaces the records by references. The move happens with that commit. An
  /// interruption before it leaves only an entry in the account, and perhaps some contents of the
  /// other zone. `Returning.dropUnlinkedZones` removes these.
  /// - Parameters:
  ///   - items: The directories and files. None is inside of another one.
  ///   - outer: Their zone, which this person owns and which isn't shared.
  ///   - target: The destination. If a directory is alone in a new share, it becomes the root of
  ///     the new zone. Otherwise each item is in the root.
  /// - Returns: The new nestings, in the order of the items.
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
    let arriving = try arriving(subtrees, into: target.zone, from: outer)
    let isWhole =
      founding?.isShared == true && items.count == 1 && subtrees[0].top.type == .directory
    let nestings = subtrees.map { subtree in
      Nesting(
        part: ZonePart(id, base: isWhole ? .root : arriving[subtree.top.id]), outer: outer.id,
        reference: .random(), record: subtree.top.id, device: container.account.device.id,
        isFile: subtree.top.type == .file, founds: founding != nil)
    }
    let mounts = zip(nestings, items).map { nesting, item in
      container.mountEntry(nesting.part, path: item.path, isFile: nesting.isFile)
    }
    try AccountZone.add(nestings, founding?.entry, mounts, to: container.accountZone)
    for mount in mounts { try container.note(mount) }
    let work = NestingWork(outer: outer, nestings: nestings, arriving: arriving)
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

  /// Returns the ids of records in their existing target.
  /// - Throws: `CloudError` with `.constraintViolation` if another device is adding them, or was
  ///   interrupted.
  private func arriving(
    _ subtrees: [Subtree], into zone: Zone?, from outer: Zone
  ) throws -> ArrivingIDs {
    guard let zone else { return ArrivingIDs() }
    let tops = Set(subtrees.map(\.top.id))
    let begun = try all(of: zone.id).filter { $0.outer == outer.id && tops.contains($0.record) }
    guard begun.isEmpty else {
      throw CloudError(
        .constraintViolation,
        "another device of yours is adding it to the share, or was interrupted",
        remedy: "start Cairn on that device, and say the same again")
    }
    return try zone.read { try ArrivingIDs(of: subtrees.flatMap(\.all).map(\.id), in: $0) }
  }

  /// A zone that is about to be created.
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

  /// Refuses a target that isn't a zone of this person: records that move there can't remain in
  /// their folder here.
  private func checkTarget(_ zone: Zone, _ outer: Zone) throws -> Founding? {
    try zone.pull()
    guard zone.scope == .private, zone.header.owner == container.account.user, zone.id != outer.id
    else {
      throw CloudError(
        .serverRejectedRequest,
        "the share belongs to another person, so nothing in it can stay in a folder of yours",
        remedy: "copy it into the share's folder")
    }
    return nil
  }

  /// Creates the new zone, complete.
  private func found(
    _ founding: Founding, _ work: NestingWork, of outer: Zone, with subtrees: [Subtree]
  ) throws -> Zone {
    let id = founding.zone
    let replica = try container.openReplica(id, in: .private, keys: founding.entry.keys)
    let batches = try work.batches(of: subtrees)
    // If packs were closed before, the new zone closes the same ones, so that its contents aren't
    // stored again. The first entry has no records, because it remains when the beginning of the
    // log is deleted.
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

  /// Removes the references to a zone that has ended, or that this person has left, and the
  /// account's records of it. The devices delete the files as if they had been deleted remotely,
  /// except those that its mounts released before.
  public func unlink(_ nestings: [Nesting]) throws {
    for nesting in nestings {
      guard let outer = try container.zone(nesting.outer) else { continue }
      try outer.save {
        try outer.read { try $0.record(nesting.reference)?.target } == nesting.part.bytes
          ? [RecordChange(id: nesting.reference, act: .delete)] : []
      }
    }
    for id in Set(nestings.map(\.part.zone)) {
      try AccountZone.removeNested(id, from: container.accountZone)
      try container.dropMounts { $0.zone == id }
      container.close(id)
    }
  }

  /// Makes a nested zone independent, because its outer zone no longer exists.
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
