import CairnIdentity
import CairnStore
import CairnZone
import Synchronization
import Testing

@testable import CairnContainer
@testable import CairnReplica

/// A writer is notified of its own entries, and reads the log again only for those of others.
@Suite struct HintedPullTests {
  private let memory = MemoryStore()
  private let counting: CountingStore
  private let hooked: HookedStore
  private let world: ZoneWorld
  private let zone: Zone
  private let bob: Zone

  init() throws {
    hooked = HookedStore(memory)
    counting = CountingStore(hooked)
    world = try ZoneWorld(counting)
    (zone, bob, _) = try world.shared()
  }

  /// The names of the records.
  private func names() throws -> Set<String> { Set(try zone.files().keys) }

  @Test func `an own commit is not read again because of its notification`() throws {
    let hints = Mutex(0)
    let following = try zone.follow { hints.withLock { $0 += 1 } }
    for number in 1...3 {
      try zone.write("own \(number)", [1])
      #expect(hints.withLock { $0 } == number)
      let before = counting.gets
      try zone.pullIfHinted()
      #expect(counting.gets == before)
    }
    try zone.pull()
    let before = counting.gets
    try zone.pullIfHinted()
    #expect(counting.gets == before)
    withExtendedLifetime(following) {}
  }

  @Test func `an entry of another person is read after its notification`() throws {
    let following = try zone.follow {}
    try zone.write("ana", [1])
    try bob.pull()
    try bob.write("bob", [1])
    try zone.pullIfHinted()
    #expect(try names() == ["ana", "bob"])
    // One that came beside the check of an own entry.
    let place = try zone.place(zone.header.sequence + 1)
    hooked.afterPut(place.description) {
      try bob.pull()
      try bob.write("beside", [1])
    }
    try zone.write("again", [1])
    try zone.pullIfHinted()
    #expect(try names() == ["ana", "bob", "again", "beside"])
    withExtendedLifetime(following) {}
  }

  @Test func `an invalid object behind an own entry is reported at once`() throws {
    let following = try zone.follow {}
    let own = try zone.place(zone.header.sequence + 1)
    let behind = try zone.place(zone.header.sequence + 2)
    hooked.afterPut(own.description) { [memory] in
      _ = try memory.put(behind, [1, 2, 3])
    }
    try zone.write("own", [1])
    #expect(zone.trouble == nil)
    #expect(throws: CloudError.self) { try zone.pullIfHinted() }
    #expect(zone.trouble?.kind == .held)
    withExtendedLifetime(following) {}
  }
}
