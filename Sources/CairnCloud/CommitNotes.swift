import CairnIdentity
import CairnReplica
import CairnZone

/// An attempt to commit the changes of an operation.
@_spi(Served) public struct CommitAttempt: Codable, Hashable, Sendable {
  /// The id of the zone.
  public let zone: String
  /// The only position of the log at which the commit can be.
  public let position: UInt64
  /// A digest of the changes.
  public let digest: String
}

/// The last attempts of operations. They outlive the process.
@_spi(Served) public protocol CommitAttempts: Sendable {
  /// Returns the last attempt of an operation; nil if there was none.
  func last(of operation: String) -> CommitAttempt?
  /// Notes an attempt before it begins. An earlier attempt of another operation for the same
  /// position is forgotten: it wasn't successful.
  func note(_ attempt: CommitAttempt, of operation: String) throws
  /// Runs a function while no other function for the same zone runs.
  func alone<Result>(in zone: String, _ body: () throws -> Result) rethrows -> Result
}

/// The notes about one operation whose answer may get lost. A repeated operation finds its own
/// commit in the log with them, and isn't performed twice.
struct CommitNotes {
  let operation: String
  let attempts: any CommitAttempts

  /// The last attempt; nil if there was none.
  var last: CommitAttempt? { attempts.last(of: operation) }

  /// Notes an attempt.
  func note(_ records: [RecordChange], in zone: Zone, at position: UInt64) throws {
    let attempt = CommitAttempt(
      zone: zone.id.description, position: position, digest: Self.digest(of: records))
    try attempts.note(attempt, of: operation)
  }

  /// Returns whether the last attempt is in the log, as far as the log is replayed.
  func isDone(by author: Author, in zone: Zone) throws -> Bool {
    guard let attempt = last, attempt.zone == zone.id.description,
      let entry = try zone.log(after: attempt.position - 1, limit: 1).first
    else { return false }
    return entry.sequence == attempt.position && entry.author == author
      && Self.digest(of: entry.records) == attempt.digest
  }

  private static func digest(of records: [RecordChange]) -> String {
    var parts: [[UInt8]] = []
    for change in records.sorted(by: { $0.id < $1.id }) {
      parts.append(change.id.bytes)
      switch change.act {
      case .create(.typed(let type)): parts += [[1], Array(type.utf8), [0]]
      case .create: parts.append([2])
      case .update: parts.append([3])
      case .delete: parts.append([4])
      }
      for (name, value) in change.fields.sorted(by: { $0.key < $1.key }) {
        parts += [Array(name.utf8), [0], CairnZone.FieldValue.sortKey(of: value)]
      }
    }
    return hexadecimal(Crypto.digest("cairn program commit", parts: parts).bytes)
  }
}
