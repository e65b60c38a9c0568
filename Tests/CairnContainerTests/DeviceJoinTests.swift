import CairnStore
import CairnWire
import CairnZone
import FoundationEssentials
import Testing

@testable import CairnContainer
@testable import CairnIdentity
@testable import CairnReplica

/// A new device and an active one, over one container.
struct DeviceJoinTests {
  private let world: ZoneWorld
  private let ana: Account
  private let container: Container

  init() throws {
    world = try ZoneWorld()
    ana = try world.account("ana")
    container = try world.open(ana)
  }

  private func join(_ code: DeviceCode, _ name: String = "phone") -> DeviceJoin {
    DeviceJoin(code, in: world.store, deviceName: name)
  }

  private func code(now: Int64 = 1_000) throws -> DeviceCode {
    try container.devices.linkCode(path: Array("/srv/c".utf8), now: now)
  }

  @Test func `a device with the code gets in, and is the same person`() throws {
    let zone = try container.privateDatabase.createZone(named: "Trip")
    try zone.write("a", [1, 2, 3])
    let code = try DeviceCode(parsing: code().text)
    #expect(code.path == Array("/srv/c".utf8))
    let phone = join(code)
    #expect(try phone.advance() == nil)
    #expect(try container.devices.answerJoins(now: 1_001).map(\.name) == ["phone"])
    #expect(try container.devices.answerJoins(now: 1_002).isEmpty)
    let account = try #require(try phone.advance())
    #expect(account.user == ana.user && account.device.id != ana.device.id)
    phone.clean()
    #expect(try world.keys("users/\(ana.user)/join").isEmpty)
    let other = try world.open(account)
    let same = try #require(try other.privateDatabase.zones().first)
    try same.pull()
    #expect(try same.files() == ["a": [1, 2, 3]])
    try same.write("b", [4])
    try zone.pull()
    #expect(try zone.names() == ["a", "b"])
  }

  @Test func `a restart of the first device loses no code`() throws {
    let code = try code()
    let phone = join(code)
    #expect(try phone.advance() == nil)
    #expect(try world.open(ana).devices.answerJoins(now: 1_001).count == 1)
    #expect(try phone.advance() != nil)
  }

  @Test func `a code is valid for one device and for ten minutes`() throws {
    let code = try code()
    let phone = join(code)
    _ = try phone.advance()
    // Both ask at once. The second one sees that the first one has asked.
    #expect(throws: DeviceJoin.used) { try join(code).advance() }
    _ = try container.devices.answerJoins(now: 1_001)
    _ = try phone.advance()
    phone.clean()
    let late = join(code, "late")
    #expect(try late.advance() == nil)
    #expect(try container.devices.answerJoins(now: 1_002).isEmpty)
    #expect(throws: DeviceJoin.used) { try late.advance() }
    let old = join(try self.code())
    #expect(try old.advance() == nil)
    #expect(try container.devices.answerJoins(now: 1_000 + Devices.codeLifetime + 1).isEmpty)
    #expect(throws: DeviceJoin.expired) { try old.advance() }
    #expect(try container.refreshMe().me.devices.count == 2)
  }

  @Test func `a chain that grows meanwhile makes the device ask again`() throws {
    let phone = join(try code())
    #expect(try phone.advance() == nil)
    _ = try container.devices.rename(ana.device.id, to: "old desk")
    #expect(try container.devices.answerJoins(now: 1_001).isEmpty)
    #expect(try phone.advance() == nil)
    #expect(try container.devices.answerJoins(now: 1_001).count == 1)
    #expect(try phone.advance() != nil)
    phone.clean()
    #expect(try world.keys("users/\(ana.user)/join").isEmpty)
  }

