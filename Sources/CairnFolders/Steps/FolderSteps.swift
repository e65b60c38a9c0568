import CairnPlan
import CairnReplica
import CairnZone

/// Carries out a plan's steps in the folder, a portion at a time: staged, applied, durable, and
/// written. Their bytes were fetched before (`Downloads`). What was done stays in
/// `MountState.portion` until the index has it.
///
/// It uses these parts of the state: `clock`, `displaced`, `hint`, `isReadOnly`, `portion`,
/// `postpone`, `read`, `references`, `report`, `retries`, `root`, `scanQueue`, `scanner`, `solve`,
/// `staging`, `tell`, `transfers`, `write`, `zone`.
struct FolderSteps {
  let state: MountState

  init(_ state: MountState) { self.state = state }

  /// Carries out folder steps: everything is staged and made durable first, then swapped in.
  /// - Parameters:
  ///   - steps: The steps, in their order.
  ///   - zone: The records of the zone that the steps follow; see `TreeChange.write`.
  /// - Throws: Any error of the index, the container or the folder as a whole.
  /// - Returns: The records for which nothing is left to do.
  func carryOut(
    _ steps: [FolderStep], following zone: [RecordID: Node]
  ) throws -> Set<RecordID> {
    guard !steps.isEmpty, let root = state.root, let staging = try state.staging,
      let scanner = state.scanner
    else { return [] }
    let stager = Stager(
      incoming: staging.incoming, isReadOnly: state.isReadOnly)
    // What is tried again is no news before something comes of it.
    let isNews = steps.contains {
      state.retries[$0.id].wait == nil && state.retries[$0.id].stalls == 0
    }
    if isNews { state.report.happened(.receiving(records: steps.count)) }
    var applied = 0
    var settled: Set<RecordID> = []
    // What began has an end, whatever comes in between.
    defer {
      if !isNews, applied > 0 { state.report.happened(.receiving(records: applied)) }
      if isNews || applied > 0 { state.report.happened(.received(records: applied)) }
    }
    for next in split(steps) {
      let portion = try begin(StagedPortion(steps: next, following: zone), staging, stager)
      let done = try carryOut(portion, root, staging, stager, scanner)
      applied += done.outcomes.count { if case .done = $0.outcome { true } else { false } }
      settled.formUnion(done.settled)
    }
    // A directory that moved takes the mounts in it along; a new one may be to hold one.
    let isTree = steps.contains { if case .move = $0 { true } else { $0.makesDirectory } }
    if isTree, state.zone.scope == .private { state.references.areDue = true }
    return settled
  }

  /// As many steps are made durable together: each time costs the same, however few they are.
  private static let stepsPerPortion = 1_000

  private func split(_ steps: [FolderStep]) -> [[FolderStep]] {
    var made: [RecordID: FileNameBytes] = [:]
    for case .makeDirectory(let id, _) in steps {
      made[id] = state.transfers.newDirectories.completeName(of: id)
    }
    return StagedPortion.split(steps, limit: Self.stepsPerPortion) { step in
      guard case .install(let id, let node) = step, let name = made[node.place.parent],
        let staged = state.transfers.staged[id]?.name,
        staged == Staging.path(name, node.place.name.bytes)
      else { return nil }
      return node.place.parent
    }
  }

  /// Swaps in the staged files. After a failure the next sync cycle records the steps that were
  /// completed by then.
  private func carryOut(
    _ staged: StagedPortion, _ root: Descriptor, _ staging: Staging, _ stager: Stager,
    _ scanner: Scanner
  ) throws -> AppliedPortion {
    state.portion = .staged(staged)
    do {
      try stager.makeDurable(Array(staged.staged.values), in: staged.aside.values.map(\.name))
      let files = try IntentLogKeeper(state).noteMeant(staged.steps, staged.staged, staging)
      return try apply(staged, files, root, staging, scanner)
    } catch {
      if case .staged = state.portion { state.portion = .written }
      // All of it that isn't in the folder is staged again when it is tried again.
      for name in staged.staged.values { stager.discard(name) }
      throw error
    }
  }

