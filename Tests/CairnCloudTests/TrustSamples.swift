import CairnCloud
import CairnZone
import Testing

/// Persons and zones that the tests of trust and log share.
enum Sample {
  static func account(_ handle: String) throws -> (account: Account, person: Person) {
    let (account, entry) = try IdentityLog.begin(
      handle: handle, name: handle.uppercased(), deviceName: "desk", time: 1)
    return (account, try IdentityLog.fold([entry], of: account.user))
  }

  static let nonce = Bytes16(high: 7, low: 9)

  static func zone(of account: Account) -> ZoneID {
    ZoneID.derive(owner: account.user, nonce: nonce)
  }

  /// The key lookup of a container with these persons.
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

  /// A fixed pseudo-random sequence, so that a failure can be repeated.
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
