import CairnThreads
import Synchronization

/// The thread of an `AskingStore`, and its state that users of the store share. It performs the
/// acts of `Asking`, and must not decide when.
final class Asker: Sendable {
  private enum Message: Sendable {
    /// There is something to do.
    case wake
    /// A notifying container may contain change markers.
    case bells
    case stop
  }

  private struct Follower {
    let folder: String
    let hint: @Sendable () -> Void
    /// The subscription to the store behind, if it notifies.
    var notices: Subscription?
  }

  private struct State {
    var asking: Asking
    var observer: AskingStore.Observer?
    var ears = Ears()
    var followers: [Int: Follower] = [:]
    var nextFollower = 0
    var isRunning = false
    var isDeaf = false
    /// Places with a pending notification, each with its deadline.
    var doubts: [(doubt: Ears.Doubt, until: Int64)] = []
  }

  /// The maximum delay of a notification, in nanoseconds.
  static let patience: Int64 = 5_000_000_000

  let store: any ObjectStore
  let requests = Atomic(0)
  private let longest: Int64
  private let patience: Int64
  private let clock: @Sendable () -> Int64
  private let ended = Waiter<Void>()
  /// Completed when the first request was answered, or failed.
  private let hasAsked = Waiter<Void>()
  private let mailbox = Mailbox<Message>(limit: 100, overflow: .bells)
  private let state: Mutex<State>

  init(
    _ store: any ObjectStore, owner: String?, isTold: Bool, isFolder: Bool, longest: Int64,
    patience: Int64, clock: @escaping @Sendable () -> Int64
  ) {
    self.clock = clock
    self.store = store
    self.longest = longest
    self.patience = patience
    state = Mutex(
      State(
        asking: Asking(
          owner: owner, isAsking: !isTold, isFolder: isFolder, longest: longest, now: clock())))
  }

  func stop() { mailbox.post(.stop) }

  func end() {
    if state.withLock({ $0.asking.owesRing }) {
      do { try start() } catch {
        // Other devices find the change when they check.
        return
      }
    }
    guard state.withLock({ $0.isRunning }) else { return }
    stop()
    ended.wait()
  }

  func takeDown() {
    end()
    for bell in state.withLock({ $0.asking.takeDown() }) {
      // A marker that cannot be deleted is harmless: nobody reads it again.
      do { try counted().delete(bell.key) } catch { continue }
    }
  }

  var news: AskingStore.News {
    let now = clock()
    return state.withLock { state in
      AskingStore.News(
        lateness: state.asking.lateness(now: now), longest: longest, isDeaf: state.isDeaf)
    }
  }

  // MARK: Those who use the store

  func observe(_ observer: AskingStore.Observer) { state.withLock { $0.observer = observer } }

  func woken(_ tags: Set<UInt32>) {
    let now = clock()
    hint(state.withLock { $0.asking.woken(tags, now: now) })
    mailbox.hint([.wake])
  }

  func agree(on tag: UInt32, for folder: String) {
    state.withLock { $0.asking.agree(on: tag, for: folder) }
  }

  func stored(_ key: ObjectKey) {
    let (now, folder) = (clock(), key.folder)
    let (isNews, tag, observer) = state.withLock { state in
      state.ears.store(key)
      let isNews = state.asking.stored(in: folder, now: now) && state.isRunning
      return (isNews, state.asking.tag(of: folder), state.observer)
    }
    if isNews { mailbox.hint([.wake]) }
    if let tag { observer?.wrote(folder, tag) }
  }

  /// Compares a lookup with the notifications. It shows whether a store really notifies, and
  /// reveals changes that no change marker reported.
  func looked(_ key: ObjectKey, isThere: Bool) {
    let isNews = state.withLock { state in
      guard let doubt = state.ears.look(key, isThere: isThere) else { return false }
      guard !state.asking.isAsking else {
        return state.asking.found(in: doubt.folder, now: clock())
      }
      state.doubts.append((doubt, clock() + patience))
      return true
    }
    if isNews { mailbox.hint([.wake]) }
  }

  func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription {
    let folder = prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix
    let (id, isAsking) = state.withLock { state in
      state.nextFollower += 1
      state.followers[state.nextFollower] = Follower(folder: folder, hint: onHint)
      state.asking.follow(folder)
      state.ears.follow(folder)
      return (state.nextFollower, state.asking.isAsking)
    }
    do throws(StoreError) {
      try start()
      // Later markers are noticed. The follower checks for earlier changes itself.
      if isAsking { hasAsked.wait() }
      if !isAsking { try listen(to: prefix, folder, as: id, onHint) }
    } catch {
      unfollow(id)
      throw error
    }
    return Subscription { [self] in unfollow(id) }
  }

  /// Subscribes to the store behind for a follower, if that store notifies.
  private func listen(
    to prefix: String, _ folder: String, as id: Int, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) {
    let notices = try store.follow(prefix) { [weak self] in
      self?.state.withLock { $0.ears.notice(folder) }
      onHint()
    }
    guard notices.notifies else { return beginAsking() }
    state.withLock { $0.followers[id]?.notices = notices }
  }