  private func apply(
    _ staged: StagedPortion, _ files: [Int: StagedFile], _ root: Descriptor, _ staging: Staging,
    _ scanner: Scanner
  ) throws -> AppliedPortion {
    var done = AppliedPortion()
    done.fetched = staged.fetched
    var areNamesDurable = false
    do {
      done.settled = try state.write { tree in
        let rows = AppliedRows(tree, following: staged.zone)
        let applier = Applier(
          root: root, staging: staging, tree: rows, ignores: scanner.ignores,
          date: state.clock.date, isReadOnly: state.isReadOnly)
        applier.aside = staged.asideDirectories(files)
        defer {
          state.transfers.newDirectories.moved(applier.movedIn)
          (done.changes, done.touched) = (rows.changes, applier.touched)
          (done.hasRescued, done.hasDisplaced) = (applier.hasRescued, applier.hasDisplaced)
          done.displaced = applier.displaced
        }
        try applier.findWholeDirectories(staged.steps)
        for (position, step) in staged.steps.enumerated() where !staged.failed.contains(position) {
          done.outcomes.append((step, try applier.apply(step, staged: files[position])))
        }
        try applier.finish()
        areNamesDurable = true
        if scanner.journal.isEmpty { try tree.forgetMeant() }
        return rows.settled
      }
    } catch {
      state.portion = areNamesDurable ? .durable(done) : .applied(done)
      throw error
    }
    try take(done, staging)
    return done
  }

  /// Makes durable and writes down what an earlier turn did and couldn't.
  func finishPortion() throws {
    guard let root = state.root, let staging = try state.staging, let scanner = state.scanner else {
      return state.portion = .written
    }
    if case .applied(var done) = state.portion {
      defer { if case .applied = state.portion { state.portion = .applied(done) } }
      try done.finish(root)
      state.portion = .durable(done)
    }
    guard case .durable(let done) = state.portion else { return }
    try state.write { tree in
      for change in done.changes { try change.write(to: tree) }
      if scanner.journal.isEmpty { try tree.forgetMeant() }
    }
    try take(done, staging)
  }

  /// The index has all of it: notes what came of the steps.
  private func take(_ done: AppliedPortion, _ staging: Staging) throws {
    state.portion = .written
    if done.hasDisplaced { state.displaced.load(staging, state.clock.now, done.displaced) }
    do {
      if done.hasRescued { try RescueShelf(state).lookAtRescued() }
      try takeOutcomes(of: done)
      for id in done.settled { state.retries.settle(id) }
      if !done.settled.isEmpty {
        state.report.board.change { $0.receiving.names.advance(Int64(done.settled.count)) }
      }
      try PartialFiles(state).forget(
        done.fetched.keys.filter { state.transfers.staged[$0] == nil })
    } catch {
      // Where something was different, nobody will say again.
      state.scanQueue.lookEverywhere()
      throw error
    }
  }

  private func takeOutcomes(of done: AppliedPortion) throws {
    for (step, outcome) in done.outcomes {
      switch outcome {
      case .done:
        state.retries.release(step.id)
        state.solve(step.id)
        if case .move = step, let path = try state.read({ try $0.path(of: step.id) }) {
          state.scanQueue.look(below: joined(path))
        }
        if step.setsFileAttributes { try hintOtherNames(of: step.id) }
      case .busy:
        if let file = done.fetched[step.id] { Downloads(state).giveBack(step.id, file) }
        let subject = step.removesDirectory ? "a file in it" : "the file"
        state.postpone(step.id, .busy, "somebody has \(subject) open for writing")
      case .changed(let paths):
        state.retries[step.id].isLeftOut = true
        guard try !countChange(step.id, paths) else { continue }
        state.hint(changed: paths.map { joined($0) })
        // No scan includes that folder.
        if paths.contains(where: { $0.starts(with: Staging.parkedPath) }) {
          state.scanQueue.needsParked = true
        }
      case .failed(let error):
        // A rename that is a link and a removal may have been done in part.
        if step.movesNames { state.scanQueue.needsParked = true }
        fail(step, error)
      }
    }
  }

