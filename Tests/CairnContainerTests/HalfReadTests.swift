import CairnStore
import CairnZone
import Synchronization
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// A store that returns less of an object than there is, like a network file system whose client
/// trusts an old size. The reader's conclusion must not delete anything.
struct HalfReadTests {
  /// Two of the reads that look again after a put, and the number of concurrent requests.
  struct Halved: Sendable, CustomTestStringConvertible {
    let first: Int
    let flight: Int
    var testDescription: String { "\(first), \(flight) at once" }

    static let all = [1, 8].flatMap { flight in
      (1...4).map { Halved(first: $0, flight: flight) }
    }
  }

  @Test(arguments: Halved.all)
  func `an entry that others have read isn't taken back because of two reads`(
    halved: Halved
  ) throws {
    for second in halved.first...halved.first + 6 {
      let world = try ZoneWorld(MemoryStore())
      let (ana, _, accounts) = try world.shared()
      let store = HalvingStore(DistantStore(world.store, flight: halved.flight))
      let bob = try #require(try world.open(accounts[1], store: store).zone(ana.id))
      try bob.pull()
      store.halves([halved.first, second]) { try ana.pull() }
      // The error may be that the log went on, or that the container seems to have a problem.
      do { try bob.write("b", [1]) } catch is CloudError {}
      store.calm()
      try bob.pull()
      if try bob.names() != ["b"] { try bob.write("b", [1]) }
      for zone in [ana, bob] {
        try zone.pull()
        #expect(zone.trouble == nil, "reads \(halved.first), \(second)")
        #expect(try zone.names() == ["b"], "reads \(halved.first), \(second)")
      }
      #expect(ana.header.head == bob.header.head, "reads \(halved.first), \(second)")
    }
  }

  @Test func `an invitation that was read in part once stays, and isn't tidied away`() throws {
    let world = try ZoneWorld(MemoryStore())
    let (ana, bob) = (try world.account("ana"), try world.account("bob"))
    let container = try world.open(ana)
    let zone = try container.privateDatabase.createZone(named: "Trip")
    _ = try container.sharing.share(zone, title: "Trip")
    _ = try container.sharing.invite(bob.user, to: zone, permission: .readWrite)
    for reads in [[1], [2]] as [Set<Int>] {
      let store = HalvingStore(world.store)
      let inbox = Inbox(
        store: store, container: world.id, account: bob, people: People(store: world.store))
      store.halves(reads)
      store.arm()
      #expect(try inbox.tidy() == (0, 0))
      #expect(try inbox.invitations().map(\.zone) == [zone.id])
      #expect(!store.isWaiting)
    }
  }
}

/// A store that returns the first half of an object on request.
private final class HalvingStore: StoreAround {
  private struct Plan {
    var halved: Set<Int> = []
    var reads: Int?
    var beside: (@Sendable () throws -> Void)?
  }

  let inner: any ObjectStore
  private let plan = Mutex(Plan())

  init(_ inner: any ObjectStore) { self.inner = inner }

  /// A Boolean value that indicates whether there is still a read to halve.
  var isWaiting: Bool { plan.withLock { !$0.halved.isEmpty } }

  /// Halves the reads with these numbers, counted from the next put on, or from `arm`.
  /// - Parameters:
  ///   - reads: the numbers.
  ///   - beside: an act of another person before the last of these reads.
  func halves(_ reads: Set<Int>, _ beside: (@Sendable () throws -> Void)? = nil) {
    plan.withLock { $0 = Plan(halved: reads, beside: beside) }
  }

  func arm() { plan.withLock { $0.reads = 0 } }

  func calm() { plan.withLock { $0 = Plan() } }

  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    let outcome = try inner.put(key, bytes)
    arm()
    return outcome
  }

  private func halved(_ bytes: [UInt8]?) -> [UInt8]? {
    let (isHalved, beside) = plan.withLock { plan in
      guard let reads = plan.reads else { return (false, nil as (@Sendable () throws -> Void)?) }
      plan.reads = reads + 1
      guard plan.halved.remove(reads + 1) != nil else { return (false, nil) }
      guard plan.halved.isEmpty else { return (true, nil) }
      defer { plan.beside = nil }
      return (true, plan.beside)
    }
    do { try beside?() } catch { Issue.record("what happens beside a read failed: \(error)") }
    return isHalved ? bytes.map { Array($0.prefix($0.count / 2)) } : bytes
  }

  func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? { halved(try inner.get(key)) }

  func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
    halved(try inner.get(key, range: range))
  }

  func get(each keys: [ObjectKey], range: Range<Int>) -> [Result<[UInt8]?, StoreError>] {
    keys.map { key in
      Result { () throws(StoreError) in try get(key, range: range) }
    }
  }
}
