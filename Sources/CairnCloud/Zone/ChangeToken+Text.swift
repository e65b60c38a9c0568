public import CairnZone

/// A token as text, for whoever keeps it between two questions: opaque, and of one zone.
extension ChangeToken {
  /// Letters and digits. What was changed in it by accident isn't read as another token.
  public var text: String {
    let bytes = zone.bytes + Self.bytes(epoch) + Self.bytes(sequence) + head.bytes
    return RFC4648.encode(bytes + Self.check(bytes))
  }

  /// Reads what `text` wrote.
  /// - Throws: `CloudError` with `.invalidArguments` if it is none.
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
  /// How much a token is worth against what is folded here.
  /// - Returns: the place after which its reader goes on.
  /// - Throws: `CloudError` with `.changeTokenExpired` if it is of another zone, or of a history
  ///   that the zone doesn't have, or doesn't have any more.
  public func place(of token: ChangeToken) throws -> UInt64 {
    guard try token.standing(against: header, entry: { try head(at: $0) }) != .expired else {
      throw CloudError(
        .changeTokenExpired, "the token isn't of what this zone's log has now",
        remedy: "ask without one: all is told, and a token for the next time with it")
    }
    return token.sequence
  }

  /// The token of whoever has seen everything up to a place that is folded here.
  public func token(at sequence: UInt64) throws -> ChangeToken {
    guard sequence < header.sequence else { return header.token }
    return ChangeToken(
      zone: header.zone, epoch: header.epoch, sequence: sequence,
      head: try head(at: sequence) ?? .zero)
  }
}
