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
    inFlights(keys) { answer($0, range) }
  }

  /// Deletes all of them, in flights; one that can't be deleted keeps no other from it.
  /// - Throws: what the first of them threw, in their order.
  func delete(each keys: [ObjectKey]) throws(StoreError) {
    let answers = inFlights(keys) { key -> Result<Void, StoreError> in
      do throws(StoreError) { return .success(try delete(key)) } catch { return .failure(error) }
    }
    for answer in answers { try answer.get() }
  }

  /// Asks for each key on a thread of its own, as many at the same time as fit into a flight.
  private func inFlights<Answer: Sendable>(
    _ keys: [ObjectKey], _ ask: @Sendable (ObjectKey) -> Answer
  ) -> [Answer] {
    guard flight > 1, keys.count > 1 else { return keys.map(ask) }
    let next = Atomic(0)
    let answers = Mutex([Int: Answer]())
    Lanes.run(min(keys.count, flight), meanwhile: {}) {
      while true {
        let number = next.add(1, ordering: .relaxed).oldValue
        guard number < keys.count else { return }
        let answer = ask(keys[number])
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
