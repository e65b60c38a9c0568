import CairnContainer
import CairnFolders
import CairnIdentity
import CairnIndex
import CairnReplica
import CairnStore
import CairnZone

/// A shared folder and its people before the first event, created once for each number of people. A
/// story starts with a copy.
struct Scene {
  /// One person's part of the scene.
  struct Member {
    var account: Account
    /// The contents of the zone indexes.
    var zones: IndexFiles.Rows
  }

  let store: MemoryStore
  let container: ContainerID
  let zone: ZoneID
  let members: [Member]

  private static let handles = ["ana", "bob", "cleo", "dan", "eve"]

  /// Creates the scene with so many people; the first owns the zone.
  init(people count: Int) throws {
    SodiumDice.restart(seed: UInt64(count))
    WallClock.replace {
      SimulatedThread.isCurrent ? SimulatedClock.start : SimulatedThread.realDate
    }
    store = MemoryStore()
    container = try Container.make(in: store, note: "").id
    var containers: [Container] = []
    var people: [(Account, IndexFiles)] = []
    for handle in Self.handles.prefix(count) {
      let account = try IdentityLog.begin(
        handle: handle, name: handle, deviceName: "desk", time: 1
      ).account
      try People(store: store).publish(account)
      let zones = try IndexFiles(inMemory: {})
      containers.append(
        try Container(store: store, id: container, account: account, indexes: zones))
      people.append((account, zones))
    }
    let owned = try containers[0].privateDatabase.createZone(named: "Trip")
    zone = owned.id
    if count > 1 {
      _ = try containers[0].sharing.share(owned, title: "Trip")
      for (account, _) in people.dropFirst() {
        _ = try containers[0].sharing.invite(account.user, to: owned, permission: .readWrite)
      }
      for container in containers.dropFirst() { _ = try container.participation.accept(zone) }
    }
    members = try people.map { Member(account: $0, zones: try $1.rows()) }
  }
}

extension Scene {
  /// The handle of a person.
  static func handle(_ number: Int) -> String { handles[number] }
}

/// The indexes of one machine, which stories reuse: opening new ones costs more than playing.
final class Machine {
  let zones: IndexFiles
  let folders: FolderIndex
  let noFolders: IndexRows
  let noZones: IndexFiles.Rows
  private let gate: Gate

  /// Refuses commits after the committing process has ended.
  ///
  /// `@unchecked Sendable`: one thread runs all stories that use it.
  private final class Gate: @unchecked Sendable {
    var isShut: () -> Bool = { false }

    func check() throws {
      if isShut() { throw Device.Ended() }
    }
  }

  init() throws {
    let gate = Gate()
    self.gate = gate
    zones = try IndexFiles(inMemory: { try gate.check() })
    folders = try FolderIndex(inMemory: { try gate.check() })
    noZones = try zones.rows()
    noFolders = try folders.rows()
  }

  /// Assigns the machine to a person.
  func begin(with member: Scene.Member, isEnded: @escaping () -> Bool) throws {
    gate.isShut = { false }
    try zones.replaceAll(by: member.zones)
    try folders.replaceAll(by: noFolders)
    gate.isShut = isEnded
  }
}
