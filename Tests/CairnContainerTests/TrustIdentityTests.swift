import CairnStore
import CairnWire
import CairnZone
import FoundationEssentials
import Testing

@testable import CairnIdentity

/// The chain of a person: the entries that the replay accepts, and those that it refuses.
struct TrustIdentityTests {
  private func begin() throws -> (account: Account, entry: [UInt8]) {
    try IdentityLog.begin(handle: "ana", name: "Ana María", deviceName: "laptop", time: 5)
  }

  @Test func `the first entry makes a person whose id is its digest`() throws {
    let (account, entry) = try begin()
    let person = try IdentityLog.fold([entry])
    #expect(person.id == account.user)
    #expect(person.handle == "ana")
    #expect(person.name == "Ana María")
    #expect(person.encryptionKey == account.encryptionKey)
    #expect(person.devices[account.device.id]?.signKey == account.device.signing.publicKey)
    #expect(person.devices[account.device.id]?.name == "laptop")
    #expect(account.origin == entry)
  }

  @Test func `every flipped bit of a first entry is refused`() throws {
    let (account, entry) = try begin()
    for index in entry.indices {
      for bit in 0..<8 {
        var bytes = entry
        bytes[index] ^= 1 << UInt8(bit)
        #expect(throws: IdentityError.self) { try IdentityLog.fold([bytes], of: account.user) }
      }
    }
  }

  @Test func `an entry with a byte more or less is refused`() throws {
    let (account, entry) = try begin()
    for bytes in [Array(entry.dropLast()), entry + [0], entry + [0x40, 1], []] {
      #expect(throws: IdentityError.self) { try IdentityLog.fold([bytes], of: account.user) }
    }
    #expect(throws: IdentityError.empty) { try IdentityLog.fold([], of: account.user) }
  }

  @Test func `another person's entry is not accepted`() throws {
    let (account, _) = try begin()
    let (_, other) = try begin()
    #expect(throws: IdentityError.wrongPerson) { try IdentityLog.fold([other], of: account.user) }
  }