  private func unfollow(_ id: Int) {
    let gone = state.withLock { state in
      let gone = state.followers.removeValue(forKey: id)
      if let gone {
        state.asking.unfollow(gone.folder)
        state.ears.unfollow(gone.folder)
      }
      return gone
    }
    gone?.notices?.cancel()
  }

  // MARK: The thread

  private func start() throws(StoreError) {
    let isNew = state.withLock { state in
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isNew, !PosixThread.run("cairn-bells", { [self] in run() }) else { return }
    state.withLock { $0.isRunning = false }
    throw StoreError(
      code: .unreachable, cause: "The system gives no thread to ask the container from.")
  }

  private func run() {
    // A store that notifies also reports when another device begins to need change markers.
    var bells: Subscription?
    while true {
      let now = clock()
      let (act, isAsking) = state.withLock { ($0.asking.next(now: now), $0.asking.isAsking) }
      switch act {
      case .ring(let ring): self.ring(ring)
      case .ask:
        if !isAsking, bells == nil { bells = followBells() }
        ask()
      case .read(let bell): read(bell)
      case .wait(let time):
        guard !sleeps(until: time) else { continue }
        bells?.cancel()
        // The last change should not wait for the next check of other devices.
        if let ring = state.withLock({ $0.asking.lastRing(now: now) }) { self.ring(ring) }
        return ended.complete()
      }
    }
  }

  /// Sleeps until there may be work. Returns false at the end.
  private func sleeps(until time: Int64?) -> Bool {
    let doubtful = state.withLock { $0.doubts.map(\.until).min() }
    let messages = mailbox.take(until: [time, doubtful].compactMap { $0 }.min())
    for message in messages {
      switch message {
      case .wake: break
      case .bells: state.withLock { $0.asking.lookAgain() }
      case .stop: return false
      }
    }
    if doubtful != nil { settleDoubts() }
    return true
  }

  private func followBells() -> Subscription? {
    do {
      return try store.follow(Bell.folder) { [weak mailbox] in mailbox?.hint([.bells]) }
    } catch {
      // The container is unreachable: the next check follows it.
      return nil
    }
  }

  private func settleDoubts() {
    let now = clock()
    let isDeaf = state.withLock { state in
      let due = state.doubts.filter { $0.until <= now }
      state.doubts.removeAll { $0.until <= now }
      let isDeaf = due.contains { state.ears.confirms($0.doubt) }
      state.isDeaf = state.isDeaf || isDeaf
      return isDeaf
    }
    if isDeaf { beginAsking() }
  }

  private func beginAsking() {
    let now = clock()
    state.withLock { $0.asking.beginAsking(now: now) }
    mailbox.hint([.wake])
  }

  func hintEverybody() {
    for hint in state.withLock({ $0.followers.values.map(\.hint) }) { hint() }
  }

  private func hint(_ groups: Set<String>) {
    guard !groups.isEmpty else { return }
    let hints = state.withLock { state in
      state.followers.values.filter { groups.contains(state.asking.group(of: $0.folder)) }
        .map(\.hint)
    }
    for hint in hints { hint() }
  }

  // MARK: Requests

  private func counted() -> any ObjectStore {
    requests.add(1, ordering: .relaxed)
    return store
  }

  private func ring(_ ring: BellRope.Ring) {
    var isHung = false
    do {
      isHung = try counted().put(ring.bell.key, ring.bytes) == .stored
      for bell in ring.old { try counted().delete(bell.key) }
    } catch {
      // A missing marker only costs others time. The next attempt deletes the old markers, too.
      isHung = false
    }
    let now = clock()
    state.withLock { $0.asking.rang(ring, isHung: isHung, now: now) }
  }

  private func ask() {
    let chance = UInt32.random(in: .min ... .max)
    defer {
      hasAsked.complete()
      state.withLock { $0.observer }?.asked()
    }
    do {
      let keys = try bells()
      let now = clock()
      let total = requests.load(ordering: .relaxed)
      hint(
        state.withLock {
          $0.asking.answered(keys, requests: total, now: now, chance: chance)
        })
    } catch {
      let now = clock()
      hint(state.withLock { $0.asking.failed(now: now, chance: chance) })
    }
  }

  /// Without lists no marker is found, and all folders are checked in turn.
  private func bells() throws(StoreError) -> [ObjectKey] {
    do throws(StoreError) {
      return try counted().list("\(Bell.folder)/", after: nil, limit: BellBook.most)
    } catch {
      guard error.code == .unlisted else { throw error }
      return []
    }
  }

  private func read(_ bell: Bell) {
    var bytes: [UInt8]?
    do { bytes = try counted().get(bell.key, range: 0..<8 * Bell.inBytes) } catch {
      // It changed again meanwhile, or its name must suffice.
    }
    let now = clock()
    hint(state.withLock { $0.asking.read(bell, bytes, now: now) })
  }
}
