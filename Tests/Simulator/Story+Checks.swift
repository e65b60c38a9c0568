import CairnFolders
import CairnReplica
import CairnStore
import CairnZone

/// The rules that must hold at rest.
extension Story {
  func check() throws {
    if script.hasTexts { faults["texts merged"] = devices.reduce(0) { $0 + $1.merged } }
    try checkConvergence()
    try checkModes()
    try checkMetadata()
    try checkReports()
    try checkNothingLost()
    try checkNothingBelieved()
    try checkNothingBack()
    try checkCopies()
    try checkLog()
    try checkNothingNeededGone()
    try checkPromises()
    try checkOwnFolders()
    if script.seed % 4 == 0, !devices.contains(where: { $0.disk.hasHardLinks }) {
      try checkIndexIsCache()
    }
  }

  /// Checks that a change of a file, by any of its names, is known without a full scan.
  func checkHintsSuffice() throws {
    let isHeard = script.steps.allSatisfy { step in
      switch step {
      case .operation(_, .beginWriting): false
      case .operation, .deed, .wait: true
      case .work(_, _, let hints): hints != .lost && hints != .overflow
      default: false
      }
    }
    guard isHeard, script.faults.isEmpty,
      !devices.contains(where: { $0.disk.unseen.hidesChange })
    else { return }
    for number in devices.indices { try work(number, 40, .delivered) }
    try rest(rounds: 400)
    if let found { throw found }
    try checkConvergence()
  }

  private func fail(_ rule: String, _ message: String) -> Violation {
    Violation(rule: rule, message: message)
  }

  func tree(_ device: Device) -> Tree { Tree(below: device.disk.folder) }

  /// Checks that the modes of a share's files show the person's permission.
  private func checkModes() throws {
    for device in devices {
      guard let zone = device.zone, zone.scope == .shared else { continue }
      var stack: [(Inode, [Inode.Name])] = [(device.disk.folder, [])]
      while let (directory, path) = stack.popLast() {
        for (name, inode) in directory.entries where name != SimulatedDisk.ownFolder {
          if inode.kind == .directory { stack.append((inode, path + [name])) }
          guard inode.kind == .file, !name.starts(with: Tree.temporary),
            (inode.mode & 0o222 != 0) != zone.mayWrite
          else { continue }
          let mode = String(inode.mode, radix: 8)
          let full = text(Array((path + [name]).joined(separator: [UInt8(ascii: "/")])))
          throw fail("modes", "\(full) is \(mode) at \(device.number)")
        }
      }
    }
  }

  /// Checks that remote, local and synced are equal on each device, and that all devices show the
  /// same.
  private func checkConvergence() throws {
    let first = tree(devices[0])
    for device in devices {
      if let difference = tree(device).difference(from: first) {
        throw fail("convergence", "on the machine of \(device.number) \(difference)")
      }
      guard let engine = device.engine, let zone = device.zone else {
        throw fail("convergence", "the daemon of \(device.number) doesn't run")
      }
      guard try engine.pendingCount() == 0 else {
        throw fail("convergence", "something waits at \(device.number)")
      }
      var entries: [FolderReader.Entry] = []
      try FolderReader(index: device.folders, zone: zone)
        .forEachPortion(at: [], recursive: true) { entries += $0 }
      if let odd = entries.first(where: { !$0.isSynced || !$0.isLocal }) {
        throw fail("convergence", "\(text(odd.path)) isn't synced at \(device.number)")
      }
      if entries.count != first.entries.count {
        throw fail(
          "convergence",
          "the zone has \(entries.count) entries, the folder \(first.entries.count)")
      }
    }
  }

  /// Checks that nobody is told about problems that are solved for everybody.
  private func checkReports() throws {
    for device in devices {
      guard let problem = device.engine?.report.problems.values.first else { continue }
      throw fail(
        "reports", "\(device.number) is told of \(text(problem.path)): \(problem.message)")
    }
  }

  /// Checks that each version is in the tree, unless somebody who had seen it overwrote or deleted
  /// it, or that a viewer was told where it is.
  private func checkNothingLost() throws {
    var found: Set<[UInt8]> = []
    for device in devices {
      let shown = Tree(below: device.disk.folder, withIgnored: true)
      found.formUnion(shown.entries.values.map(\.bytes))
      if let rescue = device.disk.top.entries[Array(SimulatedDisk.rescuePath.dropFirst())] {
        found.formUnion(Tree(below: rescue, leavingOut: nil).entries.values.map(\.bytes))
      }
      let own = device.disk.folder.entries[SimulatedDisk.ownFolder]
      guard let rescue = own?.entries[Array("rescue".utf8)] else { continue }
      found.formUnion(
        Tree(below: rescue, leavingOut: nil, withIgnored: true).entries.values.map(\.bytes))
    }
    let lines = found.reduce(into: Set()) { $0.formUnion(Versions.lines(of: $1)) }
    let lostLines = versions.keptLines.subtracting(lines)
    if let line = lostLines.min(by: { $0.lexicographicallyPrecedes($1) }) {
      throw fail("nothing is lost", "the line “\(text(Array(line.dropLast())))” is in no text")
    }
    let lost = versions.all.filter { !$0.value.isExcused && !found.contains($0.key.bytes) }
    guard let first = lost.min(by: { $0.value.step < $1.value.step }) else { return }
    throw fail(
      "nothing is lost",
      "\(text(Array(first.key.bytes.suffix(40)))), written by \(first.value.author) at step "
        + "\(first.value.step), is nowhere (\(lost.count) in all)")
  }

