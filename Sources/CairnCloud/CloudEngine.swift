import CairnIdentity
import CairnReplica

/// The operations of a container below the values of this library. One implementation performs them
/// in this process, another one asks a daemon. Calls block.
protocol ContainerEngine: Sendable {
  /// The person.
  var me: PersonID { get }
  /// Returns the person with a handle; nil if there is none.
  func person(_ handle: String) throws -> PersonID?
  /// Returns the names of a person; nil if there is none.
  func profile(of person: PersonID) throws -> (handle: String, name: String)?
  /// Returns the invitations that aren't accepted yet.
  func invitations() throws -> [ShareInvitation]
  /// Accepts the invitation to a zone.
  func accept(_ zone: ZoneID) throws -> any ZoneEngine
  /// Returns the offer of a link.
  func invitation(link: String) throws -> ShareInvitation
  /// Accepts the offer of a link.
  func accept(link: String) throws -> any ZoneEngine
  /// Returns the public zone of a person, which may be empty.
  func publicZone(of person: PersonID) throws -> any ZoneEngine
  /// Returns the zones of a database, after the container was asked for new ones.
  func zones(in scope: DatabaseScope) throws -> [any ZoneEngine]
  /// Returns a zone of a database; nil if the database doesn't have it.
  func zone(_ id: ZoneID, in scope: DatabaseScope) throws -> (any ZoneEngine)?
  /// Returns the zone with a name, which is created if it is missing.
  func zone(named name: String, in scope: DatabaseScope) throws -> any ZoneEngine
  /// Deletes a zone for everybody.
  func delete(_ zone: ZoneID, in scope: DatabaseScope) throws
  /// Calls a function when zones may have changed, come or gone, as long as the result exists.
  /// Later zones are followed by another call.
  func follow(
    in scope: DatabaseScope, _ hint: @escaping @Sendable () -> Void
  ) throws -> [any Sendable]
  /// Returns the zones that changed since a token.
  func changes(in scope: DatabaseScope, since token: DatabaseToken?) throws -> DatabaseChanges
}

/// The operations of a zone below the values of this library. Calls block.
protocol ZoneEngine: Sendable {
  /// The id.
  var id: ZoneID { get }
  /// The name.
  var name: String { get }
  /// The owner.
  var owner: PersonID { get }
  /// A Boolean value that indicates whether this person can save records.
  var canEdit: Bool { get }

  /// Asks the container for changes.
  /// - Returns: The position of the zone.
  func refresh() throws -> UInt64
  /// Returns a record as of the last refresh; nil if there is none.
  func record(_ id: RecordID) throws -> CloudRecord?
  /// Returns a record after a refresh.
  func freshRecord(_ id: RecordID) throws -> CloudRecord?
  /// Returns a page of records.
  func page(of query: CloudQuery, _ part: QueryPart) throws -> QueryPage
  /// Returns the changes since a token, after a refresh.
  func changes(since token: ZoneToken?, limit: Int) throws -> ZoneChanges
  /// Calls a function when the zone may have changed, as long as the result exists.
  func follow(_ hint: @escaping @Sendable () -> Void) throws -> any Sendable
  /// Saves and deletes records in one commit.
  /// - Returns: The saved records.
  /// - Throws: `CloudError` with `.serverRecordChanged`; without conflicts if the changes were for
  ///   an older position.
  func save(_ changes: RecordChanges) throws -> [CloudRecord]

  /// Stores bytes. `fill` fills a buffer, and returns 0 at the end.
  func upload(_ fill: (UnsafeMutableRawBufferPointer) throws -> Int) throws -> Asset
  /// Passes on the bytes of an asset.
  func download(_ asset: Asset, _ body: (UnsafeRawBufferPointer) throws -> Void) throws

  /// Moves records to a new zone, which is shared.
  func share(_ records: [RecordID], title: String) throws -> any ZoneEngine
  /// Moves records to another zone.
  func move(_ records: [RecordID], to zone: ZoneID) throws
  /// Returns the versions of a record, the latest first.
  func history(of id: RecordID) throws -> [CloudRecord]
  /// Performs an action on the share of the zone.
  /// - Returns: The share after it; nil if the zone isn't shared.
  func perform(_ act: ShareAct) throws -> Share?
  /// Returns the link to the share of the zone.
  func link() throws -> String
  /// Makes a link for one person. Another call with the same secret returns the same link.
  func oneTimeLink(_ permission: Share.Permission, secret: SecretBytes) throws -> String
}

/// A part of the results of a query.
struct QueryPart: Sendable {
  /// The maximum number of records; nil for all.
  var limit: Int?
  /// The end of the part before.
  var cursor: CloudQuery.Cursor?
  /// A Boolean value that indicates whether the container is asked for changes first.
  var isRefreshing = false
}

/// A page of records, and the position of the next page.
typealias QueryPage = (records: [CloudRecord], next: CloudQuery.Cursor?)

/// An action on the share of a zone.
enum ShareAct: Sendable {
  case show
  case share(title: String)
  case invite([PersonID], Share.Permission?)
  case setPermission(Share.Permission, PersonID)
  case setPublic(Share.Permission?)
  case remove(PersonID)
  case stop
  case leave
}

/// The records of one commit.
struct RecordChanges: Sendable {
  /// The new and changed records.
  var saving: [CloudRecord] = []
  /// The records to delete by the policy.
  var deleting: [CloudRecord] = []
  /// The records to delete as they are.
  var gone: [RecordID] = []
  /// The rule for records that others have changed.
  var policy = SavePolicy.ifUnchanged
  /// The only position of the zone behind which the changes are valid; nil for any.
  var sequence: UInt64?
}
