import CairnStore
import CairnWire
import CairnZone
import FoundationEssentials
import SwiftProtobuf
import Testing

@testable import CairnIdentity
@testable import CairnReplica

/// The growth rule for data outside of logs: messages, keys, doors, places of chunks, copies.
struct GrowthOfMessagesTests {
  private let ana: (account: Account, person: Person)
  private let passedOver = GrowthTests.passedOver

  init() throws { ana = try Sample.account("ana") }

  private func isNewer(_ body: () throws -> Void) -> Bool {
    do {
      try body()
      return false
    } catch let error as FormatError {
      return error.isNewer
    } catch let failure as Invitation.Failure {
      if case .newer = failure { return true }
      return false
    } catch {
      return false
    }
  }

  // MARK: Messages

  private var invitation: Invitation {
    Invitation(
      id: Bytes16(high: 1, low: 1), container: ContainerID(Bytes16(high: 3, low: 3)),
      zone: Sample.zone(of: ana.account), owner: ana.account.user,
      keyring: Keyring([.random(epoch: 1)]), title: "Trip", permission: .readWrite,
      inviter: ana.account.author, time: 1, zoneHead: LogAnchor(sequence: 1, digest: .zero),
      chainHead: ChainHead(length: 1, head: .zero))
  }

  private var request: AccessRequest {
    AccessRequest(
      id: Bytes16(high: 1, low: 2), container: ContainerID(Bytes16(high: 3, low: 3)),
      zone: Sample.zone(of: ana.account), text: "me", author: ana.account.author,
      recipient: ana.account.user, time: 1)
  }

