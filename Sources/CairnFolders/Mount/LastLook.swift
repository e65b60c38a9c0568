import CairnCloud
import CairnPlan
import CairnZone

/// The look at the folder right before deletions leave for the zone.
struct LastLook {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Looks once more at where the plan wants nothing to be before it deletes in the zone: whether
  /// the root still is the folder, the directories can be read and are the ones that were looked
  /// at, and the names are gone.
  /// - Returns: false if something is different, and has to be looked at and planned again.
  func isStillGone(_ groups: [[ZoneChange]]) throws -> Bool {
    let deletions = groups.joined().filter { $0.act == .delete }
    guard !deletions.isEmpty else { return true }
    try RootCheck(state).checkRoot()
    guard let root = state.root, let identity = state.identity else { return false }
    let places = deletions.compactMap { change in change.goneFrom.map { (change.id, $0) } }
    var isSame = true
    for (parent, group) in Dictionary(grouping: places, by: \.1.parent) {
      let (row, path) = try state.read { (try $0.node(parent), try $0.path(of: parent)) }
      // A directory that went itself is looked at by its own name, in the one above it.
      guard let path else { continue }
      do {
        let directory = try root.openDirectory(path)
        let stat = try FileStat.of(directory)
        guard stat.isBeside(identity), parent == .root || row?.isSameInode(as: stat) == true else {
          throw FolderError(.busy, joined(path), "another directory stands there now")
        }
        // What one more look doesn't find isn't mirrored: an ignored name, for instance.
        for (id, place) in group where try isBack(place, in: directory) {
          guard state.agenda.needsAnotherLook(id) else { continue }
          state.hint(changed: [joined(path + [place.name.bytes])])
          isSame = false
        }
      } catch let error as FolderError {
        isSame = false
        state.hint(changed: [joined(path)])
        for (id, _) in group { state.postpone(id, .blocked, error.reason) }
      }
    }
    if isSame { state.agenda.areGone(deletions.map(\.id)) }
    return isSame
  }

  /// Whether something stands at a place where the index knows nothing.
  private func isBack(_ place: Place, in directory: Descriptor) throws -> Bool {
    guard let stat = try FileStat.at(directory, place.name.bytes), stat.kind != .other else {
      return false
    }
    if state.scanner?.leftOut.contains(place) == true { return false }
    return try state.read { try $0.child(at: place) } == nil
      && state.scanner?.strangers.values.contains { $0.place == place } != true
  }
}