  @Test func `a profile change, a new device and a revocation apply in their order`() throws {
    let (account, first) = try begin()
    var person = try IdentityLog.fold([first])
    let (_, _, renamed) = try IdentityLog.append(
      .profile(handle: "ana.b", name: "Ana B"), to: person, by: account, time: 6)
    person = try IdentityLog.fold(renamed, onto: person)
    let phone = DeviceKeys.random()
    let request = DeviceRequest(name: "phone", keys: phone, to: person)
    let (_, _, added) = try IdentityLog.append(
      .addDevice(request), to: person, by: account, time: 7)
    person = try IdentityLog.fold(added, onto: person)
    #expect(person.devices[phone.id]?.isActive == true)
    let before = person.encryptionKey
    let (after, _, revoked) = try IdentityLog.append(
      .revokeDevice(phone.id), to: person, by: account, time: 8)
    person = try IdentityLog.fold([first, renamed, added, revoked], of: account.user)
    #expect(person.handle == "ana.b")
    #expect(person.length == 4)
    #expect(person.devices[phone.id]?.isActive == false)
    #expect(person.encryptionKey != before)
    #expect(person.encryptionKey == after.encryptionKey)
    // In another order, each names another place than its own.
    let begun = try IdentityLog.fold([first])
    #expect(throws: IdentityError.brokenChain(2)) {
      try IdentityLog.fold([first, added, renamed], of: account.user)
    }
    #expect(throws: IdentityError.brokenChain(2)) { try IdentityLog.fold(added, onto: begun) }
    // The revoked device doesn't know the place of the next entry. With the key it still may not
    // write.
    for (keys, error) in [
      (account.encryption, IdentityError.noPlace(4)),
      (after.encryption, IdentityError.inactiveDevice(5)),
    ] {
      let old = Account(
        user: account.user, device: phone, encryption: keys, origin: account.origin)
      #expect(throws: error) {
        try IdentityLog.append(.profile(handle: "x", name: "x"), to: person, by: old, time: 9)
      }
    }
  }

  @Test func `a stranger can't append, and the last device can't be revoked`() throws {
    let (account, first) = try begin()
    let person = try IdentityLog.fold([first])
    let (stranger, _) = try begin()
    #expect(throws: IdentityError.noPlace(1)) {
      try IdentityLog.append(
        .profile(handle: "x", name: "x"), to: person, by: stranger, time: 1)
    }
    let knowing = Account(
      user: account.user, device: stranger.device, encryption: account.encryption,
      origin: account.origin)
    #expect(throws: IdentityError.inactiveDevice(2)) {
      try IdentityLog.append(.profile(handle: "x", name: "x"), to: person, by: knowing, time: 1)
    }
    #expect(throws: IdentityError.self) {
      try IdentityLog.append(
        .revokeDevice(account.device.id), to: person, by: account, time: 1)
    }
  }

  @Test func `a device is added only where it agreed to`() throws {
    let (account, first) = try begin()
    let person = try IdentityLog.fold([first])
    let phone = DeviceKeys.random()
    let request = DeviceRequest(name: "phone", keys: phone, to: person)
    let (_, _, renamed) = try IdentityLog.append(
      .profile(handle: "a", name: "A"), to: person, by: account, time: 1)
    let later = try IdentityLog.fold(renamed, onto: person)
    #expect(throws: IdentityError.self) {
      try IdentityLog.append(.addDevice(request), to: later, by: account, time: 1)
    }
  }

  @Test func `only the person's devices can compute the place of the next entry`() throws {
    let (account, first) = try begin()
    var person = try IdentityLog.fold([first])
    let stolen = DeviceKeys.random()
    let thief = Account(
      user: account.user, device: stolen, encryption: account.encryption, origin: first)
    let request = DeviceRequest(name: "laptop", keys: stolen, to: person)
    let (_, second, added) = try IdentityLog.append(
      .addDevice(request), to: person, by: account, time: 1)
    #expect(ChainPlace.lock(second) == person.lock && thief.nextName(after: person) == second)
    person = try IdentityLog.fold(added, onto: person)
    let (next, third, revoked) = try IdentityLog.append(
      .revokeDevice(stolen.id), to: person, by: account, time: 2)
    #expect(ChainPlace.lock(third) == person.lock && third != second)
    person = try IdentityLog.fold(revoked, onto: person)
    #expect(next.nextName(after: person).map { ChainPlace.lock($0) } == person.lock)
    // Neither the old key nor anything else that the revoked device knows leads there.
    #expect(thief.nextName(after: person) == nil)
    let guesses = (1...9).flatMap { place in
      thief.encryption.map { ChainPlace.name(UInt64(place) + 1, by: $0) }
    }
    #expect(guesses.allSatisfy { ChainPlace.lock($0) != person.lock })
  }

  @Test(arguments: [0, 31, 33]) func `an entry without a lock of 32 bytes is refused`(
    count: Int
  ) throws {
    let (account, first) = try begin()
    func relocked(_ entry: [UInt8]) throws -> [UInt8] {
      try Sample.resigned(entry, by: account) {
        $0.lock = .init((Array($0.lock) + [0]).prefix(count))
      }
    }
    let why = "it doesn't say where the next one stands"
    #expect(throws: IdentityError.invalid(1, why)) { try IdentityLog.fold([relocked(first)]) }
    let person = try IdentityLog.fold([first])
    let (_, _, second) = try IdentityLog.append(
      .profile(handle: "a", name: "A"), to: person, by: account, time: 1)
    #expect(throws: IdentityError.invalid(2, why)) {
      try IdentityLog.fold([first, relocked(second)])
    }
    #expect(try IdentityLog.fold([first, second]).name == "A")
  }

  @Test(arguments: [
    ("ana", true), ("a", true), ("0.b_c-d", true), (String(repeating: "a", count: 32), true),
    ("", false), ("Ana", false), (".ana", false), ("-a", false), ("a b", false), ("añа", false),
    (String(repeating: "a", count: 33), false), ("a/b", false),
  ])
  func `handles keep to their rule`(handle: String, isAllowed: Bool) {
    #expect(Person.isHandle(handle) == isAllowed)
    if !isAllowed {
      #expect(throws: IdentityError.handle(handle)) {
        try IdentityLog.begin(handle: handle, name: "x", deviceName: "d", time: 0)
      }
    }
  }

  @Test func `random bytes are refused and trap nothing`() {
    for seed in 0..<2_000 {
      let bytes = Sample.noise(seed % 300, seed: UInt64(seed))
      #expect(throws: IdentityError.self) { try IdentityLog.fold([bytes]) }
    }
  }
}

/// People in a container.
struct TrustPeopleTests {
  @Test func `a published person is found by id, by handle and among all`() throws {
    let store = MemoryStore()
    let (ana, bob) = (try Sample.account("ana"), try Sample.account("bob"))
    let people = People(store: store)
    #expect(try people.person(ana.account.user) == nil)
    for one in [ana, bob, ana] { try people.publish(one.account) }
    // Packs beside the log must neither hide anybody nor cost a request each.
    for number in 0..<50 {
      let name = "users/\(ana.account.user)/packs/00000000/0a/\(number)"
      _ = try store.put(try #require(ObjectKey(name)), [1])
    }
    #expect(try people.person(ana.account.user) == ana.person)
    #expect(try people.find(handle: "bob") == bob.person)
    #expect(try people.find(handle: "carl") == nil)
    #expect(Set(try people.all().map(\.id)) == [ana.account.user, bob.account.user])
    #expect(
      try people.signKey(of: ana.account.author) == ana.account.device.signing.publicKey)
  }

