import CairnIdentity
import CairnPlan
import CairnZone

/// Determines the space on the disk, and reports what waits for it.
///
/// It uses these parts of the state: `clock`, `disk`, `index`, `report`, `retries`, `settings`.
struct DiskSpace {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Returns the space at the folder. The index needs only the reserve.
  func freeRoom(_ staging: Staging) throws -> Room {
    var free: UInt64 = 0
    guard state.disk.freeBytes(staging.incoming.number, &free) >= 0 else {
      return Room(left: .max, place: "the folder", free: .max)
    }
    let folder = Room(
      left: free > state.settings.keepFree ? free - state.settings.keepFree : 0,
      place: "the folder",
      free: free)
    guard let path = state.index.folder else { return folder }
    let home = try Descriptor.openRoot(path, on: state.disk)
    var freeThere: UInt64 = 0
    guard state.disk.freeBytes(home.number, &freeThere) >= 0, freeThere < state.settings.keepFree
    else {
      return folder
    }
    return Room(left: 0, place: "Cairn's index", free: freeThere)
  }

  /// Lets a record wait until there is enough space.
  func waitForRoom(_ id: RecordID, _ room: Room) {
    state.retries.waitForRoom(id, room, state.clock.now)
    tellRoom()
  }

  /// Reports how much waits for space, or that nothing does any more.
  func tellRoom() {
    guard state.retries.shortage != nil else { return }
    guard let (room, waiting) = state.retries.takeShortage() else {
      return state.report.setShortage(nil)
    }
    state.report.setShortage(
      PathProblem(
        path: [], code: .quotaExceeded,
        message: "files of the zone wait for room, \(waiting) at the moment: "
          + "\(room.free >> 20) MiB are free where \(room.place) is, and "
          + "\(state.settings.keepFree >> 20) MiB stay free",
        remedy: "make room, and they come by themselves; what you change here goes out meanwhile; "
          + "cairn.conf(5) says how to keep less free"))
  }
}
