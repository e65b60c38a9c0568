import CairnStore
import CairnWire
import CairnZone
import FoundationEssentials
import SwiftProtobuf
import Testing

@testable import CairnIdentity
@testable import CairnReplica

/// Additions of later versions to stored data, and their treatment by this version.
struct GrowthTests {
  /// Field 1024 with the number 5, twice, and field 1025 with two bytes.
  static let passedOver: [UInt8] = [0x80, 0x40, 5, 0x80, 0x40, 5, 0x8A, 0x40, 2, 7, 7]
  /// Field 1023 with the number 5, and field 60.
  static let critical: [[UInt8]] = [[0xF8, 0x3F, 5], [0xE0, 3, 0], [0xE2, 3, 1, 9]]
  /// Fields that may be skipped, but in no valid form.
  static let misshapen: [[UInt8]] = [
    [0x88, 0x40, 5, 0x80, 0x40, 5],  // 1025 before 1024
    [0x80, 0xC0, 0, 5],  // a tag of three bytes
    [0x80, 0x40, 0x85, 0],  // a number of two bytes
    [0x82, 0x40, 0x81, 0, 7],  // a length of two bytes
    [0x83, 0x40, 0x84, 0x40],  // a group
    [0x83, 0x40, 8, 1, 0x84, 0x40],
  ]

  private let ana: (account: Account, person: Person)
  private let zone: ZoneID
  private let key = ZoneKey.random(epoch: 1)
  private let commit: Commit

  init() throws {
    ana = try Sample.account("ana")
    zone = Sample.zone(of: ana.account)
    let name = try #require(FileName("n"))
    commit = Commit(
      previous: .zero, author: ana.account.author, time: 1, epoch: 1,
      chunks: [ChunkEntry(name: ChunkName(.zero), size: 1, place: [1])],
      records: [
        RecordChange(
          id: RecordID(Bytes16(high: 1, low: 1)), act: .create(.typed("note")),
          place: Place(parent: .root, name: name), content: Content(size: 0, chunks: []),
          attributes: Attributes(isExecutable: true, modified: 1), fields: ["a": .integer(1)])
      ],
      share: [.invite(user: ana.account.user, permission: .readOnly), .title("x")],
      keys: [ana.account.user: ana.account.encryptionKey],
      chain: ChainHead(length: 1, head: ana.person.head))
  }

  private func grown<M: Message>(_ message: M, _ more: [UInt8]) throws -> M {
    try M(serializedBytes: StoredMessage.encode(message) + more)
  }

  // MARK: Commits

  /// Returns the commit's bytes with additions at each possible level.
  private func bodies(with more: [UInt8]) throws -> [String: [UInt8]] {
    let changes: [String: (inout WireCommit) throws -> Void] = [
      "commit": { $0 = try grown($0, more) },
      "chunk": { $0.chunks[0] = try grown($0.chunks[0], more) },
      "record": { $0.records[0] = try grown($0.records[0], more) },
      "place": { $0.records[0].place = try grown($0.records[0].place, more) },
      "content": { $0.records[0].content = try grown($0.records[0].content, more) },
      "attributes": { $0.records[0].attributes = try grown($0.records[0].attributes, more) },
      "field": { $0.records[0].fields[0] = try grown($0.records[0].fields[0], more) },
      "share": { $0.share[0] = try grown($0.share[0], more) },
      "invited": { $0.share[0].invite = try grown($0.share[0].invite, more) },
      "chain": { $0.chain = try grown($0.chain, more) },
      "key": { $0.keys[0] = try grown($0.keys[0], more) },
    ]
    return try changes.mapValues { change in
      var wire = WireCommit(commit, nonce: nil)
      try change(&wire)
      return StoredMessage.encode(wire)
    }
  }

  private func seal(_ body: [UInt8]) throws -> [UInt8] {
    try EntryCodec.seal(
      body: body, zone: zone, sequence: 3, key: key, boxes: [], account: ana.account,
      sealNonce: Crypto.random(Crypto.nonceCount))
  }

  private func open(_ entry: [UInt8]) throws -> Commit {
    try EntryCodec.open(
      entry, zone: zone, sequence: 3, keys: Keyring([key]), signKey: Sample.keys(ana.person))
  }

  /// Returns the reason why an entry can't be opened.
  private func problem(_ entry: [UInt8]) throws -> EntryProblem? {
    do {
      _ = try open(entry)
      return nil
    } catch let problem as EntryProblem {
      return problem
    }
  }

  @Test func `a commit is read past fields that may be skipped, at every level`() throws {
    for (level, body) in try bodies(with: Self.passedOver) {
      #expect(try open(seal(body)) == commit, "\(level)")
    }
  }

  @Test(arguments: critical) func `a field that must be known shows that a newer Cairn wrote it`(
    field: [UInt8]
  ) throws {
    for (level, body) in try bodies(with: field + Self.passedOver) {
      let problem = try #require(try problem(seal(body)), "\(level)")
      #expect(problem == .newer(.newer("log entry")), "\(level)")
      #expect(!problem.isFinal && problem.description.contains("newer version of Cairn"))
    }
  }

  @Test(arguments: misshapen) func `fields that may be skipped have one form`(
    fields: [UInt8]
  ) throws {
    for (level, body) in try bodies(with: fields) {
      let problem = try #require(try problem(seal(body)), "\(level)")
      #expect(problem.isFinal, "\(level): \(problem)")
    }
  }

