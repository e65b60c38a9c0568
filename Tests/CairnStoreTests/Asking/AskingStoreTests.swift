import Glibc
import Synchronization
import Testing

@testable import CairnStore

/// Followers of stores that cannot notify, or only seem to, learn of others' writes; with real
/// threads and stores.
struct AskingStoreTests {
  private let owners = ["a", "b"].map { String(repeating: $0, count: 32) }
  private let folder = "users/x/zones/1/log"

  private func asking(
    _ store: any ObjectStore, _ number: Int, isTold: Bool = false, patience: Int64 = 0
  ) -> AskingStore {
    let store = AskingStore(
      store, owner: owners[number], isTold: isTold, isFolder: false, longest: 3_600,
      patience: patience)
    store.agree(on: 7, for: folder)
    return store
  }

  @Test(arguments: TestedStore.allCases)
  func `what one writes the other hears of`(_ kind: TestedStore) throws {
    let (inner, kept) = kind.make()
    defer { withExtendedLifetime(kept) {} }
    let (ana, bob) = (asking(inner, 0), asking(inner, 1))
    let (own, hints) = (HintCounter(), HintCounter())
    let subscriptions = [
      try ana.follow(folder) { own.hint() }, try bob.follow(folder) { hints.hint() },
    ]
    defer { for subscription in subscriptions { subscription.cancel() } }
    #expect(subscriptions.count { $0.notifies } == 2)
    #expect(bob.news.lateness != nil && !bob.news.isDeaf)
    for number in 1...3 {
      #expect(try ana.put(key("\(folder)/\(number)"), [1]) == .stored)
      #expect(hints.wait())
    }
    #expect(own.value == 0)
    // What is written last is rung before it ends; then nothing is left over.
    _ = try ana.put(key("\(folder)/4"), [1])
    ana.end()
    let bells = try inner.list("bells/", after: nil, limit: 9).compactMap { Bell($0) }
    #expect(Set(bells.map(\.owner)) == Set(owners))
    #expect(bells.first { $0.owner == owners[0] }?.tags.map(\.tag) == [7])
    ana.takeDown()
    bob.takeDown()
    #expect(try inner.list("bells/", after: nil, limit: 9).isEmpty)
  }

  @Test func `a store that says it can't notify is asked, whatever was believed`() throws {
    let inner = QuietStore(.silent)
    let (ana, bob) = (asking(inner, 0, isTold: true), asking(inner, 1, isTold: true))
    let hints = HintCounter()
    let subscriptions = [try ana.follow(folder) {}, try bob.follow(folder) { hints.hint() }]
    defer { for subscription in subscriptions { subscription.cancel() } }
    #expect(hints.wait(), "to look at what may have come before")
    _ = try ana.put(key("\(folder)/1"), [1])
    #expect(hints.wait())
    #expect(!bob.news.isDeaf && bob.news.lateness != nil)
  }

  @Test func `a store that only seems to notify is found out by looking`() throws {
    let inner = QuietStore(Subscription {})
    let bob = asking(inner, 1, isTold: true)
    let hints = HintCounter()
    let subscription = try bob.follow(folder) { hints.hint() }
    defer { subscription.cancel() }
    #expect(bob.news == .init(lateness: nil, longest: 3_600_000_000_000, isDeaf: false))
    let place = try key("\(folder)/1")
    #expect(try bob.get(place) == nil)
    #expect(try inner.put(place, [1]) == .stored)
    #expect(try bob.get(place) == [1])
    #expect(hints.wait(), "all is looked at once it is known")
    #expect(bob.news.isDeaf && bob.news.lateness != nil)
  }

  @Test(arguments: [false, true])
  func `who follows nothing rings what they wrote when they end`(isTold: Bool) throws {
    let inner = MemoryStore()
    // Somebody who has to ask, so that others ring also where they are told.
    let bob = asking(inner, 1)
    let hints = HintCounter()
    let subscription = try bob.follow(folder) { hints.hint() }
    defer { subscription.cancel() }
    while try inner.list("bells/", after: nil, limit: 9).isEmpty { sched_yield() }
    let ana = asking(inner, 0, isTold: isTold)
    _ = try ana.put(key("\(folder)/1"), [1])
    ana.end()
    let bells = try inner.list("bells/", after: nil, limit: 9).compactMap { Bell($0) }
    #expect(bells.first { $0.owner == owners[0] }?.tags.map(\.tag) == [7])
    #expect(hints.wait())
    // Who wrote nothing leaves nothing.
    asking(inner, 0).end()
    #expect(try inner.list("bells/", after: nil, limit: 9).count == 2)
  }

  @Test func `what was stored with an answer that got lost is rung, too`() throws {
    let inner = MemoryStore()
    let ana = asking(AnswerLost(inner), 0)
    #expect(throws: StoreError.self) { try ana.put(key("\(folder)/1"), [1]) }
    ana.end()
    let bells = try inner.list("bells/", after: nil, limit: 9).compactMap { Bell($0) }
    #expect(bells.first?.tags.map(\.tag) == [7])
  }

  // MARK: Ears

  @Test
  func `what came without a notice is doubtful, and one that comes late takes the doubt away`()
    throws
  {
    var ears = Ears()
    ears.follow(folder)
    let (one, two) = (try key("\(folder)/1"), try key("\(folder)/2"))
    #expect(ears.look(one, isThere: true) == nil, "it may have stood there before")
    #expect(ears.look(two, isThere: false) == nil)
    let found = ears.look(two, isThere: true)
    let doubt = try #require(found)
    #expect(ears.confirms(doubt))
    ears.notice(folder)
    #expect(!ears.confirms(doubt))
  }

  @Test func `what one wrote oneself, or was told of, is no doubt`() throws {
    var ears = Ears()
    ears.follow(folder)
    let (one, two) = (try key("\(folder)/1"), try key("\(folder)/2"))
    _ = ears.look(one, isThere: false)
    ears.store(one)
    #expect(ears.look(one, isThere: true) == nil)
    _ = ears.look(two, isThere: false)
    ears.notice(folder)
    #expect(ears.look(two, isThere: true) == nil)
    let other = try key("users/x/packs/1")
    _ = ears.look(other, isThere: false)
    #expect(ears.look(other, isThere: true) == nil, "nobody follows it")
    // Who reads on asks for more than the next place at a time.
    for key in [one, two] { _ = ears.look(key, isThere: false) }
    #expect(ears.look(one, isThere: true) != nil)
    _ = ears.look(one, isThere: false)
    ears.unfollow(folder)
    #expect(ears.look(one, isThere: true) == nil)
  }
}

/// A store that tells nobody of anything, whatever it says about that.
private final class QuietStore: StoreAround {
  let inner = MemoryStore()
  private let answer: Subscription

  init(_ answer: Subscription) { self.answer = answer }

  func follow(
    _ prefix: String, _ onHint: @escaping @Sendable () -> Void
  ) throws(StoreError) -> Subscription { answer }
}

/// A store whose answers to what is put into logs get lost.
private final class AnswerLost: StoreAround {
  let inner: MemoryStore

  init(_ inner: MemoryStore) { self.inner = inner }

  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    let outcome = try inner.put(key, bytes)
    guard key.folder == Bell.folder else {
      throw StoreError(code: .unreachable, key: key, cause: "The answer got lost.")
    }
    return outcome
  }
}
