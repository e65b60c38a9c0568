import CairnControl
import CairnFolders
import CairnReplica
import CairnZone

/// The paths of records, for people.
struct RecordPaths {
  let one: OpenContainer
  let mounts: Mounts

  /// Returns the paths of records: in the folders of this device, or else in the zone.
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
        // A path only helps; the damage is reported without it as well.
        return nil
      }
    }
  }

  private static func path(of id: RecordID, in view: ZoneView) throws -> Control.Path? {
    let names = try Ascent(from: id) { try view.record($0)?.place }.names
    guard !names.isEmpty else { return nil }
    return Control.Path(Array(names.map(\.bytes).joined(separator: [UInt8(ascii: "/")])))
  }
}
