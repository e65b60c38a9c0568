import CairnStore
import CairnZone
import Synchronization
import Testing

@testable import CairnCloud

/// How many requests each act takes: the table of cairnd(8).
struct RequestCountTests {
  /// Counts the requests of one device by what they are, and which tags were agreed on.
  private final class TallyStore: StoreAround {
    struct Tally: Equatable, CustomTestStringConvertible {
      var (puts, gets, lists, others) = (0, 0, 0, 0)
      var total: Int { puts + gets + lists + others }
      var testDescription: String { "\(puts) PUT, \(gets) GET, \(lists) LIST, \(others) others" }
    }

    let inner: any ObjectStore
    private let tally = Mutex(Tally())
    private let agreed = Mutex<[String: [UInt32]]>([:])

    init(_ inner: any ObjectStore) { self.inner = inner }

    /// What was asked since the last call.
    func take() -> Tally {
      tally.withLock { tally in
        defer { tally = Tally() }
        return tally
      }
    }

    func tags(of folder: String) -> [UInt32] { agreed.withLock { $0[folder] ?? [] } }

    func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
      tally.withLock { $0.puts += 1 }
      return try inner.put(key, bytes)
    }
    func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? {
      tally.withLock { $0.gets += 1 }
      return try inner.get(key)
    }
    func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
      tally.withLock { $0.gets += 1 }
      return try inner.get(key, range: range)
    }
    func size(of key: ObjectKey) throws(StoreError) -> Int? {
      tally.withLock { $0.others += 1 }
      return try inner.size(of: key)
    }
    func list(
      _ prefix: String, after: ObjectKey?, limit: Int
    ) throws(StoreError) -> [ObjectKey] {
      tally.withLock { $0.lists += 1 }
      return try inner.list(prefix, after: after, limit: limit)
    }
    func delete(_ key: ObjectKey) throws(StoreError) {
      tally.withLock { $0.others += 1 }
      try inner.delete(key)
    }
    func agree(on tag: UInt32, for folder: String) {
      agreed.withLock { $0[folder, default: []].append(tag) }
    }
  }

  /// A zone of Ana's that Bob takes part in, each with a store that counts.
  private struct Pair {
    let world = try? ZoneWorld()
    let (ana, bob): (Zone, Zone)
    let (hers, his): (TallyStore, TallyStore)
    let container: Container

    init() throws {
      let world = try #require(world)
      hers = TallyStore(world.store)
      his = TallyStore(world.store)
      let accounts = (try world.account("ana"), try world.account("bob"))
      container = try world.open(accounts.0, store: hers)
      ana = try container.privateDatabase.createZone(named: "Trip")
      _ = try container.share(ana, title: "Trip")
      _ = try container.invite(accounts.1.user, to: ana, permission: .readWrite)
      bob = try world.open(accounts.1, store: his).accept(ana.id)
      for zone in [ana, bob, ana] { try zone.pull() }
      _ = (hers.take(), his.take())
    }
  }

  @Test func `a small drop is one PUT, and four GETs at the other end`() throws {
    let pair = try Pair()
    for number in 0..<3 {
      try pair.ana.write("file \(number)", [1, 2, 3])
      let sent = pair.hers.take()
      #expect(sent.puts == 1 && sent.gets <= 3 && sent.lists == 0 && sent.others <= 2)
      try pair.bob.pull()
      #expect(try pair.bob.files().count == number + 1)
      // The bytes came with the entry.
      let come = pair.his.take()
      #expect(come.gets <= 4 && come.gets == come.total)
    }
  }

  @Test func `a look at a zone in which nothing is new is three GETs`() throws {
    let pair = try Pair()
    for _ in 0..<3 {
      try pair.bob.pull()
      let look = pair.his.take()
      #expect(look.gets <= 3 && look.gets == look.total)
    }
  }

  @Test func `who has been away asks for each entry once`() throws {
    let pair = try Pair()
    for number in 0..<100 { try pair.ana.write("file \(number)", [1, 2, 3]) }
    try pair.bob.pull()
    let come = pair.his.take()
    // Beside them: the head, the places behind it, and the mark of the epoch's end.
    #expect(come.gets <= 105 && come.gets == come.total, "\(come)")
  }

  @Test func `writers and readers of a zone agree on its tag, which changes with the key`() throws {
    let pair = try Pair()
    let log = pair.ana.folder.log
    let first = pair.hers.tags(of: log)
    #expect(!first.isEmpty && pair.his.tags(of: log).last == first.last)
    try pair.ana.changeShare([], rekey: true)
    try pair.bob.pull()
    let now = pair.hers.tags(of: log)
    #expect(now.count == first.count + 1 && Set(now).count == now.count)
    #expect(pair.his.tags(of: log).last == now.last && !now.contains(0))
  }

  @Test func `two devices, and one in two containers, ring under names of their own`() throws {
    let (one, other) = (try Sample.account("ana").account, try Sample.account("bob").account)
    let (here, there) = (ContainerID.random(), ContainerID.random())
    let names = [
      one.bellOwner(in: here), one.bellOwner(in: there), other.bellOwner(in: here),
    ]
    #expect(Set(names).count == 3 && names.allSatisfy { $0.utf8.count == 32 })
    #expect(one.bellOwner(in: here) == names[0])
    #expect(!names[0].contains(one.device.id.description))
  }
}
