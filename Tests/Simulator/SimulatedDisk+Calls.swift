import CairnFolders
import Glibc

/// The engine's calls.
extension SimulatedDisk: Disk {
  // MARK: Opening

  func openRoot(_ path: [UInt8]) -> Int32 {
    if let result = enter("open", path, at: .path(path), allowed: [EIO, EMFILE, ENFILE]) {
      return result
    }
    switch walk(Self.names(path), from: top) {
    case .failure(let error): return leave(-error.number)
    case .success(let inode):
      guard inode.kind == .directory else { return leave(-ENOTDIR) }
      return leave(open(inode, writing: false))
    }
  }

  func open(_ path: [UInt8], beneath directory: Int32, flags: Int32, mode: UInt32) -> Int32 {
    let makes = flags & O_CREAT != 0
    let possible = [EIO, EMFILE, ENFILE] + (makes ? [ENOSPC, EDQUOT] : [])
    if let result = enter(
      makes ? "create" : "open", path, at: .name(path, in: directory), allowed: possible)
    {
      return result
    }
    guard let start = files[directory]?.inode else { return leave(-EBADF) }
    var names = Self.names(path)
    if names == [[UInt8(ascii: ".")]] { names = [] }
    let last = names.last
    if makes, let last {
      switch walk(Array(names.dropLast()), from: start) {
      case .failure(let error): return leave(-error.number)
      case .success(let parent): return leave(create(last, in: parent, flags: flags, mode: mode))
      }
    }
    switch walk(names, from: start) {
    case .failure(let error): return leave(-error.number)
    case .success(let inode):
      if inode.kind == .symlink { return leave(-ELOOP) }
      if flags & O_DIRECTORY != 0, inode.kind != .directory { return leave(-ENOTDIR) }
      return leave(open(inode, writing: flags & (O_WRONLY | O_RDWR) != 0))
    }
  }

  private func create(_ name: Name, in parent: Inode, flags: Int32, mode: UInt32) -> Int32 {
    if let there = parent.entries[name] {
      if flags & O_EXCL != 0 { return -EEXIST }
      if there.kind != .file { return there.kind == .symlink ? -ELOOP : -EISDIR }
      if flags & O_TRUNC != 0 { there.bytes = [] }
      return open(there, writing: true)
    }
    guard !isGone(parent) else { return -ENOENT }
    let inode = make(.file, name, in: parent, mode: mode & ~0o022)
    inode.isEngines = true
    inode.turn = turn
    tell(parent, name)
    return open(inode, writing: true)
  }

  func openNode(_ name: [UInt8], in directory: Int32) -> Int32 {
    if let result = enter(
      "look", name, at: .name(name, in: directory), allowed: [EIO, EMFILE])
    {
      return result
    }
    guard let inode = entry(name, directory) else { return leave(-ENOENT) }
    return leave(open(inode, writing: false))
  }

  func close(_ file: Int32) {
    guard let open = files.removeValue(forKey: file) else { return }
    open.inode.openings -= 1
    if open.isWriting { open.inode.writers -= 1 }
  }

  // MARK: Looking

  func status(of file: Int32, _ found: inout FileStat) -> Int32 {
    if let result = enter("fstat", at: .file(file)) { return result }
    guard let inode = files[file]?.inode else { return leave(-EBADF) }
    found = status(inode)
    return leave(0)
  }

  func status(of name: [UInt8], in directory: Int32, _ found: inout FileStat) -> Int32 {
    if let result = enter("stat", name, at: .name(name, in: directory)) { return result }
    guard let start = files[directory]?.inode else { return leave(-EBADF) }
    switch walk(Self.names(name), from: start) {
    case .failure(let error): return leave(-error.number)
    case .success(let inode):
      found = status(inode)
      unseen.look(at: name, in: start, inode)
    }
    return leave(0)
  }

