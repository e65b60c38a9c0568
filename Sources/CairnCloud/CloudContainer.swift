import CairnContainer
import CairnIdentity
import CairnIndex
import CairnReplica
import CairnStore
import CairnZone

/// A container with the data of several people, as one of them uses it (CKContainer). Its calls
/// never block a thread of the cooperative pool. Types of this library are values, except for this
/// one: it keeps the home open as long as it exists. Containers of one process may share a home.
public final class CloudContainer: Sendable {
  let inner: Container
  let work: Work
  private let home: OpenHome?
  private let store: AskingStore

  /// Opens a container, and creates what is missing: the container, the person, the index.
  /// - Parameters:
  ///   - place: The storage.
  ///   - identity: The person.
  /// - Returns: The container.
  /// - Throws: `CloudError`; with `.homeInUse` if another process has the home open.
  public static func open(
    _ place: CloudPlace, as identity: Identity
  ) async throws(CloudError) -> CloudContainer {
    let work = try Work()
    return try await work.run { try CloudContainer(place, identity, work) }
  }

  private init(_ place: CloudPlace, _ identity: Identity, _ work: Work) throws {
    self.work = work
    home = try identity.home.map { try OpenHome($0) }
    let (inner, notifies, isFolder) = try Self.store(place)
    let root = try Container.make(in: inner, note: "")
    let account = try home?.account(identity, root) ?? OpenHome.newAccount(identity, root)
    store = AskingStore(
      inner, owner: account.bellOwner(in: root.id), isTold: notifies, isFolder: isFolder,
      longest: 60)
    let files = try home.map { try IndexFiles(folder: $0.index) } ?? IndexFiles(inMemory: {})
    try People(store: store, of: root).publish(account)
    self.inner = try Container(store: store, id: root.id, account: account, indexes: files)
    try self.inner.publishProfile()
    try self.inner.recordMoves.resume()
  }

  deinit { store.end() }

  private static func store(
    _ place: CloudPlace
  ) throws -> (store: any ObjectStore, notifies: Bool, isFolder: Bool) {
    switch place.kind {
    case .memory(let cloud): return (cloud.store, true, false)
    case .location(let text):
      guard let location = StoreLocation(text) else {
        throw CloudError(.invalidArguments, "\(text) is no place for a container")
      }
      try location.make()
      return (location.open(), try location.look().notifies, location.folder != nil)
    }
  }

  /// The person who uses the container.
  public var me: PersonID { PersonID(inner.account.user) }

  /// The database of zones that this person owns.
  public var privateDatabase: CloudDatabase { CloudDatabase(container: self, scope: .private) }

  /// The database of zones that others share with this person.
  public var sharedDatabase: CloudDatabase { CloudDatabase(container: self, scope: .shared) }

  /// Returns the person with a handle; nil if nobody in the container has it.
  public func person(_ handle: String) async throws(CloudError) -> PersonID? {
    try await work.run { [inner] in try inner.people.find(handle: handle).map { PersonID($0.id) } }
  }

  /// Returns the invitations to shares that this person hasn't accepted yet.
  public func invitations() async throws(CloudError) -> [ShareInvitation] {
    try await work.run { [inner] in
      try inner.participation.invitations().map { ShareInvitation($0) }
    }
  }

  /// Accepts an invitation (CKAcceptSharesOperation).
  /// - Returns: The zone of the share, which is in the shared database from then on.
  public func accept(_ invitation: ShareInvitation) async throws(CloudError) -> CloudZone {
    try await work.run { [self] in
      CloudZone(try inner.participation.accept(invitation.zone.inner), of: self)
    }
  }
}
