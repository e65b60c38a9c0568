import CairnThreads
import Synchronization

extension ObjectStore {
  /// As many at the same time as fit into a flight, each on a thread of its own.
  public func get(
    each keys: [ObjectKey], range: Range<Int>
  ) -> [Result<[UInt8]?, StoreError>] {
    getInFlights(keys, range: range)
  }

  /// Each on a thread of its own, as many at the same time as fit into a flight: what a store does
  /// whose answers come from afar.
  func getInFlights(
    _ keys: [ObjectKey], range: Range<Int>
  ) -> [Result<[UInt8]?, StoreError>] {
    guard flight > 1, keys.count > 1 else { return keys.map { answer($0, range) } }
    let next = Atomic(0)
    let answers = Mutex([Int: Result<[UInt8]?, StoreError>]())
    Lanes.run(min(keys.count, flight), meanwhile: {}) {
      while true {
        let number = next.add(1, ordering: .relaxed).oldValue
        guard number < keys.count else { return }
        let answer = answer(keys[number], range)
        answers.withLock { $0[number] = answer }
      }
    }
    let found = answers.withLock { $0 }
    return keys.indices.map { number in
      guard let answer = found[number] else {
        preconditionFailure("key \(number) wasn't asked for")
      }
      return answer
    }
  }

  private func answer(_ key: ObjectKey, _ range: Range<Int>) -> Result<[UInt8]?, StoreError> {
    do throws(StoreError) { return .success(try get(key, range: range)) } catch {
      return .failure(error)
    }
  }
}
