import CairnStore
import Synchronization
import Testing

/// Counts the requests of one device by kind, and the agreed tags. A distant store has room for a
/// batch. Concurrent requests take one round trip, as every other request does.
final class TallyStore: StoreAround {
  struct Tally: Equatable, CustomTestStringConvertible {
    var (puts, gets, lists, others, rounds) = (0, 0, 0, 0, 0)
    /// The highest number of concurrent requests.
    var widest = 0
    var total: Int { puts + gets + lists + others }
    var testDescription: String {
      "\(puts) PUT, \(gets) GET, \(lists) LIST, \(others) others, \(rounds) round trips"
    }
  }

  let inner: any ObjectStore
  let flight: Int
  private let tally = Mutex(Tally())
  private let agreed = Mutex<[String: [UInt32]]>([:])

  init(_ inner: any ObjectStore, flight: Int) { (self.inner, self.flight) = (inner, flight) }

  private func count(_ number: Int = 1, _ add: (inout Tally) -> Void) {
    tally.withLock { tally in
      add(&tally)
      tally.rounds += 1
      tally.widest = max(tally.widest, number)
    }
  }

  /// Returns the requests since the last call.
  func take() -> Tally {
    tally.withLock { tally in
      defer { tally = Tally() }
      return tally
    }
  }

  func tags(of folder: String) -> [UInt32] { agreed.withLock { $0[folder] ?? [] } }

  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    count { $0.puts += 1 }
    return try inner.put(key, bytes)
  }
  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? {
    count { $0.gets += 1 }
    return try inner.get(key)
  }
  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    count { $0.gets += 1 }
    return try inner.get(key, range: range)
  }
  func get(each keys: [ObjectKey], range: Range<Int>) -> [Result<[UInt8]?, StoreError>] {
    count(keys.count) { $0.gets += keys.count }
    return inner.get(each: keys, range: range)
  }
  func look(
    at keys: [ObjectKey], range: Range<Int>, in folders: [String], limit: Int
  ) -> Looks {
    count(keys.count + folders.count) { tally in
      tally.gets += keys.count
      tally.lists += folders.count
    }
    return inner.look(at: keys, range: range, in: folders, limit: limit)
  }
  func size(of key: ObjectKey) throws(StoreError) -> Int? {
    count { $0.others += 1 }
    return try inner.size(of: key)
  }
  func list(
    _ prefix: String, after: ObjectKey?, limit: Int
  ) throws(StoreError) -> [ObjectKey] {
    count { $0.lists += 1 }
    return try inner.list(prefix, after: after, limit: limit)
  }
  func delete(_ key: ObjectKey) throws(StoreError) {
    count { $0.others += 1 }
    try inner.delete(key)
  }
  func agree(on tag: UInt32, for folder: String) {
    agreed.withLock { $0[folder, default: []].append(tag) }
  }
}
