import CairnIdentity
import CairnReplica
import CairnZone

/// A move of typed records to another zone that has begun. The account notes it before anything of
/// it happens, and until all of it has happened.
struct RecordMove: Hashable {
  /// The new zone that the move creates.
  struct Founding: Hashable {
    /// The number from which the zone's id is derived.
    var nonce: Bytes16
    /// The title of its share.
    var title: String
  }

  /// A random number that names the move.
  let nonce: Bytes16
  /// The zone that the records leave.
  let source: ZoneID
  /// The zone that they enter.
  let target: ZoneID
  /// The records.
  var records: [RecordID]
  /// The position of the log of `source` from which the records were read.
  let through: UInt64
  /// The position of the log of `target` before the records came.
  let joined: UInt64
  /// The new zone; nil if the records move to an existing one.
  let founding: Founding?
}

extension AccountZone {
  static let moveType = "cairn.move"

  /// Returns the moves that a device began, and that no other device has changed since. Such a note
  /// makes its device move records, and no other device can cause that.
  static func moves(begunBy device: DeviceID, in account: Zone) throws -> [RecordMove] {
    try records(moveType, in: account).filter { $0.isBy(device) }.compactMap { record in
      let fields = record.fields
      guard case .bytes(let nonce)? = fields["nonce"], let nonce = Bytes16(nonce),
        case .bytes(let source)? = fields["source"], let source = ZoneID(bytes: source),
        case .bytes(let target)? = fields["target"], let target = ZoneID(bytes: target),
        case .bytes(let ids)? = fields["records"], ids.count.isMultiple(of: 16),
        case .integer(let through)? = fields["through"], through >= 0,
        case .integer(let joined)? = fields["joined"], joined >= 0,
        record.id == moveID(nonce), source != target
      else { return nil }
      var founding: RecordMove.Founding?
      if case .bytes(let nonce)? = fields["founding"], let nonce = Bytes16(nonce),
        case .text(let title)? = fields["title"]
      {
        founding = RecordMove.Founding(nonce: nonce, title: title)
      }
      return RecordMove(
        nonce: nonce, source: source, target: target,
        records: stride(from: 0, to: ids.count, by: 16).compactMap {
          RecordID(bytes: ids[$0..<$0 + 16])
        },
        through: UInt64(through), joined: UInt64(joined), founding: founding)
    }.sorted { $0.nonce < $1.nonce }
  }

  /// Notes a move, and its zone if it creates one, in one step.
  static func note(_ move: RecordMove, _ entry: Entry?, in account: Zone) throws {
    var fields: [String: FieldValue?] = [
      "nonce": .bytes(move.nonce.bytes), "source": .bytes(move.source.bytes),
      "target": .bytes(move.target.bytes), "records": .bytes(move.records.flatMap(\.bytes)),
      "through": .integer(Int64(clamping: move.through)),
      "joined": .integer(Int64(clamping: move.joined)),
    ]
    if let founding = move.founding {
      fields["founding"] = .bytes(founding.nonce.bytes)
      fields["title"] = .text(founding.title)
    }
    try account.save {
      try [
        entry.flatMap { try change(of: $0, in: account) },
        change(moveID(move.nonce), moveType, fields, in: account),
      ].compactMap { $0 }
    }
  }

  /// Forgets a move that is over.
  static func forget(_ move: RecordMove, in account: Zone) throws {
    try delete(moveID(move.nonce), in: account)
  }

  private static func moveID(_ nonce: Bytes16) -> RecordID { recordID("move", nonce.bytes) }
}
