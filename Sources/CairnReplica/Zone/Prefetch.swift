import CairnStore
import CairnZone

/// The prefetched results under keys that are read next, requested in one batch if the store
/// benefits. Each result is used once, by the first reader. The requester drops the rest, so that
/// no old result is used. It must not know the objects' meaning.
struct Prefetch {
  /// The number of bytes to prefetch of each object. Larger objects are requested again, alone, so
  /// that a batch is bounded.
  static let portion = 512 << 10

  private let store: any ObjectStore
  private var answers: [ObjectKey: LogObject] = [:]
  /// The number of useful concurrent requests; with 1 nothing is prefetched.
  var width: Int { store.flight }

  init(_ store: any ObjectStore) { self.store = store }

  /// Prefetches the results under these keys, except known ones. A single key is left to its
  /// reader.
  mutating func ask(_ keys: [ObjectKey]) {
    guard width > 1 else { return }
    let unknown = keys.filter { answers[$0] == nil }
    guard unknown.count > 1 else { return }
    for (key, answer) in zip(unknown, store.get(each: unknown, range: 0..<Self.portion)) {
      switch answer {
      case .success(let bytes?) where bytes.count < Self.portion: answers[key] = .bytes(bytes)
      case .success(nil): answers[key] = .nothing
      case .failure(let error) where error.code == .corrupt: answers[key] = .rubbish(error.cause)
      // The reader requests it again, and reports the error.
      case .success, .failure: continue
      }
    }
  }

  /// Returns whether the result is known.
  func knows(_ key: ObjectKey) -> Bool { answers[key] != nil }

  /// Returns the result, if it is known, and drops it.
  mutating func take(_ key: ObjectKey) -> LogObject? { answers.removeValue(forKey: key) }

  /// Keeps a result for the next reader.
  mutating func giveBack(_ found: LogObject, _ key: ObjectKey) {
    guard width > 1 else { return }
    answers[key] = found
  }

  /// Drops all results.
  mutating func drop() { answers = [:] }

  /// Drops the results under these keys.
  mutating func drop(_ keys: [ObjectKey]) { for key in keys { answers[key] = nil } }

  /// Drops results of free positions, except one: they may be taken by the next read.
  mutating func dropFree(except key: ObjectKey?) {
    answers = answers.filter { $0.value != .nothing || $0.key == key }
  }
}
