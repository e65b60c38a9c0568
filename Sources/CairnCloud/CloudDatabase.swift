import CairnContainer
import CairnIdentity
import CairnReplica
import CairnZone

/// A set of zones (CKDatabase).
public struct CloudDatabase: Sendable {
  let container: CloudContainer
  let scope: DatabaseScope

  private var inner: Database {
    scope == .private ? container.inner.privateDatabase : container.inner.sharedDatabase
  }

  /// Returns all zones.
  public func zones() async throws(CloudError) -> [CloudZone] {
    try await container.work.run { [self] in
      try container.inner.refresh()
      return try inner.zones().map { CloudZone($0, of: container) }
    }
  }

  /// Returns the zone with an id; nil if the database doesn't have it.
  public func zone(_ id: ZoneID) async throws(CloudError) -> CloudZone? {
    try await container.work.run { [self] in
      if let known = try inner.zone(id.inner) { return CloudZone(known, of: container) }
      try container.inner.refresh()
      return try inner.zone(id.inner).map { CloudZone($0, of: container) }
    }
  }

  /// Returns the zone with a name, and creates it if there is none. All devices of the person agree
  /// on the zone.
  /// - Throws: `CloudError` with `.badDatabase` for the shared database.
  public func zone(named name: String) async throws(CloudError) -> CloudZone {
    try await container.work.run { [self] in
      CloudZone(try inner.zone(named: name), of: container)
    }
  }

  /// Deletes a zone for everybody, with all of its records and its share.
  /// - Throws: `CloudError` with `.zoneNotFound` if the database doesn't have the zone, with
  ///   `.badDatabase` for the shared database.
  public func delete(_ zone: ZoneID) async throws(CloudError) {
    try await container.work.run { [self] in
      guard scope == .private else {
        throw CloudError(.badDatabase, "only the owner can delete a zone")
      }
      guard let found = try inner.zone(zone.inner) else {
        throw CloudError(.zoneNotFound, "this database has no zone \(zone)")
      }
      try container.inner.ownership.purge(found)
      try container.inner.participation.forgetEverything(of: found)
    }
  }

  /// Returns the zones that changed since a token, after all zones were asked for changes. Their
  /// records come from `CloudZone.changes`.
  /// - Parameter token: The token of the changes before; nil for all zones.
  /// - Returns: The changes, and the token after them.
  /// - Throws: `CloudError` with `.invalidArguments` for a text that is no token of this database.
  /// - Complexity: One request for each zone. The token grows with the number of zones.
  public func changes(
    since token: DatabaseToken? = nil
  ) async throws(CloudError) -> DatabaseChanges {
    try await container.work.run { [self] in
      let before = try token.map { try $0.heads(in: scope) } ?? [:]
      try container.inner.refresh()
      var now: [ZoneID: String] = [:]
      for zone in try inner.zones() {
        do { try zone.pull() } catch let error as CairnIdentity.CloudError {
          // A damaged zone is as it was last read here; `CloudZone.changes` has the error.
          guard !error.isWorthRetrying else { throw error }
        }
        // A zone that ended stays known until it is left.
        guard zone.header.rights(of: container.inner.account.user).contains(.read) else { continue }
        now[ZoneID(zone.id)] = zone.header.token.text
      }
      return DatabaseChanges(
        changed: now.keys.filter { now[$0] != before[$0] }.sorted { $0.inner < $1.inner },
        deleted: before.keys.filter { now[$0] == nil }.sorted { $0.inner < $1.inner },
        token: DatabaseToken(now, in: scope))
    }
  }
}

/// A position in the changes of a database (CKServerChangeToken). A program may store its text.
public struct DatabaseToken: Hashable, Sendable {
  /// The text of the token.
  public let text: String

  /// Creates a token of a stored text.
  public init(text: String) { self.text = text }

  /// Creates the token of zones whose own tokens are given.
  init(_ heads: [ZoneID: String], in scope: DatabaseScope) {
    text = ([scope.rawValue] + heads.values.sorted()).joined(separator: ".")
  }

  /// The tokens of the zones.
  func heads(in scope: DatabaseScope) throws -> [ZoneID: String] {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard parts.first == scope.rawValue else {
      throw CloudError(.invalidArguments, "this is no token of the \(scope.rawValue) database")
    }
    var heads: [ZoneID: String] = [:]
    for part in parts.dropFirst() { heads[ZoneID(try ChangeToken(parsing: part).zone)] = part }
    return heads
  }
}

/// The zones of a database that changed between two tokens.
public struct DatabaseChanges: Hashable, Sendable {
  /// The new zones, and those with changes of records or of the share.
  public let changed: [ZoneID]
  /// The zones that this person can't use any more: deleted, no longer shared with them, or left.
  public let deleted: [ZoneID]
  /// The position after these changes.
  public let token: DatabaseToken
}
