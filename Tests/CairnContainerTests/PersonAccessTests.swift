import CairnStore
import CairnZone
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// A store that takes no objects whose keys have that part.
///
/// `@unchecked Sendable`: one test uses it, in one thread.
private final class RefusingStore: StoreAround, @unchecked Sendable {
  let inner: any ObjectStore
  var refused: String?

  init(_ inner: any ObjectStore) { self.inner = inner }

  func put(_ key: ObjectKey, _ bytes: [UInt8]) throws(StoreError) -> PutOutcome {
    if let refused, key.description.contains(refused) {
      throw StoreError(code: .full, cause: "no space is left")
    }
    return try inner.put(key, bytes)
  }
}

/// One person's access to everything that another one owns.
struct PersonAccessTests {
  /// Ana owns `A` with Bob, `B` with an invitation for Bob, `C` with Cleo, and `D` with a link for
  /// anyone, by which Bob came.
  private struct Scene {
    let world: ZoneWorld
    let ana: Container
    let (bob, cleo): (Account, Account)
    var zones: [String: Zone] = [:]

    init(_ store: any ObjectStore = DistantStore(MemoryStore())) throws {
      world = try ZoneWorld(store)
      ana = try world.open(world.account("ana"))
      (bob, cleo) = (try world.account("bob"), try world.account("cleo"))
      for title in ["A", "B", "C", "D"] {
        let zone = try ana.privateDatabase.createZone(named: title)
        _ = try ana.sharing.share(zone, title: title)
        zones[title] = zone
      }
      for (title, user) in [("A", bob.user), ("B", bob.user), ("A", cleo.user), ("C", cleo.user)] {
        _ = try ana.sharing.invite(user, to: zone(title), permission: .readWrite)
      }
      let his = try world.open(bob)
      _ = try his.participation.accept(zone("A").id)
      try ana.access.setPublic(.readOnly, of: zone("D"))
      let secret = try ana.links.publicLink(to: zone("D"))
      _ = try his.links.accept(world.link(zone("D"), secret))
    }

    func zone(_ title: String) throws -> Zone { try #require(zones[title]) }

    func shares(of account: Account) throws -> [String] {
      try ana.access.shares(with: account.user).map { access in
        let way = access.admission.link == nil ? "by name" : "by link"
        return "\(access.zone.header.share?.title ?? "") \(access.participant.role) "
          + "\(access.participant.permission) \(access.participant.acceptance) \(way)"
      }
    }
  }

