import CairnControl
import CairnFuse
import CairnThreads
import Glibc
import Synchronization

/// Writing: the bytes are collected in a draft, and sent when a program closes the file.
extension ViewFileSystem {
  // MARK: Drafts

  /// Begins a draft of a file, unless it has one, and counts one more open of it, so that it stays
  /// until `closeDraft`.
  func beginDraft(_ number: UInt64, truncating: Bool) throws(SystemError) {
    guard isEditable else { throw SystemError(EROFS) }
    let node = try node(number)
    guard node.entry.kind == .file else { throw SystemError(EISDIR) }
    if !holdDraft(number) {
      let (file, descriptor) = try drafts.make(number: nextNumber(), name: node.entry.name.bytes)
      do throws(SystemError) {
        if !truncating { try copy(node.entry, to: descriptor) }
      } catch {
        drafts.remove(file, descriptor)
        throw error
      }
      let isFirst: Bool? = state.withLock { state in
        guard state.nodes[number] != nil else { return nil }
        guard state.drafts[number] == nil else {
          state.drafts[number]?.opens += 1
          return false
        }
        // The number stays until the draft ends.
        state.nodes.remember(number)
        state.drafts[number] = Draft(
          file: file, descriptor: descriptor, directory: node.directory,
          name: node.entry.name.bytes, record: node.entry.record, base: node.entry.content,
          executable: node.entry.executable,
          modified: truncating ? nil : node.entry.modified.nanoseconds, opens: 1)
        return true
      }
      if isFirst != true { drafts.remove(file, descriptor) }
      if isFirst == nil { throw SystemError(ESTALE) }
    }
    guard truncating else { return }
    do throws(SystemError) { try cut(number, to: 0) } catch {
      closeDraft(number)
      throw error
    }
  }

  /// Counts one more open of a file's draft, so that it stays until `closeDraft`.
  /// - Returns: false if the file has no draft.
  func holdDraft(_ number: UInt64) -> Bool {
    state.withLock { state in
      guard state.drafts[number] != nil else { return false }
      state.drafts[number]?.opens += 1
      return true
    }
  }

  /// Makes a handle for a counted open of a draft.
  func draftHandle(_ number: UInt64, writes: Bool) -> UInt64 {
    state.withLock { state in
      state.lastHandle += 1
      state.files[state.lastHandle] = .draft(number, writes: writes)
      return state.lastHandle
    }
  }

