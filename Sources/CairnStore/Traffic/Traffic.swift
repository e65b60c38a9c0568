import CairnThreads

/// The person's settings for traffic with a container: pauses and speed limits. It owns these and
/// the threads that wait for them. It must not know stores, or the meaning of a part.
public final class Traffic: Sendable {
  /// The start and the end of a pause.
  public struct Pause: Hashable, Sendable, Codable {
    /// The start in nanoseconds since 1970.
    public var since: Int64
    /// The end in nanoseconds since 1970; nil: until it is resumed.
    public var until: Int64?

    /// Creates a pause.
    public init(since: Int64, until: Int64?) {
      self.since = since
      self.until = until
    }
  }

  /// All pauses: of everything, and of parts by name.
  public struct Pauses: Hashable, Sendable, Codable {
    /// The pause of all traffic.
    public var all: Pause?
    /// The pauses of parts.
    public var parts: [String: Pause] = [:]

    /// Creates a value without pauses.
    public init() {}

    /// A Boolean value that indicates whether there is no pause.
    public var isEmpty: Bool { all == nil && parts.isEmpty }

    /// The first end of a pause, in nanoseconds since 1970; nil if none ends by itself.
    public var end: Int64? { (parts.values + [all].compactMap { $0 }).compactMap(\.until).min() }

    /// The pauses that have not ended by that time.
    public func after(_ date: Int64) -> Pauses {
      func isOn(_ pause: Pause) -> Bool { pause.until.map { $0 > date } ?? true }
      var rest = self
      rest.all = all.flatMap { isOn($0) ? $0 : nil }
      rest.parts = parts.filter { isOn($0.value) }
      return rest
    }
  }

  /// The maximum bytes per second; nil: unlimited.
  public struct Limits: Hashable, Sendable {
    /// The limit to the container.
    public var upload: Int64?
    /// The limit from the container.
    public var download: Int64?
    /// The times at which they apply.
    public var times: LimitTimes

    /// Creates limits, which must be in `TokenBucket.rates`.
    public init(
      upload: Int64? = nil, download: Int64? = nil, times: LimitTimes = LimitTimes()
    ) {
      self.upload = upload
      self.download = download
      self.times = times
    }
  }

  /// The direction of bytes.
  enum Way: Hashable { case upload, download }

  private struct State: Sendable {
    var pauses = Pauses()
    /// The limits for bulk objects. They pay for all bytes.
    var buckets: [Way: TokenBucket] = [:]
    /// The limits for all other objects. They pay for their own bytes.
    var express: [Way: TokenBucket] = [:]
    var isEnding = false
    var limits = Limits()

    mutating func set(_ wanted: Limits) {
      if wanted.upload != limits.upload { set(.upload, wanted.upload) }
      if wanted.download != limits.download { set(.download, wanted.download) }
      limits = wanted
    }

    private mutating func set(_ way: Way, _ rate: Int64?) {
      buckets[way] = rate.map { TokenBucket(rate: $0) }
      express[way] = buckets[way]
    }

    mutating func take(_ bytes: Int, _ way: Way, isBulk: Bool, now: Int64) {
      buckets[way]?.take(bytes, now: now)
      if !isBulk { express[way]?.take(bytes, now: now) }
    }
  }

  private enum Turn { case go, paused, ended }

  private let state: Monitor<State>
  private let date: @Sendable () -> Int64
  /// Returns whether limits for these times apply now.
  private let isLimitedNow: @Sendable (LimitTimes) -> Bool
  /// Decides whether an object is one of the many bytes that others must not wait for.
  let isBulk: @Sendable (ObjectKey) -> Bool

