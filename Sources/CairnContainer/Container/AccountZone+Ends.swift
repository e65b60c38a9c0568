import CairnIdentity
import CairnReplica
import CairnZone

/// The end of a person's access to a share, as this person has decided it.
struct AccessEnd {
  var zone: ZoneID
  var user: UserID
  /// Nanoseconds since 1970.
  var time: Int64
}

/// Ends of access. Such a record only takes access away, so any device of this person may write it.
extension AccountZone {
  private static let endType = "cairn.end"

  /// The ends in all shares.
  static func ends(account: Zone) throws -> [AccessEnd] {
    try records(endType, in: account).compactMap { record -> AccessEnd? in
      guard case .bytes(let zone)? = record.fields["zone"], let zone = ZoneID(bytes: zone),
        case .bytes(let user)? = record.fields["user"], let user = UserID(bytes: user),
        case .integer(let time)? = record.fields["time"], record.id == endID(zone, user)
      else { return nil }
      return AccessEnd(zone: zone, user: user, time: time)
    }
  }

  /// The ends in one share.
  static func ends(in zone: ZoneID, account: Zone) throws -> [UserID: Int64] {
    let all = try ends(account: account)
    return Dictionary(all.filter { $0.zone == zone }.map { ($0.user, $0.time) }) { min($0, $1) }
  }

  static func add(_ ends: [AccessEnd], to account: Zone) throws {
    try account.save {
      try ends.compactMap { end in
        try change(
          endID(end.zone, end.user), endType,
          [
            "zone": .bytes(end.zone.bytes), "user": .bytes(end.user.bytes),
            "time": .integer(end.time),
          ], in: account)
      }
    }
  }

  static func removeEnds(of users: [UserID], in zone: ZoneID, from account: Zone) throws {
    for user in users { try delete(endID(zone, user), in: account) }
  }

  private static func endID(_ zone: ZoneID, _ user: UserID) -> RecordID {
    recordID("end", zone.bytes + user.bytes)
  }
}
