import CairnCloud
import CairnZone

/// Bytes that aren't stored since the zone has them from somebody else. What that person brought
/// under their name is read back before a commit relies on it: otherwise whoever knows what
/// somebody will write could have it be nowhere.
struct BorrowedChunks {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Why changes can't rely on what others have stored; nil if they can. What stood in a record
  /// before was read when it came, and isn't read again.
  func trouble(in changes: [RecordChange]) throws -> CloudError? {
    for change in changes {
      guard let content = change.content else { continue }
      var borrowed = try state.zone.read { view in
        let found = try view.borrowed(by: content)
        guard !found.isEmpty else { return found }
        let before = Set(try view.record(change.id)?.content?.chunks ?? [])
        return found.filter { !before.contains($0.key) }
      }
      borrowed = borrowed.filter { !state.exchange.sound.contains($0.key) }
      guard !borrowed.isEmpty else { continue }
      let spoiled = try state.zone.spoiled(borrowed.keys)
      state.exchange.noteSound(borrowed.keys.filter { !spoiled.contains($0) })
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
