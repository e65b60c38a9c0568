import CairnFolders
import CairnZone
import Glibc

/// A person's hands: performs operations on the disk, and reports to `Versions` the written and the
/// deliberately deleted contents.
struct PersonAtWork {
  let number: Int
  let disk: SimulatedDisk
  let versions: Versions
  let step: Int
  let trace: Trace

  /// There are few names, so that people meet.
  static let names: [Inode.Name] = ["a", "b", "c", "d.txt", "e.tar.gz", "f"].map { Array($0.utf8) }

  /// An entry below the folder, with its directory.
  struct Entry {
    var directory: Inode
    var name: Inode.Name
    var inode: Inode
  }

  /// Performs an action.
  /// - Returns: whether it had an effect: its object may be missing.
  func carryOut(_ deed: Deed, _ unfinished: inout [UnfinishedFile]) -> Bool {
    switch deed {
    case .create(let place, let size): return create(place, size)
    case .edit(let file, let size): return with(file) { edit($0, size) }
    case .replace(let file, let size): return with(file) { replace($0, size) }
    case .append(let file): return with(file, append)
    case .writeLine(let file, let line): return writeLine(file, line)
    case .makeDirectory(let place):
      guard let parent = free(place), depth(parent) < 3 else { return false }
      disk.make(.directory, place.name, in: parent, mode: 0o755)
      disk.tellTree(parent, place.name)
      return true
    case .makeSymlink(let place, let target):
      guard let parent = free(place) else { return false }
      disk.make(.symlink, place.name, in: parent, mode: 0o777).target = Array(target.utf8)
      disk.tell(parent, place.name)
      return true
    case .link(let file, let place): return with(file) { link($0, place) }
    case .rename(let entry, let place):
      guard let entry = self.entry(entry), free(place) != nil else { return false }
      return rename(entry, place)
    case .renameOver(let entry, let place):
      guard let entry = self.entry(entry), free(place) == nil else { return false }
      return rename(entry, place)
    case .swap(let first, let second):
      guard let first = entry(first), let second = entry(second) else { return false }
      return swap(first, second)
    case .delete(let file):
      return with(file) {
        delete($0)
        return true
      }
    case .deleteTree(let directory): return deleteTree(directory)
    case .recreate(let file, let size):
      return with(file) {
        delete($0)
        return create(Place(file.parent.names + [$0.name]), size)
      }
    case .changeMode(let file): return with(file, changeMode)
    case .touch(let entry): return touch(entry)
    case .beginWriting(let file): return with(file) { beginWriting($0, &unfinished) }
    case .finishWriting:
      guard let file = unfinished.popLast() else { return false }
      finish(file)
      return true
    }
  }

  /// Runs a closure with a file.
  private func with(_ place: Place, _ body: (Entry) -> Bool) -> Bool {
    guard let entry = entry(place), entry.inode.kind == .file else { return false }
    return body(entry)
  }

  // MARK: Names

  /// The entry at a place; nil if there is none.
  func entry(_ place: Place) -> Entry? {
    guard !place.names.isEmpty, let directory = directory(place.parent) else { return nil }
    let name = Self.name(place.name, in: directory)
    guard let inode = directory.entries[name] else { return nil }
    return Entry(directory: directory, name: name, inode: inode)
  }

  /// The name that a script means: `*` stands for unpredictable parts. If several names match, none
  /// is meant.
  private static func name(_ name: Inode.Name, in directory: Inode) -> Inode.Name {
    guard directory.entries[name] == nil, name.contains(UInt8(ascii: "*")) else { return name }
    let meant = text(name)
    let fitting = directory.entries.keys.filter { Call.plain($0) == meant }
    return fitting.count == 1 ? fitting[0] : name
  }

  /// The place with the names of a script.
  func plain(_ place: Place) -> Place {
    var directory: Inode? = disk.folder
    return Place(
      place.names.map { name in
        let plain = Array(Call.plain(name).utf8)
        let isClear = directory.map { Self.name(plain, in: $0) == name } ?? false
        directory = directory?.entries[name]
        return isClear ? plain : name
      })
  }

  func directory(_ place: Place) -> Inode? {
    var found = disk.folder
    for name in place.names {
      guard let next = found.entries[Self.name(name, in: found)], next.kind == .directory else {
        return nil
      }
      found = next
    }
    return found
  }

  /// The directory of a free place; nil if the place is taken.
  func free(_ place: Place) -> Inode? {
    guard let parent = directory(place.parent), parent.entries[place.name] == nil else {
      return nil
    }
    return parent
  }

  /// The place of an entry.
  func place(_ entry: Entry) -> Place {
    Place((entry.directory.path(below: disk.folder) ?? []) + [entry.name])
  }

  // MARK: Choosing