  /// Copies the bytes of a file into a draft.
  private func copy(_ entry: Control.ViewEntry, to target: CInt) throws(SystemError) {
    guard let content = entry.content, entry.size > 0 else { return }
    try cache.open(content, size: entry.size)
    defer { cache.close(content) }
    let source = try asking { () throws(ControlError) in
      try cache.descriptor(of: content, in: entry.zone, with: 0..<entry.size)
    }
    var (offset, left): (off_t, Int64) = (0, entry.size)
    while left > 0 {
      let count = sendfile(target, source, &offset, Int(min(left, 1 << 30)))
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemError(count == 0 ? EIO : errno) }
      left -= Int64(count)
    }
  }

  /// Returns the descriptor of a draft. A counted open keeps it.
  private func descriptor(_ number: UInt64) throws(SystemError) -> CInt {
    guard let descriptor = state.withLock({ $0.drafts[number]?.descriptor }) else {
      throw SystemError(EBADF)
    }
    return descriptor
  }

  /// Notes a change of the bytes of a draft, after it was made: `send` may have read earlier bytes.
  private func noteChange(_ number: UInt64, isWrite: Bool) {
    state.withLock { state in
      state.drafts[number]?.changes += 1
      state.drafts[number]?.modified = nil
      if isWrite { state.drafts[number]?.isWritten = true }
    }
  }

  /// Sets the size of a draft.
  private func cut(
    _ number: UInt64, to size: UInt64, isWrite: Bool = false
  ) throws(SystemError) {
    guard ftruncate(try descriptor(number), off_t(clamping: size)) == 0 else {
      throw SystemError(errno)
    }
    noteChange(number, isWrite: isWrite)
  }

  /// Sends the bytes of a draft to the zone, if the zone lacks any. One thread does so at a time.
  func send(_ number: UInt64) throws(SystemError) {
    _ = sending.wait(until: nil) { $0.insert(number).inserted ? true : nil }
    defer { sending.change { _ = $0.remove(number) } }
    let (found, entry, measure) = state.withLock { state in
      (state.drafts[number], state.nodes[number]?.entry, state.drafts[number]?.measure)
    }
    guard let draft = found, let measure, draft.isPending, let entry else { return }
    let reply = try asking { () throws(ControlError) in
      try source.put(
        Control.ViewPut(
          zone: entry.zone, directory: draft.directory, name: Control.Path(draft.name),
          file: "\(cache.name)/\(draft.file)", record: draft.record ?? entry.record,
          content: draft.base,
          executable: draft.executable,
          modified: Control.Time(nanoseconds: measure.modified)))
    }
    state.withLock { state in
      state.nodes.rebind(number, reply.entry, checked: Monotonic.now)
      state.drafts[number]?.sent = draft.changes
      state.drafts[number]?.record = reply.entry.record
      state.drafts[number]?.base = reply.entry.content
      // The draft may have changed while it was sent.
      if state.drafts[number]?.changes == draft.changes { state.drafts[number]?.isWritten = false }
      if state.drafts[number]?.name == draft.name {
        state.drafts[number]?.name = reply.entry.name.bytes
      }
    }
    guard reply.conflict else { return }
    report(
      ControlError(
        .serverRecordChanged,
        "Somebody else changed \(Control.Path(draft.name)) meanwhile. Your version is "
          + "\(reply.entry.name), beside it.", remedy: "`cairn conflicts` lists conflicts."))
  }

  // MARK: Files

  /// Makes and opens a file. It is in the zone once it is closed.
  func create(
    _ name: [UInt8], in parent: UInt64, mode: UInt32
  ) throws(SystemError) -> (entry: cairn_fuse_entry, handle: UInt64) {
    guard isEditable else { throw SystemError(EROFS) }
    let directory = try node(parent).entry
    let (file, descriptor) = try drafts.make(number: nextNumber(), name: name)
    let isExecutable = mode & 0o100 != 0
    let entry = Control.ViewEntry(
      name: Control.Path(name), zone: directory.zone, record: Self.newRecord(), kind: .file,
      size: 0, modified: .now(), executable: isExecutable)
    let (number, handle) = state.withLock { state in
      let number = state.nodes.remember(
        entry, in: directory.record, checked: Monotonic.now)
      // Once for the kernel, and once for the draft.
      state.nodes.remember(number)
      state.drafts[number] = Draft(
        file: file, descriptor: descriptor, directory: directory.record, name: name,
        executable: isExecutable, changes: 1, opens: 1)
      state.lastHandle += 1
      state.files[state.lastHandle] = .draft(number, writes: true)
      return (number, state.lastHandle)
    }
    return (described(entry, number), handle)
  }

  /// Writes bytes into an open file.
  func write(
    _ handle: UInt64, at offset: Int64, _ bytes: UnsafeRawBufferPointer
  ) throws(SystemError) {
    guard case .draft(let number, writes: true)? = state.withLock({ $0.files[handle] }) else {
      throw SystemError(EBADF)
    }
    let descriptor = try descriptor(number)
    var (rest, offset) = (bytes[...], off_t(offset))
    // Also bytes before a failure are a change.
    defer { if rest.count < bytes.count { noteChange(number, isWrite: true) } }
    while !rest.isEmpty {
      let part = UnsafeRawBufferPointer(rebasing: rest)
      let count = pwrite(descriptor, part.baseAddress, part.count, offset)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw SystemError(count == 0 ? EIO : errno) }
      (rest, offset) = (rest.dropFirst(count), offset + off_t(count))
    }
  }

  /// Sends the written bytes of an open file. A file that was only made or emptied waits until
  /// nobody has it open: a shell closes a descriptor of it before it writes.
  func flush(_ handle: UInt64) throws(SystemError) {
    guard case .draft(let number, writes: true)? = state.withLock({ $0.files[handle] }),
      state.withLock({ $0.drafts[number]?.isWritten }) == true
    else { return }
    try send(number)
  }

  /// Changes the size, the executable bit or the modification time.
  func change(
    _ number: UInt64, _ change: cairn_fuse_change
  ) throws(SystemError) -> cairn_fuse_entry {
    guard isEditable else { throw SystemError(EROFS) }
    if change.has_size != 0 { try beginDraft(number, truncating: change.size == 0) }
    defer { if change.has_size != 0 { closeDraft(number) } }
    if change.has_size != 0 { try cut(number, to: change.size, isWrite: true) }
    let isExecutable = change.has_mode != 0 ? change.mode & 0o100 != 0 : nil
    let modified = change.has_modified != 0 ? change.modified_ns : nil
    let isDraft = state.withLock { state in
      guard state.drafts[number] != nil else { return false }
      if let isExecutable { state.drafts[number]?.executable = isExecutable }
      if let modified { state.drafts[number]?.modified = modified }
      if isExecutable != nil || modified != nil { state.drafts[number]?.changes += 1 }
      return true
    }
    let entry = try node(number).entry
    if !isDraft, entry.kind != .symlink,
      modified != nil || entry.kind == .file && isExecutable ?? entry.executable != entry.executable
    {
      let changed = try asking { () throws(ControlError) in
        try source.change(
          Control.ViewChange(
            zone: entry.zone, act: .set, record: entry.record,
            executable: entry.kind == .file ? isExecutable : nil,
            modified: modified.map { Control.Time(nanoseconds: $0) }))
      }
      if let changed {
        state.withLock { $0.nodes.update(number, changed, checked: Monotonic.now) }
      }
    }
    return described(try node(number).entry, number)
  }

  // MARK: Names

  /// Makes a directory, or a symlink.
  func make(
    _ name: [UInt8], in parent: UInt64, target: [UInt8]?
  ) throws(SystemError) -> cairn_fuse_entry {
    guard isEditable else { throw SystemError(EROFS) }
    let directory = try node(parent).entry
    let made = try asking { () throws(ControlError) in
      try source.change(
        Control.ViewChange(
          zone: directory.zone, act: target == nil ? .makeDirectory : .makeLink,
          directory: directory.record, name: Control.Path(name),
          target: target.map { Control.Path($0) }))
    }
    guard let made else { throw SystemError(EIO) }
    return remember(made, in: directory.record)
  }

  /// Deletes a file, a symlink or an empty directory.
  func remove(_ name: [UInt8], in parent: UInt64, isDirectory: Bool) throws(SystemError) {
    guard isEditable else { throw SystemError(EROFS) }
    let directory = try node(parent).entry
    if let local = local(name, in: directory) {
      state.withLock { $0.drafts[local]?.isGone = true }
      return endDraft(local)
    }
    let entry = try found(name, in: directory)
    guard (entry.kind == .directory) == isDirectory else {
      throw SystemError(isDirectory ? ENOTDIR : EISDIR)
    }
    guard entry.zone == directory.zone else { throw SystemError(EBUSY) }
    _ = try asking { () throws(ControlError) in
      try source.change(
        Control.ViewChange(
          zone: entry.zone, act: .delete, record: entry.record, content: entry.content))
    }
    let number = state.withLock { state -> UInt64? in
      guard let number = state.nodes.number(of: entry) else { return nil }
      state.drafts[number]?.isGone = true
      return number
    }
    if let number { endDraft(number) }
  }

  /// Gives an entry another name, or another directory.
  func rename(
    _ name: [UInt8], in parent: UInt64, to newName: [UInt8], in newParent: UInt64, replaces: Bool
  ) throws(SystemError) {
    guard isEditable else { throw SystemError(EROFS) }
    let (from, to) = (try node(parent).entry, try node(newParent).entry)
    guard from.zone == to.zone else { throw SystemError(EXDEV) }
    if let local = local(name, in: from) { try send(local) }
    let entry = try found(name, in: from)
    guard entry.zone == from.zone else { throw SystemError(EXDEV) }
    // The bytes of the file are moved with it.
    if let number = state.withLock({ $0.nodes.number(of: entry) }) { try send(number) }
    let moved = try asking { () throws(ControlError) in
      try source.change(
        Control.ViewChange(
          zone: entry.zone, act: .move, record: entry.record, directory: to.record,
          name: Control.Path(newName), replaces: replaces))
    }
    guard let moved else { return }
    state.withLock { state in
      guard let number = state.nodes.number(of: entry) else { return }
      state.nodes.rebind(number, moved, in: to.record, checked: Monotonic.now)
      state.drafts[number]?.record = moved.record
      state.drafts[number]?.directory = to.record
      state.drafts[number]?.name = newName
    }
  }

  /// The number of a new file that isn't in the zone yet.
  func local(_ name: [UInt8], in directory: Control.ViewEntry) -> UInt64? {
    state.withLock { state in
      state.drafts.first { number, draft in
        draft.record == nil && !draft.isGone && draft.name == name
          && draft.directory == directory.record
          && state.nodes[number]?.entry.zone == directory.zone
      }?.key
    }
  }

  private func found(
    _ name: [UInt8], in directory: Control.ViewEntry
  ) throws(SystemError) -> Control.ViewEntry {
    try asking { () throws(ControlError) in
      try source.find(zone: directory.zone, record: directory.record, name: name)
    }
  }

  /// Draws the id of a new record, so that the inode number of a new file is final.
  private static func newRecord() -> String {
    (0..<2).map { _ in
      let digits = String(UInt64.random(in: 0...UInt64.max), radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  private func nextNumber() -> UInt64 {
    state.withLock { state in
      state.lastHandle += 1
      return state.lastHandle
    }
  }
}
