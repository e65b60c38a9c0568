import CairnZone

/// A number that two people compare outside the container, for example by phone. Both sides compute
/// it from both persons' ids and active devices. An attacker between them cannot make both numbers
/// equal.
public struct VerificationNumber: Hashable, Sendable, CustomStringConvertible {
  private static let groups = 12

  /// Twelve groups of five digits.
  public let description: String

  /// Creates the number of a pair, which is the same in either order.
  public init(_ one: Person, _ other: Person) {
    let parts = [one, other].sorted { $0.id < $1.id }.flatMap { [$0.id.bytes, $0.state.bytes] }
    // Five bytes make a group: two digests have enough of them.
    let bytes = (UInt8(0)..<2).flatMap { round in
      Crypto.digest("cairn verification v1", parts: [[round]] + parts).bytes
    }
    description = (0..<Self.groups).map { group in
      let value = bytes[group * 5..<group * 5 + 5].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let digits = String(value % 100_000)
      return String(repeating: "0", count: 5 - digits.count) + digits
    }.joined(separator: " ")
  }

  /// The number of its digits.
  public static let length = groups * 5

  /// Returns the number of digits in a text.
  public static func digits(in text: String) -> Int { text.utf8.count { (48...57).contains($0) } }

  /// Returns whether a text has exactly these digits, in any grouping.
  public func matches(_ text: String) -> Bool {
    let ignored = Set(" \t\r\n-.".utf8)
    return text.utf8.filter { !ignored.contains($0) } == description.utf8.filter { $0 != 32 }
  }
}

extension Person {
  /// A digest of the person's id and devices: everything that is needed to sign and read as them.
  public var state: Bytes32 {
    let active = devices.filter(\.value.isActive).sorted { $0.key < $1.key }
    return Crypto.digest(
      "cairn person state v1",
      parts: [id.bytes] + active.flatMap { [$0.value.signKey.bytes, $0.value.boxKey.bytes] })
  }
}
