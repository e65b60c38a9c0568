import CairnCloud
import CairnControl
import CairnFolders
import CairnThreads
import CairnZone
import Logging
import Synchronization

/// A mounted folder: how others speak to the thread that works on it, and how it stands. It must
/// not know formats or keys, nor what the thread does.
final class Mount: Sendable {
  /// What the mount's thread is told.
  enum Message: Sendable {
    case changed(FolderHint)
    case tree(FolderHint)
    case everything
    case zone
    /// The traffic goes on that was paused.
    case resumed
    /// Answer when nothing is pending in either direction.
    case settle(Waiter<Void>)
    /// Ask the engine, between two turns; nil: there is none any more.
    case ask(@Sendable (MountEngine?) -> Void)
    /// The daemon answered somebody, which took memory; there is nothing to do.
    case answered
    /// End; the folder stays a mirror or not.
    case stop(forget: Bool, Waiter<Void>)
  }

  /// Whom the mount's thread tells, and whom it asks.
  struct Owner: Sendable {
    /// How events name a person.
    let nameOf: @Sendable (UserID) -> String
    /// How answers name somebody, and their device if that is known.
    let told: @Sendable (Author) -> (person: Control.Person, device: String?)
    /// The mount is over; told again and again, with pauses, until it is ended.
    let onEnd: @Sendable (Mount, Departure) -> Void
    /// The folder is back after it had been away.
    let onReturn: @Sendable (Mount) -> Void
  }

  let zone: Zone
  /// The container that the zone is in.
  let container: ContainerID
  /// What is mirrored, and where.
  let entry: MountEntry
  /// The way to the mount's thread; closed once that takes no more messages.
  let mailbox = Mailbox<Message>(limit: 50_000, overflow: .everything)
  let snapshot = Mutex(MountSnapshot())
  /// What its engine is at.
  let work = MountWork()
  /// How much the zone held after an entry of its log.
  private let counted = Mutex<(head: Bytes32, summary: ZoneSummary)?>(nil)
  private let log: Logger

  init(zone: Zone, of container: ContainerID, entry: MountEntry, log: Logger) {
    self.zone = zone
    self.container = container
    self.entry = entry
    self.log = log
  }

  /// What is mirrored.
  var part: ZonePart { entry.part }
  /// The absolute path of the folder, or of the one file.
  var path: [UInt8] { entry.path }
  /// Whether one file is mirrored by itself.
  var isFile: Bool { entry.isFile }
  /// The folder that is mirrored, or holds the one file.
  var folder: [UInt8] { isFile ? WatchRoots.parent(of: path) : path }
  /// How the mount is named in answers and events: its zone's id, with the record if it's a part.
  var id: String { part.description }

  /// How it stands, also in the middle of a turn.
  func atWork(isPaused: Bool = false) -> MountAtWork {
    MountAtWork(
      snapshot: snapshot.withLock { $0 }, reading: work.reading, isPaused: isPaused)
  }

  /// Which records the mount shows, as far as they don't depend on other mounts.
  var scope: MountScope {
    MountScope(
      base: part.base, only: isFile ? FileName(WatchRoots.relative(path, to: folder)) : nil)
  }

  /// A path of the folder's, from the root of the file system on.
  func absolute(_ relative: [UInt8]) -> Control.Path {
    Control.Path(relative.isEmpty ? path : folder + [UInt8(ascii: "/")] + relative)
  }

  /// Something in the mount's rescue folder.
  func told(_ entry: MountReport.Rescued) -> Control.Rescued {
    Control.Rescued(
      path: absolute(entry.path), of: absolute(entry.of), reason: entry.reason,
      time: Control.Time(nanoseconds: entry.time))
  }

  /// How much the zone holds; counted once for each state of it.
  func summary() throws -> ZoneSummary {
    try zone.read { view in
      let head = view.header.head
      if let known = counted.withLock({ $0 }), known.head == head { return known.summary }
      let summary = try view.summary()
      counted.withLock { $0 = (head, summary) }
      return summary
    }
  }

  // MARK: The way to the thread

  /// Asks the engine something, on its thread, between two of its turns: the only way to it.
  /// - Parameters:
  ///   - seconds: How long it may be in the middle of a turn; nil: as long as that takes.
  ///   - body: What is asked.
  /// - Throws: what `body` throws; `timedOut` if the engine doesn't come to it, and
  ///   `operationCancelled` if the mount has ended.
  /// - Returns: what `body` returns.
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

  /// Leaves directories out that have mounts of their own.
  func exclude(_ directories: Set<RecordID>) {
    mailbox.post(
      .ask { [log, path] engine in
        do { try engine?.exclude(directories) } catch {
          log.warning("\(Control.Path(path)): can't leave out what is mirrored elsewhere: \(error)")
        }
      })
  }

  /// Answers when nothing is pending in either direction, or the mount has ended.
  func settle(_ waiter: Waiter<Void>) {
    if !mailbox.post(.settle(waiter)) { waiter.complete() }
  }

  /// Has the thread end; the folder stays a mirror unless `forget`.
  /// - Returns: who waits for that.
  func stop(forget: Bool) -> Waiter<Void> {
    let waiter = Waiter<Void>()
    if !mailbox.post(.stop(forget: forget, waiter)) { waiter.complete() }
    return waiter
  }
}