  @Test func `fields that may be skipped follow all known ones`() throws {
    let body = StoredMessage.encode(WireCommit(commit, nonce: nil))
    // Before everything, and before a record's fields.
    #expect(try problem(seal(Self.passedOver + body))?.isFinal == true)
    var wire = WireCommit(commit, nonce: nil)
    let record = StoredMessage.encode(wire.records[0])
    wire.records = []
    let rest = StoredMessage.encode(wire)
    // 0x3A is field 7, which is then at the end.
    #expect(try problem(seal(rest + [0x3A, UInt8(record.count)] + record))?.isFinal == true)
  }

  @Test func `an unknown value or change belongs to a newer Cairn`() throws {
    var wire = WireCommit(commit, nonce: nil)
    wire.records[0].kind = .UNRECOGNIZED(6)
    #expect(try problem(seal(StoredMessage.encode(wire))) == .newer(.newer("log entry")))
    wire = WireCommit(commit, nonce: nil)
    // Field 26 of a change of the share: an unknown member of its oneof.
    wire.share[0] = try WireShareChange(serializedBytes: [0xD0, 1, 1])
    #expect(try problem(seal(StoredMessage.encode(wire))) == .newer(.newer("log entry")))
  }

  @Test func `the signature covers the skipped fields`() throws {
    let body = try #require(try bodies(with: Self.passedOver)["commit"])
    let place =
      zone.bytes + Crypto.number(3) + Crypto.number(1)
      + Crypto.digest("cairn key boxes v1", parts: []).bytes
    let signature = ana.account.device.signing.sign("cairn signed commit v1", place, body)
    #expect(try open(resealed(body, signature, place)) == commit)
    var other = body
    other[other.count - 1] ^= 1
    #expect(
      try problem(resealed(other, signature, place)) == .badSignature(ana.account.author))
    let without = Array(body.dropLast(Self.passedOver.count))
    #expect(
      try problem(resealed(without, signature, place)) == .badSignature(ana.account.author))
  }

  /// Returns a body with that signature, sealed by somebody with the zone's key.
  private func resealed(
    _ body: [UInt8], _ signature: [UInt8], _ place: [UInt8], and more: [UInt8] = []
  ) throws -> [UInt8] {
    var signed = WireSignedCommit()
    signed.body = .init(body)
    signed.signature = .init(signature)
    var entry = try WireLogEntry(serializedBytes: seal(body))
    entry.sealed = .init(
      Crypto.seal(
        StoredMessage.encode(signed) + more,
        key: Crypto.derive("cairn commit key v1", from: key.secret), nonce: Array(entry.nonce),
        with: Crypto.prefix("cairn commit v1") + place))
    return StoredMessage.encode(entry)
  }

  @Test func `no field is skipped around signed bytes`() throws {
    let body = StoredMessage.encode(WireCommit(commit, nonce: nil))
    let place =
      zone.bytes + Crypto.number(3) + Crypto.number(1)
      + Crypto.digest("cairn key boxes v1", parts: []).bytes
    let signature = ana.account.device.signing.sign("cairn signed commit v1", place, body)
    #expect(try open(resealed(body, signature, place)) == commit)
    #expect(try problem(resealed(body, signature, place, and: Self.passedOver))?.isFinal == true)
    #expect(try problem(seal(body) + Self.passedOver)?.isFinal == true)
    for field in Self.critical {
      #expect(try problem(resealed(body, signature, place, and: field))?.isFinal == false)
      #expect(try problem(seal(body) + field)?.isFinal == false)
    }
  }

  // MARK: Chains

  @Test func `an entry of a chain grows by the same rule`() throws {
    let (_, _, entry) = try IdentityLog.append(
      .profile(handle: "ana", name: "Ana B"), to: ana.person, by: ana.account, time: 2)
    func resigned(_ more: [UInt8]) throws -> [UInt8] {
      var profile = WireIdentityProfile()
      (profile.handle, profile.name) = ("ana", "Ana B")
      profile = try grown(profile, more)
      let stored = try Sample.resigned(entry, by: ana.account) { $0.profile = profile }
      var wire = try WireIdentityEntry(serializedBytes: stored)
      wire.body = .init(Array(wire.body) + more)
      wire.signature = .init(
        ana.account.device.signing.sign(IdentityLog.signatureContext, Array(wire.body)))
      return StoredMessage.encode(wire)
    }
    let good = try resigned(Self.passedOver)
    #expect(try IdentityLog.fold(good, onto: ana.person).name == "Ana B")
    // The last skipped byte. Tag, length and signature follow it.
    #expect(throws: IdentityError.badSignature(2)) {
      var flipped = good
      flipped[flipped.count - 67] ^= 1
      _ = try IdentityLog.fold(flipped, onto: ana.person)
    }
    for field in Self.critical {
      #expect(throws: IdentityError.newer(.newer("identity entry"))) {
        try IdentityLog.fold(resigned(field), onto: ana.person)
      }
      #expect(throws: IdentityError.newer(.newer("identity entry"))) {
        try IdentityLog.fold(entry + field, onto: ana.person)
      }
    }
    for fields in Self.misshapen {
      #expect(throws: IdentityError.self) {
        try IdentityLog.fold(resigned(fields), onto: ana.person)
      }
    }
    // The person who may write the file isn't the person who signed it.
    #expect(throws: IdentityError.self) {
      try IdentityLog.fold(entry + Self.passedOver, onto: ana.person)
    }
  }
}
