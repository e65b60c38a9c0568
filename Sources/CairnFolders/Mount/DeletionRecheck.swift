import CairnPlan
import CairnZone

/// The check of the folder right before deletions are sent to the zone.
///
/// It uses these parts of the state: `hint`, `identity`, `postpone`, `read`, `retries`, `root`,
/// `scanner`.
struct DeletionRecheck {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Checks the places of planned deletions in the zone once more: the root is still the folder,
  /// the directories are readable and the ones that were scanned, and the names are gone.
  /// - Returns: False if there is a difference, which must be scanned and planned again.
  func isStillGone(_ groups: [[ZoneChange]]) throws -> Bool {
    let deletions = groups.joined().filter { $0.act == .delete }
    guard !deletions.isEmpty else { return true }
    try RootCheck(state).checkRoot()
    guard let root = state.root, let identity = state.identity else { return false }
    let places = deletions.compactMap { change in change.goneFrom.map { (change.id, $0) } }
    var isSame = true
    for (parent, group) in Dictionary(grouping: places, by: \.1.parent) {
      let (row, path) = try state.read { (try $0.node(parent), try $0.path(of: parent)) }
      // A directory that is itself gone is checked by its own name, in its parent.
      guard let path else { continue }
      do {
        let directory = try root.openDirectory(path)
        let stat = try FileStat.of(directory)
        guard stat.isBeside(identity), parent == .root || row?.isSameInode(as: stat) == true else {
          throw FolderError(.busy, joined(path), "another directory stands there now")
        }
        // An entry that another scan doesn't find isn't mirrored: an ignored name, for example.
        for (id, place) in group where try isBack(place, in: directory) {
          guard state.retries.needsAnotherLook(id) else { continue }
          state.hint(changed: [joined(path + [place.name.bytes])])
          isSame = false
        }
      } catch let error as FolderError {
        isSame = false
        state.hint(changed: [joined(path)])
        for (id, _) in group { state.postpone(id, .blocked, error.reason) }
      }
    }
    if isSame { state.retries.areGone(deletions.map(\.id)) }
    return isSame
  }

  /// Returns whether there is an entry at a place where the index has none.
  private func isBack(_ place: Place, in directory: Descriptor) throws -> Bool {
    guard let stat = try FileStat.at(directory, place.name.bytes), stat.kind != .other else {
      return false
    }
    if state.scanner?.leftOut.contains(place) == true { return false }
    return try state.read { try $0.child(at: place) } == nil
      && state.scanner?.strangers.values.contains { $0.place == place } != true
  }
}
