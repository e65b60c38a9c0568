import CairnCloud
import CairnControl
import CairnFolders
import CairnZone

/// Where records stand, for people.
struct RecordPaths {
  let one: OpenContainer
  let mounts: Mounts

  /// Where records stand: in the folders of this device, or else in the zone.
  func paths(of records: [RecordID], in zone: Zone) -> [Control.Path] {
    records.prefix(1_000).compactMap { id in
      do {
        for mount in mounts.of(zone.id) {
          if let path = try FolderReader(index: one.index, zone: zone, scope: mount.scope).path(
            of: id)
          {
            return mount.absolute(path)
          }
        }
        return try zone.read { try Self.path(of: id, in: $0) }
      } catch {
        // A path is told to help; the damage is told without it as well.
        return nil
      }
    }
  }

  private static func path(of id: RecordID, in view: ZoneView) throws -> Control.Path? {
    var names: [[UInt8]] = []
    var next = id
    while let place = try view.record(next)?.place, names.count < 10_000 {
      names.append(place.name.bytes)
      next = place.parent
    }
    guard !names.isEmpty else { return nil }
    return Control.Path(Array(names.reversed().joined(separator: [UInt8(ascii: "/")])))
  }
}