  func status(_ inode: Inode) -> FileStat {
    if sabotage == .restlessTimes { inode.changed += 1 }
    var found = FileStat(kind: inode.kind)
    found.device = inode.device
    found.inode = inode.number
    found.birth = inode.birth
    found.size = UInt64(inode.kind == .file ? inode.bytes.count : inode.target.count)
    found.modified = inode.modified
    found.changed = inode.changed
    found.isExecutable = inode.kind == .file && inode.mode & 0o111 != 0
    found.mode = inode.mode
    found.group = inode.group
    if sabotage == .secretLinks, inode.kind == .file {
      found.links = min(1, inode.links)
      return found
    }
    found.links = inode.kind == .directory && inode.links <= 1 && inode !== top ? 0 : inode.links
    return found
  }

  func list(_ directory: Int32, _ names: inout [[UInt8]]) -> Int32 {
    if let result = enter("list", at: .file(directory), allowed: [EIO, ENOMEM]) { return result }
    guard let inode = files[directory]?.inode else { return leave(-EBADF) }
    guard inode.kind == .directory else { return leave(-ENOTDIR) }
    var sorted = inode.entries.keys.sorted { $0.lexicographicallyPrecedes($1) }
    if sabotage == .shortListing, sorted.count > 2 { sorted.removeLast() }
    names += inode.number % 2 == 0 ? sorted : sorted.reversed()
    return leave(0)
  }

  func target(of name: [UInt8], in directory: Int32, _ target: inout [UInt8]) -> Int32 {
    if let result = enter("readlink", name, at: .name(name, in: directory)) { return result }
    guard let inode = entry(name, directory) else { return leave(-ENOENT) }
    guard inode.kind == .symlink else { return leave(-EINVAL) }
    target = inode.target
    return leave(0)
  }

  func path(of directory: Int32, _ path: inout [UInt8]) -> Int32 {
    if let result = enter("path", at: .file(directory)) { return result }
    guard let inode = files[directory]?.inode else { return leave(-EBADF) }
    let names = inode.path(below: top) ?? [inode.name + Array(" (deleted)".utf8)]
    path = Array("/".utf8) + names.joined(separator: [UInt8(ascii: "/")])
    return leave(0)
  }

  func mounting(of device: UInt64) -> String? { "\(boots)" }

  func freeBytes(_ file: Int32, _ count: inout UInt64) -> Int32 {
    if let result = enter("statfs", at: .file(file)) { return result }
    count = 1 << 40
    return leave(0)
  }

  // MARK: Contents

  func read(_ file: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let open = files[file] else { return -Int(EBADF) }
    let count = read(file, at: Int64(open.offset), into: buffer)
    if count > 0 { files[file]?.offset += count }
    return count
  }

  func read(
    _ file: Int32, at offset: Int64, into buffer: UnsafeMutableRawBufferPointer
  ) -> Int {
    if let result = enter("read", at: .file(file)) { return Int(result) }
    guard let open = files[file] else { return Int(leave(-EBADF)) }
    guard open.inode.kind == .file else { return Int(leave(-EISDIR)) }
    // A short read is always possible.
    let start = Int(offset)
    let rest = max(0, open.inode.bytes.count - start)
    let count = min(rest, buffer.count, max(64, rest / 2))
    // Another program may have truncated the file below the read position.
    if count > 0 {
      buffer.copyBytes(from: open.inode.bytes[start..<start + count])
      // People's content begins with a mark (`Versions.fresh`).
      if sabotage == .alteredFile, open.inode.bytes.first == UInt8(ascii: "<") {
        buffer[count - 1] ^= 16
      }
    }
    return Int(leave(Int32(count)))
  }

  func write(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    if let result = enter("write", at: .file(file), allowed: [EIO, ENOSPC, EDQUOT]) {
      return Int(result)
    }
    guard let open = files[file], open.isWriting else { return Int(leave(-EBADF)) }
    let count = bytes.count > 64 ? bytes.count / 2 : bytes.count
    if sabotage == .tornWrite, bytes.count > 64 { return bytes.count }
    let end = open.offset + count
    var data = open.inode.bytes
    if data.count < end { data += [UInt8](repeating: 0, count: end - data.count) }
    data.replaceSubrange(open.offset..<end, with: bytes[..<count])
    open.inode.bytes = data
    open.inode.modified = time
    open.inode.changed = time
    files[file]?.offset = end
    return Int(leave(Int32(count)))
  }

