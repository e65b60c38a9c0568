import CairnFolders
import Glibc

/// A person's hands: carries operations out on their disk, and tells `Versions` what was written
/// and what was meant to go.
struct PersonAtWork {
  let number: Int
  let disk: SimulatedDisk
  let versions: Versions
  let step: Int
  let trace: Trace

  /// Names are few, so that people meet.
  static let names: [Inode.Name] = ["a", "b", "c", "d.txt", "e.tar.gz", "f"].map { Array($0.utf8) }

  /// An entry below the folder, with the directory that it stands in.
  struct Entry {
    var directory: Inode
    var name: Inode.Name
    var inode: Inode
  }

  func carryOut(_ operation: Operation, _ held: inout [HeldFile]) {
    note(operation)
    switch operation {
    case .create(let place, let name, let size): create(directory(place), self.name(name), size)
    case .edit(let file, let size): if let entry = self.file(file) { edit(entry, Int(size)) }
    case .replace(let file, let size):
      if let entry = self.file(file) { replace(entry, Int(size)) }
    case .append(let file): if let entry = self.file(file) { append(entry) }
    case .makeDirectory(let place, let name):
      let (parent, name) = (directory(place), self.name(name))
      guard parent.entries[name] == nil, depth(parent) < 3 else { return }
      disk.make(.directory, name, in: parent, mode: 0o755)
      disk.tellTree(parent, name)
    case .makeSymlink(let place, let name):
      let (parent, name) = (directory(place), self.name(name))
      guard parent.entries[name] == nil else { return }
      disk.make(.symlink, name, in: parent, mode: 0o777).target = Array("a/\(step)".utf8)
      disk.tell(parent, name)
    case .link(let file, let place, let name): link(file, place, name)
    case .rename(let entry, let place, let name): rename(entry, place, name)
    case .swap(let entry, let other): swap(entry, other)
    case .delete(let file): if let entry = self.file(file) { delete(entry) }
    case .deleteTree(let directory): deleteTree(directory)
    case .recreate(let file, let size):
      guard let entry = self.file(file) else { return }
      delete(entry)
      create(entry.directory, entry.name, size)
    case .changeMode(let file): changeMode(file)
    case .touch(let entry): touch(entry)
    case .beginWriting(let file): beginWriting(file, &held)
    case .finishWriting: if let file = held.popLast() { finish(file) }
    }
  }

  // MARK: Choosing