  /// Creates settings.
  /// - Parameters:
  ///   - limits: The speed limits.
  ///   - pauses: The pauses.
  ///   - isBulk: Decides whether an object waits for the bytes of all others. Other objects wait
  ///     for
  ///     their own kind only, so that a change of a share passes a large file.
  ///   - isLimited: Returns whether limits for these times apply now. It may take a second.
  ///   - date: The wall clock in nanoseconds since 1970, which ends pauses.
  public init(
    limits: Limits = Limits(), pauses: Pauses = Pauses(),
    isBulk: @escaping @Sendable (ObjectKey) -> Bool = { _ in true },
    isLimited: @escaping @Sendable (LimitTimes) -> Bool = { _ in true },
    date: @escaping @Sendable () -> Int64
  ) {
    self.isBulk = isBulk
    isLimitedNow = isLimited
    self.date = date
    var first = State(pauses: pauses)
    first.set(limits)
    state = Monitor(first)
  }

  // MARK: Pauses

  /// The current pauses.
  public var pauses: Pauses { looking { $0.pauses }.after(date()) }

  /// Sets the pauses. Waiting threads check again.
  public func set(_ pauses: Pauses) { state.change { $0.pauses = pauses } }

  /// The pause of a part: its own, or that of everything; nil without one.
  /// - Parameter part: The name of the part; nil: everything.
  /// - Returns: the start and the end.
  public func pause(of part: String?) -> Pause? {
    let pauses = pauses
    return pauses.all ?? part.flatMap { pauses.parts[$0] }
  }

  /// Throws an error during a pause.
  /// - Parameter part: The name of the part; nil: everything.
  /// - Throws: `StoreError` with `.paused`.
  public func check(_ part: String? = nil) throws(StoreError) {
    guard pause(of: part) == nil else { throw Self.paused }
  }

  // MARK: Limits

  /// The speed limits.
  public var limits: Limits { looking { $0.limits } }

  /// Sets the speed limits, which must be in `TokenBucket.rates`. Waiting threads check again.
  public func set(_ limits: Limits) { state.change { $0.set(limits) } }

  /// A Boolean value that indicates whether a limit applies now.
  public var isLimited: Bool {
    let limits = limits
    return (limits.upload != nil || limits.download != nil) && isLimitedNow(limits.times)
  }

  /// The longest wait in nanoseconds until limits that don't always apply are asked for again.
  private static let patience: Int64 = 30_000_000_000

  /// Waits until bytes may go, and counts them.
  /// - Throws: `StoreError` with `.paused` during a pause, and `.unreachable` after `end` if the
  ///   bytes would have to wait.
  func wait(_ way: Way, bytes: Int, for key: ObjectKey) throws(StoreError) {
    let isBulk = isBulk(key)
    var deadline: Int64 = 0
    while true {
      let isLimited = isLimited
      let turn = state.wait(until: deadline) { state -> Turn? in
        let now = Monotonic.now
        if state.pauses.after(date()).all != nil { return .paused }
        let bucket = isBulk ? state.buckets[way] : state.express[way]
        guard isLimited, let next = bucket?.next(now: now), next > now else {
          if isLimited { state.take(bytes, way, isBulk: isBulk, now: now) }
          return .go
        }
        deadline = state.limits.times.isAlways ? next : min(next, now + Self.patience)
        return state.isEnding ? .ended : nil
      }
      switch turn {
      case nil: continue
      case .go: return
      case .paused: throw Self.paused
      case .ended: throw StoreError(code: .unreachable, cause: "The daemon ends.")
      }
    }
  }

  /// Counts received bytes of initially unknown number. The next bytes pay for them.
  func came(_ bytes: Int, for key: ObjectKey) {
    guard isLimited else { return }
    let isBulk = isBulk(key)
    looking { $0.take(bytes, .download, isBulk: isBulk, now: Monotonic.now) }
  }

  /// Stops all waiting. From now on bytes that would have to wait fail.
  public func end() { state.change { $0.isEnding = true } }

  /// A Boolean value that indicates whether `end` was called.
  var isEnding: Bool { looking { $0.isEnding } }

  private func looking<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    // It returns at once: nothing waits, and no thread is woken.
    guard let result = state.wait(until: 0, for: { Optional(body(&$0)) }) else {
      preconditionFailure("a look that has no answer")
    }
    return result
  }

  private static let paused = StoreError(
    code: .paused, cause: "Traffic with the container is paused.")
}
