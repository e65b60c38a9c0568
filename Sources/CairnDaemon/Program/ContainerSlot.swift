import CairnControl
import CairnFolders
import CairnThreads
import Glibc
import Logging
import Synchronization

/// The parts of a daemon that its containers share.
struct SharedParts: Sendable {
  /// The places of all containers.
  let places = HomePlaces()
  /// The threads for transfers.
  let transfers = TransferPool()
  /// The watched directories.
  let watching = FolderWatching()
  /// The events of all containers.
  let events = EventLog()
  /// The end of the daemon.
  let ending = Waiter<Ending>()
  let log: Logger
}

/// One container of a home in its daemon. It opens and starts the container. If that fails, it
/// names the reason and tries again, so that a container in trouble stops no other. It must not
/// know the container's parts.
final class ContainerSlot: Sendable {
  /// A container at work, with the things that only this attempt has.
  struct Opened: Sendable {
    var runtime: ContainerRuntime
    var mounts: Mounts
    fileprivate var work: HomeRoutes.Open?
    fileprivate var events: EventLog
  }

  private struct State {
    /// Nil while it isn't open.
    var opened: Opened?
    var problem: ControlError?
    var isStarted = false
    /// Completed at the end of the thread that tries again; nil if there is none.
    var retry: Waiter<Void>?
  }

  /// The container's files.
  let entry: HomeContainers.Entry
  private let shared: SharedParts
  /// A Boolean value that indicates whether the home has no other container.
  private let isAlone: Bool
  private let state = Mutex(State())
  private let isEnding = Waiter<Void>()
  /// The maximum number of seconds between two attempts.
  private static let longestPause: Int64 = 60

  init(_ entry: HomeContainers.Entry, _ shared: SharedParts, isAlone: Bool) {
    (self.entry, self.shared, self.isAlone) = (entry, shared, isAlone)
  }

  /// The container at work; nil while it isn't open.
  var opened: Opened? { state.withLock(\.opened) }

  /// The reason that it isn't open; nil while it is.
  var problem: ControlError? { state.withLock { $0.opened == nil ? $0.problem : nil } }

  // MARK: Life

  /// Opens the container. A failure is noted as its problem.
  func open() {
    let events = EventLog(shared.events, of: isAlone ? nil : entry.name)
    let mounts = Mounts(
      EndedShares(entry.home), transfers: shared.transfers, watching: shared.watching)
    do {
      try entry.home.makeFolders(withKeys: false)
      let runtime = try ContainerRuntime(
        try OpenContainer(entry.home), mounts: mounts, home: shared.places, events: events,
        log: shared.log, ending: shared.ending, isAlone: isAlone)
      state.withLock { $0.opened = Opened(runtime: runtime, mounts: mounts, events: events) }
    } catch {
      shared.places.remove(mounts)
      events.close()
      note(Failures.control(error))
    }
  }

  /// Starts the opened container. After a failure it is closed, which is noted as its problem.
  func start() {
    guard let opened = state.withLock(\.opened) else { return }
    do {
      try opened.runtime.start()
      state.withLock { $0.isStarted = true }
    } catch {
      close(opened)
      note(Failures.control(error))
    }
  }

  /// Starts the attempts to open the container again, if it isn't open.
  func retryIfNeeded() {
    guard problem != nil else { return }
    let end = Waiter<Void>()
    state.withLock { $0.retry = end }
    let isRunning = PosixThread.run("cairn-reopen") { [self] in
      retry()
      end.complete()
    }
    guard !isRunning else { return }
    state.withLock { $0.retry = nil }
    shared.log.warning("the system has no more threads to open \(entry.name) again")
  }

  private func retry() {
    var trial = BackOff(longest: Self.longestPause)
    repeat {
      guard isEnding.wait(until: trial.fail(now: Monotonic.now)) == nil else { return }
      open()
      start()
    } while problem != nil
    shared.log.info("the container \(entry.name) is open")
    EventLog(shared.events, of: entry.name).add(
      .problemSolved, mount: nil, path: nil, text: "the container \(entry.name) is open now")
  }

  /// Notes the reason that it isn't open, and reports a new one.
  private func note(_ error: ControlError) {
    let isNew = state.withLock { state in
      defer { state.problem = error }
      return state.problem != error
    }
    guard isNew, !isAlone else { return }
    shared.log.error("the container \(entry.name) isn't open: \(error.message) \(error.remedy)")
    EventLog(shared.events, of: entry.name).add(
      .problem, mount: nil, path: error.path?.bytes,
      text: "the container \(entry.name) isn't open: \(error.message)", code: error.code.rawValue)
  }

  private func close(_ opened: Opened) {
    state.withLock { ($0.opened, $0.isStarted) = (nil, false) }
    opened.runtime.stop()
    opened.runtime.stopMounts()
    opened.runtime.end()
    opened.events.close()
    shared.places.remove(opened.mounts)
  }

  // MARK: Ends

  /// Ends the attempts to open it, and its threads.
  func stop() {
    isEnding.complete()
    state.withLock(\.retry)?.wait()
    opened?.runtime.stop()
  }

  /// Ends its mounts.
  func stopMounts() { opened?.runtime.stopMounts() }

  /// Tells others what was written last, after the mounts have ended.
  func end() { opened?.runtime.end() }

  // MARK: Operations

  /// Returns the operations of the opened container, which `make` creates once; nil while it isn't
  /// open.
  func routes(_ make: (ContainerRuntime) -> HomeRoutes.Open) -> ControlRoutes? {
    state.withLock { Self.work(&$0, make)?.routes }
  }

  /// Returns the started container for requests; while there is none, the error for each of them.
  func work(
    _ make: (ContainerRuntime) -> HomeRoutes.Open
  ) -> Result<HomeRoutes.Open, ControlError> {
    state.withLock { state in
      guard state.isStarted, let work = Self.work(&state, make) else {
        return .failure(refusal(state.problem))
      }
      return .success(work)
    }
  }

  private static func work(
    _ state: inout State, _ make: (ContainerRuntime) -> HomeRoutes.Open
  ) -> HomeRoutes.Open? {
    guard var opened = state.opened else { return nil }
    let work = opened.work ?? make(opened.runtime)
    opened.work = work
    state.opened = opened
    return work
  }

  /// Returns the error for a request while it isn't open.
  private func refusal(_ problem: ControlError?) -> ControlError {
    guard var error = problem else {
      return ControlError(
        .notRunning, "The container \(entry.name) is being opened.", remedy: "Try again.")
    }
    error.remedy += (error.remedy.isEmpty ? "" : " ") + "It is tried again by itself."
    return error
  }
}
