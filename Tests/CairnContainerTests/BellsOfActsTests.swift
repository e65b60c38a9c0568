import CairnZone
import Synchronization
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica
@testable import CairnStore

/// Each act that others wait for sets a change marker in a container without notifications. The
/// markers that others follow suffice, and they needn't check everything.
struct BellsOfActsTests {
  enum Act: CaseIterable {
    case becomingKnown, asking, passingOn, inviting, accepting, claiming, writing, leaving, removing
    case demoting, handingOver, stopping, purging, mirroring, joining, revoking, publishing
  }

  /// A share of Ana's with Bob as a participant and without Carol. Its setup sets no markers.
  private struct Cast {
    let world: ZoneWorld
    let accounts: [String: Account]
    let id: ZoneID
    let link: ShareLink

    init() throws {
      world = try ZoneWorld()
      accounts = try ["ana": world.account("ana"), "bob": world.account("bob")]
        .merging(["carol": world.account("carol")]) { $1 }
      let (ana, bob) = (try Self.account("ana", accounts), try Self.account("bob", accounts))
      let anas = try world.open(ana)
      let zone = try anas.privateDatabase.createZone(named: "Trip")
      _ = try anas.sharing.share(zone, title: "Trip")
      _ = try anas.sharing.invite(bob.user, to: zone, permission: .readWrite)
      _ = try world.open(bob).participation.accept(zone.id)
      try zone.pull()
      try anas.requests.setAllowed(true, of: zone)
      try zone.changeShare([.setRole(user: bob.user, role: .administrator)])
      link = anas.links.link(
        to: zone, secret: try anas.links.oneTimeLink(to: zone, permission: .readOnly).secret)
      id = zone.id
    }

    static func account(_ name: String, _ accounts: [String: Account]) throws -> Account {
      try #require(accounts[name])
    }

    func account(_ name: String) throws -> Account { try Self.account(name, accounts) }

    func store() -> AskingStore {
      AskingStore(
        world.store, owner: hexadecimal(Bytes16.random().bytes), isTold: false, isFolder: false,
        longest: 3_600)
    }
  }

  /// A person who acts, or waits for the act, on a device that has just started.
  private struct Someone {
    let account: Account
    let store: AskingStore
    let container: Container

    init(_ cast: Cast, _ name: String, _ account: Account? = nil) throws {
      self.account = try account ?? cast.account(name)
      store = cast.store()
      container = try cast.world.open(self.account, store: store)
    }

    func zone(_ cast: Cast) throws -> Zone {
      let zone = try #require(try container.zone(cast.id))
      try zone.pull()
      return zone
    }
  }

  private final class Ear: Sendable {
    private let heard = Atomic(false)
    var hasHeard: Bool { heard.load(ordering: .relaxed) }
    var hint: @Sendable () -> Void { { [self] in heard.store(true, ordering: .relaxed) } }
  }

  @Test(arguments: Act.allCases)
  func `a waiting device learns about the act`(_ act: Act) throws {
    let cast = try Cast()
    let (name, follow) = try Self.listener(act, cast)
    let listener = try Someone(cast, name)
    let ear = Ear()
    let subscriptions = try follow(listener, ear.hint)
    defer { for subscription in subscriptions { subscription.cancel() } }
    let store = try Self.perform(act, cast)
    store.end()
    let bells = try cast.world.keys("bells/").compactMap { Bell($0) }
    // Whatever the listener's own thread does meanwhile, these tags suffice.
    listener.store.woken(Set(bells.flatMap { $0.tags.map(\.tag) }))
    #expect(ear.hasHeard, "\(bells)")
  }

  private typealias Following = (Someone, @escaping @Sendable () -> Void) throws -> [Subscription]

