import CairnIdentity
import CairnReplica
import CairnZone

/// Drop boxes. Each device of the person can list and empty them.
extension AccountZone {
  private static let dropType = "cairn.drop"

  /// The drop boxes of this person, in the order of their ids.
  static func dropBoxes(of owner: UserID, in account: Zone) throws -> [DropBox] {
    try records(dropType, in: account).compactMap { record -> DropBox? in
      guard case .bytes(let secret)? = record.fields["secret"], let secret = SecretBytes(secret),
        case .bytes(let part)? = record.fields["part"], let part = ZonePart(bytes: part),
        case .text(let title)? = record.fields["title"],
        case .integer(let size)? = record.fields["size"], size >= 0,
        case .integer(let files)? = record.fields["files"],
        let files = UInt32(exactly: files)
      else { return nil }
      var expires: Int64?
      if case .integer(let time)? = record.fields["expires"] { expires = time }
      let box = DropBox(
        secret: secret, owner: owner, part: part, title: title,
        limits: DropLimits(size: UInt64(size), files: files), expires: expires)
      return record.id == dropBoxID(box.id) ? box : nil
    }.sorted { $0.id < $1.id }
  }

  static func add(_ box: DropBox, to account: Zone) throws {
    var fields: [String: FieldValue?] = [
      "secret": .bytes(box.secret.copy()), "part": .bytes(box.part.bytes),
      "title": .text(box.title), "size": .integer(Int64(clamping: box.limits.size)),
      "files": .integer(Int64(box.limits.files)),
    ]
    if let expires = box.expires { fields["expires"] = .integer(expires) }
    try save(dropBoxID(box.id), dropType, fields, in: account)
  }

  static func removeDropBox(_ id: Bytes16, from account: Zone) throws {
    try delete(dropBoxID(id), in: account)
  }

  private static func dropBoxID(_ id: Bytes16) -> RecordID { recordID("drop", id.bytes) }
}
