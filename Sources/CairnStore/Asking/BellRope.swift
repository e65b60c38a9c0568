/// What this device has to ring: its tags, some at once, and then one ring a second. It must not
/// know clocks or stores: times are handed in, in nanoseconds.
struct BellRope: Sendable {
  /// The time between two rings, once there were many.
  static let pause: Int64 = 1_000_000_000
  /// How many are rung at once after a pause: what people do one after the other, an invitation,
  /// its acceptance, the first file, is heard of without it.
  static let burst: Int64 = 8

  /// Whose bell it is.
  let owner: String
  /// What was written and isn't rung, the newest first.
  private var waiting: [UInt32] = []
  /// What was rung, the newest first, and as the how many-th tag each was rung last.
  private var rung: [(tag: UInt32, number: UInt64)] = []
  private var count: UInt64 = 0
  /// Bells of this device's that hang there, and are taken away when the next one does.
  private(set) var hanging: Set<Bell> = []
  private var notBefore = Int64.min
  private var budget = Budget(burst, period: pause)
  /// Whether others have to see that this device is there, though it has written nothing.
  private var isAnnounced = true

  init(owner: String) { self.owner = owner }

  /// One ring: what to put, and what to take away afterwards.
  struct Ring: Equatable, Sendable {
    /// The new bell.
    let bell: Bell
    /// Its bytes.
    let bytes: [UInt8]
    /// The bells in whose place it comes.
    let old: [Bell]
    /// How many of its tags weren't rung before.
    let fresh: Int
  }

  /// Something was written that has this tag.
  mutating func pull(_ tag: UInt32) {
    waiting.removeAll { $0 == tag }
    waiting.insert(tag, at: 0)
    if waiting.count > Bell.inBytes { waiting.removeLast() }
  }

  /// Others have to know that this device asks, though it writes nothing.
  mutating func announce() { isAnnounced = false }

  /// Takes over what an earlier run of this device left.
  mutating func takeOver(_ keys: [ObjectKey]) {
    let own = keys.compactMap { Bell($0) }.filter { $0.owner == owner }
    hanging.formUnion(own)
    // A number that nobody comes to by ringing is somebody else's: it isn't gone on from.
    count = max(count, own.map(\.count).filter { $0 < 1 << 62 }.max() ?? 0)
    if !own.isEmpty { isAnnounced = true }
  }

  /// Whether something was written that isn't rung.
  var hasNews: Bool { !waiting.isEmpty }

  /// When to ring; nil: there is nothing to ring.
  var due: Int64? { waiting.isEmpty && isAnnounced ? nil : notBefore }

  /// Begins a ring.
  mutating func ring(now: Int64) -> Ring {
    let fresh = waiting.count
    count += UInt64(max(1, fresh))
    let new = waiting.enumerated().map { (tag: $1, number: count - UInt64($0)) }
    let old = rung.filter { !waiting.contains($0.tag) }
    rung = Array((new + old).prefix(Bell.inBytes))
    waiting = []
    isAnnounced = true
    _ = budget.take(now: now)
    notBefore = budget.next(now: now)
    let tags = rung.map {
      Bell.Rung(tag: $0.tag, age: UInt32(min(count - $0.number, UInt64(UInt32.max))))
    }
    let bell = Bell(owner: owner, count: count, tags: tags)
    defer { hanging.insert(bell) }
    return Ring(
      bell: bell, bytes: Bell.bytes(of: tags), old: hanging.sorted { $0.key < $1.key },
      fresh: fresh)
  }

  /// The bell hangs, and those that it replaces are gone.
  mutating func hung(_ ring: Ring) { hanging.subtract(ring.old) }

  /// It couldn't be hung, or may hang with an answer that got lost: the same is rung again, not
  /// before that time.
  mutating func failed(_ ring: Ring, again time: Int64) {
    waiting += rung.prefix(ring.fresh).map(\.tag).filter { !waiting.contains($0) }
    if waiting.isEmpty { isAnnounced = false }
    notBefore = max(notBefore, time)
  }
}
