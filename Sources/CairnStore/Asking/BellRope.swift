/// The topics that this device must report: some at once, and then one marker a second. It must not
/// know clocks or stores: times are arguments, in nanoseconds.
struct BellRope: Sendable {
  /// The time between two rings, after many.
  static let pause: Int64 = 1_000_000_000
  /// The number of immediate rings after a pause. So a sequence of a person's acts (an invitation,
  /// its acceptance, the first file) is reported without delay.
  static let burst: Int64 = 8

  /// The owner of the marker.
  let owner: String
  /// Changed topics without a marker, the newest first.
  private var waiting: [UInt32] = []
  /// Reported topics, the newest first, each with the number of its last report.
  private var rung: [(tag: UInt32, number: UInt64)] = []
  private var count: UInt64 = 0
  /// This device's markers in the container, which the next ring deletes.
  private(set) var hanging: Set<Bell> = []
  private var notBefore = Int64.min
  private var budget = Budget(burst, period: pause)
  /// A Boolean value that indicates whether other devices know that this device exists, though it
  /// wrote nothing.
  private var isAnnounced = true

  init(owner: String) { self.owner = owner }

  /// One ring: the object to put, and the objects to delete afterwards.
  struct Ring: Equatable, Sendable {
    /// The new marker.
    let bell: Bell
    /// Its bytes.
    let bytes: [UInt8]
    /// The markers that it replaces.
    let old: [Bell]
    /// The number of its topics that were not reported before.
    let fresh: Int
  }

  /// Notes a change with this topic.
  mutating func pull(_ tag: UInt32) {
    waiting.removeAll { $0 == tag }
    waiting.insert(tag, at: 0)
    if waiting.count > Bell.inBytes { waiting.removeLast() }
  }

  /// Announces this device to others, though it writes nothing.
  mutating func announce() { isAnnounced = false }

  /// Takes over the markers of an earlier run of this device.
  mutating func takeOver(_ keys: [ObjectKey]) {
    let own = keys.compactMap { Bell($0) }.filter { $0.owner == owner }
    hanging.formUnion(own)
    // A number that no device reaches by ringing is forged, and is not continued.
    count = max(count, own.map(\.count).filter { $0 < 1 << 62 }.max() ?? 0)
    if !own.isEmpty { isAnnounced = true }
  }

  /// A Boolean value that indicates whether a change is not reported yet.
  var hasNews: Bool { !waiting.isEmpty }

  /// The time of the next ring; nil if there is nothing to report.
  var due: Int64? { waiting.isEmpty && isAnnounced ? nil : notBefore }

  /// Starts a ring.
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

  /// Notes that the marker is stored, and the replaced ones are deleted.
  mutating func hung(_ ring: Ring) { hanging.subtract(ring.old) }

  /// Notes a failure, or a lost answer: the same ring is repeated, not before that time.
  mutating func failed(_ ring: Ring, again time: Int64) {
    waiting += rung.prefix(ring.fresh).map(\.tag).filter { !waiting.contains($0) }
    if waiting.isEmpty { isAnnounced = false }
    notBefore = max(notBefore, time)
  }
}
