import CairnFolders

extension PersonAtWork {
  func rename(_ entry: Entry, _ place: Place) -> Bool {
    guard let parent = directory(place.parent) else { return false }
    let name = place.name
    guard parent.entries[name] == nil || entry.inode.kind == .file else { return false }
    guard parent.entries[name] !== entry.inode else { return false }
    touchAll(entry.inode, isMove: true)
    // The daemon may not know yet that another file left that name.
    if let last = parent.last.files[name] {
      versions.tookPlace(entry.inode.bytes)
      if last !== entry.inode, entry.inode.kind == .file, parent.entries[name] == nil {
        versions.replaced(last.bytes, with: entry.inode.bytes, by: number)
      }
    }
    if let there = parent.entries[name] {
      guard there.kind != .directory else { return false }
      if there.kind == .file, isLastName(of: there) {
        versions.overwrote(there.bytes, by: number)
        forgive(there)
        versions.replaced(there.bytes, with: entry.inode.bytes, by: number)
      }
      disk.unseen.remove(Entry(directory: parent, name: name, inode: there))
    }
    let result = disk.rename(entry.name, in: entry.directory, to: name, in: parent, .replacing)
    trace.note(
      "      renames \(disk.place(entry.directory, entry.name)) to \(disk.place(parent, name))"
        + (result == 0 ? "" : " (refused)"))
    return result == 0
  }

  func swap(_ first: Entry, _ second: Entry) -> Bool {
    guard first.inode !== second.inode,
      !first.directory.isInside(second.inode), !second.directory.isInside(first.inode)
    else { return false }
    // Left from a power cut in the middle.
    let aside = Array(".#aside".utf8)
    guard disk.folder.entries[aside] == nil else { return false }
    touchAll(first.inode, isMove: true)
    touchAll(second.inode, isMove: true)
    takePlace(of: second, first.inode)
    takePlace(of: first, second.inode)
    trace.note(
      "      swaps \(disk.place(first.directory, first.name)) and "
        + disk.place(second.directory, second.name))
    _ = disk.rename(first.name, in: first.directory, to: aside, in: disk.folder, .replacing)
    _ = disk.rename(
      second.name, in: second.directory, to: first.name, in: first.directory, .replacing)
    _ = disk.rename(aside, in: disk.folder, to: second.name, in: second.directory, .replacing)
    return true
  }

  /// A file that is put over another one is an edit of that file. If the daemon may not know yet
  /// that a directory came to its name, this also holds for earlier files of the name.
  private func takePlace(of there: Entry, _ inode: Inode) {
    let former = there.inode.kind == .file ? there.inode : there.directory.last.files[there.name]
    guard let former else { return }
    versions.tookPlace(inode.bytes)
    guard inode.kind == .file, former !== inode else { return }
    versions.replaced(former.bytes, with: inode.bytes, by: number)
  }

  func link(_ entry: Entry, _ place: Place) -> Bool {
    guard entry.inode.links == 1, let parent = free(place) else { return false }
    let name = place.name
    trace.note(
      "      links \(disk.place(entry.directory, entry.name)) as \(disk.place(parent, name))")
    disk.begin()
    disk.set(name, in: parent, to: entry.inode)
    disk.tell(parent, name)
    return true
  }

  func delete(_ entry: Entry) {
    trace.note("      deletes \(disk.place(entry.directory, entry.name))")
    if entry.inode.kind == .file, isLastName(of: entry.inode) {
      versions.deleted(entry.inode.bytes, by: number)
      forgive(entry.inode)
    }
    disk.unseen.remove(entry)
    disk.begin()
    disk.set(entry.name, in: entry.directory, to: nil)
    disk.tell(entry.directory, entry.name)
  }

  /// Files that the daemon put there in an unfinished or failed sync cycle may come back, because
  /// nobody knows about them. So may a file that it is moving by a second name.
  func forgive(_ inode: Inode) {
    let isUnsettled = inode.turn > disk.settledTurn || disk.failedTurns.contains(inode.turn)
    guard inode.isEngines && isUnsettled || isBeingMoved(inode) else { return }
    versions.touched(inode.bytes, by: Versions.nobody)
  }

  /// Returns whether the file also has a name in Cairn's own folder.
  private func isBeingMoved(_ inode: Inode) -> Bool {
    inode.links > 1 && entries().filter { $0.inode === inode }.count < inode.links
  }

  func deleteTree(_ place: Place) -> Bool {
    guard let top = entry(place), top.inode.kind == .directory else { return false }
    let inside = entries().filter { $0.directory.isInside(top.inode) }
    for entry in inside.reversed() { delete(entry) }
    delete(top)
    return true
  }

  func changeMode(_ entry: Entry) -> Bool {
    versions.touched(entry.inode.bytes, by: number)
    disk.unseen.change(entry)
    if disk.hasRichModes {
      let modes: [UInt32] = [0o644, 0o755, 0o600, 0o640, 0o700, 0o664]
      let next = (modes.firstIndex(of: entry.inode.mode) ?? 0) + 1 + Int(disk.time % 3)
      entry.inode.mode = modes[next % modes.count]
      let tag = Array("user.tag\(disk.time % 2)".utf8)
      entry.inode.attributes[tag] =
        disk.time % 5 == 0 ? nil : Array(String(disk.time, radix: 16).utf8)
    } else {
      entry.inode.mode ^= 0o111
    }
    entry.inode.changed = disk.time
    disk.tell(entry.directory, entry.name)
    return true
  }

  func touch(_ place: Place) -> Bool {
    guard let entry = entry(place) else { return false }
    touchAll(entry.inode)
    disk.unseen.change(entry)
    entry.inode.modified = disk.time
    entry.inode.changed = disk.time
    disk.tell(entry.directory, entry.name)
    return true
  }

  /// A change of a directory is a change of all its contents.
  private func touchAll(_ inode: Inode, isMove: Bool = false) {
    versions.touched(inode.bytes, by: number, isMove: isMove)
    guard inode.kind == .directory else { return }
    for entry in entries() where entry.directory.isInside(inode) {
      versions.touched(entry.inode.bytes, by: number, isMove: isMove)
    }
  }
}
