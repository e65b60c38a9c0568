import CairnPlan
import CairnZone
import Synchronization

/// The rows of the table `node` that were read or written lately, so that a sync cycle reads each
/// of them once. `FolderTree` makes every change of the table, and keeps this the same. It is used
/// only inside transactions of the file, which run one after the other.
final class NodeCache: Sendable {
  private struct Key: Hashable {
    var mount: Int64
    var id: RecordID
  }

  /// Two generations: the older one is forgotten when the newer one is full.
  private struct State {
    var (new, old): ([Key: NodeRow?], [Key: NodeRow?]) = ([:], [:])
  }

  private let state = Mutex(State())
  /// The mounts in which a row with the name of a conflict copy was stored since the last look.
  private let conflicting = Mutex(Set<Int64>())

  /// The most rows of a generation: as many as the largest number of records with a transfer.
  private static let limit = 8_192

  /// Returns a known row; `.some(nil)` if the table is known to have none.
  func row(_ id: RecordID, of mount: Int64) -> NodeRow?? {
    let key = Key(mount: mount, id: id)
    return state.withLock { state in
      if let row = state.new[key] { return row }
      guard let row = state.old[key] else { return nil }
      Self.keep(row, key, &state)
      return row
    }
  }

  /// Notes a row as the table has it; nil: it has none.
  func keep(_ row: NodeRow?, _ id: RecordID, of mount: Int64) {
    state.withLock { Self.keep(row, Key(mount: mount, id: id), &$0) }
  }

  private static func keep(_ row: NodeRow?, _ key: Key, _ state: inout State) {
    if state.new.count >= limit { (state.new, state.old) = ([:], state.new) }
    state.new[key] = .some(row)
  }

  /// Forgets a row that a statement changed.
  func forget(_ id: RecordID, of mount: Int64) {
    let key = Key(mount: mount, id: id)
    state.withLock { state in
      state.new[key] = nil
      state.old[key] = nil
    }
  }

  /// Notes that a row with the name of a conflict copy was stored.
  func noteConflictCopy(in mount: Int64) { conflicting.withLock { _ = $0.insert(mount) } }

  /// Returns whether that was noted since the last call.
  func takeConflictCopies(of mount: Int64) -> Bool {
    conflicting.withLock { $0.remove(mount) != nil }
  }

  /// Forgets all rows.
  func forgetAll() { state.withLock { $0 = State() } }

  /// The known rows of a mount.
  func rows(of mount: Int64) -> [RecordID: NodeRow?] {
    state.withLock { state in
      var rows: [RecordID: NodeRow?] = [:]
      for (key, row) in state.old where key.mount == mount { rows[key.id] = .some(row) }
      for (key, row) in state.new where key.mount == mount { rows[key.id] = .some(row) }
      return rows
    }
  }
}

extension NodeRow {
  /// The row as a later read returns it.
  var stored: NodeRow {
    var row = self
    if row.local != nil { row.gone = nil }
    row.local?.node.attributes = Self.stored(local?.node.attributes)
    row.synced?.attributes = Self.stored(synced?.attributes)
    return row
  }

  /// The attributes that have columns.
  private static func stored(_ attributes: Attributes?) -> Attributes {
    Attributes(
      isExecutable: attributes?.isExecutable ?? false, modified: attributes?.modified ?? 0,
      mode: attributes?.mode, extended: attributes?.extended)
  }
}
