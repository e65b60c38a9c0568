import CairnStore
import CairnZone

/// One person's connection to the container: a store in memory behind a network that is late, loses
/// answers, fails, or returns old results. It must not know the objects' meaning.
///
/// `@unchecked Sendable`: one thread runs a story and everything that it owns.
final class SimulatedStore: ObjectStore, @unchecked Sendable {
  /// The event at one call.
  enum Interruption {
    /// The call has no effect.
    case fail(StoreError.Code)
    /// The call succeeds, and its answer gets lost.
    case loseAnswer
    /// The same object is put again some calls later.
    case putAgain
    /// A list equals the one before.
    case listOld
    /// A read returns only the beginning of the object.
    case truncate
    /// A read returns one wrong bit.
    case alter
    /// Another action in the container right before the call.
    case act(() -> Void)
  }

  private let inner: MemoryStore
  private let trace: Trace
  private let clock: SimulatedClock
  /// A Boolean value that indicates whether the container is unreachable.
  var isOffline = false
  /// Returns whether the process that uses the store has ended.
  var isDead: () -> Bool = { false }
  private(set) var calls = 0
  private var interruptions: [(at: Int, what: Interruption, hit: () -> Void)] = []
  /// Receives the name of each call, and returns the event there.
  let watch = CallWatch<Interruption>()
  private let zone: ZoneID
  /// Objects of others that are not visible here yet, with the number of further reads.
  private var hidden: [ObjectKey: Int] = [:]
  /// Objects that were seen here, and so stay visible.
  private var seen: Set<ObjectKey> = []
  /// Objects that are put again, with the number of the call.
  private var late: [(at: Int, key: ObjectKey, bytes: [UInt8])] = []
  /// The delay of a repeated put, in calls.
  private static let lateness = 6
  /// Objects that were deleted from here, and so are not seen again.
  private var deleted: Set<ObjectKey> = []
  /// The last result of each list.
  private var lists: [String: [ListedObject]] = [:]
  /// The number of reads for which the next new objects stay hidden.
  var delay = 0
  var sabotage: Sabotage?
  /// Objects that were stored or read here, for a sabotage that still shows them.
  private var remembered: [ObjectKey: [UInt8]] = [:]
  /// The number of faults of each kind.
  var faults: [String: Int] = [:]
  /// The bytes that another person puts into the next log position right before this person's put.
  var takenFirst: [UInt8]?
  /// The number of objects per batch; they are answered in order.
  var flight = 1
  /// The same for a distant container.
  static let room = 4
  /// Called for each object that was stored from here.
  var onPut: ((ObjectKey) -> Void)?

  init(_ inner: MemoryStore, of zone: ZoneID, clock: SimulatedClock, trace: Trace) {
    self.inner = inner
    self.zone = zone
    self.clock = clock
    self.trace = trace
  }

  /// Plans an event at the n-th call from now on; `hit` is called then.
  func interrupt(after count: Int, _ what: Interruption, hit: @escaping () -> Void = {}) {
    interruptions.append((calls + count, what, hit))
    interruptions.sort { $0.at < $1.at }
  }

  func heal() {
    interruptions = []
    takenFirst = nil
    hidden = [:]
    delay = 0
    isOffline = false
    putLate()
  }

  /// Repeats the puts that are due; after a heal, all.
  private func putLate(upTo call: Int = .max) {
    for one in late where one.at <= call {
      // On a taken key it has no effect.
      do { _ = try inner.put(one.key, one.bytes) } catch { continue }
    }
    late.removeAll { $0.at <= call }
  }

  private func enter(
    _ call: String, _ key: String, reads: Bool, writes: Bool
  ) throws(StoreError) -> Interruption? {
    calls += 1
    clock.advance(100_000)
    putLate(upTo: calls)
    if isDead() || isOffline { throw Self.error(.unreachable) }
    trace.mix(call)
    trace.mix(key)
    if watch.isOn { watch.entered(name(call, key)) }
    while let what = due(call, reads: reads, writes: writes) {
      switch what {
      case .act(let body):
        body()
        if isDead() { throw Self.error(.unreachable) }
      case .truncate:
        note("truncated read", call, key)
        return what
      case .alter:
        note("altered read", call, key)
        return what
      case .fail(let code):
        note(code.rawValue, call, key)
        throw Self.error(code)
      case .loseAnswer:
        note("lost answer", call, key)
        return what
      case .putAgain:
        note("put again", call, key)
        return what
      case .listOld:
        note("old list", call, key)
        return what
      }
    }
    return nil
  }

  /// The event at this call, if there is one that fits.
  private func due(_ call: String, reads: Bool, writes: Bool) -> Interruption? {
    if let what = watch.due() { return what }
    guard let next = interruptions.first, next.at <= calls else { return nil }
    switch next.what {
    case .truncate, .alter: guard reads else { return nil }
    case .fail(let code): guard code != .full || writes else { return nil }
    case .loseAnswer: guard writes else { return nil }
    case .putAgain: guard call == "put" else { return nil }
    case .listOld: guard call == "list" else { return nil }
    case .act: break
    }
    interruptions.removeFirst()
    next.hit()
    return next.what
  }