  func skip(_ count: Int64, in file: Int32) -> Int32 {
    if let result = enter("seek", at: .file(file)) { return result }
    files[file]?.offset += Int(count)
    return leave(0)
  }

  func setSize(of file: Int32, _ size: Int64) -> Int32 {
    if let result = enter("truncate", at: .file(file), allowed: [EIO, ENOSPC]) { return result }
    guard let open = files[file], open.isWriting else { return leave(-EBADF) }
    let bytes = open.inode.bytes
    let rest = max(0, Int(size) - bytes.count)
    open.inode.bytes = bytes.prefix(Int(size)) + [UInt8](repeating: 0, count: rest)
    (open.inode.modified, open.inode.changed) = (time, time)
    return leave(0)
  }

  /// Bytes may become durable before a sync: `cutPower` handles that.
  func beginWriteOut(_ file: Int32) {}

  func sync(_ file: Int32) -> Int32 {
    if let result = enter("fsync", at: .file(file), allowed: [EIO, ENOSPC, EDQUOT]) {
      return result
    }
    guard let inode = files[file]?.inode else { return leave(-EBADF) }
    if sabotage != .noSync { sync(inode) }
    return leave(0)
  }

  func syncFileSystem(_ file: Int32) -> Int32 {
    if let result = enter("syncfs", at: .nothing) { return result }
    syncAll()
    return leave(0)
  }

  func probeReadLease(_ file: Int32) -> Int32 {
    if let result = enter("lease", at: .file(file), allowed: []) { return result }
    guard traits.hasLeases else { return leave(-EINVAL) }
    guard let inode = files[file]?.inode else { return leave(-EBADF) }
    return leave(inode.writers > 0 ? -EAGAIN : 0)
  }

  // MARK: Names

  func makeDirectory(at path: [UInt8], mode: UInt32) -> Int32 {
    if let result = enter("mkdir", path, at: .path(path), allowed: [EIO, ENOSPC, EDQUOT]) {
      return result
    }
    let names = Self.names(path)
    guard let last = names.last else { return leave(-EEXIST) }
    switch walk(Array(names.dropLast()), from: top) {
    case .failure(let error): return leave(-error.number)
    case .success(let parent): return leave(makeDirectory(last, in: parent, mode))
    }
  }

  func makeDirectory(_ name: [UInt8], in directory: Int32, mode: UInt32) -> Int32 {
    if let result = enter(
      "mkdir", name, at: .name(name, in: directory), allowed: [EIO, ENOSPC, EDQUOT])
    {
      return result
    }
    guard let (parent, name) = spot(name, directory) else { return leave(-ENOENT) }
    return leave(makeDirectory(name, in: parent, mode))
  }

  private func makeDirectory(_ name: Name, in parent: Inode, _ mode: UInt32) -> Int32 {
    guard parent.entries[name] == nil else { return -EEXIST }
    guard !isGone(parent) else { return -ENOENT }
    make(.directory, name, in: parent, mode: mode & ~0o022)
    changed(parent, name, before: nil)
    tellTree(parent, name)
    return 0
  }

  func makeSymlink(_ name: [UInt8], in directory: Int32, to target: [UInt8]) -> Int32 {
    if let result = enter(
      "symlink", name, at: .name(name, in: directory), allowed: [EIO, ENOSPC, EDQUOT])
    {
      return result
    }
    guard let (parent, name) = spot(name, directory) else { return leave(-ENOENT) }
    guard !isGone(parent) else { return leave(-ENOENT) }
    guard parent.entries[name] == nil else { return leave(-EEXIST) }
    make(.symlink, name, in: parent, mode: 0o777).target = target
    tell(parent, name)
    return leave(0)
  }

  func link(
    _ name: [UInt8], in directory: Int32, as other: [UInt8], in otherDirectory: Int32
  ) -> Int32 {
    if let result = enter(
      "link", other, at: .names(name, in: directory, other, of: otherDirectory),
      allowed: [EIO, ENOSPC])
    {
      return result
    }
    guard let inode = entry(name, directory) else { return leave(-ENOENT) }
    guard let target = files[otherDirectory]?.inode else { return leave(-EBADF) }
    guard inode.kind != .directory else { return leave(-EPERM) }
    guard !isGone(target) else { return leave(-ENOENT) }
    guard target.entries[other] == nil else { return leave(-EEXIST) }
    begin()
    set(other, in: target, to: inode)
    changed(target, other, before: nil)
    tell(target, other)
    return leave(0)
  }

