import CairnIndex
import CairnPlan
import CairnZone

/// The number of names that one rule keeps out of the mirror; of a directory, only its own name
/// counts.
public struct IgnoredNames: Sendable, Hashable {
  /// The pattern as written.
  public var pattern: [UInt8]
  /// The `.cairnignore` with the pattern, relative to the folder; nil for a built-in one.
  public var file: [UInt8]?
  /// The number of names.
  public var count: Int
}

/// The rule that keeps a name out of the mirror.
struct IgnoringRule: Hashable, Sendable {
  /// The pattern as written.
  var pattern: [UInt8]
  /// The `.cairnignore` with the pattern, relative to the folder; nil for a built-in one.
  var file: [UInt8]?
}

/// The names in mirrored directories that are left out. It uses the queries of the tree, which
/// begin with the mount, and nothing else of it.
struct IgnoredTable {
  let tree: FolderTree

  /// Returns the ignored names of a directory, with their rules.
  func names(in parent: RecordID) throws -> [FileNameBytes: IgnoringRule] {
    var query = try tree.query(
      "SELECT name, pattern, file FROM ignored WHERE mount = ? AND parent = ?")
    query.bind(parent)
    var found: [FileNameBytes: IgnoringRule] = [:]
    while try query.next() {
      guard let name = query.bytes(0), let pattern = query.bytes(1) else { continue }
      found[name] = IgnoringRule(pattern: pattern, file: query.bytes(2))
    }
    return found
  }

  /// Returns those of some names in a directory.
  func names(
    _ names: [FileName], in parent: RecordID
  ) throws -> [FileNameBytes: IgnoringRule] {
    var found: [FileNameBytes: IgnoringRule] = [:]
    for name in names {
      var query = try tree.query(
        "SELECT pattern, file FROM ignored WHERE mount = ? AND parent = ? AND name = ?")
      query.bind(parent)
      query.bind(name.bytes)
      guard try query.next(), let pattern = query.bytes(0) else { continue }
      found[name.bytes] = IgnoringRule(pattern: pattern, file: query.bytes(1))
    }
    return found
  }

  /// Returns the places of the names that rules of one file keep out.
  func places(hiddenBy file: [UInt8]) throws -> [Place] {
    try places("file = ?", file)
  }

  /// Returns the places of the lock files, whose names the built-in rules keep out.
  func locks() throws -> [Place] {
    try LockFile.patterns.flatMap { try places("pattern = ? AND file IS NULL", $0) }
  }

  /// Returns the places of the names for which a condition with one value holds.
  private func places(_ condition: String, _ value: [UInt8]) throws -> [Place] {
    var query = try tree.query(
      "SELECT parent, name FROM ignored WHERE mount = ? AND \(condition)")
    query.bind(value)
    var found: [Place] = []
    while try query.next() {
      guard let parent = query.id(0), let name = query.bytes(1).flatMap({ FileName($0) }) else {
        continue
      }
      found.append(Place(parent: parent, name: name))
    }
    return found
  }

  /// Notes the rule that keeps out the entry at a place; nil for none.
  func set(_ rule: IgnoringRule?, at place: Place) throws {
    guard let rule else {
      var query = try tree.query("DELETE FROM ignored WHERE mount = ? AND parent = ? AND name = ?")
      query.bind(place.parent)
      query.bind(place.name.bytes)
      return try query.run()
    }
    var query = try tree.query("INSERT OR REPLACE INTO ignored VALUES (?, ?, ?, ?, ?)")
    query.bind(place.parent)
    query.bind(place.name.bytes)
    query.bind(rule.pattern)
    query.bind(rule.file)
    try query.run()
  }

  /// Returns the number of names that each rule keeps out, the most first. It deletes the rows of
  /// directories that are gone.
  func count() throws -> [IgnoredNames] {
    var forget = try tree.query(
      """
      DELETE FROM ignored WHERE mount = ?1 AND parent <> ?2 AND NOT EXISTS (
        SELECT 1 FROM node n WHERE n.mount = ?1 AND n.id = ignored.parent AND n.kind = 2)
      """)
    forget.bind(RecordID.root)
    try forget.run()
    var query = try tree.query(
      """
      SELECT pattern, file, count(*) FROM ignored WHERE mount = ?
      GROUP BY pattern, file ORDER BY count(*) DESC, pattern, file
      """)
    var found: [IgnoredNames] = []
    while try query.next() {
      guard let pattern = query.bytes(0) else { continue }
      found.append(
        IgnoredNames(pattern: pattern, file: query.bytes(1), count: Int(query.integer(2))))
    }
    return found
  }
}

extension FolderTree {
  /// The names that are left out.
  var ignored: IgnoredTable { IgnoredTable(tree: self) }
}
