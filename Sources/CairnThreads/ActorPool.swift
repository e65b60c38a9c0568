/// A few threads for many actors. An actor is work in steps that wait for messages or for a time.
/// At most one thread runs an actor at a time, so an actor needs no locks. An idle actor needs no
/// thread. It must not know the purpose of a step.
///
/// A step that takes long doesn't stop the others: after `patience` its thread isn't counted, and
/// one more may work, up to `limit` threads.
public final class ActorPool: Sendable {
  /// The number of an actor.
  public struct ID: Hashable, Sendable { fileprivate let number: Int }

  /// The time of an actor's next step.
  public enum Next: Sendable {
    /// At that time of the monotonic clock, or when it is woken; nil waits until it is woken.
    case at(Int64?)
    /// Never: it has ended.
    case ended
  }

  private enum Standing: Sendable {
    case idle(until: Int64?)
    case due
    case running(since: Int64, isWoken: Bool)
  }

  private struct Member: Sendable {
    let step: @Sendable () -> Next
    var standing = Standing.due
  }

  private struct State: Sendable {
    var members: [Int: Member] = [:]
    /// The actors whose step is due, in the order in which they got due.
    var queue: [Int] = []
    /// The last number.
    var last = 0
    /// The threads of this pool, and those that run a step.
    var (threads, busy) = (0, 0)
  }

  /// The result of a search for work.
  private enum Found: Sendable {
    case step(Int, @Sendable () -> Next)
    /// The time to wait for has changed.
    case again
    /// This thread is no longer needed.
    case surplus
  }

  private let name: String
  private let count: Int
  private let limit: Int
  private let patience: Int64
  private let state = Monitor(State())

  /// Creates a pool without threads. They begin with the work, and end with the last actor.
  /// - Parameters:
  ///   - name: The name of the threads.
  ///   - count: The number of steps at once, unless some of them take long.
  ///   - limit: The maximum number of threads.
  ///   - patience: The time in nanoseconds after which a step takes long.
  public init(
    _ name: String, count: Int = 4, limit: Int = 16, patience: Int64 = 1_000_000_000
  ) {
    (self.name, self.count, self.limit, self.patience) = (name, count, limit, patience)
  }

  /// The number of threads.
  public var threads: Int { state.wait(until: nil) { $0.threads } ?? 0 }

  /// Adds an actor. Its first step is due at once.
  /// - Parameter step: One step, on any thread. It must not wait for another actor of this pool,
  ///   except with `finish`.
  /// - Returns: The number of the actor; nil if the system provides no thread.
  public func add(_ step: @escaping @Sendable () -> Next) -> ID? {
    let (number, needsThread) = state.change { state in
      state.last += 1
      state.members[state.last] = Member(step: step)
      state.queue.append(state.last)
      return (state.last, grow(&state))
    }
    if needsThread, !begin() {
      let isInVain = state.change { state in
        guard state.threads == 0 else { return false }
        state.members[number] = nil
        state.queue.removeAll { $0 == number }
        return true
      }
      if isInVain { return nil }
    }
    return ID(number: number)
  }

  /// Makes a step of an actor due. An actor that has ended stays so.
  public func wake(_ id: ID) {
    let needsThread = state.change { state in
      switch state.members[id.number]?.standing {
      case .idle:
        state.members[id.number]?.standing = .due
        state.queue.append(id.number)
        return grow(&state)
      case .running(let since, _):
        state.members[id.number]?.standing = .running(since: since, isWoken: true)
        return false
      case .due, nil: return false
      }
    }
    if needsThread { _ = begin() }
  }

  /// Runs an actor on the calling thread until it has ended. If another thread runs a step, this
  /// waits for the end of that step. An actor may call it for another one.
  public func finish(_ id: ID) {
    let number = id.number
    while true {
      let step = state.wait(until: nil) { state -> (@Sendable () -> Next)?? in
        guard let member = state.members[number] else { return .some(nil) }
        if case .running = member.standing { return nil }
        state.queue.removeAll { $0 == number }
        state.members[number]?.standing = .running(since: Monotonic.now, isWoken: false)
        return member.step
      }
      guard case .some(.some(let step)) = step else { return }
      end(number, step(), isOwn: false)
    }
  }

  // MARK: Threads

  /// Returns whether another thread is needed, and counts it.
  private func grow(_ state: inout State) -> Bool {
    guard !state.queue.isEmpty, state.threads == state.busy, state.threads < limit else {
      return false
    }
    state.threads += 1
    return true
  }

  /// Begins a thread that was counted.
  private func begin() -> Bool {
    let isStarted = PosixThread.run(name) { [self] in run() }
    if !isStarted { state.change { $0.threads -= 1 } }
    return isStarted
  }

  private func run() {
    while true {
      let time = state.wait(until: nil) { [self] in .some(next($0)) } ?? nil
      switch state.wait(until: time, for: { [self] in look(&$0, until: time) }) {
      case .step(let number, let step)?:
        // Others may be due, and a thread has to wait for the next time.
        if state.wait(until: nil, for: { [self] in spare(&$0) }) ?? false { _ = begin() }
        end(number, step(), isOwn: true)
      case .surplus?: return
      case .again?, nil: break
      }
    }
  }

  /// Returns whether a thread has to wait beside the busy ones, and counts it.
  private func spare(_ state: inout State) -> Bool {
    guard state.threads == state.busy, state.threads < limit, state.members.count > state.busy
    else { return false }
    state.threads += 1
    return true
  }

  private func look(_ state: inout State, until time: Int64?) -> Found? {
    let now = Monotonic.now
    for (number, member) in state.members {
      guard case .idle(let end?) = member.standing, end <= now else { continue }
      state.members[number]?.standing = .due
      state.queue.append(number)
    }
    if !state.queue.isEmpty, steps(state, since: now - patience).count < count {
      let number = state.queue.removeFirst()
      if let member = state.members[number] {
        state.members[number]?.standing = .running(since: now, isWoken: false)
        state.busy += 1
        return .step(number, member.step)
      }
    }
    if state.members.isEmpty || state.threads - state.busy > count {
      state.threads -= 1
      return .surplus
    }
    let next = next(state)
    return next == time ? nil : .again
  }

  /// Returns the beginnings of the steps that began after a time.
  private func steps(_ state: State, since time: Int64) -> [Int64] {
    state.members.values.compactMap {
      guard case .running(let since, _) = $0.standing, since > time else { return nil }
      return since
    }
  }

  /// Returns the time at which a waiting thread has to look again, if nothing happens before.
  private func next(_ state: State) -> Int64? {
    var times: [Int64] = state.members.values.compactMap {
      guard case .idle(let end) = $0.standing else { return nil }
      return end
    }
    if !state.queue.isEmpty {
      // One of the steps takes long by then.
      times += steps(state, since: Monotonic.now - patience).map { $0 + patience }
    }
    return times.min()
  }

  /// Notes the end of a step; `isOwn` says whether a thread of this pool ran it.
  private func end(_ number: Int, _ next: Next, isOwn: Bool) {
    // What an actor owns is released without the lock.
    let ended = state.change { state -> Member? in
      if isOwn { state.busy -= 1 }
      guard case .running(_, let isWoken) = state.members[number]?.standing else { return nil }
      switch next {
      case .ended: return state.members.removeValue(forKey: number)
      case .at(let time):
        state.members[number]?.standing = isWoken ? .due : .idle(until: time)
        if isWoken { state.queue.append(number) }
        return nil
      }
    }
    withExtendedLifetime(ended) {}
  }
}