  @Test func `everything that a person has access to is listed, with the way they came`() throws {
    let scene = try Scene()
    #expect(
      try scene.shares(of: scene.bob) == [
        "A privateUser readWrite accepted by name", "B privateUser readWrite pending by name",
        "D publicUser readOnly accepted by link",
      ])
    let access = try scene.ana.access.shares(with: scene.bob.user)
    #expect(
      access.map { $0.admission.by } == [scene.ana.account.user, scene.ana.account.user, nil])
    #expect(access.allSatisfy { $0.admission.since != nil && $0.isCurrent })
    #expect(try scene.ana.access.sharesForAnyone().map(\.id) == [scene.zone("D").id])
  }

  @Test func `a person who was invited again is in since then`() throws {
    let scene = try Scene()
    let zone = try scene.zone("A")
    let first = try scene.ana.access.shares(with: scene.bob.user).first?.admission.since
    try scene.ana.access.remove(scene.bob.user, from: zone)
    _ = try scene.ana.sharing.invite(scene.bob.user, to: zone, permission: .readOnly)
    let again = try scene.ana.access.shares(with: scene.bob.user).first?.admission.since
    #expect(try #require(first) < #require(again))
  }

  @Test func `one call ends all of it, and nothing of others`() throws {
    let scene = try Scene()
    let before = try scene.zone("D").header.epoch
    let (removed, missed) = try scene.ana.access.removeEverywhere(scene.bob.user)
    #expect(removed.count == 3 && missed.isEmpty)
    #expect(try scene.shares(of: scene.bob) == [])
    #expect(try scene.shares(of: scene.cleo).count == 2)
    // The links that he may know are gone, and his invitation is withdrawn.
    #expect(try scene.zone("D").header.share?.links.isEmpty == true)
    for title in ["A", "B"] { #expect(try scene.zone(title).header.epoch == 2) }
    #expect(try scene.zone("D").header.epoch == before + 1)
    #expect(try scene.zone("C").header.epoch == 1)
    let his = try scene.world.open(scene.bob)
    #expect(try his.participation.invitations().isEmpty)
    #expect(
      try cloudCode { _ = try his.participation.accept(scene.zone("B").id) } == .permissionFailure)
    #expect(try scene.ana.access.removeEverywhere(scene.bob.user).removed.isEmpty)
  }

  @Test func `a share that can't be written is named, and the next call completes it`() throws {
    let store = RefusingStore(MemoryStore())
    let scene = try Scene(store)
    let blocked = try scene.zone("A")
    store.refused = "\(blocked.id)"
    let (removed, missed) = try scene.ana.access.removeEverywhere(scene.bob.user)
    #expect(removed.count == 2 && missed.map(\.zone) == [blocked.id])
    store.refused = nil
    let again = try scene.ana.access.removeEverywhere(scene.bob.user)
    #expect(again.removed.map(\.zone.id) == [blocked.id] && again.missed.isEmpty)
    #expect(try scene.shares(of: scene.bob) == [])
  }

  // MARK: Access with an end

  private static let hour: Int64 = 3_600_000_000_000

  @Test func `access ends with a new key, on any device of the person who set the end`() throws {
    let scene = try Scene()
    let (zone, access) = (try scene.zone("A"), scene.ana.access)
    let end = WallClock.now + Self.hour
    try access.setEnd(end, of: [scene.bob.user], in: zone)
    #expect(try access.ends(in: zone) == [scene.bob.user: end])
    #expect(try access.shares(with: scene.bob.user).map(\.end) == [end, nil, nil])
    #expect(try access.removeEnded(from: zone, at: end - 1) == [])
    // Another device of hers was off until then.
    let other = try scene.world.open(scene.ana.account)
    let same = try #require(try other.zone(zone.id))
    #expect(try other.access.nextEnds() == [zone.id: end])
    #expect(try other.access.removeEnded(from: same, at: end + Self.hour) == [scene.bob.user])
    #expect(same.header.epoch == 2 && same.header.share?.participants[scene.bob.user] == nil)
    #expect(try other.access.nextEnds().isEmpty)
    #expect(try access.removeEnded(from: zone, at: end + Self.hour) == [])
  }

  @Test func `an invitation that isn't accepted ends, too, and the next one has no end`() throws {
    let scene = try Scene()
    let (zone, access) = (try scene.zone("C"), scene.ana.access)
    let end = WallClock.now + Self.hour
    func invite(until end: Int64?) throws {
      try access.inviting(until: end, [scene.bob.user], to: zone) {
        _ = try scene.ana.sharing.invite(scene.bob.user, to: zone, permission: .readOnly)
      }
    }
    try invite(until: end)
    // Another permission leaves the end as it is.
    try invite(until: nil)
    #expect(try access.ends(in: zone) == [scene.bob.user: end])
    #expect(try access.removeEnded(from: zone, at: end) == [scene.bob.user])
    let his = try scene.world.open(scene.bob)
    #expect(try his.participation.invitations().map(\.zone) == [scene.zone("B").id])
    try access.setEnd(end, of: [scene.bob.user], in: zone)
    try invite(until: nil)
    #expect(try access.ends(in: zone).isEmpty)
  }

  @Test func `an end that is refused changes nothing`() throws {
    let scene = try Scene()
    let (zone, access) = (try scene.zone("A"), scene.ana.access)
    let end = WallClock.now + Self.hour
    try access.setEnd(end, of: [scene.cleo.user], in: zone)
    #expect(
      try cloudCode { try access.setEnd(WallClock.now - 1, of: [scene.bob.user], in: zone) }
        == .invalidArguments)
    #expect(throws: CancellationError.self) {
      try access.inviting(until: end + 1, [scene.bob.user, scene.cleo.user], to: zone) {
        throw CancellationError()
      }
    }
    #expect(try access.ends(in: zone) == [scene.cleo.user: end])
    // Only those who may remove people may have them removed.
    let his = try scene.world.open(scene.bob)
    let same = try #require(try his.zone(zone.id))
    #expect(
      try cloudCode { try his.access.setEnd(end, of: [scene.cleo.user], in: same) }
        == .permissionFailure)
  }

  @Test func `one call that ends everything removes the ends, too`() throws {
    let scene = try Scene()
    try scene.ana.access.setEnd(
      WallClock.now + Self.hour, of: [scene.bob.user], in: scene.zone("A"))
    _ = try scene.ana.access.removeEverywhere(scene.bob.user)
    #expect(try scene.ana.access.nextEnds().isEmpty)
  }
}