  /// Everything below the folder except Cairn's own files, in the order of paths.
  func entries() -> [Entry] {
    var found: [Entry] = []
    var stack = [disk.folder]
    while let directory = stack.popLast() {
      for name in directory.entries.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        guard let inode = directory.entries[name], name != SimulatedDisk.ownFolder,
          name != FileName.localRules
        else { continue }
        found.append(Entry(directory: directory, name: name, inode: inode))
        if inode.kind == .directory { stack.append(inode) }
      }
    }
    return found
  }

  private func pick(_ number: UInt32, where isRight: (Entry) -> Bool) -> Entry? {
    let found = entries().filter(isRight)
    return found.isEmpty ? nil : found[Int(number) % found.count]
  }

  func file(_ number: UInt32) -> Entry? { pick(number) { $0.inode.kind == .file } }

  func directoryEntry(_ number: UInt32) -> Entry? {
    pick(number) { $0.inode.kind == .directory }
  }

  func any(_ number: UInt32) -> Entry? { pick(number) { _ in true } }

  /// The place of a name in a directory; it may be taken.
  func free(_ place: UInt32, _ name: UInt32) -> Place {
    let found = [disk.folder] + entries().filter { $0.inode.kind == .directory }.map(\.inode)
    let parent = found[Int(place) % found.count].path(below: disk.folder) ?? []
    return Place(parent + [Self.names[Int(name) % Self.names.count]])
  }

  /// Returns whether a file disappears with the name under which it was found. A file that the
  /// daemon just put there may have another name in its own folder for a moment.
  func isLastName(of inode: Inode) -> Bool {
    inode.links == 1 || entries().filter { $0.inode === inode }.count == 1
  }

  private func depth(_ directory: Inode) -> Int { directory.path(below: disk.folder)?.count ?? 9 }

  private func say(_ directory: Inode, _ name: Inode.Name, _ what: String) {
    trace.note("      \(what) \(disk.place(directory, name))")
  }

  // MARK: Contents

  private func create(_ place: Place, _ size: Int) -> Bool {
    guard let parent = free(place) else { return false }
    let name = place.name
    let bytes = versions.fresh(by: number, size: size)
    say(parent, name, "writes \(label(bytes)) to")
    // If the daemon does not know yet that another file left, this is an edit of that one.
    let last = parent.last.files[name]
    let inode = disk.make(.file, name, in: parent, mode: 0o644)
    inode.bytes = bytes
    versions.wrote(bytes, by: number, at: step, over: last?.bytes)
    disk.tell(parent, name)
    return true
  }

  private func label(_ bytes: [UInt8]) -> String {
    text(bytes.split(separator: UInt8(ascii: ">")).last.map { Array($0.prefix(16)) } ?? []) + ">"
  }

  private func put(_ bytes: [UInt8], into inode: Inode) {
    let old = inode.bytes
    versions.overwrote(old, by: number)
    fill(inode, bytes)
    versions.wrote(bytes, by: number, at: step, over: old)
  }

  func fill(_ inode: Inode, _ bytes: [UInt8]) {
    forgive(inode)
    inode.bytes = bytes
    inode.isEngines = false
    inode.modified = disk.time
    inode.changed = disk.time
  }

  private func edit(_ entry: Entry, _ size: Int) -> Bool {
    let bytes = versions.fresh(by: number, size: size)
    say(entry.directory, entry.name, "writes \(label(bytes)) in place to")
    put(bytes, into: entry.inode)
    disk.unseen.change(entry)
    disk.tell(entry.directory, entry.name)
    return true
  }

  private func append(_ entry: Entry) -> Bool {
    guard entry.inode.bytes.count < 4_096 else { return false }
    let bytes = versions.fresh(by: number, size: 0, after: entry.inode.bytes)
    say(entry.directory, entry.name, "appends \(label(bytes)) to")
    put(bytes, into: entry.inode)
    disk.unseen.change(entry)
    disk.tell(entry.directory, entry.name)
    return true
  }

  private func replace(_ entry: Entry, _ size: Int) -> Bool {
    // A swap of names may have put one there.
    guard entry.directory.entries[Array(".#new".utf8)]?.kind != .directory else { return false }
    let bytes = versions.fresh(by: number, size: size)
    say(entry.directory, entry.name, "renames \(label(bytes)) over")
    let swap = Array(".#new".utf8)
    // Left from a power cut.
    if let there = entry.directory.entries[swap] { versions.overwrote(there.bytes, by: number) }
    let inode = disk.make(.file, swap, in: entry.directory, mode: 0o644)
    let old = entry.inode.bytes
    inode.bytes = bytes
    versions.wrote(bytes, by: number, at: step, over: old)
    if isLastName(of: entry.inode) {
      versions.overwrote(old, by: number)
      forgive(entry.inode)
    }
    disk.unseen.remove(entry)
    _ = disk.rename(swap, in: entry.directory, to: entry.name, in: entry.directory, .replacing)
    return true
  }

  private func beginWriting(_ entry: Entry, _ unfinished: inout [UnfinishedFile]) -> Bool {
    guard unfinished.count < 3 else { return false }
    let inode = entry.inode
    let bytes = versions.fresh(by: number, size: 60)
    say(entry.directory, entry.name, "begins to write \(label(bytes)) to")
    let old = inode.bytes
    versions.overwrote(old, by: number)
    fill(inode, Array(bytes.prefix(30)))
    versions.passed(inode.bytes, over: old)
    inode.writers += 1
    inode.openings += 1
    unfinished.append(UnfinishedFile(inode: inode, bytes: bytes))
    disk.tell(entry.directory, entry.name)
    return true
  }

  /// The program with the open file knows nothing of the file's name.
  func finish(_ file: UnfinishedFile) {
    let inode = file.inode
    trace.note("      finishes \(label(file.bytes))")
    inode.writers -= 1
    inode.openings -= 1
    // Another program may have written into the same file meanwhile.
    let old = inode.bytes
    versions.overwrote(old, by: number)
    fill(inode, file.bytes)
    // Written into a file that its person deleted before: the loss is intended.
    guard inode.links > 0 else { return }
    versions.wrote(file.bytes, by: number, at: step, over: old)
    for entry in entries() where entry.inode === inode { disk.tell(entry.directory, entry.name) }
  }
}

/// A file that a person's program has open for writing.
struct UnfinishedFile {
  var inode: Inode
  /// The bytes of the file when the program has finished.
  var bytes: [UInt8]
}
