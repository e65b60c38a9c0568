import CairnContainer
import CairnFolders
import CairnZone

extension Device {
  /// A Boolean value that indicates whether this person has lost access to the zone, whatever else
  /// is in trouble.
  var isOver: Bool {
    // The error that led here already reports problems of the index.
    (try? engine?.departure()) != nil
  }

  /// Gives up the folder: files of the zone are deleted, files that only the folder has are moved
  /// away.
  func giveUp() throws {
    guard let engine, let zone, let open else { return }
    let moved = try engine.clear(into: SimulatedDisk.rescuePath)
    trace.note("    daemon \(number) gives up the folder and moves \(moved.count)")
    try engine.forget()
    try engine.detach()
    try open.participation.forgetEverything(of: zone)
    guard !disk.isDead else { return }
    leave()
  }

  /// Accepts a pending invitation, and mirrors the zone into an empty folder.
  func acceptAnew() throws -> Outcome {
    let open = try Container(store: store, id: container, account: account, indexes: zones)
    // The process may have ended right after accepting.
    if try open.zone(zoneID) == nil {
      guard try open.participation.invitations().contains(where: { $0.zone == zoneID }) else {
        return .idle(until: nil)
      }
      _ = try open.participation.accept(zoneID)
    }
    disk.makeFolder()
    try MountMark.claim(SimulatedDisk.folderPath, for: ZonePart(zoneID), on: disk)
    trace.note("    daemon \(number) accepts anew")
    guard !disk.isDead else { return .failed }
    join()
    return .busy
  }
}
