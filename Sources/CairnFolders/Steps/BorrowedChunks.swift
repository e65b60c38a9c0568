import CairnIdentity
import CairnPlan
import CairnReplica
import CairnZone

/// Chunks that aren't stored because the zone has them from another person. What that person stored
/// is read back before a commit relies on it. Otherwise a person who knows another one's future
/// contents could make sure that they are stored nowhere.
///
/// It uses these parts of the state: `zone`, `zoneSync`.
struct BorrowedChunks {
  private let state: MountState
  /// The chunks of others, and their authors, by the records that need them.
  private let borrowed: [RecordID: [ChunkName: UserID]]

  /// Looks up the chunks of others that changes need, all in one transaction. A record's earlier
  /// contents were read when they came, and aren't read again.
  init(_ state: MountState, of changes: some Sequence<ZoneChange>) throws {
    self.state = state
    borrowed = try state.zone.read { view in
      var borrowed: [RecordID: [ChunkName: UserID]] = [:]
      for change in changes {
        guard let content = change.content.flatMap({ state.zoneSync.contents[$0] }) else {
          continue
        }
        let found = try view.newlyBorrowed(by: content, of: change.id)
        if !found.isEmpty { borrowed[change.id] = found }
      }
      return borrowed
    }
  }

  /// Returns the reason that some of the changes cannot rely on the chunks of others; nil if they
  /// can.
  func trouble(in changes: [RecordChange]) throws -> CloudError? {
    for change in changes {
      let borrowed = (borrowed[change.id] ?? [:]).filter {
        !state.zoneSync.sound.contains($0.key)
      }
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
}
