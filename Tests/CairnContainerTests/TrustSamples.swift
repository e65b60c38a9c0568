import CairnStore
import CairnWire
import CairnZone
import FoundationEssentials
import Testing

@testable import CairnIdentity

/// People and zones that the tests of trust and log share.
enum Sample {
  static func account(_ handle: String) throws -> (account: Account, person: Person) {
    let (account, entry) = try IdentityLog.begin(
      handle: handle, name: handle.uppercased(), deviceName: "desk", time: 1)
    return (account, try IdentityLog.fold([entry], of: account.user))
  }

  /// Returns the person in the first entry of their chain.
  static func person(_ account: Account) throws -> Person {
    try IdentityLog.fold([account.origin], of: account.user)
  }

  /// Returns the key of the next entry of a chain, as a device of its person computes it.
  static func nextKey(_ account: Account, after person: Person) throws -> ObjectKey {
    ChainPlace.key(account.user, try #require(account.nextName(after: person)))
  }

  /// Returns an entry with another body, signed again.
  static func resigned(
    _ entry: [UInt8], by account: Account, _ change: (inout WireIdentityBody) -> Void
  ) throws -> [UInt8] {
    let limit = IdentityLog.entryLimit
    var wire = try StoredMessage.decode(
      entry, as: WireIdentityEntry.self, "entry", limit: limit)
    var body = try StoredMessage.decode(
      Array(wire.body), as: WireIdentityBody.self, "body", limit: limit)
    change(&body)
    wire.body = .init(StoredMessage.encode(body))
    wire.signature = .init(
      account.device.signing.sign(IdentityLog.signatureContext, Array(wire.body)))
    return StoredMessage.encode(wire)
  }

  static let nonce = Bytes16(high: 7, low: 9)

  static func zone(of account: Account) -> ZoneID {
    ZoneID.derive(owner: account.user, nonce: nonce)
  }

  /// Returns the key lookup of a container with these people.
  static func keys(_ people: Person...) -> (Author) -> Bytes32? {
    { author in
      people.first { $0.id == author.user }?.devices[author.device]?.signKey
    }
  }

  static func flipped(_ bytes: [UInt8], at index: Int) -> [UInt8] {
    var bytes = bytes
    bytes[index] ^= 1 << UInt8(index % 8)
    return bytes
  }

  /// Returns a fixed pseudo-random sequence, so that a failure can be repeated.
  static func noise(_ count: Int, seed: UInt64) -> [UInt8] {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return (0..<count).map { _ in
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return UInt8(truncatingIfNeeded: state >> 32)
    }
  }

  static func bytes(hexadecimal text: String) -> [UInt8] {
    let digits = Array(text.utf8)
    return stride(from: 0, to: digits.count, by: 2).compactMap { index in
      UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16)
    }
  }
}
