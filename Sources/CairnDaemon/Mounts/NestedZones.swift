import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnZone
import Glibc
import Logging

/// Zones that came out of others, because a folder inside of a mirrored folder is shared by itself:
/// their records come back when the share ends, while the folder stays where it is.
struct NestedZones {
  let mirrors: Mirrors

  private var container: Container { mirrors.one.container }
  private var mounts: Mounts { mirrors.mounts }

  /// Moves records back to the zones that they came from, after the share of their zone has ended.
  /// Nothing is stored again.
  /// - Parameters:
  ///   - zone: The zone, whose share has ended.
  ///   - hadReaders: Whether others could ever read it. They must be able to read of its end.
  /// - Returns: Whether anything was moved; then the zone may be deleted.
  /// - Throws: The reason that nothing can be moved now; then its folders are mirrored as before.
  @discardableResult
  func returnToOuterZones(_ zone: Zone, hadReaders: Bool) throws -> Bool {
    var nestings = try container.nestings.all(of: zone.id)
    for nesting in nestings where try container.zone(nesting.outer)?.header.isPurged != false {
      // There is nothing to go back to: it is a folder by itself from here on.
      try container.nestings.release(nesting)
      nestings.removeAll { $0 == nesting }
    }
    guard !nestings.isEmpty else { return false }
    try mounts.leavingOut(nestings.map(\.part)) { try bringBack(nestings, zone, hadReaders) }
    return true
  }

  /// Brings one part of several back to the zone that it came out of; the share goes on with the
  /// others.
  /// - Parameters:
  ///   - nesting: The part.
  ///   - zone: The zone of the share.
  /// - Throws: Why it can't be brought back now; then its folder is mirrored as before.
  func takeOut(_ nesting: Nesting, of zone: Zone) throws {
    guard try container.zone(nesting.outer)?.header.isPurged == false else {
      throw ControlError(
        .zoneNotFound, "The folder around it isn't yours any more, or was deleted.",
        remedy: "`cairn share stop` ends the whole share.")
    }
    try mounts.leavingOut([nesting.part]) {
      try bringBack([nesting], zone, zone.hadReaders, keepsZone: true)
    }
  }

  private func bringBack(
    _ nestings: [Nesting], _ zone: Zone, _ hadReaders: Bool, keepsZone: Bool = false
  ) throws {
    let inner = nestings.compactMap { mounts[$0.part] }
    for mount in inner { mounts.end(mount, forget: false) }
    do {
      let times = inner.compactMap { mount in Self.modified(mount.path).map { (mount.part, $0) } }
      try container.returning.bringBack(
        nestings, modified: Dictionary(uniqueKeysWithValues: times), keepsZone: keepsZone)
    } catch {
      for mount in inner { try mirrors.start(zone, mount.entry) }
      throw error
    }
    for outer in Set(nestings.map(\.outer)) {
      if let mount = mounts[ZonePart(outer)] {
        do { try mount.ask { try $0.takeBackReferences() } } catch {
          // The outer mount does it by itself as soon as it can.
          mirrors.log.warning(
            "\(Control.Path(mount.path)): what came back is still to be taken: \(error)")
        }
        continue
      }
      let parts = nestings.filter { $0.outer == outer }.map(\.part)
      for mount in inner where parts.contains(mount.part) {
        try MountMark.abandon(mount.folder, mount.part, mount.isFile, mirrors.one.index)
      }
    }
    try container.returning.drop(nestings, hadReaders: hadReaders, keepsZone: keepsZone)
  }

  /// Returns the modification time of the entry at a path, in nanoseconds since 1970.
  private static func modified(_ path: [UInt8]) -> Int64? {
    var status = stat()
    guard path.withPath({ lstat($0, &status) }) == 0 else { return nil }
    return status.st_mtim.nanoseconds
  }

  /// Completes interrupted returns: of zones whose share was stopped, or not made yet, and of parts
  /// that are in their outer zones again.
  /// - Parameter isFirst: A Boolean value that indicates whether the logs are read, too. An
  ///   interruption can be between an entry of a log and its row in the index.
  /// - Throws: The reason why something has to wait; the next call continues.
  func finishReturns(isFirst: Bool) throws {
    if isFirst { try readLogs() }
    // Without a lock: an unfinished command seems to be an interrupted one.
    guard try !stopped().isEmpty || container.returning.unlinkedNestings().contains(where: isFree)
    else { return }
    try mirrors.making {
      try container.returning.dropUnlinkedZones(where: isFree, before: abandon)
      for zone in try stopped() { try returnToOuterZones(zone, hadReaders: zone.hadReaders) }
    }
  }

  private func readLogs() throws {
    for id in Set(try container.nestings.own().map(\.part.zone)) {
      do { try container.zone(id)?.pull() } catch let error as CloudError {
        // Another zone's trouble is reported by its own mount.
        guard error.isOfContainer else { continue }
        throw error
      }
    }
  }

  /// Returns the zones of this person whose parts have to return, as far as the index knows. The
  /// zone of an unfinished command isn't shared yet.
  private func stopped() throws -> [Zone] {
    let intended = Set(try container.intents().filter { !$0.isWithdrawn }.map(\.zone))
    let zones = Set(try container.nestings.own().map(\.part.zone)).subtracting(intended)
    return try zones.sorted().compactMap { id in
      guard let zone = try container.zone(id), zone.header.genesis != nil,
        zone.header.owner == container.account.user, zone.header.share == nil
      else { return nil }
      return zone
    }
  }

  /// Returns whether nothing mirrors a part now. A mount around it takes it back first.
  private func isFree(_ nesting: Nesting) -> Bool { mounts[nesting.part] == nil }

  /// Removes the mark of a part whose outer zone isn't mirrored here, so that no mount does.
  private func abandon(_ nesting: Nesting) throws {
    let entries = try container.mounts()
    guard !entries.contains(where: { $0.part == ZonePart(nesting.outer) }),
      let entry = entries.first(where: { $0.part == nesting.part })
    else { return }
    let folder = entry.isFile ? WatchRoots.parent(of: entry.path) : entry.path
    try MountMark.abandon(folder, entry.part, entry.isFile, mirrors.one.index)
  }

  /// Removes the remains of interrupted moves out of other zones.
  /// - Returns: The parts whose result is unknown now: nobody may mirror them.
  func tidy() -> Set<ZonePart> {
    do {
      try container.returning.dropUnlinkedZones(before: abandon)
    } catch {
      mirrors.log.warning("zones that were being made can't be looked at: \(error)")
    }
    do {
      return Set(try container.returning.unlinkedNestings().map(\.part))
    } catch {
      mirrors.log.warning("the account can't be read: \(error)")
      return []
    }
  }
}