  /// Takes the fetched files for the steps, and stages what has no bytes. A step whose file isn't
  /// here is left out: its record waits, or its trouble was reported.
  private func begin(
    _ steps: StagedPortion, _ staging: Staging, _ stager: Stager
  ) throws -> StagedPortion {
    var portion = steps
    for (position, step) in steps.steps.enumerated() {
      guard let (id, node) = step.staged else { continue }
      do {
        if case .file = node.kind {
          let file = try Downloads(state).take(id, for: node, stager, staging)
          (portion.staged[position], portion.fetched[id]) = (file?.name, file)
        } else {
          portion.staged[position] = try stageLink(id, node, staging, stager)
        }
        if portion.staged[position] == nil { portion.failed.insert(position) }
      } catch let error as FolderError {
        portion.failed.insert(position)
        fail(step, error)
      }
    }
    AsideDirectories.prepare(&portion, staging, in: state)
    return portion
  }

  private func stageLink(
    _ id: RecordID, _ node: Node, _ staging: Staging, _ stager: Stager
  ) throws -> FileNameBytes {
    let name = staging.freshName(for: id)
    try stager.stage(id, node, as: name) { _ in }
    return name
  }

  /// A file that has two names got its attributes under both, and the system tells of one.
  private func hintOtherNames(of id: RecordID) throws {
    let paths = try state.read { tree -> [[FileNameBytes]] in
      guard let local = try tree.node(id)?.local else { return [] }
      return try tree.nodes(inode: local.inode).compactMap { other in
        guard other.id != id, other.local?.birth == local.birth else { return nil }
        return try tree.path(of: other.id)
      }
    }
    if !paths.isEmpty { state.hint(changed: paths.map { joined($0) }) }
  }

  /// A step that finds the disk different again and again waits longer and longer.
  /// - Returns: whether something stands in its way that no other look finds different.
  private func countChange(_ id: RecordID, _ paths: [[FileNameBytes]]) throws -> Bool {
    guard state.retries.countStall(id) > 3, try !bringBackParked(id, paths) else { return false }
    guard let obstacle = try Obstacle.find(at: paths, in: state) else {
      state.postpone(id, .blocked, "the folder changes faster than it can be followed")
      return false
    }
    state.tell(obstacle.problem, of: id)
    state.postpone(id, .obstructed, obstacle.reason)
    return true
  }

  /// Puts the parked directory that a node is in, or is, back into the folder: something is in it
  /// that nobody told us of, and no look at the folder finds it there.
  private func bringBackParked(_ id: RecordID, _ paths: [[FileNameBytes]]) throws -> Bool {
    let depth = Staging.parkedPath.count
    guard let path = try state.read({ try $0.path(of: id) }), path.count > depth,
      path.starts(with: Staging.parkedPath), let top = Staging.parkedRecord(of: path[depth]),
      try state.read({ try $0.node(top)?.local?.node.isDirectory }) == true,
      let place = try IdentitySteps(state).renameAside(top)
    else { return false }
    state.retries[id].stalls = 0
    let inside = paths.filter { $0.starts(with: path.prefix(depth + 1)) }
    state.hint(changed: inside.map { joined(place + $0.dropFirst(depth + 1)) })
    return true
  }

  private func fail(_ step: FolderStep, _ error: FolderError) {
    StepTrouble(state).fail(step.id, step.place, error)
  }
}

extension FolderStep {
  /// A Boolean value that indicates whether the step creates a directory.
  var makesDirectory: Bool {
    if case .makeDirectory = self { true } else { false }
  }

  /// A Boolean value that indicates whether the step removes a directory.
  var removesDirectory: Bool {
    if case .remove(_, let expected) = self { expected.isDirectory } else { false }
  }

  /// A Boolean value that indicates whether the step changes a name.
  var movesNames: Bool {
    switch self {
    case .move, .park: true
    default: false
    }
  }

  /// A Boolean value that indicates whether the step changes the attributes of a file or symbolic
  /// link, and not its bytes.
  var setsFileAttributes: Bool {
    switch self {
    case .setAttributes(_, let expected, _): !expected.isDirectory
    case .replace(_, let expected, let node): expected.kind == node.kind
    default: false
    }
  }
}