  @Test func `a handle that two people claim names nobody`() throws {
    let people = People(store: MemoryStore())
    let both = [try Sample.account("ana"), try Sample.account("ana")]
    for one in both { try people.publish(one.account) }
    let users = both.map(\.account.user).sorted()
    #expect(throws: PeopleError.ambiguous(handle: "ana", users: users)) {
      try people.find(handle: "ana")
    }
  }

  @Test func `a device that was added later is found by another look`() throws {
    let store = MemoryStore()
    let ana = try Sample.account("ana")
    let people = People(store: store)
    try people.publish(ana.account)
    _ = try people.person(ana.account.user)
    let phone = DeviceKeys.random()
    let request = DeviceRequest(name: "phone", keys: phone, to: ana.person)
    let author = Author(user: ana.account.user, device: phone.id)
    #expect(try people.signKey(of: author) == nil)
    let (_, name, added) = try IdentityLog.append(
      .addDevice(request), to: ana.person, by: ana.account, time: 1)
    _ = try store.put(ChainPlace.key(ana.account.user, name), added)
    #expect(try people.signKey(of: author) == phone.signing.publicKey)
  }

  @Test func `verify names the object that holds a chain, and skips rubbish silently`() throws {
    let store = MemoryStore()
    let people = People(store: store)
    let (ana, bob) = (try Sample.account("ana"), try Sample.account("bob").account)
    for account in [ana.account, bob] { try people.publish(account) }
    #expect(try people.verify().isEmpty)
    let names = ["00000000000000000002", "start.", String(repeating: "0", count: 32), "a/b"]
    for name in names {
      _ = try store.put(
        try #require(ObjectKey("\(ChainPlace.folder(ana.account.user))/\(name)")), [1, 2, 3])
    }
    #expect(try people.verify().isEmpty)
    let place = try Sample.nextKey(ana.account, after: ana.person)
    _ = try store.put(place, [1, 2, 3])
    let damages = try people.verify()
    #expect(damages.map(\.key) == [place.description])
    #expect(damages.allSatisfy { $0.remedy?.contains("take the object away") == true })
    try store.delete(place)
    // A missing person that nobody has seen isn't reported.
    try store.delete(ChainPlace.start(bob.user))
    #expect(try people.verify().isEmpty)
    _ = try store.put(ChainPlace.start(bob.user), Sample.flipped(bob.origin, at: 40))
    #expect(
      try People(store: store).verify().map(\.key) == [ChainPlace.start(bob.user).description])
  }

  @Test func `two devices that append at once both get in`() throws {
    let store = MemoryStore()
    let ana = try Sample.account("ana")
    let (one, two) = (People(store: store), People(store: store))
    try one.publish(ana.account)
    var isFirst = true
    _ = try one.append(to: ana.account) { me in
      if isFirst {
        isFirst = false
        _ = try two.append(to: ana.account) { _ in .profile(handle: "ana", name: "Ana B") }
      }
      return .renameDevice(ana.account.device.id, name: "old desk")
    }
    let found = try #require(try two.refresh(ana.account.user))
    #expect(found.name == "Ana B" && found.length == 3)
    #expect(found.devices[ana.account.device.id]?.name == "old desk")
  }

  @Test func `a device that was off learns the keys of all revocations from the chain`() throws {
    let store = MemoryStore()
    let ana = try Sample.account("ana")
    let people = People(store: store)
    try people.publish(ana.account)
    let keys = (0..<4).map { _ in DeviceKeys.random() }
    for device in keys {
      _ = try people.append(to: ana.account) { me in
        .addDevice(DeviceRequest(name: "d", keys: device, to: me))
      }
    }
    let (sleeper, lost) = (keys[0], Array(keys[1...]))
    let account = Account(
      user: ana.account.user, device: sleeper, encryption: ana.account.encryption,
      origin: ana.account.origin)
    let copy = account
    for device in lost { _ = try people.append(to: ana.account) { _ in .revokeDevice(device.id) } }
    let me = try #require(try people.refresh(ana.account.user))
    #expect(try people.learn(account, as: me))
    #expect(account.encryption.count == 4)
    #expect(copy.encryptionKey == me.encryptionKey, "copies of an account share its keys")
    #expect(ana.account.encryption.map(\.publicKey) == account.encryption.map(\.publicKey))
    #expect(try !people.learn(account, as: me))
    let revoked = Account(
      user: ana.account.user, device: lost[0], encryption: [ana.account.encryption[0]],
      origin: ana.account.origin)
    #expect(try !people.learn(revoked, as: me))
    #expect(throws: CloudError.revoked) {
      try people.append(to: revoked) { _ in .profile(handle: "x", name: "x") }
    }
  }

  @Test func `one damaged identity hides one person only`() throws {
    let store = MemoryStore()
    let (ana, bob) = (try Sample.account("ana"), try Sample.account("bob"))
    let people = People(store: store)
    try people.publish(ana.account)
    let damaged = Sample.flipped(bob.account.origin, at: 40)
    _ = try store.put(ChainPlace.start(bob.account.user), damaged)
    #expect(try people.all().map(\.id) == [ana.account.user])
    #expect(try people.signKey(of: bob.account.author) == nil)
    #expect(throws: IdentityError.self) { try people.person(bob.account.user) }
    #expect(throws: IdentityError.wrongPerson) { try people.publish(bob.account) }
  }
}