  /// Everything below the folder but Cairn's own, in the order of paths.
  func entries() -> [Entry] {
    var found: [Entry] = []
    var stack = [disk.folder]
    while let directory = stack.popLast() {
      for name in directory.entries.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        guard let inode = directory.entries[name], name != SimulatedDisk.ownFolder else { continue }
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

  private func file(_ number: UInt32) -> Entry? { pick(number) { $0.inode.kind == .file } }

  /// Whether a file goes with the name by which it was found. What the daemon just put there may
  /// have another one in its own folder for a moment.
  func isLastName(of inode: Inode) -> Bool {
    inode.links == 1 || entries().filter { $0.inode === inode }.count == 1
  }

  private func directory(_ number: UInt32) -> Inode {
    let found = [disk.folder] + entries().filter { $0.inode.kind == .directory }.map(\.inode)
    return found[Int(number) % found.count]
  }

  private func name(_ number: UInt32) -> Inode.Name {
    Self.names[Int(number) % Self.names.count]
  }

  private func depth(_ directory: Inode) -> Int { directory.path(below: disk.folder)?.count ?? 9 }

  private func note(_ operation: Operation) {
    // What it is says the script.
    trace.mix(Int64(step))
    trace.note("    person \(number): \(operation)")
  }

  private func say(_ directory: Inode, _ name: Inode.Name, _ what: String) {
    trace.note("      \(what) \(disk.place(directory, name))")
  }

  // MARK: Contents

  private func create(_ parent: Inode, _ name: Inode.Name, _ size: UInt32) {
    guard parent.entries[name] == nil else { return }
    let bytes = versions.fresh(by: number, size: Int(size))
    say(parent, name, "writes \(label(bytes)) to")
    // Where the daemon doesn't know yet that another file went, this is an edit of that one.
    let last = parent.last.files[name]
    let inode = disk.make(.file, name, in: parent, mode: 0o644)
    inode.bytes = bytes
    versions.wrote(bytes, by: number, at: step, over: last?.bytes)
    disk.tell(parent, name)
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

  private func fill(_ inode: Inode, _ bytes: [UInt8]) {
    forgive(inode)
    inode.bytes = bytes
    inode.isEngines = false
    inode.modified = disk.time
    inode.changed = disk.time
  }

  private func edit(_ entry: Entry, _ size: Int) {
    let bytes = versions.fresh(by: number, size: size)
    say(entry.directory, entry.name, "writes \(label(bytes)) in place to")
    put(bytes, into: entry.inode)
    disk.tell(entry.directory, entry.name)
  }

  private func append(_ entry: Entry) {
    guard entry.inode.bytes.count < 4_096 else { return }
    let bytes = versions.fresh(by: number, size: 0, after: entry.inode.bytes)
    say(entry.directory, entry.name, "appends \(label(bytes)) to")
    put(bytes, into: entry.inode)
    disk.tell(entry.directory, entry.name)
  }

  private func replace(_ entry: Entry, _ size: Int) {
    // A swap of names may have put one there.
    guard entry.directory.entries[Array(".#new".utf8)]?.kind != .directory else { return }
    let bytes = versions.fresh(by: number, size: size)
    say(entry.directory, entry.name, "renames \(label(bytes)) over")
    let swap = Array(".#new".utf8)
    // Left behind when the power went.
    if let there = entry.directory.entries[swap] { versions.overwrote(there.bytes, by: number) }
    let inode = disk.make(.file, swap, in: entry.directory, mode: 0o644)
    let old = entry.inode.bytes
    inode.bytes = bytes
    versions.wrote(bytes, by: number, at: step, over: old)
    if isLastName(of: entry.inode) {
      versions.overwrote(old, by: number)
      forgive(entry.inode)
    }
    _ = disk.rename(swap, in: entry.directory, to: entry.name, in: entry.directory, .replacing)
  }

  private func beginWriting(_ number: UInt32, _ held: inout [HeldFile]) {
    guard let entry = file(number), held.count < 3 else { return }
    let inode = entry.inode
    let bytes = versions.fresh(by: self.number, size: 60)
    say(entry.directory, entry.name, "begins to write \(label(bytes)) to")
    let old = inode.bytes
    versions.overwrote(old, by: self.number)
    fill(inode, Array(bytes.prefix(30)))
    versions.passed(inode.bytes, over: old)
    inode.writers += 1
    inode.openings += 1
    held.append(HeldFile(inode: inode, bytes: bytes))
    disk.tell(entry.directory, entry.name)
  }

  /// Whoever holds the file knows nothing of what became of its name.
  func finish(_ file: HeldFile) {
    let inode = file.inode
    trace.note("      finishes \(label(file.bytes))")
    inode.writers -= 1
    inode.openings -= 1
    // Somebody else may have written into the same file meanwhile, as they may anywhere.
    let old = inode.bytes
    versions.overwrote(old, by: number)
    fill(inode, file.bytes)
    // Written into a file that its person deleted before: meant to go.
    guard inode.links > 0 else { return }
    versions.wrote(file.bytes, by: number, at: step, over: old)
    for entry in entries() where entry.inode === inode { disk.tell(entry.directory, entry.name) }
  }
}

/// A file that a person's program has open for writing.
struct HeldFile {
  var inode: Inode
  /// What stands in it when the program has written everything.
  var bytes: [UInt8]
}
