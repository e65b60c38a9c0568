import CairnIdentity
import CairnReplica
import CairnZone
import Synchronization

/// The versions of each record of an account zone, with the device that wrote each. The index keeps
/// only the last state of a typed record, so they are read from the log. This value decides
/// nothing.
struct AccountPast: Sendable {
  /// A state of a record, valid from one entry of the log.
  struct Version: Sendable {
    /// The device that signed the entry.
    var device: DeviceID
    /// The fields; nil if the entry deleted the record.
    var fields: [String: FieldValue]?
  }

  private struct History: Sendable {
    var type = ""
    var versions: [Version] = []
  }

  /// The last entry of the log that was read.
  private(set) var sequence: UInt64 = 0
  private var histories: [RecordID: History] = [:]

  /// Adds the next entry of the log.
  mutating func take(_ commit: LoggedCommit) {
    guard let device = commit.author?.device else { return }
    for change in commit.records { take(change, by: device) }
  }

  private mutating func take(_ change: RecordChange, by device: DeviceID) {
    var history = histories[change.id] ?? History()
    var fields: [String: FieldValue]?
    switch change.act {
    case .delete: break
    case .create(let type):
      if case .typed(let name) = type { history.type = name }
      fields = change.fields.compactMapValues { $0 }
    case .update:
      var known = history.versions.last?.fields ?? [:]
      for (name, value) in change.fields { known[name] = value }
      fields = known
    }
    history.versions.append(Version(device: device, fields: fields))
    histories[change.id] = history
  }

  /// Notes that everything up to an entry was read.
  mutating func pass(_ sequence: UInt64) { self.sequence = max(self.sequence, sequence) }

  /// Returns the type of a record; empty if the log doesn't contain it.
  func type(of id: RecordID) -> String { histories[id]?.type ?? "" }

  /// Returns all versions of a record, the first one first.
  func versions(of id: RecordID) -> [Version] { histories[id]?.versions ?? [] }

  /// Returns the records of a type, including the deleted ones.
  func records(_ type: String) -> [RecordID] {
    histories.filter { $0.value.type == type }.keys.sorted()
  }

  /// Returns the records that one of these devices has changed or deleted.
  func records(touchedBy devices: Set<DeviceID>) -> [RecordID] {
    histories.filter { history in
      history.value.versions.contains { devices.contains($0.device) }
    }.keys.sorted()
  }

  /// Returns the last version by any device except these, which may be a deletion; nil if there is
  /// none.
  func last(of id: RecordID, without devices: Set<DeviceID>) -> Version? {
    versions(of: id).last { !devices.contains($0.device) }
  }

  /// Returns the last version that this device wrote; nil if there is none.
  func last(of id: RecordID, by device: DeviceID) -> Version? {
    versions(of: id).last { $0.device == device }
  }
}

extension Container {
  /// Returns the versions of the account's records, as far as the account is replayed here. Entries
  /// that can't be opened any more are skipped.
  /// - Throws: `CloudError` if an entry has to be read from the container, and can't be now.
  func accountPast() throws -> AccountPast {
    try past.withLock { past in
      let end = accountZone.header.sequence
      // If the log is shorter than it was, it is read again from the beginning.
      if past.sequence > end { past = AccountPast() }
      while past.sequence < end {
        do {
          for commit in try accountZone.log(after: past.sequence, limit: 1) { past.take(commit) }
        } catch let error as CloudError {
          guard !error.isWorthRetrying else { throw error }
        }
        past.pass(past.sequence + 1)
      }
      return past
    }
  }
}
