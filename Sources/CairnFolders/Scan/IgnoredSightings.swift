import CairnPlan
import CairnZone

/// What a scan finds left out by rules, directory by directory, and how that differs from what the
/// index has of it.
struct IgnoredSightings {
  private var directory: RecordID?
  /// What the index has of the names that are looked at.
  private var before: [FileNameBytes: IgnoringRule] = [:]
  private var found: [FileNameBytes: IgnoringRule] = [:]
  private var changes: [(place: Place, rule: IgnoringRule?)] = []

  /// Names of a directory are looked at, of which the index has so many as left out.
  mutating func begin(_ directory: RecordID, before: [FileNameBytes: IgnoringRule]) {
    self.directory = directory
    self.before = before
    found = [:]
  }

  /// One of them is left out by that rule.
  mutating func see(_ name: FileName, _ rule: IgnoringRule?) { found[name.bytes] = rule }

  /// All of them were looked at; what broke off before that says nothing.
  mutating func finish() {
    guard let parent = directory else { return }
    directory = nil
    for (bytes, rule) in found where before[bytes] != rule { note(bytes, rule, in: parent) }
    for bytes in before.keys where found[bytes] == nil { note(bytes, nil, in: parent) }
  }

  private mutating func note(_ bytes: FileNameBytes, _ rule: IgnoringRule?, in parent: RecordID) {
    guard let name = FileName(bytes) else { return }
    changes.append((Place(parent: parent, name: name), rule))
  }

  /// Writes what differs.
  /// - Returns: whether anything does.
  mutating func write(to tree: FolderTree) throws -> Bool {
    guard !changes.isEmpty else { return false }
    for change in changes { try tree.setIgnoringRule(change.rule, at: change.place) }
    changes = []
    return true
  }
}
