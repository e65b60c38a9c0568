import CairnFolders

/// The disk after a machine stops: names return to a state since they were last durable, and bytes
/// that were not durable are the old ones, missing, or zeros.
extension SimulatedDisk {
  /// Draws the losses.
  /// - Returns: the losses by names.
  func cutPower(_ dice: inout Dice) -> PowerCut {
    var cut = PowerCut()
    let kept = journal.isEmpty ? 0 : dice.number(below: journal.count + 1)
    if kept < journal.count { cut.undoneSince = namedChanges()[kept] }
    undo(to: kept)
    for (inode, file, count) in undurable() {
      guard let bytes = draw(&dice) else { continue }
      damage(inode, bytes)
      cut.files.append(PowerCut.Damage(file: file, count: count, bytes: bytes))
    }
    startAgain()
    return cut
  }

  /// Recent writes are read again after a cut. If the index was lost, nobody knows which these are.
  private func draw(_ dice: inout Dice) -> PowerCut.Bytes? {
    switch dice.number(below: 4) {
    case 0: .old
    case 1: .empty
    case 2: wasForgotten || dice.once(in: 2) ? .newZeros : .zeros
    default: nil
    }
  }

  /// Applies the losses of a script.
  /// - Returns: the impossible part; nil if there is none.
  func cutPower(_ cut: PowerCut) -> String? {
    var wrong: String?
    if let change = cut.undoneSince {
      let changes = namedChanges()
      if let kept = changes.firstIndex(of: change) {
        undo(to: kept)
      } else {
        let all = changes.map { $0.change }.joined(separator: "; ")
        wrong = "not undone by a cut then: \(change.change); only: \(all)"
      }
    }
    var left = cut.files
    let files = undurable()
    for (inode, file, count) in files {
      guard let index = left.firstIndex(where: { $0.file == file && $0.count == count }) else {
        continue
      }
      damage(inode, left.remove(at: index).bytes)
    }
    if let one = left.first {
      let all = files.map { $0.file }.joined(separator: ", ")
      wrong = "\(one.file) has nothing that a cut takes; only these have: \(all)"
    }
    startAgain()
    return wrong
  }

  /// The changes of names that are not durable, by their kind.
  private func namedChanges() -> [PowerCut.NameChange] {
    var counts: [String: Int] = [:]
    return journal.map { changes in
      func path(_ change: NameChange) -> String {
        Call.path(change.name, in: change.directory, on: self)
      }
      let what =
        switch changes.count {
        case 0: "nothing"
        case 1: (changes[0].before == nil ? "making " : "removing ") + path(changes[0])
        default: "renaming " + changes.map(path).joined(separator: " to ")
        }
      counts[what, default: 0] += 1
      return PowerCut.NameChange(change: what, count: counts[what] ?? 1)
    }
  }

  private func undo(to kept: Int) {
    while journal.count > kept {
      let operation = journal.removeLast()
      for change in operation.reversed() {
        assign(change.name, in: change.directory, to: change.before)
      }
    }
    released = []
  }

  /// The files with bytes that are not durable, by path, with their ordinal among equal paths.
  private func undurable() -> [(inode: Inode, file: String, count: Int)] {
    var found: [(Inode, String, Int)] = []
    var counts: [String: Int] = [:]
    var stack = [top]
    while let inode = stack.popLast() {
      for name in inode.entries.keys.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
        if let inner = inode.entries[name] { stack.append(inner) }
      }
      guard inode.kind == .file, !inode.isDurable else { continue }
      let file = Call.path(of: inode, on: self)
      counts[file, default: 0] += 1
      found.append((inode, file, counts[file] ?? 1))
    }
    return found
  }

  private func damage(_ inode: Inode, _ bytes: PowerCut.Bytes) {
    switch bytes {
    case .old:
      inode.bytes = inode.durable ?? []
      inode.modified = inode.durableTime
    case .empty: inode.bytes = []
    case .zeros, .newZeros:
      inode.bytes = [UInt8](repeating: 0, count: inode.bytes.count)
      if bytes == .newZeros { inode.modified = time }
    }
  }

  private func startAgain() {
    syncAll()
    hasPowerCut = false
    boots += 1
    noteHardLinks()
  }
}
