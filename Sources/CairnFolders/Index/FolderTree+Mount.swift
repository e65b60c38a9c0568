import CairnIndex
import CairnZone

/// The data of a mount as a whole: its row of the table `mount`.
extension FolderTree {
  /// Reads columns of the row; nil if there is none.
  func column<Value>(
    _ columns: String, _ read: (borrowing Query) -> Value?
  ) throws -> Value? {
    var query = try query("SELECT \(columns) FROM mount WHERE number = ?")
    return try query.next() ? read(query) : nil
  }

  /// Sets columns of the row; their values are ?2 and the following.
  func set(_ columns: String, _ bind: (inout Query) -> Void) throws {
    var query = try query("UPDATE mount SET \(columns) WHERE number = ?1")
    bind(&query)
    try query.run()
  }

  /// The last place in the zone's log whose changes are marked dirty here: CloudKit's change token.
  var seen: UInt64 {
    get throws { try column("seen") { UInt64($0.integer(0)) } ?? 0 }
  }

  /// The same, with the digest of the entry there; nil if that is unknown.
  var seenEnd: (seen: UInt64, head: Bytes32?) {
    get throws {
      try column("seen, seen_head") { (UInt64($0.integer(0)), $0.bytes32(1)) } ?? (0, nil)
    }
  }

  func setSeen(_ sequence: UInt64, _ head: Bytes32?) throws {
    try set("seen = ?2, seen_head = ?3") {
      $0.bind(Int64(sequence))
      $0.bind(head)
    }
  }

  /// The time since which deletions wait for a confirmation, in nanoseconds since 1970; nil if none
  /// do.
  var heldSince: Int64? {
    get throws { try column("held_since") { $0.number(0) } }
  }

  func setHeldSince(_ time: Int64?) throws { try set("held_since = ?2") { $0.bind(time) } }

  /// A Boolean value that indicates whether the mount's files are shown as read-only; nil if that
  /// is unknown, as after the loss of the index.
  var isShownReadOnly: Bool? {
    get throws { try column("read_only") { $0.number(0).map { $0 != 0 } } }
  }

  func setShownReadOnly(_ isReadOnly: Bool?) throws {
    try set("read_only = ?2") { $0.bind(isReadOnly.map { $0 ? 1 : 0 }) }
  }

  /// The selection that the rows follow, as in its file; nil if they follow none.
  var selection: [UInt8]? {
    get throws { try column("selection") { $0.bytes(0) } }
  }

  func setSelection(_ text: [UInt8]) throws { try set("selection = ?2") { $0.bind(text) } }

  /// A Boolean value that indicates whether the whole folder was compared with the zone since the
  /// index was created or reset, or a copy took the folder's place.
  var isCompared: Bool {
    get throws { try column("compared") { $0.integer(0) != 0 } ?? false }
  }

  func setCompared(_ isCompared: Bool) throws {
    try set("compared = ?2") { $0.bind(isCompared ? 1 : 0) }
  }

  /// The place in the zone's log at which the folder began to mirror it; 0 if it was lost, nil if
  /// it is still unknown.
  var startsAfter: UInt64? {
    get throws {
      let sequence = try column("starts_after") { $0.integer(0) } ?? 0
      return sequence < 0 ? nil : UInt64(sequence)
    }
  }

  func setStartsAfter(_ sequence: UInt64?) throws {
    try set("starts_after = ?2") { $0.bind(sequence.map { Int64($0) } ?? -1) }
  }
}
