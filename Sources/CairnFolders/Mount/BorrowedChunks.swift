import CairnCloud
import CairnZone

/// Chunks that aren't stored because the zone has them from another person. What that person stored
/// is read back before a commit relies on it. Otherwise a person who knows another one's future
/// contents could make sure that they are stored nowhere.
struct BorrowedChunks {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Returns the reason that changes cannot rely on the chunks of others; nil if they can. A
  /// record's earlier contents were read when they came, and aren't read again.
  func trouble(in changes: [RecordChange]) throws -> CloudError? {
    for change in changes {
      guard let content = change.content else { continue }
      let borrowed = try Self.borrowed(by: content, of: change.id, in: state.zone)
        .filter { !state.zoneSync.sound.contains($0.key) }
      guard !borrowed.isEmpty else { continue }
      let spoiled = try state.zone.spoiled(borrowed.keys)
      state.zoneSync.noteSound(borrowed.keys.filter { !spoiled.contains($0) })
      guard let name = spoiled.min(), let user = borrowed[name] else { continue }
      return CloudError(
        .assetNotAvailable,
        "its bytes weren't sent: the zone has some of them by the person \(user.digits), and "
          + "they can't be read there",
        remedy: "run `cairn repair`, which puts back what is damaged; if that doesn't help, other "
          + "bytes were stored under their name: change the file a little, and ask that person")
    }
    return nil
  }

  /// Returns the chunks of a record's new content that the zone has from others, and their people.
  static func borrowed(
    by content: Content, of id: RecordID, in zone: Zone
  ) throws -> [ChunkName: UserID] {
    try zone.read { view in
      let found = try view.borrowed(by: content)
      guard !found.isEmpty else { return found }
      let before = Set(try view.record(id)?.content?.chunks ?? [])
      return found.filter { !before.contains($0.key) }
    }
  }
}