  /// A Boolean value that indicates whether there is no good reason for deleted contents to return.
  private var deletionsCount: Bool {
    guard !devices.contains(where: { $0.disk.hasHardLinks }), !hasHastySelection else {
      return false
    }
    return !script.steps.contains { step in
      switch step {
      case .deleteIndex, .cutIndex, .setPermission, .remove, .goMad, .rollBack, .replaceDisk,
        .restoreFolder, .interruptDisk(_, _, .powerCut), .deed(_, .link),
        .operation(_, .link), .interruptDisk(_, _, .writer(.link)):
        true
      default: false
      }
    }
      && !script.faults.values.joined().contains {
        switch $0.effect {
        case .powerCut, .deed(.link): true
        default: false
        }
      }
  }

  /// Checks that content that one person overwrote or deleted, and nobody else touched, does not
  /// return.
  private func checkNothingBack() throws {
    guard deletionsCount else { return }
    for (path, entry) in tree(devices[0]).entries where entry.kind == .file {
      guard let version = versions.version(entry.bytes), version.isExcused,
        versions.touched(lastAs: entry.bytes).count == 1
      else { continue }
      let what = version.isDeleted ? "deleted" : "overwrote"
      throw fail(
        "no resurrection",
        "\(text(path)) has the version of step \(version.step), which only "
          + "\(version.touched.first ?? -1) \(what)")
    }
  }

  /// Checks that no version exists twice, and that a single writer has no conflicts.
  private func checkCopies() throws {
    let tree = tree(devices[0])
    let writers = Set(
      script.steps.compactMap { step -> Int? in
        switch step {
        case .operation(let person, _), .deed(let person, _),
          .interruptDisk(let person, _, .writer):
          person
        default: nil
        }
      }
        + script.faults.values.joined().compactMap {
          if case .deed = $0.effect { $0.person } else { nil }
        })
    // An entry in the place of one that isn't selected gets a conflict name.
    if writers.count < 2, !script.hasLoss, !script.hasSelection, tree.conflictCopies > 0 {
      throw fail("one-sided exactness", "\(tree.conflictCopies) conflict copies, and one writer")
    }
    guard deletionsCount else { return }
    var seen: [[UInt8]: [UInt8]] = [:]
    for (path, entry) in tree.entries where entry.kind == .file && !entry.bytes.isEmpty {
      if let other = seen.updateValue(path, forKey: entry.bytes),
        !versions.mayStandTwice(entry.bytes)
      {
        throw fail("no phantom conflict", "\(text(path)) and \(text(other)) are the same version")
      }
    }
  }

  /// Checks that the log has no skipped entry, and that nothing in the container is damaged.
  private func checkLog() throws {
    guard let zone = devices[0].zone else { return }
    var sequence: UInt64 = 0
    // Entries below a log start are gone, and with them the first owner's decisions.
    var owners: SuccessionWatch? = SuccessionWatch()
    while true {
      let before = sequence
      let commits = try zone.log(after: before, limit: 500)
      for commit in commits {
        if let refusal = commit.refusal {
          throw fail("log safety", "entry \(commit.sequence) has no effect: \(refusal)")
        }
        sequence += 1
        if commit.sequence != sequence { owners = nil }
        guard let author = commit.author?.user,
          let broken = owners?.read(commit.share, by: author)
        else { continue }
        throw fail("owners", "entry \(commit.sequence): \(broken)")
      }
      guard let last = commits.last?.sequence, last > before else { break }
      sequence = last
    }
    // Older versions return only with a copy of the container.
    guard script.seed % 8 == 0, !script.hasRollback else { return }
    if let damage = try zone.verify().first { throw fail("log safety", "\(damage)") }
  }

  /// Checks that nothing is left unfinished in Cairn's own folders.
  private func checkOwnFolders() throws {
    for device in devices {
      let own = device.disk.folder.entries[SimulatedDisk.ownFolder]
      for name in ["parked", "displaced"] {
        guard let left = own?.entries[Array(name.utf8)]?.entries.keys.first else { continue }
        throw fail("nothing is lost", "\(name)/\(text(left)) is left at \(device.number)")
      }
    }
  }

  /// Checks that deleted indexes are rebuilt: nothing is sent, changed or copied.
  private func checkIndexIsCache() throws {
    let head = devices[0].zone?.header.sequence
    let objects = try store.list("", after: nil, limit: .max).count
    let before = tree(devices[0])
    trace.note("all indexes are deleted")
    for (index, device) in devices.enumerated() {
      let losses = Step.IndexLoss.allCases
      try device.deleteIndexes(losses[(Int(script.seed / 4 % 3) + index) % 3])
    }
    try rest(rounds: 100)
    if let found { throw found }
    for device in devices {
      if let difference = tree(device).difference(from: before) {
        throw fail("the index is a cache", "without it, at \(device.number) \(difference)")
      }
    }
    guard devices[0].zone?.header.sequence == head else {
      throw fail("the index is a cache", "without it, commits are made")
    }
    let after = try store.list("", after: nil, limit: .max).count
    guard after == objects else {
      throw fail("the index is a cache", "without it, \(after - objects) objects are stored")
    }
  }
}

extension Script {
  /// A Boolean value that indicates whether a device lost something that it cannot know afterwards.
  var hasLoss: Bool {
    steps.contains { step in
      switch step {
      case .deleteIndex, .cutIndex, .rollBack, .replaceDisk, .restoreFolder,
        .interruptDisk(_, _, .powerCut):
        true
      default: false
      }
    } || faults.values.joined().contains { if case .powerCut = $0.effect { true } else { false } }
  }
}
