import CairnStore
import Synchronization

/// A store in memory that can be full, and can be read badly.
final class FullStore: ObjectStore {
  private let store = MemoryStore()
  let flight = 1
  private let refusal = Mutex<(code: StoreError.Code, part: String)?>(nil)
  /// A Boolean value that indicates whether the store is unavailable.
  private let isAway = Mutex(false)
  /// A part of a key. The put of an object with that part is the last request, after a number of
  /// others, and the flag says whether the object is stored.
  private let lastPut = Mutex<(part: String, isStored: Bool, others: Int)?>(nil)
  /// The part of a key whose objects are read with an error, and the remaining number of times.
  private let badReads = Mutex<(part: String, times: Int)?>(nil)

  /// Flips one bit of a number of reads, of objects whose keys have that part.
  func readBadly(_ part: String, times: Int) { badReads.withLock { $0 = (part, times) } }

  private let putBytes = Mutex(0)
  /// The number of bytes of packs that were stored.
  var storedOfPacks: Int { putBytes.withLock { $0 } }

  /// The number of bytes of packs after which the store takes nothing more.
  private let room = Mutex<Int?>(nil)

  /// The store is full once that many bytes of packs are stored.
  func fill(afterStoring bytes: Int) { room.withLock { $0 = bytes } }

  private func stored(_ key: ObjectKey, _ bytes: Int) {
    guard "\(key)".contains("/packs/") else { return }
    let all = putBytes.withLock { sum in
      sum += bytes
      return sum
    }
    guard let limit = room.withLock({ $0 }), all >= limit else { return }
    room.withLock { $0 = nil }
    fill(true)
  }

  private let packBytes = Mutex(0)
  /// The number of bytes of packs after which the store leaves.
  private let patience = Mutex<Int?>(nil)

  /// Nothing can be asked of it any more once that many bytes of packs were read.
  func leave(afterReading bytes: Int) { patience.withLock { $0 = bytes } }

  /// The number of bytes of packs that were read.
  var readOfPacks: Int { packBytes.withLock { $0 } }

  private func count(_ bytes: Int) {
    packBytes.withLock { $0 += bytes }
    let isOver = patience.withLock { patience in
      guard let left = patience else { return false }
      patience = left > bytes ? left - bytes : nil
      return left <= bytes
    }
    if isOver { leave(true) }
  }

  private func read(_ key: ObjectKey, _ bytes: [UInt8]?) -> [UInt8]? {
    if "\(key)".contains("/packs/") { count(bytes?.count ?? 0) }
    guard var bytes, !bytes.isEmpty else { return bytes }
    let isBad = badReads.withLock { bad in
      guard let (part, times) = bad, times > 0, "\(key)".contains(part) else { return false }
      bad = (part, times - 1)
      return true
    }
    if isBad { bytes[bytes.count / 2] ^= 4 }
    return bytes
  }

  /// Fills the store, or empties it again; with a part, only for objects whose keys have that part.
  func fill(_ isFull: Bool, as code: StoreError.Code = .full, part: String = "") {
    refusal.withLock { $0 = isFull ? (code, part) : nil }
  }

  /// Takes the store away, or brings it back.
  func leave(_ leaves: Bool) { isAway.withLock { $0 = leaves } }

  /// Takes the store away from the next put of an object whose key has that part, or a later one.
  /// The put has no answer, whether the object is stored or not.
  func leave(atPutOf part: String, storing isStored: Bool, after others: Int = 0) {
    lastPut.withLock { $0 = (part, isStored, others) }
  }

  private func check() throws(StoreError) {
    guard isAway.withLock({ $0 }) else { return }
    throw StoreError(code: .unreachable, cause: "it isn't there")
  }

  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    try check()
    let last = lastPut.withLock { last -> Bool? in
      guard let (part, isStored, others) = last, "\(key)".contains(part) else { return nil }
      last = others > 0 ? (part, isStored, others - 1) : nil
      return others > 0 ? nil : isStored
    }
    if let isStored = last {
      if isStored { _ = try store.put(key, bytes) }
      leave(true)
      try check()
    }
    if let (code, part) = refusal.withLock({ $0 }), part.isEmpty || "\(key)".contains(part) {
      throw StoreError(code: code, key: key, cause: "nothing more goes in")
    }
    let outcome = try store.put(key, bytes)
    stored(key, bytes.count)
    return outcome
  }

  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? {
    try check()
    return read(key, try store.get(key))
  }

  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    try check()
    return read(key, try store.get(key, range: range))
  }

  func size(of key: ObjectKey) throws(StoreError) -> Int? {
    try check()
    return try store.size(of: key)
  }

  func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey] {
    try check()
    return try store.list(prefix, after: after, limit: limit)
  }

  func delete(_ key: ObjectKey) throws(StoreError) { try store.delete(key) }

  func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription {
    try store.follow(prefix, onHint)
  }
}
