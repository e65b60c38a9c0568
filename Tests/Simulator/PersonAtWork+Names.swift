import CairnFolders

extension PersonAtWork {
  func rename(_ entry: UInt32, _ place: UInt32, _ name: UInt32) {
    guard let entry = any(entry) else { return }
    let (parent, name) = (target(place), self.target(name: name))
    guard parent.entries[name] == nil || entry.inode.kind == .file else { return }
    guard parent.entries[name] !== entry.inode else { return }
    touchAll(entry.inode, isMove: true)
    // The daemon may not know yet that another one left that name.
    if let last = parent.last.files[name] {
      versions.tookPlace(entry.inode.bytes)
      if last !== entry.inode, entry.inode.kind == .file, parent.entries[name] == nil {
        versions.replaced(last.bytes, with: entry.inode.bytes, by: number)
      }
    }
    if let there = parent.entries[name] {
      guard there.kind != .directory else { return }
      if there.kind == .file, isLastName(of: there) {
        versions.overwrote(there.bytes, by: number)
        forgive(there)
        versions.replaced(there.bytes, with: entry.inode.bytes, by: number)
      }
    }
    let result = disk.rename(entry.name, in: entry.directory, to: name, in: parent, .replacing)
    trace.note(
      "      renames \(disk.place(entry.directory, entry.name)) to \(disk.place(parent, name))"
        + (result == 0 ? "" : " (refused)"))
  }

  func swap(_ one: UInt32, _ two: UInt32) {
    guard let first = any(one), let second = any(two), first.inode !== second.inode,
      !first.directory.isInside(second.inode), !second.directory.isInside(first.inode)
    else { return }
    // Left behind when the power went in the middle.
    let aside = Array(".#aside".utf8)
    guard disk.folder.entries[aside] == nil else { return }
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
  }

  /// What is put where a file stands is an edit of that file; or where one stood, if the daemon may
  /// not know yet that a directory came to its name.
  private func takePlace(of there: Entry, _ inode: Inode) {
    let former = there.inode.kind == .file ? there.inode : there.directory.last.files[there.name]
    guard let former else { return }
    versions.tookPlace(inode.bytes)
    guard inode.kind == .file, former !== inode else { return }
    versions.replaced(former.bytes, with: inode.bytes, by: number)
  }

  func link(_ file: UInt32, _ place: UInt32, _ name: UInt32) {
    guard let entry = any(file), entry.inode.kind == .file, entry.inode.links == 1 else { return }
    let (parent, name) = (target(place), target(name: name))
    guard parent.entries[name] == nil else { return }
    trace.note(
      "      links \(disk.place(entry.directory, entry.name)) as \(disk.place(parent, name))")
    disk.begin()
    disk.set(name, in: parent, to: entry.inode)
    disk.tell(parent, name)
  }

  func delete(_ entry: Entry) {
    trace.note("      deletes \(disk.place(entry.directory, entry.name))")
    if entry.inode.kind == .file, isLastName(of: entry.inode) {
      versions.deleted(entry.inode.bytes, by: number)
      forgive(entry.inode)
    }
    disk.begin()
    disk.set(entry.name, in: entry.directory, to: nil)
    disk.tell(entry.directory, entry.name)
  }

  /// What the daemon put there in a turn that it doesn't end, or in which a call failed, may come
  /// again: nobody knows that it was there. So may what it is just moving by way of a second name.
  func forgive(_ inode: Inode) {
    let isUnsettled = inode.turn > disk.settledTurn || disk.failedTurns.contains(inode.turn)
    guard inode.isEngines && isUnsettled || isBeingMoved(inode) else { return }
    versions.touched(inode.bytes, by: Versions.nobody)
  }

  /// Whether the file has a name in Cairn's own folder, too.
  private func isBeingMoved(_ inode: Inode) -> Bool {
    inode.links > 1 && entries().filter { $0.inode === inode }.count < inode.links
  }

  func deleteTree(_ number: UInt32) {
    let found = entries().filter { $0.inode.kind == .directory }
    guard !found.isEmpty else { return }
    let top = found[Int(number) % found.count]
    let inside = entries().filter { $0.directory.isInside(top.inode) }
    for entry in inside.reversed() { delete(entry) }
    delete(top)
  }

  func changeMode(_ number: UInt32) {
    guard let entry = any(number), entry.inode.kind == .file else { return }
    versions.touched(entry.inode.bytes, by: self.number)
    entry.inode.mode ^= 0o111
    entry.inode.changed = disk.time
    disk.tell(entry.directory, entry.name)
  }

  func touch(_ number: UInt32) {
    guard let entry = any(number) else { return }
    touchAll(entry.inode)
    entry.inode.modified = disk.time
    entry.inode.changed = disk.time
    disk.tell(entry.directory, entry.name)
  }

  /// Whatever is done to a directory is done to what is in it.
  private func touchAll(_ inode: Inode, isMove: Bool = false) {
    versions.touched(inode.bytes, by: number, isMove: isMove)
    guard inode.kind == .directory else { return }
    for entry in entries() where entry.directory.isInside(inode) {
      versions.touched(entry.inode.bytes, by: number, isMove: isMove)
    }
  }

  private func any(_ number: UInt32) -> Entry? {
    let found = entries()
    return found.isEmpty ? nil : found[Int(number) % found.count]
  }

  private func target(_ number: UInt32) -> Inode {
    let found = [disk.folder] + entries().filter { $0.inode.kind == .directory }.map(\.inode)
    return found[Int(number) % found.count]
  }

  private func target(name number: UInt32) -> Inode.Name {
    Self.names[Int(number) % Self.names.count]
  }
}
