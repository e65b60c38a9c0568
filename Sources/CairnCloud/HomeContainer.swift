import CairnContainer
import CairnIdentity
import CairnIndex
import CairnReplica
import CairnStore

/// A container that this process has open with the keys of a home. It owns the home and the
/// following of the store, until it is gone.
final class HomeContainer: Sendable {
  private let container: Container
  private let home: OpenHome?
  private let store: AskingStore

  /// The operations.
  var engine: LocalContainer { LocalContainer(inner: container) }

  init(_ place: CloudPlace, _ identity: Identity) throws {
    home = try identity.home.map { try OpenHome($0) }
    let (inner, notifies, isFolder) = try Self.store(place)
    let root = try Container.make(in: inner, note: "")
    let account = try home?.account(identity, root) ?? OpenHome.newAccount(identity, root)
    store = AskingStore(
      inner, owner: account.bellOwner(in: root.id), isTold: notifies, isFolder: isFolder,
      longest: AskingStore.usualPause)
    let files = try home.map { try IndexFiles(folder: $0.index) } ?? IndexFiles(inMemory: {})
    try People(store: store, of: root).publish(account)
    container = try Container(store: store, id: root.id, account: account, indexes: files)
    try container.publishProfile()
    try container.recordMoves.resume()
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
}