  func rename(
    _ name: [UInt8], in directory: Int32, to other: [UInt8], in otherDirectory: Int32,
    _ kind: RenameKind
  ) -> Int32 {
    if let result = enter(
      kind == .swapping ? "swap" : "rename", name + [0] + other,
      at: .names(name, in: directory, other, of: otherDirectory), allowed: [EIO, ENOSPC])
    {
      return result
    }
    guard let (from, name) = spot(name, directory), let (to, other) = spot(other, otherDirectory)
    else { return leave(-ENOENT) }
    switch kind {
    case .replacing: break
    case .toFreeName, .swapping: guard traits.hasRenameFlags else { return leave(-EINVAL) }
    }
    let before = to.entries[other]
    let moved = from.entries[name]
    let result = rename(name, in: from, to: other, in: to, kind)
    guard result == 0 else { return leave(result) }
    trace.note("      engine: rename \(place(from, name)) to \(place(to, other)) (\(kind))")
    var change = EngineChange(directory: to, name: other, before: before)
    change.after = to.entries[other]
    change.from = (from, name)
    if sabotage == .swapDestroys, case .swapping = kind { from.entries[name]?.bytes = [] }
    if sabotage == .moveCopies, from === folder, to !== folder, let moved { copy(moved, name) }
    if case .swapping = kind { change.wasSwap = true }
    onChange?(change)
    return leave(0)
  }

  func remove(_ name: [UInt8], in directory: Int32) -> Int32 {
    if let result = enter("unlink", name, at: .name(name, in: directory)) { return result }
    guard let (parent, name) = spot(name, directory) else { return leave(-ENOENT) }
    guard let inode = parent.entries[name] else { return leave(-ENOENT) }
    guard inode.kind != .directory else { return leave(-EISDIR) }
    begin()
    set(name, in: parent, to: nil)
    changed(parent, name, before: inode)
    tell(parent, name)
    return leave(0)
  }

  func removeDirectory(_ name: [UInt8], in directory: Int32) -> Int32 {
    if let result = enter("rmdir", name, at: .name(name, in: directory)) { return result }
    guard let (parent, name) = spot(name, directory) else { return leave(-ENOENT) }
    return leave(removeDirectory(name, in: parent))
  }

  func removeDirectory(at path: [UInt8]) -> Int32 {
    if let result = enter("rmdir", path, at: .path(path)) { return result }
    let names = Self.names(path)
    guard let last = names.last else { return leave(-EBUSY) }
    switch walk(Array(names.dropLast()), from: top) {
    case .failure(let error): return leave(-error.number)
    case .success(let parent): return leave(removeDirectory(last, in: parent))
    }
  }

  private func removeDirectory(_ name: Name, in parent: Inode) -> Int32 {
    guard let inode = parent.entries[name] else { return -ENOENT }
    guard inode.kind == .directory else { return -ENOTDIR }
    guard inode.entries.isEmpty else { return -ENOTEMPTY }
    begin()
    set(name, in: parent, to: nil)
    changed(parent, name, before: inode)
    tell(parent, name)
    return 0
  }

  func setMode(of file: Int32, _ mode: UInt32) -> Int32 {
    if let result = enter("chmod", at: .file(file)) { return result }
    guard let inode = files[file]?.inode else { return leave(-EBADF) }
    inode.mode = mode
    inode.changed = time
    return leave(0)
  }

  func setGroup(of file: Int32, _ group: UInt32) -> Int32 {
    if let result = enter("chown", at: .file(file)) { return result }
    guard let inode = files[file]?.inode else { return leave(-EBADF) }
    inode.group = group
    inode.changed = time
    return leave(0)
  }

  func attributeNames(of file: Int32, _ names: inout [[UInt8]]) -> Int32 {
    if let result = enter("listxattr", at: .file(file)) { return result }
    guard let inode = files[file]?.inode else { return leave(-EBADF) }
    names += inode.attributes.keys.sorted { $0.lexicographicallyPrecedes($1) }
    return leave(0)
  }

