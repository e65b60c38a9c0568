import CairnZone

/// A link for anyone that this person made, as the account remembers it: the same link is given
/// out again while it lives.
struct RememberedLink {
  var zone: ZoneID
  var secret: SecretBytes
}

extension AccountZone {
  private static let linkType = "cairn.link"

  /// The link for anyone to that zone, if one was made; whether it still lives, the zone says.
  static func link(to zone: ZoneID, in account: Zone) throws -> RememberedLink? {
    let record = try account.read { try $0.record(recordID("link", zone.bytes)) }
    guard case .bytes(let secret)? = record?.fields["secret"], let secret = SecretBytes(secret)
    else { return nil }
    return RememberedLink(zone: zone, secret: secret)
  }

  /// Remembers a link in the place of an older one to the same zone.
  static func add(_ link: RememberedLink, to account: Zone) throws {
    let fields: [String: FieldValue?] = [
      "zone": .bytes(link.zone.bytes), "secret": .bytes(link.secret.copy()),
    ]
    try save(recordID("link", link.zone.bytes), linkType, fields, in: account)
  }
}
