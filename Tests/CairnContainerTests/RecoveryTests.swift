import CairnStore
import CairnWire
import CairnZone
import FoundationEssentials
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// Recovery sheets: a person who has lost every device, and people who have a sheet and should not.
struct RecoveryTests {
  private let world: ZoneWorld
  private let ana: Account
  private let desk: Container

  init() throws {
    world = try ZoneWorld()
    ana = try world.account("ana")
    desk = try world.open(ana)
  }

  /// Returns another device of Ana's.
  private func device(_ name: String) throws -> Account {
    try world.device(name, by: desk)
  }

  /// Returns the account of a new device that the sheet has let in.
  private func recover(
    _ words: RecoveryWords, in store: (any ObjectStore)? = nil, named name: String = "new"
  ) throws -> Account {
    let recovery = PersonRecovery(words, in: store ?? world.store)
    let sheet = try recovery.find()
    let account = Account(
      user: sheet.user, device: .random(), encryption: sheet.encryption, origin: sheet.origin)
    _ = try recovery.letIn(account.device, named: name, by: sheet)
    return account
  }

  @Test func `the words and the container bring back all of a person`() throws {
    let zone = try desk.privateDatabase.createZone(named: "Trip")
    try zone.write("first", [1])
    // The person has an earlier key before the sheet is made, and a later one after it.
    try desk.revocation.revoke(try device("early").device.id)
    let (words, sheet) = try desk.recovery.make(named: "sheet")
    try desk.revocation.revoke(try device("late").device.id)
    #expect(try desk.revocation.revokeInZones().pending == 0)
    try zone.write("second", [2])
    // Nothing else is left of her.
    let again = try RecoveryWords(parsing: words.words.joined(separator: " "))
    let account = try recover(again)
    #expect(account.user == ana.user)
    #expect(account.encryption.map(\.publicKey) == ana.encryption.map(\.publicKey))
    let phone = try world.open(account)
    let same = try #require(try phone.zone(zone.id))
    try same.pull()
    #expect(try same.files() == ["first": [1], "second": [2]])
    try same.write("third", [3])
    try zone.pull()
    #expect(try zone.names() == ["first", "second", "third"])
    let me = try desk.refreshMe().me
    #expect(me.devices[account.device.id]?.name == "new")
    // The sheet is valid still, and the next machine needs it.
    #expect(me.devices[sheet]?.isActive == true)
    #expect(try recover(words, named: "newer").user == ana.user)
  }

  @Test(arguments: [FaultyStore.Fault.before, .after])
  func `a failure names a new sheet that may exist without its words`(
    fault: FaultyStore.Fault
  ) throws {
    var (call, lost) = (0, 0)
    var isOver = false
    while !isOver {
      call += 1
      try #require(call < 50)
      let faulty = FaultyStore(world.store)
      let container = try world.open(ana, store: faulty)
      faulty.fail(call: call, fault)
      var failure: CloudError?
      do { _ = try container.recovery.make(named: "sheet \(call)") } catch let error as CloudError {
        failure = error
      }
      isOver = !faulty.isSpent
      faulty.heal()
      let made = try desk.refreshMe().me.devices.first { $0.value.name == "sheet \(call)" }
      guard let failure else {
        #expect(made != nil)
        continue
      }
      guard let made else { continue }
      lost += 1
      #expect(failure.message.contains("its words are lost"), "call \(call)")
      #expect(failure.remedy.contains("cairn device revoke \(made.key.digits)"), "call \(call)")
    }
    #expect(lost > 0)
  }

  @Test func `an interrupted recovery goes on with the same device`() throws {
    let (words, _) = try desk.recovery.make(named: "sheet")
    let recovery = PersonRecovery(words, in: world.store)
    let sheet = try recovery.find()
    let keys = DeviceKeys.random()
    for _ in 0..<2 { _ = try recovery.letIn(keys, named: "new", by: sheet) }
    #expect(try desk.refreshMe().me.devices.count == 3)
  }

