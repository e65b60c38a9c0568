import CairnContainer
import CairnControl
import CairnIdentity
import CairnReplica
import CairnThreads
import CairnZone
import Foundation
import Glibc
import Logging
import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import CairnDaemon
@testable import CairnStore

/// Push messages as the daemon sends and receives them.
struct WakeTests {
  // MARK: Recipients and times

  private func devices(_ count: UInt64) -> [DeviceID] {
    (0..<count).map { DeviceID(Bytes16(high: 1, low: $0)) }
  }

  @Test func `a device gets one push message a second, with everything new by then`() {
    let (one, two) = (devices(2)[0], devices(2)[1])
    var queue = WakeQueue()
    queue.pull(7, for: [one, two])
    #expect(queue.take(second: 5, mostTags: 16).map(\.device) == [one, two])
    queue.pull(7, for: [one])
    queue.pull(8, for: [one])
    queue.pull(7, for: [one])
    #expect(queue.take(second: 5, mostTags: 16).isEmpty && !queue.isEmpty)
    let next = queue.take(second: 6, mostTags: 16)
    #expect(next.map(\.device) == [one] && next.map(\.tags) == [[7, 8]])
    #expect(queue.isEmpty)
    for tag in 0..<40 as Range<UInt32> { queue.pull(tag, for: [one]) }
    var tags: [UInt32] = []
    for second in 7..<10 as Range<Int64> {
      tags += queue.take(second: second, mostTags: 16).flatMap(\.tags)
    }
    #expect(tags == Array(0..<40) && queue.isEmpty)
    // A clock that is set back doesn't delay anybody.
    queue.pull(1, for: [one])
    #expect(queue.take(second: 2, mostTags: 16).count == 1)
  }

  @Test func `no second has more push messages than a line bears, and none is forgotten`() {
    let all = devices(1_000)
    var queue = WakeQueue()
    queue.pull(7, for: all)
    var woken: [DeviceID] = []
    for second in 1...4 as ClosedRange<Int64> {
      let due = queue.take(second: second, mostTags: 16)
      #expect(due.count <= WakeQueue.most)
      #expect(queue.take(second: second, mostTags: 16).isEmpty)
      woken += due.map(\.device)
    }
    #expect(Set(woken) == Set(all) && woken.count == all.count && queue.isEmpty)
  }

  @Test func `in a flood a limited number is read, and the next one later`() {
    var intake = WakeIntake()
    for _ in 0..<WakeIntake.most { #expect(intake.take(now: 100) == nil) }
    #expect(intake.take(now: 100) == 100 + WakeIntake.span)
    #expect(intake.take(now: 99 + WakeIntake.span) == 100 + WakeIntake.span)
    #expect(intake.take(now: 100 + WakeIntake.span) == nil)
  }

  // MARK: cairn.conf

  private func wake(_ section: String) throws -> WakeSettings {
    try Configuration("[container]\npath = \"/c\"\nid = \"00\"\n" + section, from: "cairn.conf")
      .wake
  }

  @Test func `push messages are off unless cairn.conf says otherwise`() throws {
    #expect(try wake("") == WakeSettings() && !WakeSettings().isOn)
    let one = try wake("[wake]\nlisten = \"0.0.0.0:4711\"\n")
    #expect(try one.listen == [SocketAddress(ipAddress: "0.0.0.0", port: 4_711)] && one.sends)
    let two = try wake("[wake]\nlisten = [\"127.0.0.1:0\", \"[::1]:0\"]\nsend = false\n")
    #expect(two.listen.count == 2 && !two.sends && two.isOn)
    #expect(try wake("[wake]\nsend = true\n").listen.isEmpty)
    for settings in [one, two, try wake("[wake]\nsend = true\n")] {
      var configuration = try Configuration(
        "[container]\npath = \"/c\"\nid = \"00\"\n", from: "cairn.conf")
      configuration.wake = settings
      #expect(try Configuration(configuration.text, from: "cairn.conf") == configuration)
    }
    for wrong in ["4711", "::1:5", "localhost:1", "1.2.3.4:70000", "[1.2.3.4]:1", "[fe80::1%a]:1"] {
      let error = #expect(throws: ControlError.self) { try wake("[wake]\nlisten = \"\(wrong)\"\n") }
      #expect(error?.message.contains(wrong) == true)
    }
    #expect(throws: ControlError.self) {
      try wake("[wake]\nlisten = [\"1.2.3.4:1\", \"1.2.3.4:1\"]\n")
    }
  }

