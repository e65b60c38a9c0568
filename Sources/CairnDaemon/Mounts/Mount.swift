import CairnContainer
import CairnControl
import CairnFolders
import CairnIdentity
import CairnReplica
import CairnThreads
import CairnZone
import Logging
import Synchronization

/// A mounted folder: the channel to its actor, and its state. It has no access to formats, keys, or
/// the work of the actor.
final class Mount: Sendable {
  /// A message to the mount's actor.
  enum Message: Sendable {
    case changed(FolderHint)
    case tree(FolderHint)
    case everything
    /// Directories can't be watched: they are scanned at intervals.
    case watching
    case zone
    /// The store notified of the zone's log.
    case log
    /// A transfer has a result for the next sync cycle.
    case transferred
    /// Paused traffic was resumed.
    case resumed
    /// A request to answer when nothing waits in either direction.
    case settle(Waiter<Void>)
    /// A request to the engine between two sync cycles; nil if there is none any more.
    case ask(@Sendable (MountEngine?) -> Void)
    /// A hint that the daemon answered a request, which took memory; there is no work.
    case answered
    /// A request to end; `forget` says whether the folder stops being a mirror.
    case stop(forget: Bool, Waiter<Void>)
  }

  /// The callbacks of the mount's actor.
  struct Owner: Sendable {
    /// This person.
    let me: UserID
    /// Returns the name of a person in events.
    let nameOf: @Sendable (UserID) -> String
    /// Returns a person for answers, and their device if it is known.
    let told: @Sendable (Author) -> (person: Control.Person, device: String?)
    /// Called when the mount has ended; repeated with pauses until it is removed.
    let onEnd: @Sendable (Mount, Departure) -> Void
    /// Called when the folder is back after it had been away.
    let onReturn: @Sendable (Mount) -> Void
  }

  let zone: Zone
  /// The container of the zone.
  let container: ContainerID
  /// The part of a zone, and the path.
  let entry: MountEntry
  /// The messages to the mount's actor; closed when it accepts no more.
  let mailbox = Mailbox<Message>(limit: 50_000, overflow: .everything)
  let snapshot = Mutex(MountSnapshot())
  /// The work of the engine.
  let work = MountWork()
  /// The contents of the zone after an entry of its log.
  private let counted = Mutex<(head: Bytes32, summary: ZoneSummary)?>(nil)
  private let log: Logger
  /// The actor, once it has begun.
  private let actor = Mutex<(pool: ActorPool, id: ActorPool.ID)?>(nil)

  init(zone: Zone, of container: ContainerID, entry: MountEntry, log: Logger) {
    self.zone = zone
    self.container = container
    self.entry = entry
    self.log = log
  }

  /// The part of a zone that is mirrored.
  var part: ZonePart { entry.part }
  /// The absolute path of the folder, or of the one file.
  var path: [UInt8] { entry.path }
  /// A Boolean value that indicates whether one file is mirrored by itself.
  var isFile: Bool { entry.isFile }
  /// The mirrored folder, or the folder of the one file.
  var folder: [UInt8] { isFile ? WatchRoots.parent(of: path) : path }
  /// The mount's name in answers and events: its zone's id, with the record if it is a part.
  var id: String { part.description }

  /// Returns the state, also within a sync cycle.
  func atWork(isPaused: Bool = false) -> MountActivity {
    MountActivity(
      snapshot: snapshot.withLock { $0 }, reading: work.reading, isPaused: isPaused)
  }

  /// The records that the mount shows, as far as they don't depend on other mounts.
  var scope: MountScope {
    MountScope(
      base: part.base, only: isFile ? FileName(WatchRoots.relative(path, to: folder)) : nil,
      selection: snapshot.withLock { $0.absent.selection })
  }

  /// Returns the absolute path of a path in the folder.
  func absolute(_ relative: [UInt8]) -> Control.Path {
    Control.Path(relative.isEmpty ? path : folder + [UInt8(ascii: "/")] + relative)
  }