  /// Returns a body that was sealed to Ana, changed and sealed again.
  private func resealed(
    _ stored: [UInt8], _ kind: SealedMessage.Kind, _ change: ([UInt8]) throws -> [UInt8]
  ) throws -> [UInt8] {
    let body = try SealedMessage(stored) { ana.account.open($0) }.body
    return try #require(
      SealedMessage.seal(
        kind, change(body), recipient: ana.account.user.bytes, key: ana.account.encryptionKey,
        by: ana.account))
  }

  private func open(_ stored: [UInt8]) throws -> Invitation {
    try Invitation.open(stored, account: ana.account, signKey: Sample.keys(ana.person))
  }

  @Test func `an invitation and its parts can grow`() throws {
    let invitation = invitation
    let stored = try invitation.sealed(to: ana.person, by: ana.account)
    func nested(_ more: [UInt8]) throws -> [UInt8] {
      try resealed(stored, .invitation) { body in
        var wire = try WireInvitation(serializedBytes: body)
        wire.zoneHead = try WireAnchor(
          serializedBytes: StoredMessage.encode(wire.zoneHead) + more)
        wire.keyring.keys[0] = try WireEpochKey(
          serializedBytes: StoredMessage.encode(wire.keyring.keys[0]) + more)
        return StoredMessage.encode(wire)
      }
    }
    func top(_ more: [UInt8]) throws -> [UInt8] {
      try resealed(stored, .invitation) { $0 + more }
    }
    for grow in [nested, top] {
      #expect(try open(grow(passedOver)) == invitation)
      for field in GrowthTests.critical {
        #expect(isNewer { _ = try open(grow(field)) })
      }
      for fields in GrowthTests.misshapen {
        #expect(throws: Invitation.Failure.self) { try open(grow(fields)) }
        #expect(!isNewer { _ = try open(grow(fields)) })
      }
    }
    // Before the rest, it would be read once.
    #expect(throws: Invitation.Failure.self) {
      try open(resealed(stored, .invitation) { passedOver + $0 })
    }
    #expect(throws: Invitation.Failure.self) { try open(stored + passedOver) }
    #expect(isNewer { _ = try open(stored + GrowthTests.critical[0]) })
  }

  @Test func `a request grows by the same rule`() throws {
    let request = request
    let stored = try #require(request.sealed(to: ana.person, by: ana.account))
    func read(_ more: [UInt8]) throws -> AccessRequest {
      let grown = try resealed(stored, .request) { $0 + more }
      return try AccessRequest(
        SealedMessage(grown) { ana.account.open($0) }, recipient: ana.account.user,
        signKey: Sample.keys(ana.person))
    }
    #expect(try read(passedOver) == request)
    for field in GrowthTests.critical { #expect(isNewer { _ = try read(field) }) }
    for fields in GrowthTests.misshapen {
      #expect(throws: Invitation.Failure.self) { try read(fields) }
    }
  }

  @Test func `an unknown kind of message belongs to a newer Cairn`() throws {
    let stored = try invitation.sealed(to: ana.person, by: ana.account)
    var wire = try WireInboxMessage(serializedBytes: stored)
    let plain = try #require(ana.account.open(Array(wire.sealed)))
    var signed = try WireSignedMessage(serializedBytes: plain)
    signed.kind = .UNRECOGNIZED(2)
    wire.sealed = .init(
      try #require(BoxKey.seal(StoredMessage.encode(signed), to: ana.account.encryptionKey)))
    #expect(isNewer { _ = try open(StoredMessage.encode(wire)) })
  }

  // MARK: The rest

  @Test func `keys, doors, places of chunks and copies grow by the same rule`() throws {
    let zone = Sample.zone(of: ana.account)
    let ring = Keyring([.random(epoch: 1)])
    let door = Door(owner: ana.account.user, nonce: Sample.nonce)
    let place = ChunkPlace(position: .inline([1]), isCompressed: false, size: 1)
    let readers: [(stored: [UInt8], read: ([UInt8]) throws -> Bool)] = [
      (ring.encoded(), { try Keyring(encoded: $0) == ring }),
      (door.encoded(), { try Door($0, of: zone) == door }),
      (
        place.encoded(),
        { try ChunkPlace(ChunkEntry(name: ChunkName(.zero), size: 1, place: $0)) == place }
      ),
    ]
    for (stored, read) in readers {
      #expect(try read(stored + passedOver))
      for field in GrowthTests.critical { #expect(isNewer { _ = try read(stored + field) }) }
      for fields in GrowthTests.misshapen {
        #expect(throws: FormatError.self) { try read(stored + fields) }
        #expect(!isNewer { _ = try read(stored + fields) })
      }
    }
    let copies = LogCopies(entries: [[1]], place: 1).encoded()
    #expect(LogCopies(copies + passedOver)?.entries == [[1]])
    #expect(LogCopies(copies + GrowthTests.critical[0]) == nil)
    // Field 4, compression, with a value that doesn't exist.
    #expect(
      isNewer {
        _ = try ChunkPlace(
          ChunkEntry(name: ChunkName(.zero), size: 1, place: [0x0A, 1, 1, 0x20, 3]))
      })
  }

  @Test func `messages between two devices can grow, but not the data around them`() throws {
    let join = JoinObject(user: ana.account.user, secret: .random())
    let key = join.requestKey(0)
    var request = WireJoinRequest()
    request.name = "phone"
    let grown = try WireJoinRequest(
      serializedBytes: StoredMessage.encode(request) + passedOver)
    let stored = join.seal(grown, at: key)
    #expect(join.open(stored, at: key, as: WireJoinRequest.self)?.name == "phone")
    #expect(join.open(stored + passedOver, at: key, as: WireJoinRequest.self) == nil)
    let newer = try WireJoinRequest(
      serializedBytes: StoredMessage.encode(request) + GrowthTests.critical[0])
    #expect(join.open(join.seal(newer, at: key), at: key, as: WireJoinRequest.self) == nil)
  }

  @Test func `a commit isn't made of many parts that could trip a decoder`() {
    // Two million empty keys, and as many behind a group.
    let empty = [UInt8](repeating: 0, count: 1 << 21).flatMap { _ in [0x62, 0] as [UInt8] }
    for body in [empty, [0x83, 0x40, 0x84, 0x40] + empty, [0x80] + empty] {
      #expect(throws: FormatError.self) { try CommitBounds.check(body) }
    }
    #expect(throws: Never.self) { try CommitBounds.check(GrowthTests.passedOver) }
  }
}