  // MARK: Two devices

  /// A person with a store without notifications, and a polling clock that stands still.
  private struct Someone {
    let store: AskingStore
    let container: Container
    let wakes: Wakes
  }

  /// Counts the requests for the folder in which devices publish their addresses.
  private final class CountedWakes: ObjectStore {
    let asked = Mutex(0)
    private let inner: any ObjectStore

    init(_ inner: any ObjectStore) { self.inner = inner }

    private func counted() -> any ObjectStore {
      asked.withLock { $0 += 1 }
      return inner
    }
    func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
      try counted().put(key, bytes)
    }
    func get(_ key: ObjectKey) throws(StoreError) -> [UInt8]? { try counted().get(key) }
    func get(_ key: ObjectKey, range: Range<Int>) throws(StoreError) -> [UInt8]? {
      try counted().get(key, range: range)
    }
    var flight: Int { inner.flight }
    func size(of key: ObjectKey) throws(StoreError) -> Int? { try counted().size(of: key) }
    func list(
      _ prefix: String, after: ObjectKey?, limit: Int
    ) throws(StoreError) -> [ObjectKey] {
      try counted().list(prefix, after: after, limit: limit)
    }
    func delete(_ key: ObjectKey) throws(StoreError) { try counted().delete(key) }
    func follow(
      _ prefix: String, _ onHint: @escaping @Sendable () -> Void
    ) throws(StoreError) -> Subscription { .silent }
  }

  private func account(_ handle: String) throws -> Account {
    try IdentityLog.begin(handle: handle, name: handle, deviceName: "desk", time: 1).account
  }

  /// A time so late that nothing that is due after it happens.
  private static let late: Int64 = .max / 4

  private func someone(
    _ account: Account, _ inner: any ObjectStore, _ id: ContainerID, in folder: String,
    listen: String
  ) throws -> Someone {
    let store = AskingStore(
      inner, owner: account.bellOwner(in: id), isTold: false, isFolder: false,
      longest: 3_600, patience: 0, clock: { Self.late })
    let index = folder + "/" + account.user.description
    try FileManager.default.createDirectory(atPath: index, withIntermediateDirectories: true)
    let container = try Container(store: store, id: id, account: account, indexFolder: index)
    var settings = WakeSettings()
    settings.listen = [try SocketAddress(ipAddress: listen, port: 0)]
    settings.sends = true
    let wakes = Wakes(container, store, settings, log: Logger(label: "test"))
    return Someone(store: store, container: container, wakes: wakes)
  }

  /// Returns true once the condition holds, or false after a generous time.
  private func comes(_ condition: () throws -> Bool) rethrows -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    while try !condition() {
      guard ContinuousClock.now < deadline else { return false }
      sched_yield()
    }
    return true
  }

  /// Returns Ana, who has shared a zone, and Bob, who has accepted. Both have stores in one
  /// container.
  private func two(
    in folder: String, listen: String
  ) throws -> (inner: MemoryStore, anas: Someone, bobs: Someone, zones: [Zone]) {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let inner = MemoryStore()
    let id = try Container.make(in: inner, note: "test").id
    let (ana, bob) = (try account("ana"), try account("bob"))
    for account in [ana, bob] { try People(store: inner).publish(account) }
    let anas = try someone(ana, inner, id, in: folder, listen: listen)
    let bobs = try someone(bob, inner, id, in: folder, listen: listen)
    let zone = try anas.container.privateDatabase.createZone(named: "Trip")
    _ = try anas.container.sharing.share(zone, title: "Trip")
    _ = try anas.container.sharing.invite(bob.user, to: zone, permission: .readOnly)
    let his = try bobs.container.participation.accept(zone.id)
    try zone.pull()
    return (inner, anas, bobs, [zone, his])
  }

  @Test(arguments: ["127.0.0.1", "::1"])
  func `a push message alone tells one person about the other's change`(address: String) throws {
    let folder = NSTemporaryDirectory() + "cairn-wake-\(UUID())"
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
    let (inner, anas, bobs, zones) = try two(in: folder, listen: address)
    let (zone, his) = (zones[0], zones[1])

    let hints = Signal()
    let subscription = try his.follow { hints.send() }
    defer { subscription.cancel() }
    try bobs.wakes.start()
    #expect(try comes { try inner.list("wakes/", after: nil, limit: 9).count == 1 })
    try anas.wakes.start()
    #expect(comes { anas.wakes.told.devices == 1 })
    let asked = bobs.store.requests
    let name = try #require(FileName(Array("new".utf8)))
    try zone.save([
      RecordChange(
        id: .random(), act: .create(.directory), place: Place(parent: .root, name: name))
    ])
    #expect(hints.arrives())
    #expect(bobs.wakes.told.heard == 1 && bobs.wakes.told.addresses.count == 1)
    #expect(try his.pull().applied == 1)
    // Only the zone itself was requested meanwhile.
    #expect(bobs.store.requests - asked <= 6)
    anas.wakes.end()
    bobs.wakes.end()
    #expect(try inner.list("wakes/", after: nil, limit: 9).isEmpty)
    for one in [anas, bobs] { one.store.end() }
  }

  /// Returns another listener of a device, at an address of its own.
  private func listening(_ one: Someone, on number: Int64) throws -> Wakes {
    var settings = WakeSettings()
    settings.listen = [try SocketAddress(ipAddress: "127.0.0.\(number)", port: 0)]
    return Wakes(one.container, one.store, settings, log: Logger(label: "test"))
  }

  @Test func `known listeners get a message before the container is asked for others`()
    throws
  {
    let folder = NSTemporaryDirectory() + "cairn-wake-\(UUID())"
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(atPath: folder) } }
    let (inner, anas, bobs, _) = try two(in: folder, listen: "127.0.0.1")
    try bobs.wakes.start()
    #expect(try comes { try inner.list("wakes/", after: nil, limit: 9).count == 1 })
    let first = try inner.list("wakes/", after: nil, limit: 9)

    let counted = CountedWakes(inner)
    func asked() -> Int { counted.asked.withLock { $0 } }
    var work = WakeWork(anas.container, counted, listens: false, sends: true)
    try work.take([], now: 0)
    try work.ask([], addresses: [], now: 0)
    #expect(work.known == 1 && asked() == 2)
    let log = try #require(
      try anas.container.waking.circle().people.first { $0.value.count == 2 }?.key)
    // It is time to look for addresses again. The messages don't wait for that.
    var now = WakeWork.pause + 1
    try work.take([.wrote(folder: log, tag: 7)], now: now)
    #expect(work.send(second: 1).map(\.tags) == [[7]] && asked() == 2)
    try work.ask([.wrote(folder: log, tag: 7)], addresses: [], now: now)
    #expect(work.send(second: 2).isEmpty && asked() == 3)
    // A listener that moved gets the message at its new address, too.
    let again = try listening(bobs, on: 2)
    try again.start()
    #expect(
      try comes {
        let now = try inner.list("wakes/", after: nil, limit: 9)
        return now.count == 1 && now != first
      })
    now += WakeWork.pause + 1
    try work.take([.wrote(folder: log, tag: 8)], now: now)
    let old = work.send(second: 3)
    try work.ask([.wrote(folder: log, tag: 8)], addresses: [], now: now)
    let new = work.send(second: 4)
    #expect(old.map(\.tags) == [[8]] && new.map(\.tags) == [[8]])
    #expect(old.map(\.addresses) != new.map(\.addresses))
    // So does a listener that ended and restarted between two looks.
    for wakes in [bobs.wakes, again] { wakes.end() }
    #expect(try inner.list("wakes/", after: nil, limit: 9).isEmpty)
    var known = new.map(\.addresses)
    for second in [5, 7] as [Int64] {
      let anew = try listening(bobs, on: second)
      try anew.start()
      #expect(comes { !anew.told.addresses.isEmpty })
      now += WakeWork.pause + 1
      try work.take([.wrote(folder: log, tag: 9)], now: now)
      _ = work.send(second: second)
      try work.ask([.wrote(folder: log, tag: 9)], addresses: [], now: now)
      let last = work.send(second: second + 1)
      #expect(last.map(\.tags) == [[9]] && last.map(\.addresses) != known)
      known = last.map(\.addresses)
      anew.end()
    }
    for one in [anas, bobs] { one.store.end() }
  }
}