  /// Returns a waiting device for an act, which follows the same folders as a daemon.
  private static func listener(_ act: Act, _ cast: Cast) throws -> (String, Following) {
    let zone: Following = { [try $0.zone(cast).follow($1)] }
    let inbox: Following = { [try $0.store.follow(Inbox.folder(of: $0.account.user), $1)] }
    switch act {
    case .becomingKnown: return ("bob", { [try $0.container.acquaintances.followNewcomers($1)] })
    case .asking: return ("ana", inbox)
    case .passingOn: return ("bob", inbox)
    case .inviting: return ("carol", inbox)
    case .accepting, .claiming, .leaving: return ("ana", zone)
    case .writing, .removing, .demoting, .handingOver, .stopping, .purging: return ("bob", zone)
    case .mirroring: return ("ana", { try $0.container.followAccount($1) })
    case .joining: return ("ana", { try $0.container.devices.followIdentity($1) })
    case .revoking:
      let chain = ChainPlace.folder(try cast.account("ana").user)
      return ("bob", { [try $0.store.follow(chain, $1)] })
    case .publishing:
      let author = try cast.account("ana").user
      _ = try cast.world.open(cast.account("ana")).publicZones.founded()
      return ("bob", { [try $0.container.publicZones.zone(of: author).follow($1)] })
    }
  }

  /// Performs the act.
  /// - Returns: the store in which it was performed.
  private static func perform(_ act: Act, _ cast: Cast) throws -> AskingStore {
    let carol = try cast.account("carol").user
    let bob = try cast.account("bob").user
    switch act {
    case .becomingKnown:
      let store = cast.store()
      try People(store: store).publish(Sample.account("dora").account)
      return store
    case .asking:
      let actor = try Someone(cast, "carol")
      try actor.container.requests.requestAccess(
        to: cast.world.locator(cast.id, cast.link), text: "")
      return actor.store
    case .passingOn:
      try cast.world.open(cast.account("carol"))
        .requests.requestAccess(to: cast.world.locator(cast.id, cast.link), text: "")
      let actor = try Someone(cast, "ana")
      _ = try actor.zone(cast)
      var passed: Set<ObjectKey> = []
      try actor.container.requests.passOn(&passed)
      #expect(try passed.count { try cast.world.store.size(of: $0) != nil } == 1)
      return actor.store
    case .accepting:
      let anas = try Someone(cast, "ana")
      _ = try anas.container.sharing.invite(carol, to: anas.zone(cast), permission: .readWrite)
      let actor = try Someone(cast, "carol")
      _ = try actor.container.participation.accept(cast.id)
      return actor.store
    case .claiming:
      let actor = try Someone(cast, "carol")
      _ = try actor.container.links.accept(cast.link)
      return actor.store
    case .leaving:
      let actor = try Someone(cast, "bob")
      try actor.container.participation.leave(actor.zone(cast))
      return actor.store
    case .joining:
      let code = try cast.world.open(cast.account("ana")).devices.linkCode(path: [47], now: 0)
      let store = cast.store()
      #expect(try DeviceJoin(code, in: store, deviceName: "phone").advance() == nil)
      return store
    case .inviting, .writing, .removing, .demoting, .handingOver, .stopping, .purging, .mirroring,
      .revoking, .publishing:
      let actor = try Someone(cast, "ana")
      try ownersAct(act, actor, actor.zone(cast), bob: bob, carol: carol)
      return actor.store
    }
  }

  private static func ownersAct(
    _ act: Act, _ actor: Someone, _ zone: Zone, bob: UserID, carol: UserID
  ) throws {
    let container = actor.container
    switch act {
    case .inviting: _ = try container.sharing.invite(carol, to: zone, permission: .readWrite)
    case .writing: try zone.write("x", [1])
    case .removing: try zone.changeShare([.remove(user: bob)], rekey: true)
    case .demoting: try zone.changeShare([.setRole(user: bob, role: .privateUser)], rekey: true)
    case .handingOver: try container.ownership.offer(zone, to: bob)
    case .stopping: try container.access.stopSharing(zone)
    case .purging: try container.ownership.purge(zone)
    case .mirroring: try container.addMount(zone.id, path: [47])
    case .revoking: _ = try container.devices.rename(actor.account.device.id, to: "another desk")
    case .publishing: try container.publicZones.founded().write("x", [1])
    default: Issue.record("\(act) isn't the owner's")
    }
  }
}

extension ZoneWorld {
  /// Returns a link with the location of a share, which lets nobody in.
  fileprivate func locator(_ zone: ZoneID, _ link: ShareLink) -> ShareLink {
    ShareLink(container: id, founder: link.founder, zone: zone)
  }
}
