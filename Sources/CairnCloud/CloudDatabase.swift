import CairnReplica
import CairnZone

/// A set of zones (CKDatabase).
public struct CloudDatabase: Sendable {
  let container: CloudContainer
  let scope: DatabaseScope

  /// Returns all zones.
  public func zones() async throws(CloudError) -> [CloudZone] {
    try await container.work.run { [self] in
      try container.engine.zones(in: scope).map { CloudZone($0, of: container) }
    }
  }

  /// Returns the zone with an id; nil if the database doesn't have it.
  public func zone(_ id: ZoneID) async throws(CloudError) -> CloudZone? {
    try await container.work.run { [self] in
      try container.engine.zone(id, in: scope).map { CloudZone($0, of: container) }
    }
  }

  /// Returns the zone with a name, and creates it if there is none. All devices of the person agree
  /// on the zone.
  /// - Throws: `CloudError` with `.badDatabase` for the shared and the public database.
  public func zone(named name: String) async throws(CloudError) -> CloudZone {
    try await container.work.run { [self] in
      CloudZone(try container.engine.zone(named: name, in: scope), of: container)
    }
  }

  /// Returns the public zone of a person, which is empty until they save something there. In
  /// CloudKit all people write to one public zone. Here nobody can hinder others.
  /// - Throws: `CloudError` with `.badDatabase` for the private and the shared database, with
  ///   `.notAuthenticated` for a person who isn't in the container.
  public func zone(of person: PersonID) async throws(CloudError) -> CloudZone {
    guard scope == .public else {
      throw CloudError(.badDatabase, "only the public database has a zone for each person")
    }
    return try await container.work.run { [self] in
      CloudZone(try container.engine.publicZone(of: person), of: container)
    }
  }

  /// Deletes a zone for everybody, with all of its records and its share.
  /// - Throws: `CloudError` with `.zoneNotFound` if the database doesn't have the zone, with
  ///   `.badDatabase` for the shared and the public database.
  public func delete(_ zone: ZoneID) async throws(CloudError) {
    try await container.work.run { [self] in try container.engine.delete(zone, in: scope) }
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
      try container.engine.changes(in: scope, since: token)
    }
  }
}

extension CloudDatabase {
  /// An element whenever zones may have changed, or zones may have come or gone, until the task is
  /// cancelled (CKDatabaseSubscription). It says no more: ask for `changes`. At most one waits.
  /// Zones that the database gets later are followed after another call.
  public func hints() async throws(CloudError) -> AsyncStream<Void> {
    let (stream, hint) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let following = try await container.work.run { [self] in
      try container.engine.follow(in: scope) { hint.yield() }
    }
    hint.onTermination = { _ in withExtendedLifetime(following) {} }
    return stream
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

extension DatabaseScope {
  /// Throws an error unless this person can delete the zones of the database.
  func requireDeletable() throws(CloudError) {
    switch self {
    case .private: return
    case .shared: throw CloudError(.badDatabase, "only the owner can delete a zone")
    case .public:
      throw CloudError(.badDatabase, "a public zone can't be deleted; delete its records")
    }
  }
}
