import CairnStore

/// What stands under keys that are looked at next, asked for in one flight where the store gains by
/// that. Each answer is given once, to whoever looks there first, and whoever asked drops what is
/// left: nobody goes by an old one. It must not know what the objects mean.
struct Foresight {
  /// How much of each object is asked for, in bytes. What is larger is asked for again, alone, so
  /// that a flight has bounds, whatever somebody put there.
  static let portion = 512 << 10

  private let store: any ObjectStore
  private var answers: [ObjectKey: ZoneReplica.Found] = [:]
  /// How many keys are worth asking for at the same time; with 1 nothing is asked for ahead.
  var width: Int { store.flight }

  init(_ store: any ObjectStore) { self.store = store }

  /// Asks for what stands under these keys, as far as it isn't known; of one key alone whoever
  /// looks there.
  mutating func ask(_ keys: [ObjectKey]) {
    guard width > 1 else { return }
    let unknown = keys.filter { answers[$0] == nil }
    guard unknown.count > 1 else { return }
    for (key, answer) in zip(unknown, store.get(each: unknown, range: 0..<Self.portion)) {
      switch answer {
      case .success(let bytes?) where bytes.count < Self.portion: answers[key] = .bytes(bytes)
      case .success(nil): answers[key] = .nothing
      case .failure(let error) where error.code == .corrupt: answers[key] = .rubbish(error.cause)
      // Whoever looks there asks once more, and tells what is wrong.
      case .success, .failure: continue
      }
    }
  }

  /// Whether it is known what stands there.
  func knows(_ key: ObjectKey) -> Bool { answers[key] != nil }

  /// What stands there, if it is known; then it isn't any more.
  mutating func take(_ key: ObjectKey) -> ZoneReplica.Found? { answers.removeValue(forKey: key) }

  /// Keeps an answer for the next look.
  mutating func giveBack(_ found: ZoneReplica.Found, _ key: ObjectKey) {
    guard width > 1 else { return }
    answers[key] = found
  }

  /// Forgets what is known.
  mutating func drop() { answers = [:] }

  /// Forgets what is known of these keys.
  mutating func drop(_ keys: [ObjectKey]) { for key in keys { answers[key] = nil } }

  /// Forgets which places are free, but for one: by the next look they may be taken.
  mutating func dropFree(except key: ObjectKey?) {
    answers = answers.filter { $0.value != .nothing || $0.key == key }
  }
}