  /// The call in the form of a script.
  private func name(_ call: String, _ key: String) -> String {
    let call = call == "get part" ? "get-part" : call == "list" ? "find" : call
    var isThere = true
    if call == "get", let key = ObjectKey(key) { isThere = (try? inner.size(of: key)) != nil }
    return "\(call) \(isThere ? "" : "missing ")\(Call.role(key, zone: zone))"
  }

  private func note(_ fault: String, _ call: String, _ key: String) {
    faults[fault, default: 0] += 1
    trace.mix(fault)
    trace.note("      \(call) \(key): \(fault)")
  }

  static func error(_ code: StoreError.Code) -> StoreError {
    StoreError(code: code, cause: "the container can't be used: \(code.rawValue)")
  }

  /// Returns whether an object is invisible at this read.
  private func isHidden(_ key: ObjectKey) -> Bool {
    guard !seen.contains(key) else { return false }
    if hidden[key] == nil, delay > 0 { hidden[key] = delay }
    guard let left = hidden[key], left > 0 else { return false }
    hidden[key] = left - 1
    faults["late object", default: 0] += 1
    return true
  }

  // MARK: The store

  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    let what = try enter("put", key.description, reads: false, writes: true)
    if let rubbish = takenFirst, key.description.contains("/zones/\(zone)/log/") {
      takenFirst = nil
      faults["place taken", default: 0] += 1
      trace.note("      somebody takes the place \(key)")
      _ = try inner.put(key, rubbish)
    }
    var outcome = try inner.put(key, bytes)
    if sabotage == .twoWinners, outcome == .exists {
      try inner.delete(key)
      outcome = try inner.put(key, bytes)
    }
    trace.mix(outcome == .stored ? 1 : 0)
    trace.mix(bytes)
    if outcome == .stored {
      trace.note("      stored \(key) (\(bytes.count) bytes)")
      seen.insert(key)
      if sabotage == .staleReads { remembered[key] = bytes }
      onPut?(key)
    }
    if case .loseAnswer? = what { throw Self.error(.unreachable) }
    if case .putAgain? = what { late.append((calls + Self.lateness, key, bytes)) }
    return outcome
  }

  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? {
    let what = try enter("get", key.description, reads: true, writes: false)
    if sabotage == .staleReads, let bytes = remembered[key] { return bytes }
    guard let bytes = try inner.get(key), !isHidden(key) else { return nil }
    seen.insert(key)
    if sabotage == .staleReads { remembered[key] = bytes }
    trace.mix(Int64(bytes.count))
    return Self.read(bytes, what)
  }

  func get(each keys: [ObjectKey], range: Range<Int>) -> [Result<[UInt8]?, StoreError>] {
    keys.map { key in
      do throws(StoreError) { return .success(try get(key, range: range)) } catch {
        return .failure(error)
      }
    }
  }

  func look(
    at keys: [ObjectKey], range: Range<Int>, in folders: [String], limit: Int
  ) -> Looks {
    let names = folders.map { folder in
      Result { () throws(StoreError) in try list(folder + "/", after: nil, limit: limit) }
    }
    return Looks(objects: get(each: keys, range: range), names: names)
  }

  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    let what = try enter("get part", key.description, reads: true, writes: false)
    if sabotage == .staleReads, let bytes = remembered[key] {
      return Array(bytes[min(range.lowerBound, bytes.count)..<min(range.upperBound, bytes.count)])
    }
    guard let bytes = try inner.get(key, range: range), !isHidden(key) else { return nil }
    seen.insert(key)
    return Self.read(bytes, what)
  }

  /// The result of a read.
  private static func read(_ bytes: [UInt8], _ what: Interruption?) -> [UInt8] {
    var bytes = bytes
    switch what {
    case .truncate: return Array(bytes.prefix(bytes.count / 2))
    case .alter where !bytes.isEmpty: bytes[bytes.count / 2] ^= 16
    default: break
    }
    return bytes
  }

  func size(of key: ObjectKey) throws(StoreError) -> Int? {
    _ = try enter("size", key.description, reads: false, writes: false)
    if sabotage == .staleReads, let bytes = remembered[key] { return bytes.count }
    guard let size = try inner.size(of: key), !isHidden(key) else { return nil }
    seen.insert(key)
    return size
  }

  func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey] {
    try listed(prefix, after: after, limit: limit).map(\.key)
  }

  func listed(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ListedObject] {
    let what = try enter("list", prefix, reads: false, writes: false)
    var found = try inner.listed(prefix, after: after, limit: limit).filter { !isHidden($0.key) }
    let asked = "\(prefix) \(after?.description ?? "") \(limit)"
    if case .listOld? = what, let before = lists[asked] {
      let (now, then) = (Set(found.map(\.key)), Set(before.map(\.key)))
      // An object that this device put or read stays visible, as every store promises.
      found = found.filter { then.contains($0.key) || seen.contains($0.key) }
      found += before.filter { !now.contains($0.key) && !deleted.contains($0.key) }
      found = Array(found.sorted { $0.key < $1.key }.prefix(limit))
    }
    lists[asked] = found
    return found
  }

  func delete(_ key: ObjectKey) throws(StoreError) {
    let what = try enter("delete", key.description, reads: false, writes: true)
    try inner.delete(key)
    deleted.insert(key)
    if case .loseAnswer? = what { throw Self.error(.unreachable) }
  }

  func prune(_ prefix: String) throws(StoreError) { try inner.prune(prefix) }

  func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription {
    try inner.follow(prefix, onHint)
  }
}