  @Test func `a revoked sheet recovers nothing, and says so`() throws {
    let zone = try desk.privateDatabase.createZone(named: "Trip")
    let (words, id) = try desk.recovery.make(named: "sheet")
    let recovery = PersonRecovery(words, in: world.store)
    let before = try recovery.find()
    try desk.revocation.revoke(id)
    #expect(try desk.revocation.revokeInZones().pending == 0)
    let sheet = try #require(try desk.refreshMe().me.devices[id])
    #expect(throws: Recovery.revoked(sheet)) { try recover(words) }
    #expect(throws: Recovery.revoked(sheet)) { try desk.recovery.test(words) }
    // What the sheet had found before lets nobody in, and writes nothing.
    #expect(throws: CloudError.revoked) {
      try recovery.letIn(.random(), named: "late", by: before)
    }
    try zone.write("secret", [1])
    let thief = try world.open(before)
    #expect(throws: CloudError.revoked) { try thief.refreshMe() }
    let stolen = try thief.zone(zone.id)
    try stolen?.pull()
    #expect(try stolen?.names() ?? [] == [])
  }

  @Test func `words of another container, or of nobody, find nobody`() throws {
    _ = try desk.recovery.make(named: "sheet")
    #expect(throws: Recovery.foreign) { try recover(.random()) }
    let elsewhere = try ZoneWorld()
    let other = try elsewhere.open(try elsewhere.account("ana"))
    let (words, _) = try other.recovery.make(named: "sheet")
    #expect(throws: Recovery.foreign) { try recover(words) }
    #expect(throws: Recovery.foreign) { try desk.recovery.test(words) }
    // Another person's sheet recovers that person, and nobody else.
    let bob = try world.account("bob")
    let (bobs, _) = try world.open(bob).recovery.make(named: "sheet")
    #expect(throws: Recovery.foreign) { try desk.recovery.test(bobs) }
    #expect(try recover(bobs).user == bob.user)
  }

  @Test func `a test finds a sheet that would not recover everything`() throws {
    let (words, id) = try desk.recovery.make(named: "sheet")
    #expect(try desk.recovery.test(words) == id)
    let keys = DeviceKeys.random()
    let me = try desk.refreshMe().me
    #expect(try desk.people.account(of: me, on: keys) == nil)
    // A device that joins by a code gets no earlier keys from the chain.
    try desk.revocation.revoke(try device("early").device.id)
    let late = try device("late")
    let now = try desk.refreshMe().me
    #expect(try desk.people.account(of: now, on: late.device) == nil)
    #expect(try desk.people.account(of: now, on: words.keys) != nil)
  }

  @Test func `the host can't replace what a sheet opens by anything else`() throws {
    try desk.revocation.revoke(try device("early").device.id)
    let before = try Set(world.keys("users/\(ana.user)/log"))
    let (old, oldID) = try desk.recovery.make(named: "old")
    let added = try #require(try Set(world.keys("users/\(ana.user)/log")).subtracting(before).first)
    try desk.revocation.revoke(oldID)
    let (words, _) = try desk.recovery.make(named: "new")
    let whole = try #require(try world.store.get(added))
    // Every change of the entry ends the chain there, and so finds nobody.
    for index in stride(from: 0, to: whole.count, by: 17) {
      try world.replace(added) { $0[index] ^= 1 }
      #expect(throws: Recovery.foreign) { try recover(words) }
    }
    // Without the entries behind it, the old sheet finds its person, as anybody who is shown an
    // old container. It can't write where the others read.
    try world.replace(added) { $0 = whole }
    let sheet = try #require(try desk.refreshMe().me.devices[oldID])
    #expect(throws: Recovery.revoked(sheet)) { try recover(old) }
    let shown = MemoryStore()
    for key in try world.keys() where before.contains(key) || key == added {
      _ = try shown.put(key, try #require(try world.store.get(key)))
    }
    let forged = try recover(old, in: shown)
    for key in try shown.list("users/\(ana.user)/log", after: nil, limit: 100) {
      #expect(try world.store.put(key, try #require(try shown.get(key))) == .exists)
    }
    #expect(try desk.refreshMe().me.devices[forged.device.id] == nil)
    #expect(try recover(words).user == ana.user)
  }

  @Test func `a recovery device has its part whole, and begins no person`() throws {
    let me = try desk.refreshMe().me
    let keys = DeviceKeys.random()
    let request = DeviceRequest(name: "sheet", keys: keys, to: me)
    let (_, _, entry) = try IdentityLog.append(.addRecovery(request), to: me, by: ana, time: 1)
    let person = try IdentityLog.fold(entry, onto: me)
    #expect(person.devices[keys.id]?.isRecovery == true)
    for count in [1, 47, 49, 79, 81] {
      let forged = try Sample.resigned(entry, by: ana) {
        $0.addDevice.earlierSecrets = .init(repeating: 7, count: count)
      }
      #expect(throws: IdentityError.self) { try IdentityLog.fold(forged, onto: me) }
    }
    let first = try Sample.resigned(ana.origin, by: ana) {
      $0.start.device.earlierSecrets = .init(repeating: 7, count: 48)
    }
    #expect(throws: IdentityError.self) { try IdentityLog.fold([first]) }
  }

  @Test func `nobody wakes a sheet, or waits for it`() throws {
    let (_, sheet) = try desk.recovery.make(named: "sheet")
    let laptop = try device("laptop")
    _ = try desk.refreshMe()
    let peers = try desk.waking.circle().devices[ana.user] ?? []
    #expect(peers.map(\.device) == [laptop.device.id])
    #expect(!peers.contains { $0.device == sheet })
  }

  @Test func `the sheet that a stolen device made is named when the device is revoked`() throws {
    let stolen = try device("stolen")
    let (words, sheet) = try world.open(stolen).recovery.make(named: "thief's")
    let guest = try recover(words)
    try desk.revocation.revoke(stolen.device.id)
    let named = try desk.revocation.letIn(by: stolen.device.id).devices
    #expect(Set(named) == [sheet, guest.device.id])
  }
}
