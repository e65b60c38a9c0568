/// A zone of records: the unit of sharing and of atomic changes (CKRecordZone).
public struct CloudZone: Sendable, Identifiable {
  let engine: any ZoneEngine
  let container: CloudContainer

  init(_ engine: any ZoneEngine, of container: CloudContainer) {
    (self.engine, self.container) = (engine, container)
  }

  var work: Work { container.work }

  /// The id.
  public var id: ZoneID { engine.id }

  /// The name that the owner gave the zone; names of different people may be equal.
  public var name: String { engine.name }

  /// The owner of the zone.
  public var owner: PersonID { engine.owner }

  /// A Boolean value that indicates whether this person can save and delete records.
  public var canEdit: Bool { engine.canEdit }

  /// Returns the record with an id; nil if there is none. The zone is asked for changes before.
  public func record(_ id: RecordID) async throws(CloudError) -> CloudRecord? {
    try await work.run { [engine] in try engine.freshRecord(id) }
  }

  /// Returns the records that match a query. The zone is asked for changes before the first page.
  /// - Parameters:
  ///   - query: The type, the conditions, and the order.
  ///   - limit: The maximum number of records; nil for all.
  ///   - cursor: The end of the page before; nil for the first page.
  ///   - isRefreshing: A Boolean value that indicates whether the zone is asked for changes before
  ///     the first page. Without that, the records are those of the last fetched change, and no
  ///     container is needed.
  /// - Returns: A page of records, and the position of the next page; nil if there are no more.
  /// - Throws: `CloudError` if the container or the index can't be read.
  /// - Complexity: The first query with these fields in `sort` and in conditions for equality reads
  ///   all records of the type, and keeps a list of them in this order. Later ones read the records
  ///   of the page, and those between them that don't meet the other conditions.
  public func records(
    _ query: CloudQuery, limit: Int? = nil, after cursor: CloudQuery.Cursor? = nil,
    isRefreshing: Bool = true
  ) async throws(CloudError) -> (records: [CloudRecord], next: CloudQuery.Cursor?) {
    try await work.run { [engine] in
      let isRefreshing = isRefreshing && cursor == nil
      return try engine.page(
        of: query, QueryPart(limit: limit, cursor: cursor, isRefreshing: isRefreshing))
    }
  }

  // MARK: Changes of others

  /// Fetches new changes of the zone, and returns all changes since a token.
  /// - Parameters:
  ///   - token: The token of the changes before; nil for everything.
  ///   - limit: The approximate maximum number of records.
  /// - Returns: The changes, and the token after them.
  /// - Throws: `CloudError` with `.changeTokenExpired` if the log doesn't continue from the token.
  public func changes(
    since token: ZoneToken? = nil, limit: Int = 1_000
  ) async throws(CloudError) -> ZoneChanges {
    try await work.run { [engine] in try engine.changes(since: token, limit: limit) }
  }

  /// The changes since a token, and then each later change, until the task is cancelled. The next
  /// element is computed when it is asked for: a slow reader gets several changes in one element,
  /// and misses none.
  public func events(since token: ZoneToken? = nil) -> ZoneEvents {
    ZoneEvents(zone: self, token: token)
  }
}

/// A position in the changes of a zone (CKServerChangeToken), which a program may store as text.
public struct ZoneToken: Hashable, Sendable {
  /// The text of the token.
  public let text: String

  /// Creates a token from a stored text.
  public init(text: String) { self.text = text }
}

/// The changes of a zone between two tokens.
public struct ZoneChanges: Sendable {
  /// A deleted record (CKDatabase.RecordZoneChange.Deletion).
  public struct Deletion: Hashable, Sendable {
    /// The id.
    public let id: RecordID
    /// The type that the record had.
    public let type: String
  }

  /// The new and changed records.
  public let changed: [CloudRecord]
  /// The deleted records.
  public let deleted: [Deletion]
  /// The position after these changes.
  public let token: ZoneToken
  /// A Boolean value that indicates whether more changes are behind the token already.
  public let moreComing: Bool
}

/// The changes of a zone as they come.
public struct ZoneEvents: AsyncSequence, Sendable {
  /// The changes up to one moment, with the token after them.
  public typealias Element = ZoneChanges
  /// The errors of `CloudZone.changes`.
  public typealias Failure = CloudError

  let zone: CloudZone
  let token: ZoneToken?

  /// Begins with the first changes.
  public func makeAsyncIterator() -> Iterator { Iterator(zone: zone, token: token) }

  /// The position of one reader.
  public struct Iterator: AsyncIteratorProtocol {
    private let zone: CloudZone
    private var token: ZoneToken?
    /// At most one hint waits: it says only that there may be changes.
    private var hints: AsyncStream<Void>.Iterator?
    private var subscription: (any Sendable)?

    init(zone: CloudZone, token: ZoneToken?) { (self.zone, self.token) = (zone, token) }

    /// Returns the next changes; nil after the task was cancelled.
    public mutating func next() async throws(CloudError) -> ZoneChanges? {
      try await next(isolation: nil)
    }

    /// Returns the next changes; nil after the task was cancelled.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(CloudError) -> ZoneChanges? {
      while !Task.isCancelled {
        let changes: ZoneChanges
        do {
          // Before the first look, so that no change falls in between.
          if subscription == nil { try await follow(isolation: actor) }
          changes = try await zone.changes(since: token)
        } catch {
          if error.code == .operationCancelled { return nil }
          throw error
        }
        let isNew = !(changes.changed.isEmpty && changes.deleted.isEmpty)
        token = changes.token
        if isNew { return changes }
        guard await hints?.next(isolation: actor) != nil else { return nil }
      }
      return nil
    }

    private mutating func follow(
      isolation actor: isolated (any Actor)?
    ) async throws(CloudError) {
      let (stream, hint) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))
      let followed: any Sendable = try await zone.work.run { [zone] in
        try zone.engine.follow { hint.yield() }
      }
      subscription = followed
      hints = stream.makeAsyncIterator()
    }
  }
}
