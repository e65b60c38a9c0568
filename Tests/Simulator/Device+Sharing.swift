import CairnCloud
import CairnFolders
import CairnZone

extension Device {
  /// Whether this person has no business in the zone any more, whatever else is in trouble.
  var isOver: Bool {
    // What is wrong with the index is told by the error that led here.
    (try? engine?.departure()) != nil
  }

  /// Gives the folder up: what the zone has goes, what only the folder has is moved away.
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

  /// Accepts an invitation if there is one, and mirrors the zone into an empty folder.
  func acceptAnew() throws -> Outcome {
    let open = try Container(store: store, id: container, account: account, indexes: zones)
    // The process may have ended right after it had accepted.
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
