import CairnPlan
import CairnZone

/// The names that a scan found left out by rules, for each directory, compared with the index.
struct IgnoredSightings {
  private var directory: RecordID?
  /// The names as the index has them.
  private var before: [FileNameBytes: IgnoringRule] = [:]
  private var found: [FileNameBytes: IgnoringRule] = [:]
  private var changes: [(place: Place, rule: IgnoringRule?)] = []
  /// The entries of the index that this device's own rules hide now, as far as this scan has seen
  /// them.
  var newlyHidden: Set<Place> = []
  /// The directories that lead to folders of other mounts: they aren't hidden.
  var aboveOthers: Set<RecordID> = []

  /// Begins with names of a directory; the index has `before` as left out.
  mutating func begin(_ directory: RecordID, before: [FileNameBytes: IgnoringRule]) {
    self.directory = directory
    self.before = before
    found = [:]
  }

  /// Notes that a rule leaves out a name.
  mutating func see(_ name: FileName, _ rule: IgnoringRule?) { found[name.bytes] = rule }

  /// Ends the names of the directory. A scan that was interrupted before that changes nothing.
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

  /// Writes the differences.
  /// - Returns: True if there are any.
  mutating func write(to tree: FolderTree) throws -> Bool {
    guard !changes.isEmpty else { return false }
    for change in changes { try tree.ignored.set(change.rule, at: change.place) }
    changes = []
    return true
  }
}