  @Test func `a chain other than the code's is disputed, and nothing is written`() throws {
    // A thief's entry, whose file stays the thief's, and the revocation that follows it.
    let laptop = join(try code(), "laptop")
    _ = try laptop.advance()
    _ = try container.devices.answerJoins(now: 1_001)
    let thief = try #require(try laptop.advance())
    laptop.clean()
    let before = try container.refreshMe().me
    _ = try world.open(thief).devices.rename(thief.device.id, to: "notebook")
    try container.revocation.revoke(thief.device.id)
    let code = try DeviceCode(parsing: code().text)
    #expect(code.anchor == ChainAnchor(try container.refreshMe().me))
    // A new reader can't recognize another chain that the thief makes of it...
    let theirs = try Sample.nextKey(thief, after: before)
    let whole = try #require(try world.store.get(theirs))
    let name = String(repeating: "a", count: 32)
    let entry = try Sample.resigned(
      try IdentityLog.append(
        .renameDevice(thief.device.id, name: "mine"), to: before, by: thief, time: 1
      ).entry, by: thief
    ) { $0.lock = .init(ChainPlace.lock(name).bytes) }
    try world.replace(theirs) { $0 = entry }
    var forked = try IdentityLog.fold(entry, onto: before)
    let newcomer = People(store: world.store)
    #expect(try newcomer.refresh(ana.user) == forked && newcomer.troubles.isEmpty)
    // ... except by the code. A chain that is too short may not be complete yet.
    let phone = join(code)
    #expect(try phone.advance() == nil)
    #expect(phone.tooLate == DeviceJoin.disputed)
    forked.lock = ChainPlace.lock(try #require(thief.nextName(after: forked)))
    let (_, _, next) = try IdentityLog.append(
      .profile(handle: "ana", name: "Eve"), to: forked, by: thief, time: 1)
    let place = ChainPlace.key(ana.user, name)
    for bytes in [[1, 2, 3], next] {
      _ = try world.store.put(place, bytes)
      #expect(throws: DeviceJoin.disputed) { try phone.advance() }
      try world.store.delete(place)
    }
    #expect(try world.keys("users/\(ana.user)/join").isEmpty)
    // With the chain that the first device has read, it goes on.
    try world.replace(theirs) { $0 = whole }
    let tablet = join(code, "tablet")
    #expect(try tablet.advance() == nil)
    #expect(tablet.tooLate == nil)
    #expect(try container.devices.answerJoins(now: 1_002).map(\.name) == ["tablet"])
    #expect(try tablet.advance() != nil)
  }

  @Test func `rubbish in the folder stops nobody`() throws {
    let code = try code()
    for number in 0..<20 {
      let name = "users/\(ana.user)/join/" + String(repeating: "0", count: 30) + "\(10 + number)"
      _ = try world.store.put(try #require(ObjectKey(name)), Sample.noise(200, seed: 5))
    }
    let phone = join(code)
    #expect(try phone.advance() == nil)
    #expect(try container.devices.answerJoins(now: 1_001).count == 1)
    #expect(try phone.advance() != nil)
  }

  @Test func `no object in the container reveals the secret or a key`() throws {
    let code = try code()
    let phone = join(code)
    _ = try phone.advance()
    _ = try container.devices.answerJoins(now: 1_001)
    let secrets = [code.secret.copy()] + ana.encryption.map { $0.secret.copy() }
    for key in try world.keys() {
      let bytes = try #require(try world.store.get(key))
      for secret in secrets { #expect(!bytes.contains(secret)) }
    }
    // The host's copies of the two objects, in the places of another attempt, open nothing.
    let object = JoinObject(user: ana.user, secret: code.secret)
    let answer = try #require(try world.store.get(object.answerKey(0)))
    #expect(object.open(answer, at: object.answerKey(0), as: WireJoinAnswer.self) != nil)
    #expect(object.open(answer, at: object.answerKey(1), as: WireJoinAnswer.self) == nil)
    let stranger = JoinObject(user: ana.user, secret: .random())
    #expect(stranger.open(answer, at: object.answerKey(0), as: WireJoinAnswer.self) == nil)
  }

  @Test func `a mistyped code is noticed, and text around a pasted one is ignored`() throws {
    let text = try code().text
    let broken = text.enumerated().map { $0.offset > 0 && $0.offset % 60 == 0 ? "\n  " : "" }
    let wrapped = zip(text, broken).map { $1 + String($0) }.joined()
    for pasted in ["  <\(text)>.\n", text.uppercased(), "Code: \(wrapped)"] {
      #expect(try DeviceCode(parsing: pasted).text == text)
    }
    var digits = Array(text)
    for index in stride(from: DeviceCode.scheme.count, to: digits.count, by: 7) {
      let before = digits[index]
      digits[index] = before == "a" ? "b" : "a"
      #expect(throws: DeviceCode.Failure.self) { try DeviceCode(parsing: String(digits)) }
      digits[index] = before
    }
    #expect(throws: DeviceCode.Failure.mistyped) { try DeviceCode(parsing: text + "aa") }
    #expect(throws: DeviceCode.Failure.notACode) { try DeviceCode(parsing: "cairn:share/abc") }
    for seed in 0..<200 {
      let noise = Sample.noise(seed, seed: UInt64(seed))
      #expect(throws: DeviceCode.Failure.self) {
        try DeviceCode(parsing: DeviceCode.scheme + RFC4648.encode(noise))
      }
    }
  }

  @Test func `nobody can take the first place of an account zone before its person`() throws {
    let bob = try Sample.account("bob").account
    let guessable = ZoneID.derive(owner: bob.user, nonce: Bytes16(high: 0, low: 0))
    let own = ZoneID.derive(owner: bob.user, nonce: bob.accountNonce)
    #expect(own != guessable)
    let again = Account(
      user: bob.user, device: .random(), encryption: bob.encryption + [BoxKey.random()],
      origin: bob.origin)
    #expect(again.accountNonce == bob.accountNonce, "a revocation moves no account zone")
  }
}

extension [UInt8] {
  /// Returns whether these bytes contain the others.
  fileprivate func contains(_ part: [UInt8]) -> Bool {
    guard count >= part.count, let first = part.first else { return false }
    return indices.prefix(count - part.count + 1).contains { start in
      self[start] == first && Array(self[start..<start + part.count]) == part
    }
  }
}
