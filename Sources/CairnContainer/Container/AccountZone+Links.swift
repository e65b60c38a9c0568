import CairnIdentity
import CairnReplica
import CairnZone

/// A link for anyone by this person, stored in the account: the same link is given out again while
/// it is valid.
struct RememberedLink {
  var zone: ZoneID
  var secret: SecretBytes
}

extension AccountZone {
  private static let linkType = "cairn.link"

  /// The link for anyone to that zone, if one was made. The zone says whether it is still valid.
  static func link(to zone: ZoneID, in account: Zone) throws -> RememberedLink? {
    let record = try account.read { try $0.record(recordID("link", zone.bytes)) }
    guard case .bytes(let secret)? = record?.fields["secret"], let secret = SecretBytes(secret)
    else { return nil }
    return RememberedLink(zone: zone, secret: secret)
  }

  /// Stores a link, and replaces an older one to the same zone.
  static func add(_ link: RememberedLink, to account: Zone) throws {
    let fields: [String: FieldValue?] = [
      "zone": .bytes(link.zone.bytes), "secret": .bytes(link.secret.copy()),
    ]
    try save(recordID("link", link.zone.bytes), linkType, fields, in: account)
  }
}
