import CairnThreads
import Synchronization

extension ObjectStore {
  /// Gets objects concurrently, up to `flight` at a time, each on a thread of its own.
  public func get(
    each keys: [ObjectKey], range: Range<Int>
  ) -> [Result<[UInt8]?, StoreError>] {
    getInFlights(keys, range: range)
  }

  /// Gets objects concurrently, up to `flight` at a time, each on a thread of its own: for stores
  /// with slow answers.
  func getInFlights(
    _ keys: [ObjectKey], range: Range<Int>
  ) -> [Result<[UInt8]?, StoreError>] {
    inFlights(keys.count) { answer(keys[$0], range) }
  }

  /// Gets objects and lists folders concurrently, up to `flight` at a time, each on a thread of its
  /// own.
  public func look(
    at keys: [ObjectKey], range: Range<Int>, in folders: [String], limit: Int
  ) -> Looks {
    let answers = inFlights(keys.count + folders.count) { number -> Looked in
      guard number >= keys.count else { return .object(answer(keys[number], range)) }
      return .names(answer(folders[number - keys.count], limit))
    }
    var looks = Looks(objects: [], names: [])
    for answer in answers {
      switch answer {
      case .object(let object): looks.objects.append(object)
      case .names(let names): looks.names.append(names)
      }
    }
    return looks
  }

  /// Deletes objects concurrently. A failure does not stop the other deletions.
  /// - Throws: the first error, in the order of the keys.
  func delete(each keys: [ObjectKey]) throws(StoreError) {
    let answers = inFlights(keys.count) { number -> Result<Void, StoreError> in
      do throws(StoreError) { return .success(try delete(keys[number])) } catch {
        return .failure(error)
      }
    }
    for answer in answers { try answer.get() }
  }

  /// Asks `count` questions concurrently, up to `flight` at a time, each on a thread of its own.
  private func inFlights<Answer: Sendable>(
    _ count: Int, _ ask: @Sendable (Int) -> Answer
  ) -> [Answer] {
    guard flight > 1, count > 1 else { return (0..<count).map(ask) }
    let next = Atomic(0)
    let answers = Mutex([Int: Answer]())
    ParallelFor.run(min(count, flight), meanwhile: {}) {
      while true {
        let number = next.add(1, ordering: .relaxed).oldValue
        guard number < count else { return }
        let answer = ask(number)
        answers.withLock { $0[number] = answer }
      }
    }
    let found = answers.withLock { $0 }
    return (0..<count).map { number in
      guard let answer = found[number] else {
        preconditionFailure("question \(number) wasn't asked")
      }
      return answer
    }
  }

  private func answer(_ key: ObjectKey, _ range: Range<Int>) -> Result<[UInt8]?, StoreError> {
    do throws(StoreError) { return .success(try get(key, range: range)) } catch {
      return .failure(error)
    }
  }

  private func answer(_ folder: String, _ limit: Int) -> Result<[ObjectKey], StoreError> {
    do throws(StoreError) {
      return .success(try list(folder + "/", after: nil, limit: limit))
    } catch { return .failure(error) }
  }
}

/// One answer of a batch of concurrent requests.
private enum Looked: Sendable {
  case object(Result<[UInt8]?, StoreError>)
  case names(Result<[ObjectKey], StoreError>)
}