  /// Returns an entry of the mount's rescue folder for answers.
  func told(_ entry: MountReport.Rescued) -> Control.Rescued {
    Control.Rescued(
      path: absolute(entry.path), of: absolute(entry.of), reason: entry.reason,
      time: Control.Time(nanoseconds: entry.time))
  }

  /// Returns the contents of the zone; counted once for each state.
  func summary() throws -> ZoneSummary {
    try zone.read { view in
      let head = view.header.head
      if let known = counted.withLock({ $0 }), known.head == head { return known.summary }
      let summary = try view.summary()
      counted.withLock { $0 = (head, summary) }
      return summary
    }
  }

  // MARK: The way to the actor

  /// Begins the actor.
  /// - Parameters:
  ///   - pool: The threads for it.
  ///   - step: A step of it.
  /// - Returns: false if the system has no more threads.
  func begin(
    on pool: ActorPool, _ step: @escaping @Sendable () -> ActorPool.Next
  ) -> Bool {
    guard let id = pool.add(step) else { return false }
    actor.withLock { $0 = (pool, id) }
    mailbox.notify { pool.wake(id) }
    // A message may have come between the first step and the line above.
    pool.wake(id)
    return true
  }

  /// Calls a function with the engine, by its actor, between two sync cycles: the only access to
  /// it.
  /// - Parameters:
  ///   - seconds: The longest time that a sync cycle may take before; nil for any.
  ///   - body: The function.
  /// - Throws: Any error of `body`; `timedOut` after that time, and `operationCancelled` if the
  ///   mount has ended.
  /// - Returns: The result of `body`.
  func ask<Answer: Sendable>(
    within seconds: Int64? = nil, _ body: @escaping @Sendable (MountEngine) throws -> Answer
  ) throws -> Answer {
    let (waiter, over) = (Waiter<Result<Answer, any Error>>(), isOver)
    let isTaken = mailbox.post(
      .ask { engine in
        waiter.complete(
          Result {
            guard let engine else { throw over }
            return try body(engine)
          })
      })
    guard isTaken else { throw over }
    let deadline = seconds.map { Monotonic.now + $0 * 1_000_000_000 }
    guard let answer = waiter.wait(until: deadline) else {
      throw ControlError(
        .timedOut, "\(Control.Path(path)) is in the middle of long work.", remedy: "Ask again.",
        path: Control.Path(path))
    }
    return try answer.get()
  }

  private var isOver: ControlError {
    ControlError(
      .operationCancelled, "\(Control.Path(path)) isn't mirrored any more.",
      remedy: "See `cairn status`.", path: Control.Path(path))
  }

  /// Excludes directories that have mounts of their own.
  func exclude(_ directories: Set<RecordID>) {
    mailbox.post(
      .ask { [log, path] engine in
        do { try engine?.exclude(directories) } catch {
          log.warning("\(Control.Path(path)): can't leave out what is mirrored elsewhere: \(error)")
        }
      })
  }

  /// Completes the waiter when nothing waits in either direction, or the mount has ended.
  func settle(_ waiter: Waiter<Void>) {
    if !mailbox.post(.settle(waiter)) { waiter.complete() }
  }

  /// Ends the actor, and waits for its end. The calling thread does the last work itself, so that
  /// an actor may end another one.
  func end(forget: Bool) {
    let waiter = stop(forget: forget)
    if let (pool, id) = actor.withLock({ $0 }) { pool.finish(id) }
    waiter.wait()
  }

  /// Ends the actor; the folder stays a mirror unless `forget` is true.
  /// - Returns: A waiter for the end.
  func stop(forget: Bool) -> Waiter<Void> {
    let waiter = Waiter<Void>()
    if !mailbox.post(.stop(forget: forget, waiter)) { waiter.complete() }
    return waiter
  }
}
