import CairnCloud
import CairnPlan
import CairnZone

extension MountEngine {
  /// Carries out folder steps: everything is staged and made durable first, then swapped in.
  func carryOut(_ steps: [FolderStep]) throws {
    guard !steps.isEmpty, let root, let staging, let scanner else { return }
    let stager = Stager(staging: staging, isReadOnly: try readOnly(of: steps))
    report.happened(.receiving(records: steps.count))
    var start = 0
    while start < steps.count {
      let end = min(start + 500, steps.count)
      try carryOut(Array(steps[start..<end]), root, staging, stager, scanner.ignores)
      start = end
    }
    report.happened(.received(records: steps.count))
    // A directory that moved takes the mounts in it along; a new one may be to hold one.
    let isTree = steps.contains { if case .move = $0 { true } else { $0.makesDirectory } }
    if isTree, zone.scope == .private { needsReferences = true }
  }

  private func carryOut(
    _ steps: [FolderStep], _ root: Descriptor, _ staging: Staging, _ stager: Stager,
    _ ignores: IgnoreTree
  ) throws {
    let (staged, failed) = try stage(steps, staging, stager)
    var outcomes: [(FolderStep, Applier.Outcome)] = []
    let (hasKept, hasRescued): (Bool, Bool)
    do {
      try stager.makeDurable(Array(staged.values))
      try noteArrivals(steps, staged, staging)
      (hasKept, hasRescued) = try index.write(mount) { tree in
        let applier = Applier(
          root: root, staging: staging, tree: MountTreeAccess(tree: tree), ignores: ignores,
          date: clock.date)
        outcomes = try steps.enumerated().filter { !failed.contains($0.offset) }
          .map { ($0.element, try applier.apply($0.element, staged: staged[$0.offset])) }
        try applier.finish()
        return (applier.hasKept, applier.hasRescued)
      }
    } catch {
      kept.load(staging, clock.now)
      mayHaveArrived = true
      arrived = []
      for case (let step, .done) in outcomes { arrived.insert(step.id) }
      // All of it is staged again when it is tried again.
      for name in staged.values { _ = root.disk.remove(name, in: staging.incoming.number) }
      throw error
    }
    if hasKept { kept.load(staging, clock.now) }
    if hasRescued { try lookAtRescued() }
    for (step, outcome) in outcomes {
      switch outcome {
      case .done:
        deferrals[step.id] = nil
        if let path = failedSteps.removeValue(forKey: step.id) { report.clearProblem(at: path) }
        if case .move = step, let path = try index.read(mount, { try $0.path(of: step.id) }) {
          ownMoves.insert(joined(path))
        }
      case .busy: postpone(step.id, .busy, "somebody has the file open for writing")
      case .changed(let paths):
        hint(changed: paths.map { joined($0) })
        skipped.insert(step.id)
        countChange(step.id)
      case .failed(let error):
        (mayHaveArrived, mayHaveFailedLate) = (true, true)
        fail(step, error)
      }
    }
  }

  /// Writes the files that the steps put into the folder, as far as there is room: their names by
  /// the steps' numbers, and the steps that can't be carried out now.
  private func stage(
    _ steps: [FolderStep], _ staging: Staging, _ stager: Stager
  ) throws -> (staged: [Int: FileNameBytes], failed: Set<Int>) {
    var staged: [Int: FileNameBytes] = [:]
    var failed: Set<Int> = []
    func stage(_ position: Int, from source: Stager.Source) throws {
      guard let (id, node) = Self.toStage(steps[position]) else { return }
      do {
        staged[position] = try stager.stage(id, node, from: source)
      } catch let error as FolderError {
        failed.insert(position)
        fail(steps[position], error)
      } catch let error as ContentError {
        failed.insert(position)
        fail(steps[position], error)
      }
    }
    var room = try freeRoom(staging)
    var files: [(position: Int, content: Content)] = []
    let contents = try contents(of: steps)
    for (position, step) in steps.enumerated() {
      guard let (id, node) = Self.toStage(step) else { continue }
      guard case .file(let wanted) = node.kind else {
        try stage(position) { _ in }
        continue
      }
      guard let content = contents[id], content.id == wanted else {
        failed.insert(position)
        fail(step, FolderError(.notFound, [], "the zone moved on"))
        continue
      }
      guard room.takes(content.size) else {
        failed.insert(position)
        waitForRoom(step.id, room)
        continue
      }
      files.append((position, content))
    }
    guard !files.isEmpty else { return (staged, failed) }
    do {
      try zone.readContents(files.map(\.content)) { number, read in
        let (position, content) = files[number]
        try stage(position, from: read)
        if staged[position] != nil { report.progress.bytesWritten += content.size }
      }
    } catch {
      // All of it is staged again when it is tried again.
      for name in staged.values { stager.discard(name) }
      throw error
    }
    return (staged, failed)
  }

  /// What the zone has for the files that the steps put into the folder.
  private func contents(of steps: [FolderStep]) throws -> [RecordID: Content] {
    let files = steps.compactMap { step -> RecordID? in
      guard let (id, node) = Self.toStage(step), case .file = node.kind else { return nil }
      return id
    }
    guard !files.isEmpty else { return [:] }
    var contents: [RecordID: Content] = [:]
    try zone.read { view in
      for id in files { contents[id] = try view.record(id)?.content }
    }
    return contents
  }

  /// A step that finds the disk different again and again waits longer and longer.
  private func countChange(_ id: RecordID) {
    stalls[id, default: 0] += 1
    if stalls[id, default: 0] > 3 {
      postpone(id, .blocked, "the folder changes faster than it can be followed")
    }
  }

  private static func toStage(_ step: FolderStep) -> (RecordID, Node)? {
    switch step {
    case .install(let id, let node): (id, node)
    case .replace(let id, let expected, let node) where expected.kind != node.kind: (id, node)
    default: nil
    }
  }

  private func fail(_ step: FolderStep, _ error: FolderError) {
    let code = error.code == .full ? "quotaExceeded" : "permissionFailure"
    let remedy =
      error.code == .full
      ? "make room on the disk; it is tried again by itself"
      : "see what the reason says; it is tried again by itself"
    let path = pathText(of: step)
    report.add([Problem(path: path, code: code, message: error.reason, remedy: remedy)])
    failedSteps[step.id] = path
    postpone(step.id, .failed, error.reason)
  }

  private func fail(_ step: FolderStep, _ error: ContentError) {
    let path = pathText(of: step)
    failedSteps[step.id] = path
    report.add([
      Problem(
        path: path, code: "assetNotAvailable", message: "\(error)",
        remedy: "run `cairn verify`; the local version stays until the content is there")
    ])
    postpone(step.id, .failed, "\(error)")
  }

  private func pathText(of step: FolderStep) -> [UInt8] {
    let place: Place
    switch step {
    case .makeDirectory(_, let to), .move(_, _, let to): place = to
    case .install(_, let node), .replace(_, _, let node): place = node.place
    case .setAttributes(_, let node, _), .remove(_, let node): place = node.place
    case .park(_, let from): place = from
    }
    do {
      let path = try index.read(mount) {
        try $0.path(of: place.parent)
      }
      return joined((path ?? []) + [place.name.bytes])
    } catch {
      return place.name.bytes
    }
  }
}

extension FolderStep {
  /// Whether the step makes a directory.
  var makesDirectory: Bool {
    if case .makeDirectory = self { true } else { false }
  }
}