  func attribute(_ name: [UInt8], of file: Int32, _ value: inout [UInt8]) -> Int32 {
    if let result = enter("getxattr", at: .file(file)) { return result }
    guard let inode = files[file]?.inode else { return leave(-EBADF) }
    guard let found = inode.attributes[name] else { return leave(-ENODATA) }
    value = found
    return leave(0)
  }

  func setAttribute(_ name: [UInt8], of file: Int32, to value: [UInt8]?) -> Int32 {
    let call = value == nil ? "removexattr" : "setxattr"
    if let result = enter(call, at: .file(file), allowed: [EIO, ENOSPC, EDQUOT]) { return result }
    guard let inode = files[file]?.inode else { return leave(-EBADF) }
    guard value != nil || inode.attributes[name] != nil else { return leave(-ENODATA) }
    inode.attributes[name] = value
    inode.changed = time
    return leave(0)
  }

  func setTime(of file: Int32, _ modified: Int64) -> Int32 {
    if let result = enter("utimens", at: .file(file)) { return result }
    guard let inode = files[file]?.inode else { return leave(-EBADF) }
    inode.modified = modified / traits.granularity * traits.granularity
    inode.changed = time
    return leave(0)
  }

  func setTime(of name: [UInt8], in directory: Int32, _ modified: Int64) -> Int32 {
    if let result = enter("utimens", name, at: .name(name, in: directory)) { return result }
    guard let (parent, name) = spot(name, directory) else { return leave(-ENOENT) }
    guard let inode = parent.entries[name] else { return leave(-ENOENT) }
    inode.modified = modified / traits.granularity * traits.granularity
    inode.changed = time
    tell(parent, name)
    return leave(0)
  }

  // MARK: Parts

  struct Errno: Error {
    var number: Int32
    init(_ number: Int32) { self.number = number }
  }

  /// The names of a path; most have one.
  private static func names(_ path: [UInt8]) -> [Name] {
    let separator = UInt8(ascii: "/")
    return path.isEmpty || path.contains(separator)
      ? path.split(separator: separator).map { Array($0) } : [path]
  }

  /// Follows names, but no symlinks.
  func walk(_ names: [Name], from start: Inode) -> Result<Inode, Errno> {
    var current = start
    for (depth, name) in names.enumerated() {
      guard current.kind == .directory else {
        return .failure(Errno(current.kind == .symlink ? ELOOP : ENOTDIR))
      }
      guard let next = current.entries[name] else { return .failure(Errno(ENOENT)) }
      if next.kind == .symlink, depth < names.count - 1 { return .failure(Errno(ELOOP)) }
      current = next
    }
    return .success(current)
  }

  private func copy(_ inode: Inode, _ name: Name) {
    guard inode.kind == .file else { return }
    sabotage = nil
    make(.file, name, in: folder, mode: inode.mode).bytes = inode.bytes
    tell(folder, name)
  }

  private func entry(_ name: Name, _ directory: Int32) -> Inode? {
    spot(name, directory).flatMap { $0.parent.entries[$0.name] }
  }

  /// The directory and the last name of a path beneath an open directory.
  private func spot(_ path: [UInt8], _ directory: Int32) -> (parent: Inode, name: Name)? {
    guard let start = files[directory]?.inode else { return nil }
    let names = Self.names(path)
    guard names.count > 1, let last = names.last else { return (start, path) }
    guard case .success(let parent) = walk(Array(names.dropLast()), from: start) else { return nil }
    return (parent, last)
  }

  private func changed(_ directory: Inode, _ name: Name, before: Inode?) {
    trace.note(
      "      engine: \(before == nil ? "make" : "remove") \(place(directory, name))")
    var change = EngineChange(directory: directory, name: name, before: before)
    change.after = directory.entries[name]
    onChange?(change)
  }

  func place(_ directory: Inode, _ name: Name) -> String {
    let names = directory.path(below: top) ?? [Array("(gone)".utf8)]
    return text(Array((names + [name]).joined(separator: [UInt8(ascii: "/")])))
  }
}
