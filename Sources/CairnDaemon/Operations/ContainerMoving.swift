import CairnContainer
import CairnControl
import CairnReplica
import CairnStore
import CairnThreads
import CairnZone
import Logging
import Synchronization

/// The operation that moves a person, and this home, to another place of the container.
struct ContainerMoving: Operations {
  let one: OpenContainer
  let mounts: Mounts
  let persons: Persons
  let log: Logger
  /// Completed so that the daemon opens the home again, with the configuration at that time.
  let ending: Waiter<Ending>

  func add(to routes: inout ControlRoutes) {
    routes.answer(Control.ContainerMove.self) { try move($0, $1) }
  }

  /// Moves the person. The move can be cancelled, and continued later, until the logs end here.
  /// After that it is completed.
  private func move(
    _ request: Control.ContainerMove, _ stream: ResponseStream
  ) throws -> Control.ContainerMoveReply {
    let places = ContainerPlaces(one: one, mounts: mounts)
    let bucket = request.bucket ?? one.configuration.bucket
    let location = try places.target(request.target, bucket)
    do {
      guard !request.dryRun else { return try explain(location) }
      let traits = try prepare(location, request.target)
      let isGone = Atomic(false)
      stream.onDisconnect { isGone.store(true, ordering: .relaxed) }
      let report = try one.container.moving.move(
        to: try places.open(location), at: location.text,
        isCancelled: { isGone.load(ordering: .relaxed) }
      ) { done, total in
        stream.progress(
          Control.Progress(done: done, total: total, unit: "bytes", what: "moving the container"))
      }
      guard !report.before.isCut else {
        throw ControlError(
          .operationCancelled, "The move to \(location) was given up before anything ended here.",
          remedy: "Run it again to continue.")
      }
      let reply = reply(report, location)
      if report.isDone {
        try Configuration.relocate(one.home, to: location, bucket, traits)
        log.info("the container goes on at \(location)")
        // If the daemon ended at once, the answer would be cut off.
        let isWaiting = PosixThread.run("cairn-reopen") { [ending] in
          stream.waitForEnd()
          ending.complete(.reopened)
        }
        if !isWaiting { ending.complete(.reopened) }
      }
      return reply
    } catch let error as StoreError { throw ContainerPlaces.failure(error) }
  }

  private func explain(_ location: StoreLocation) throws -> Control.ContainerMoveReply {
    // A bucket isn't created by a move, so it must answer already.
    if location.folder == nil { try location.make() }
    let store: any ObjectStore = location.isThere ? location.open(isReadOnly: true) : MemoryStore()
    let outlook = try one.container.moving.outlook(to: store)
    return reply(outlook, location, dryRun: true)
  }

  private func prepare(
    _ location: StoreLocation, _ path: Control.Path
  ) throws -> StoreTraits {
    try location.make()
    let traits = try location.probe()
    guard traits.allowsManyWriters else {
      throw ControlError(
        .serverRejectedRequest,
        "\(location) (\(traits.fileSystem)) has no way to put an object only if it isn't there, so "
          + "several people can't write to it safely.",
        remedy: "Name another place; cairn-init(1) says which do.", path: path)
    }
    return traits
  }

  // MARK: The answer

  private func reply(
    _ outlook: MoveOutlook, _ location: StoreLocation, dryRun: Bool
  ) -> Control.ContainerMoveReply {
    Control.ContainerMoveReply(
      target: Control.Path(location.text), container: one.container.id.description,
      dryRun: dryRun, isNew: outlook.isNew, isDone: false, own: outlook.own.map { told($0) },
      there: outlook.there.map { told($0) }, staying: outlook.staying.map { told($0) },
      copied: Control.ObjectCount(objects: 0, bytes: 0))
  }

  private func reply(
    _ report: MoveReport, _ location: StoreLocation
  ) -> Control.ContainerMoveReply {
    var reply = reply(report.outlook, location, dryRun: false)
    let last = report.after ?? report.before
    reply.isDone = report.isDone
    let copied = [report.before, report.after].compactMap { $0?.copied }
    reply.copied = Control.ObjectCount(
      objects: copied.map(\.objects).reduce(0, +), bytes: copied.map(\.bytes).reduce(0, +))
    reply.problemCount = last.problemCount
    reply.problems = last.problems.map { Control.CopyProblem($0) }
    return reply
  }

  private func told(_ zone: Zone) -> Control.MovingZone {
    let owner = zone.author ?? zone.header.owner
    return Control.MovingZone(
      zone: zone.id.description, title: one.title(of: zone),
      owner: owner.map { persons.told($0) })
  }
}

extension Control.CopyProblem {
  /// Creates the problem for answers.
  init(_ problem: CopyReport.Mismatch) {
    self.init(
      object: problem.key.description, differs: problem.kind == .differs,
      message: Failures.sentence(problem.cause))
  }
}
