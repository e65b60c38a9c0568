public import CairnStore
public import CairnZone

/// The public database: one zone a container, which everybody who can read the container reads. Its
/// id and its key follow from the container's id.
extension ZoneID {
  /// The public zone of a container.
  public static func `public`(in container: ContainerID) -> ZoneID {
    ZoneID(Crypto.digest("cairn public zone v1", container.bytes))
  }
}

extension ZoneKey {
  /// The one key of a container's public zone: no secret, since the container's id is none. With it
  /// the same log and the same packs serve as elsewhere.
  static func `public`(in container: ContainerID) -> ZoneKey {
    guard let secret = SecretBytes(Crypto.digest("cairn public key v1", container.bytes).bytes)
    else { preconditionFailure("a digest of another size than a key") }
    return ZoneKey(epoch: 1, secret: secret)
  }
}

extension Container {
  /// Opens a container to read its public database, without an account in it: nothing is ever
  /// written there. What this device has to remember is kept in `ownStore`, with keys that nobody
  /// else sees.
  /// - Parameters:
  ///   - store: where the container's objects are.
  ///   - id: the container.
  ///   - account: keys of this home alone, never published.
  ///   - indexFolder: the folder of the index files.
  ///   - ownStore: a store of this home's own.
  /// - Throws: `CloudError`.
  public convenience init(
    reading store: any ObjectStore, id: ContainerID, account: Account, indexFolder: String,
    ownStore: any ObjectStore
  ) throws {
    try self.init(
      store: ReadingStore(store), id: id, account: account,
      indexes: IndexFiles(folder: indexFolder),
      ownStore: ownStore)
  }

  /// The database that everybody may read (CKContainer.publicCloudDatabase).
  public var publicDatabase: Database { Database(container: self, scope: .public) }

  /// The public zone, whether anybody has put something into it or not.
  public func publicZone() throws -> Zone {
    try zone(
      .public(in: id), founder: nil, owner: account.user, scope: .public,
      keys: Keyring([.public(in: id)]))
  }

  /// The public zone, founded if nobody was first, for somebody who wants to write into it.
  /// - Throws: `CloudError` with `.notAuthenticated` in an anonymous home.
  public func foundedPublicZone() throws -> Zone {
    try requireAccount()
    let zone = try publicZone()
    try zone.found(named: "Public")
    guard zone.header.genesis != nil else {
      throw CloudError(
        .zoneNotFound, "the public database was not begun as it must be",
        remedy: "remove the folder \(zone.folder.path) from the container; nothing in it is valid")
    }
    return zone
  }

  /// Refuses what only a person with an account can do.
  /// - Throws: `CloudError` with `.notAuthenticated` in an anonymous home.
  public func requireAccount() throws {
    guard isAnonymous else { return }
    throw CloudError(
      .notAuthenticated, "this home is anonymous: it can read the public database, and no more",
      remedy: "run `cairn init --container DIR --name NAME --handle HANDLE` with another CAIRN_HOME"
    )
  }
}
