import CairnCloud
import CairnControl
import CairnFolders
import CairnZone
import Glibc
import Logging

/// Zones that came out of others, because a folder inside of a mirrored folder is shared by itself:
/// their records come back when the share ends, while the folder stays where it is.
struct NestedZones {
  let mirrors: Mirrors

  private var container: Container { mirrors.one.container }
  private var mounts: Mounts { mirrors.mounts }

  /// Brings what a zone holds back into the zone that it came out of, when its share has ended.
  /// Nothing is stored again.
  /// - Parameters:
  ///   - zone: the zone, whose share has ended.
  ///   - hadReaders: whether others could ever read it, who have to learn of the end.
  /// - Returns: false if the zone didn't come out of another one; then nothing was done.
  /// - Throws: why it can't be brought back now; then its folder is mirrored as before.
  func returnToOuterZone(_ zone: Zone, hadReaders: Bool) throws -> Bool {
    guard let nesting = try container.nesting(of: zone.id) else { return false }
    guard try container.zone(nesting.outer)?.header.isPurged == false else {
      // There is nothing to go back to: it is a folder by itself from here on.
      try container.release(nesting)
      return false
    }
    let outer = mounts.first(of: nesting.outer)
    let inner = mounts.of(zone.id)
    for mount in inner { mounts.end(mount, forget: false) }
    do {
      try container.bringBack(nesting, modified: inner.first.flatMap { Self.modified($0.path) })
    } catch {
      for mount in inner { try mirrors.start(zone, mount.entry) }
      throw error
    }
    if let outer {
      do { try outer.ask { try $0.takeBackReferences() } } catch {
        // The outer mount does it by itself as soon as it can.
        mirrors.log.warning(
          "\(Control.Path(outer.path)): what came back is still to be taken: \(error)")
      }
    } else {
      for mount in inner {
        try MountMark.abandon(mount.folder, mount.part, mount.isFile, mirrors.one.index)
      }
    }
    try container.drop(nesting, hadReaders: hadReaders)
    return true
  }

  /// When what is at the path was changed, in nanoseconds since 1970.
  private static func modified(_ path: [UInt8]) -> Int64? {
    var status = stat()
    guard path.withPath({ lstat($0, &status) }) == 0 else { return nil }
    return status.st_mtim.nanoseconds
  }

  /// Goes on where an interruption left zones whose share was stopped, and whose records are still
  /// to go back.
  func finishReturns() {
    do {
      for nesting in try container.nestings() where nesting.device == container.account.device.id {
        guard let zone = try container.zone(nesting.part.zone), zone.header.genesis != nil,
          zone.header.share == nil
        else { continue }
        _ = try returnToOuterZone(zone, hadReaders: true)
      }
    } catch {
      mirrors.log.warning("a folder whose share was stopped stays in a zone of its own: \(error)")
    }
  }

  /// Takes away what an interruption left of zones that were to come out of others.
  /// - Returns: the zones of which it isn't known now whether they did: nobody is to mirror them.
  func tidy() -> Set<ZoneID> {
    do {
      try container.dropUnlinkedZones()
    } catch {
      mirrors.log.warning("zones that were being made can't be looked at: \(error)")
    }
    do {
      return Set(try container.unlinkedNestings().map(\.part.zone))
    } catch {
      mirrors.log.warning("the account can't be read: \(error)")
      return []
    }
  }
}
