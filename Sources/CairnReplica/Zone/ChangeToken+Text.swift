import CairnIdentity
public import CairnZone

/// The text form of a token, for programs that store it: opaque, and valid for one zone.
extension ChangeToken {
  /// The token as letters and digits. An accidental change makes it invalid.
  public var text: String {
    let bytes = zone.bytes + Self.bytes(epoch) + Self.bytes(sequence) + head.bytes
    return RFC4648.encode(bytes + Self.check(bytes))
  }

  /// Parses the result of `text`.
  /// - Throws: `CloudError` with `.invalidArguments` if it is invalid.
  public init(parsing text: String) throws(CloudError) {
    guard let all = RFC4648.decode(Array(text.utf8)), all.count == Self.length,
      Self.check(Array(all.dropLast(4))) == Array(all.suffix(4)),
      let zone = ZoneID(bytes: all[..<32]), let head = Bytes32(all[48..<80])
    else {
      throw CloudError(
        .invalidArguments, "this is no token of changes",
        remedy: "give the one that the last answer had, or none: then all is told")
    }
    self.init(
      zone: zone, epoch: Self.number(all[32..<40]), sequence: Self.number(all[40..<48]), head: head)
  }

  private static let length = 84

  private static func check(_ bytes: [UInt8]) -> [UInt8] {
    Array(Crypto.digest("cairn change token v1", bytes).bytes.prefix(4))
  }

  private static func bytes(_ number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

extension ZoneView {
  /// Checks a token against the state here.
  /// - Returns: the position after which its reader continues.
  /// - Throws: `CloudError` with `.changeTokenExpired` if it is for another zone, or for a history
  ///   that the zone does not have, or no longer has.
  public func place(of token: ChangeToken) throws -> UInt64 {
    guard try token.standing(against: header, entry: { try head(at: $0) }) != .expired else {
      throw CloudError(
        .changeTokenExpired, "the token isn't of what this zone's log has now",
        remedy: "ask without one: all is told, and a token for the next time with it")
    }
    return token.sequence
  }

  /// The token of a reader that has seen everything up to a position.
  public func token(at sequence: UInt64) throws -> ChangeToken {
    guard sequence < header.sequence else { return header.token }
    return ChangeToken(
      zone: header.zone, epoch: header.epoch, sequence: sequence,
      head: try head(at: sequence) ?? .zero)
  }
}
