import CairnCloud
import CairnPlan
import CairnZone

/// What was put into the folder before an interruption, and doesn't stand in its place.
extension MountEngine {
  /// After a look at the folder: what wasn't found by then didn't arrive, or is gone.
  func forgetStrays() throws {
    guard let scanner, !scanner.strays.isEmpty else { return }
    try settleStrays(scanner)
    // They may be where nobody could look yet.
    guard attention.unread.isQuiet else {
      for id in scanner.strays.values.map(\.id) where !agenda.isWaiting(id) {
        postpone(id, .blocked, "it isn't known yet where it stands")
      }
      for stray in scanner.strays.values { agenda[stray.id].isLeftOut = true }
      return
    }
    try index.write(mount) { tree in
      // In their order: of several steps of a record the last one counts.
      for arrival in try tree.arrivals() where arrivals.done.contains(arrival.id) {
        guard let local = arrival.local, scanner.strays[local.inode] == arrival else { continue }
        try noteSeen(arrival, in: tree)
      }
      try tree.forgetArrivals()
    }
    scanner.strays = [:]
    arrivals.done = []
  }

  /// Those that the index has by now aren't strays any more.
  private func settleStrays(_ scanner: Scanner) throws {
    let found = try index.read(mount) { tree in
      try scanner.strays.filter { try tree.node($1.id)?.local?.inode == $0 }
    }
    for (inode, stray) in found {
      scanner.strays[inode] = nil
      if agenda[stray.id].wait?.reason == .blocked { agenda.release(stray.id) }
    }
  }

  /// What stood in the folder, and isn't there any more, was taken away or overwritten by its
  /// person, though the index never had it.
  private func noteSeen(_ arrival: NodeRow, in tree: FolderTree) throws {
    let before = try tree.node(arrival.id)
    guard before?.local == nil || before?.local?.inode != arrival.local?.inode else { return }
    var row = before ?? NodeRow(id: arrival.id, local: nil, synced: nil)
    guard var node = arrival.synced else { return }
    // One that was moved had that inode before, too.
    if before?.gone?.inode != arrival.local?.inode {
      node.place = before?.synced?.place ?? node.place
    }
    row.synced = node
    try tree.put(row)
    try tree.markDirty(row.id, [.local, .remote])
  }
}
