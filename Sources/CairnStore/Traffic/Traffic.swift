import CairnThreads

/// Whether anything may go to a container and come from it, and how fast: what its person said. It
/// owns that, and who waits for it; it must not know stores, nor what a part stands for.
public final class Traffic: Sendable {
  /// Since when nothing goes, and until when.
  public struct Pause: Hashable, Sendable, Codable {
    /// In nanoseconds since 1970.
    public var since: Int64
    /// In nanoseconds since 1970; nil: until somebody says so.
    public var until: Int64?

    /// Joins the two.
    public init(since: Int64, until: Int64?) {
      self.since = since
      self.until = until
    }
  }

  /// All that is paused: the whole, and parts by their names.
  public struct Pauses: Hashable, Sendable, Codable {
    /// All traffic.
    public var all: Pause?
    /// That of a part.
    public var parts: [String: Pause] = [:]

    /// Nothing is paused.
    public init() {}

    /// Whether nothing is.
    public var isEmpty: Bool { all == nil && parts.isEmpty }

    /// When the first of them is over, in nanoseconds since 1970; nil: none is by itself.
    public var end: Int64? { (parts.values + [all].compactMap { $0 }).compactMap(\.until).min() }

    /// Without those that are over by that time.
    public func after(_ date: Int64) -> Pauses {
      func isOn(_ pause: Pause) -> Bool { pause.until.map { $0 > date } ?? true }
      var rest = self
      rest.all = all.flatMap { isOn($0) ? $0 : nil }
      rest.parts = parts.filter { isOn($0.value) }
      return rest
    }
  }

  /// Bytes a second at most; nil: as many as can be.
  public struct Limits: Hashable, Sendable {
    /// To the container.
    public var upload: Int64?
    /// From the container.
    public var download: Int64?

    /// Joins the two, which are among `TokenBucket.rates`.
    public init(upload: Int64? = nil, download: Int64? = nil) {
      self.upload = upload
      self.download = download
    }
  }

  /// Which way bytes go.
  enum Way: Hashable { case upload, download }

  private struct State: Sendable {
    var pauses = Pauses()
    var buckets: [Way: TokenBucket] = [:]
    var isEnding = false
  }

  private enum Turn { case go, paused, ended }

  /// How fast bytes go at most.
  public let limits: Limits
  private let state: Monitor<State>
  private let date: @Sendable () -> Int64

  /// - Parameters:
  ///   - limits: How fast bytes go at most.
  ///   - pauses: What is paused.
  ///   - date: The wall clock, in nanoseconds since 1970: pauses end by it.
  public init(
    limits: Limits = Limits(), pauses: Pauses = Pauses(), date: @escaping @Sendable () -> Int64
  ) {
    self.limits = limits
    self.date = date
    var first = State(pauses: pauses)
    first.buckets[.upload] = limits.upload.map { TokenBucket(rate: $0) }
    first.buckets[.download] = limits.download.map { TokenBucket(rate: $0) }
    state = Monitor(first)
  }

  // MARK: Pauses

  /// What is paused now.
  public var pauses: Pauses { looking { $0.pauses }.after(date()) }

  /// Pauses that, and nothing else. Who waits for their turn doesn't any more.
  public func set(_ pauses: Pauses) { state.change { $0.pauses = pauses } }

  /// The pause of a part: its own, or that of all; nil if it isn't paused.
  /// - Parameter part: Its name; nil: whether all is.
  /// - Returns: since when, and until when.
  public func pause(of part: String?) -> Pause? {
    let pauses = pauses
    return pauses.all ?? part.flatMap { pauses.parts[$0] }
  }

  /// Refuses what is paused.
  /// - Parameter part: Its name; nil: whether all is.
  /// - Throws: `StoreError` with `.paused`.
  public func check(_ part: String? = nil) throws(StoreError) {
    guard pause(of: part) == nil else { throw Self.paused }
  }

  // MARK: Limits

  /// Waits until bytes may go that way, and takes them from what may.
  /// - Throws: `StoreError` with `.paused` if all is, and `.unreachable` if it has ended and
  ///   nothing may go yet.
  func wait(_ way: Way, bytes: Int) throws(StoreError) {
    var deadline: Int64 = 0
    while true {
      let turn = state.wait(until: deadline) { state -> Turn? in
        let now = Monotonic.now
        if state.pauses.after(date()).all != nil { return .paused }
        guard let next = state.buckets[way]?.next(now: now), next > now else {
          state.buckets[way]?.take(bytes, now: now)
          return .go
        }
        deadline = next
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

  /// Bytes have come, as many as nobody knew before: they are paid for by what comes next.
  func came(_ bytes: Int) {
    _ = looking { $0.buckets[.download]?.take(bytes, now: Monotonic.now) }
  }

  /// Nobody waits for their turn any more: what may not go at once fails.
  public func end() { state.change { $0.isEnding = true } }

  private func looking<Result: Sendable>(_ body: (inout State) -> Result) -> Result {
    // It answers at once: nothing is waited for, and nobody is woken.
    guard let result = state.wait(until: 0, for: { Optional(body(&$0)) }) else {
      preconditionFailure("a look that has no answer")
    }
    return result
  }

  private static let paused = StoreError(
    code: .paused, cause: "Traffic with the container is paused.")
}
